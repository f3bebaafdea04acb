// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/c2c/c2c_interfaces.h"

namespace pmufab::tegra410 {

namespace {

C2cPmu::Options nvlink_c2c_options(const NvlinkC2cParameters& parameters) {
  C2cPmu::Options options{kNvlinkC2cInstances, parameters.width, {}};
  if (parameters.peer == NvlinkPeer::cpu) options.masks.push_back(parameters.cpu_mask());
  if (parameters.peer == NvlinkPeer::gpu) {
    for (unsigned gpu = 0; gpu < parameters.gpus; ++gpu) options.masks.push_back(parameters.gpu_mask(gpu));
  }
  return options;
}

}  // namespace

C2cInterfaces::C2cInterfaces(const Parameters& parameters, const ClockDomain& clock)
    : gpus_(parameters.nvlink_c2c.peer == NvlinkPeer::gpu ? parameters.nvlink_c2c.gpus : 0),
      nvlink_c2c_is_link_(parameters.nvlink_c2c.peer == NvlinkPeer::cpu),
      nvlink_c2c_("nvlink_c2c_pmu", nvlink_c2c_options(parameters.nvlink_c2c), clock),
      nvclink_("nvclink_pmu", {kNvclinkInstances, parameters.nvclink.width, {parameters.nvclink.cpu_en_mask}}, clock),
      nvdlink_("nvdlink_pmu", {kNvdlinkInstances, parameters.nvdlink.width, {instance_mask(0, kNvdlinkInstances)}},
               clock) {}

}  // namespace pmufab::tegra410
