// SPDX-License-Identifier: Apache-2.0
#include "models/dwc/root_port.h"

namespace pmufab::dwc {
namespace {

constexpr std::uint32_t kClassBridge = 0x060400;

pcie::FunctionParameters function_parameters(const RootPortDescription& description) {
  pcie::FunctionParameters parameters;
  parameters.vendor_id = description.vendor_id;
  parameters.device_id = description.device_id;
  parameters.class_code = kClassBridge;
  parameters.type = pcie::PortType::root_port;
  parameters.link.width = description.lanes;
  return parameters;
}

}  // namespace

RootPort::RootPort(const sc_core::sc_module_name& name, const RootPortDescription& description, unsigned number)
    : sc_core::sc_module(name),
      number_(number),
      clock_(description.name, description.clock_hz),
      function_("function", function_parameters(description)),
      statistics_(function_.space(), description, clock_),
      registers_(function_.space(), true, statistics_.registers()) {
  function_.on_reset([this](pcie::ResetKind) { statistics_.reset(simulated_time()); });
}

}  // namespace pmufab::dwc
