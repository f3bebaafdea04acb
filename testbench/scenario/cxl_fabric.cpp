#include "testbench/scenario/cxl_fabric.h"

#include <utility>

#include <fmt/format.h>

#include "testbench/scenario/input_error.h"
#include "testbench/scenario/judge.h"
#include "testbench/scoreboard/cxl_judge.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::scenario {

/// Shows the judge one link, and the memory controller below it.
class CxlFabric::Wires final : public cxl::LinkObserver, public cxl::DdrObserver {
 public:
  Wires(scoreboard::CxlJudge& judge, unsigned number) : judge_(judge), number_(number) {}

  void on_message(Picoseconds when, const cxl::Link& /*link*/, cxl::LinkEnd end, const cxl::Message& message) override {
    judge_.on_message(when, number_, end == cxl::LinkEnd::upper ? scoreboard::CxlEnd::upper : scoreboard::CxlEnd::lower,
                      {static_cast<scoreboard::CxlClass>(message.message_class), message.opcode, message.address,
                       message.tag, static_cast<scoreboard::CxlMeta>(message.meta), message.lines, message.tee});
  }
  void on_access(Picoseconds when, bool write, std::uint64_t device_address) override {
    judge_.on_access(when, 2 * number_ + 1, write, device_address);
  }

 private:
  scoreboard::CxlJudge& judge_;
  unsigned number_;
};

CxlFabric::CxlFabric(const FabricContext& context) : part_(*context.platform.cxl()) {
  auto& judge = context.scoreboard.add(
      std::make_unique<scoreboard::CxlJudge>(cxl_judge_spec(context.platform), context.scoreboard.chronicle()));
  for (unsigned index = 0; index < part_.size(); ++index) {
    wires_.push_back(std::make_unique<Wires>(judge, index));
    part_.device(index).link.set_observer(wires_.back().get());
    part_.device(index).memory.ddr().set_observer(wires_.back().get());
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
    try {
      traffic_.push_back(std::make_unique<traffic::CxlTraffic>(
          part_.engine(), traffic::CxlTargets{&device.host, &device.memory, device.cache.get()},
          device.link.parameters().period, spec, field, context.workload.traffic.seed));
    } catch (const SpecError& error) {
      throw InputError({}, error.field(), error.reason(), error.suggestion());
    }
  }
}

// The judge may be gone before the platform is.
CxlFabric::~CxlFabric() {
  for (std::size_t index = 0; index < part_.size(); ++index) {
    part_.device(index).link.set_observer(nullptr);
    part_.device(index).memory.ddr().set_observer(nullptr);
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
