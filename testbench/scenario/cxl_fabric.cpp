#include "testbench/scenario/cxl_fabric.h"

#include <utility>

#include <fmt/format.h>

#include "testbench/scenario/input_error.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::scenario {

CxlFabric::CxlFabric(const FabricContext& context) : part_(*context.platform.cxl()) {
  for (const traffic::CxlTrafficSpec& spec : context.workload.cxl_traffic) {
    const std::string field = fmt::format("cxl_traffic[{}]", traffic_.size());
    if (spec.device >= part_.size())
      throw InputError({}, field + ".device", fmt::format("there is no CXL device {}", spec.device),
                       fmt::format("the platform has {}", part_.size()));
    platform::CxlPart::Device& device = part_.device(spec.device);
    try {
      traffic_.push_back(std::make_unique<traffic::CxlTraffic>(
          part_.engine(), traffic::CxlTargets{&device.host, &device.memory, device.cache.get()},
          device.link.parameters().period, spec, field, context.workload.traffic.seed));
    } catch (const SpecError& error) {
      throw InputError({}, error.field(), error.reason(), error.suggestion());
    }
  }
}

void CxlFabric::start_traffic() {
  for (const auto& traffic : traffic_) traffic->start(to_picoseconds(sc_core::sc_time_stamp()));
}

void CxlFabric::stop_traffic() {
  for (const auto& traffic : traffic_) traffic->stop();
}

void CxlFabric::report_traffic(Json& list) const {
  for (const auto& traffic : traffic_) {
    Json item;
    item["name"] = traffic->name();
    item["issued"] = traffic->begun();
    item["completed"] = traffic->completed();
    item["mean_latency_ps"] = traffic->completed() == 0 ? 0 : traffic->latency_sum() / traffic->completed();
    list.push_back(std::move(item));
  }
}

DrainProgress CxlFabric::progress() const {
  DrainProgress sum;
  for (std::size_t index = 0; index < part_.size(); ++index) {
    platform::CxlPart::Device& device = part_.device(index);
    sum.pending += device.host.pending() + device.memory.pending() + device.link.pending();
    if (device.cache) sum.pending += device.cache->pending();
  }
  return sum;
}

}  // namespace pmufab::scenario
