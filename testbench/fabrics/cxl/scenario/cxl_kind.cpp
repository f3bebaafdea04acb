// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/scenario/cxl_kind.h"

#include <array>

#include <fmt/format.h>

#include "models/cxl/part/cxl_spec.h"
#include "testbench/fabrics/cxl/scenario/cxl_fabric.h"
#include "testbench/fabrics/cxl/scenario/cxl_loader.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

[[noreturn]] void refuse(const char* field, const std::string& what) {
  throw InputError({}, field, "there is no " + what, "the platform has none; choose another platform");
}

constexpr std::array<RegisterSwitch, 2> kCpmuSwitches{{
    {.registers = "Counter Unit Configuration", .field = "Counter Enable", .what = "a counter is enabled"},
    {.registers = "Counter Unit Configuration",
     .field = "Interrupt on Overflow",
     .what = "an overflow interrupt is enabled"},
}};

class CxlKind final : public FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "cxl"; }

  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    reader.list(
        "cxl",
        [&](Reader& device, std::size_t index) {
          read_cxl(device, index, platform.edit<platform::CxlSpec>().devices.emplace_back());
        },
        is_kind ? Presence::required : Presence::optional);
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return !platform.of<platform::CxlSpec>().devices.empty();
  }
  [[nodiscard]] std::string_view reference_software() const override { return "CPMUs of CXL devices"; }
  [[nodiscard]] std::vector<PmuDriver> drivers() const override {
    return {{"cxl_core", {"cxl_pmu"}, false}, {"cxl_pci", {"cxl_pmu"}, false}, {"cxl_pmu", {"cxl_pmu"}}};
  }
  [[nodiscard]] std::vector<RegisterSwitch> switches(const platform::PlatformSpec& /*platform*/) const override {
    return {kCpmuSwitches.begin(), kCpmuSwitches.end()};
  }

  void read_traffic(Reader& reader, const TrafficContext& context, Workload& workload) const override {
    CxlWorkload& traffic = workload.of<CxlWorkload>();
    reader.list("cxl_traffic", [&](Reader& item, std::size_t) {
      if (item.has("trace")) {
        read_cxl_replay(item, traffic.replays.emplace_back(), {context.base, context.default_trace, context.files});
        context.names.take(item, traffic.replays.back().name);
        return;
      }
      read_cxl_traffic(item, traffic.operations.emplace_back());
      check_local_ranges(item, traffic.operations.back(), context.platform.of<platform::CxlSpec>().devices);
      context.names.take(item, traffic.operations.back().name);
    });
  }
  [[nodiscard]] std::vector<std::string_view> traffic_keys() const override { return {"cxl_traffic"}; }
  [[nodiscard]] TrafficEnd traffic_end(const Workload& workload) const override {
    const auto& traffic = workload.of<CxlWorkload>();
    if (traffic.operations.empty() && traffic.replays.empty()) return {};
    return {TrafficEnd::Kind::not_told, "CXL traffic does not end the scenario", "add duration: 100 us"};
  }
  void refuse_traffic(const Workload& workload) const override {
    const auto& traffic = workload.of<CxlWorkload>();
    if (!traffic.operations.empty())
      refuse("cxl_traffic[0].device", fmt::format("CXL device {}", traffic.operations.front().device));
    if (!traffic.replays.empty()) refuse("cxl_traffic[0].trace", "CXL device");
  }

  [[nodiscard]] std::unique_ptr<Fabric> make(const FabricContext& context) const override {
    return std::make_unique<CxlFabric>(context);
  }

  [[nodiscard]] const coverage::FactsRoom* facts() const override { return &coverage::cxl_facts(); }
  [[nodiscard]] const verify::FabricGenerator* generator() const override {
    static const verify::CxlGenerator generator;
    return &generator;
  }
};

}  // namespace

const FabricKind& cxl_kind() {
  static const CxlKind kind;
  return kind;
}

}  // namespace pmufab::scenario
