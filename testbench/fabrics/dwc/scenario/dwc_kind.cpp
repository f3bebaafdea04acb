// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/scenario/dwc_kind.h"

#include <array>

#include "models/dwc/part/dwc_ports.h"
#include "testbench/fabrics/dwc/scenario/dwc_fabric.h"
#include "testbench/fabrics/dwc/scenario/dwc_loader.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

constexpr const char* kRootPortsKey = "dwc_root_ports";
constexpr const char* kLinkTrafficKey = "dwc_traffic";

constexpr std::array<RegisterSwitch, 2> kDwcSwitches{{
    {.name = RegisterSwitch::Name::whole,
     .registers = "EVENT_COUNTER_CONTROL",
     .field = "EVENT_COUNTER_STATUS",
     .what = "a counter is on"},
    {.name = RegisterSwitch::Name::whole,
     .registers = "TIME_BASED_ANALYSIS_CONTROL",
     .field = "TIMER_START",
     .what = "a measurement goes on"},
}};

class DwcKind final : public FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "dwc"; }

  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    if (!is_kind && !reader.has(kRootPortsKey)) return;
    read_root_ports(reader, platform.edit<platform::DwcSpec>().ports);
    if (is_kind && platform.of<platform::DwcSpec>().ports.empty())
      reader.fail(kRootPortsKey, "are missing: such a platform has nothing else", "describe one, or name another kind");
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return !platform.of<platform::DwcSpec>().ports.empty();
  }
  [[nodiscard]] std::vector<PmuDriver> drivers() const override { return {{"dwc_pcie_pmu", {"dwc_rootport"}}}; }
  [[nodiscard]] std::vector<RegisterSwitch> switches(const platform::PlatformSpec& /*platform*/) const override {
    return {kDwcSwitches.begin(), kDwcSwitches.end()};
  }

  void read_traffic(Reader& reader, const TrafficContext& context, Workload& workload) const override {
    read_link_traffic(reader, context, workload.of<DwcWorkload>());
  }
  [[nodiscard]] std::vector<std::string_view> traffic_keys() const override { return {kLinkTrafficKey}; }
  [[nodiscard]] TrafficEnd traffic_end(const Workload& workload) const override {
    const DwcWorkload& links = workload.of<DwcWorkload>();
    if (links.streams.empty() && !links.states.empty())
      return {TrafficEnd::Kind::never, "states of links follow each other without an end", "add duration: 100 us"};
    return end_of_streams(links.streams);
  }
  /// The loader has done that.
  void refuse_traffic(const Workload& /*workload*/) const override {}

  [[nodiscard]] std::unique_ptr<Fabric> make(const FabricContext& context) const override {
    return std::make_unique<DwcFabric>(context);
  }

  [[nodiscard]] const coverage::FactsRoom* facts() const override { return &coverage::dwc_facts(); }
  [[nodiscard]] const verify::FabricGenerator* generator() const override { return &verify::dwc_generator(); }
};

}  // namespace

const FabricKind& dwc_kind() {
  static const DwcKind kind;
  return kind;
}

}  // namespace pmufab::scenario
