#include "testbench/scenario/cxl_fabric.h"

#include <utility>

#include <fmt/format.h>

#include "testbench/scenario/input_error.h"
#include "testbench/scenario/judge.h"
#include "testbench/scoreboard/cxl_judge.h"

namespace pmufab::scenario {

CxlFabric::CxlFabric(const FabricContext& context) : part_(*context.platform.cxl()) {
  auto& judge = context.scoreboard.add(
      std::make_unique<scoreboard::CxlJudge>(cxl_judge_spec(context.platform), context.scoreboard.chronicle()));
  listener_ = std::make_unique<CxlListener>(judge);
  for (unsigned index = 0; index < part_.size(); ++index) {
    listener_->listen(part_.device(index).link);
    listener_->listen(part_.device(index).memory.ddr(), 2 * index + 1);
  }
  std::vector<unsigned> outstanding;
  for (const traffic::CxlTrafficSpec& spec : context.workload.cxl_traffic) {
    const std::string field = fmt::format("cxl_traffic[{}]", traffic_.size());
    if (spec.device >= part_.size())
      throw InputError({}, field + ".device", fmt::format("there is no CXL device {}", spec.device),
                       fmt::format("the platform has {}", part_.size()));
    // Tags tell apart what is under way.
    constexpr unsigned kMostOperations = 16384;
    outstanding.resize(part_.size());
    outstanding[spec.device] += spec.outstanding;
    if (outstanding[spec.device] > kMostOperations)
      throw InputError({}, field + ".outstanding",
                       fmt::format("makes {} operations at a time on device {}, with the traffic before it",
                                   outstanding[spec.device], spec.device),
                       fmt::format("{} at most in all", kMostOperations));
    platform::CxlPart::Device& device = part_.device(spec.device);
    with_input_errors([&] {
      traffic_.push_back(std::make_unique<traffic::CxlTraffic>(
          part_.engine(), traffic::CxlTargets{&device.host, &device.memory, device.cache.get()},
          device.link.parameters().period, spec, field, context.workload.traffic.seed));
    });
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
