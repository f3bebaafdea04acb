// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/toy_fabric/toy_kind.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/tests/toy_fabric/toy_judge.h"
#include "testbench/tests/toy_fabric/toy_part.h"
#include "testbench/tests/toy_fabric/toy_traffic.h"

namespace pmufab::toy {
namespace {

using scenario::FabricContext;
using scenario::Reader;
using scenario::TrafficEnd;
using scenario::Workload;

using ToyWorkload = std::vector<PacketsSpec>;

/// The toy in a machine: its traffic and its judge.
class ToyFabric final : public scenario::Fabric {
 public:
  explicit ToyFabric(const FabricContext& context) : belt_(context.platform.find<ToyPart>()->belt()) {
    belt_.set_observer(
        context.listener(context.scoreboard.add(std::make_unique<ToyJudge>(context.scoreboard.chronicle()))));
    const auto& specs = context.workload.of<ToyWorkload>();
    if (!specs.empty()) traffic_ = std::make_unique<PacketSource>("toy_traffic", belt_, specs);
  }
  // The judge may be destroyed before the platform.
  ~ToyFabric() override { belt_.set_observer(nullptr); }
  ToyFabric(const ToyFabric&) = delete;
  ToyFabric& operator=(const ToyFabric&) = delete;

  void start_traffic() override {
    if (traffic_) traffic_->start();
  }
  void stop_traffic() override {
    if (traffic_) traffic_->stop();
  }
  [[nodiscard]] bool is_busy() const override { return traffic_ && !traffic_->done(); }
  [[nodiscard]] const sc_core::sc_event* idle_event() const override {
    return traffic_ ? &traffic_->done_event() : nullptr;
  }
  [[nodiscard]] bool traffic_is_over() const override { return !is_busy(); }
  void report_traffic(scenario::Json& list) const override {
    if (traffic_)
      traffic_->report([&](const std::string& name, std::uint64_t sent) {
        list.push_back({{"name", name}, {"issued", sent}});
      });
  }

 private:
  Belt& belt_;
  std::unique_ptr<PacketSource> traffic_;
};

class ToyKind final : public scenario::FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "toy"; }

  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    if (!is_kind && !reader.has("toy")) return;
    auto spec = std::make_shared<ToySpec>();
    reader.object("toy", [&](Reader& toy) { toy.number("loses_every", spec->loses_every); });
    platform.parts.push_back(std::move(spec));
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return platform.part<ToySpec>() != nullptr;
  }
  [[nodiscard]] std::vector<scenario::PmuDriver> drivers() const override { return {{"toy_pmu", {"toy_pmu"}}}; }

  void read_traffic(Reader& reader, const scenario::TrafficContext& context, Workload& workload) const override {
    if (!reader.has("toy_traffic")) return;
    reader.list("toy_traffic", [&](Reader& item, std::size_t) {
      PacketsSpec& packets = workload.of<ToyWorkload>().emplace_back();
      item.text("name", packets.name, scenario::Presence::required);
      item.number("start", packets.start, scenario::Quantity::duration);
      item.number("period", packets.period, scenario::Quantity::duration, 1);
      item.number("count", packets.count, scenario::Quantity::count, 1);
      context.names.take(item, packets.name);
    });
  }
  [[nodiscard]] std::vector<std::string_view> traffic_keys() const override { return {"toy_traffic"}; }
  [[nodiscard]] TrafficEnd traffic_end(const Workload& workload) const override {
    if (workload.of<ToyWorkload>().empty()) return {};
    return {TrafficEnd::Kind::ends, {}, {}};
  }
  void refuse_traffic(const Workload& workload) const override {
    if (!workload.of<ToyWorkload>().empty())
      throw scenario::InputError({}, "toy_traffic[0].name", "there is no toy", "the platform has none");
  }

  [[nodiscard]] std::unique_ptr<scenario::Fabric> make(const FabricContext& context) const override {
    return std::make_unique<ToyFabric>(context);
  }
};

}  // namespace

const scenario::FabricKind& toy_kind() {
  static const ToyKind kind;
  return kind;
}

}  // namespace pmufab::toy
