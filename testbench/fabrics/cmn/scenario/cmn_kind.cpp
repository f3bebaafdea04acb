// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_kind.h"

#include <array>

#include <fmt/format.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"
#include "testbench/fabrics/cmn/scenario/cmn_loader.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

[[noreturn]] void refuse(const char* key, unsigned mesh) {
  throw InputError({}, fmt::format("{}[0].mesh", key), fmt::format("there is no mesh {}", mesh),
                   "the platform has none; choose another platform");
}

// Linux leaves on all DTCs but the first, which starts and stops the counting of all (docs/cmn-drivers.md): so that one
// must be off in the end.
constexpr std::array<RegisterSwitch, 6> kMeshSwitches{{
    {.registers = "pmu_event_sel", .field = "pmu_event", .ending = "_id", .what = "an event is selected"},
    {.registers = "por_dtm_pmu_config", .field = "pmevcnt_paired", .what = "a counter is paired with one of a DTC"},
    {.registers = "por_dt_dtc_ctl", .field = "cg_disable", .what = "the clock is not gated"},
    {.registers = "por_dtm_wp_val", .field = "val", .what = "a watchpoint is set", .is_comparison = true},
    {.registers = "por_dtm_wp_mask", .field = "mask", .what = "a watchpoint is set", .is_comparison = true},
    {.name = RegisterSwitch::Name::whole,
     .registers = "por_dt_dtc_ctl",
     .field = "dt_en",
     .what = "the DTC is on",
     .is_for_unloaded = true,
     .banks = ".dtc0"},
}};

class CmnKind final : public FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "cmn"; }

  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    reader.list(
        "meshes",
        [&](Reader& mesh, std::size_t index) {
          read_cmn(mesh, index, platform.edit<platform::CmnMeshesSpec>().meshes.emplace_back());
        },
        is_kind ? Presence::required : Presence::optional);
  }
  void read_connections(Reader& reader, platform::PlatformSpec& platform) const override {
    reader.list("links", [&](Reader& link, std::size_t) {
      read_link(link, platform.of<platform::CmnMeshesSpec>().meshes,
                platform.edit<platform::CmnMeshesSpec>().links.emplace_back());
    });
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return !platform.of<platform::CmnMeshesSpec>().meshes.empty();
  }
  [[nodiscard]] std::string_view reference_software() const override { return "CMN meshes"; }
  [[nodiscard]] std::vector<PmuDriver> drivers() const override { return {{"arm_cmn", {"arm_cmn"}}}; }
  [[nodiscard]] std::vector<RegisterSwitch> switches(const platform::PlatformSpec& /*platform*/) const override {
    return {kMeshSwitches.begin(), kMeshSwitches.end()};
  }
  [[nodiscard]] bool is_left_alone(const platform::PlatformSpec& platform, std::string_view bank) const override {
    for (std::size_t mesh = 0; mesh < platform.of<platform::CmnMeshesSpec>().meshes.size(); ++mesh) {
      if (cmn::must_be_left_alone(platform.of<platform::CmnMeshesSpec>().meshes[mesh].topology) &&
          bank.starts_with(fmt::format("cmn{}.", mesh)))
        return true;
    }
    return false;
  }

  void read_traffic(Reader& reader, const TrafficContext& context, Workload& workload) const override {
    CmnWorkload& traffic = workload.of<CmnWorkload>();
    reader.list("mesh_traffic", [&](Reader& item, std::size_t) {
      read_flit_flow(item, traffic.flits.emplace_back());
      context.names.take(item, traffic.flits.back().name);
    });
    reader.list("chi_traffic", [&](Reader& item, std::size_t) {
      read_chi_traffic(item, traffic.chi.emplace_back());
      context.names.take(item, traffic.chi.back().name);
    });
  }
  [[nodiscard]] std::vector<std::string_view> traffic_keys() const override { return {"mesh_traffic", "chi_traffic"}; }
  [[nodiscard]] TrafficEnd traffic_end(const Workload& workload) const override {
    const auto& traffic = workload.of<CmnWorkload>();
    if (traffic.flits.empty() && traffic.chi.empty()) return {};
    return {TrafficEnd::Kind::not_told, "mesh traffic does not end the scenario", "add duration: 100 us"};
  }
  void refuse_traffic(const Workload& workload) const override {
    const auto& traffic = workload.of<CmnWorkload>();
    if (!traffic.flits.empty()) refuse("mesh_traffic", traffic.flits.front().mesh);
    if (!traffic.chi.empty()) refuse("chi_traffic", traffic.chi.front().mesh);
  }

  [[nodiscard]] std::unique_ptr<Fabric> make(const FabricContext& context) const override {
    return std::make_unique<CmnFabric>(context);
  }

  [[nodiscard]] const coverage::FactsRoom* facts() const override { return &coverage::cmn_facts(); }
  [[nodiscard]] const verify::FabricGenerator* generator() const override {
    static const verify::CmnGenerator generator;
    return &generator;
  }
};

}  // namespace

const FabricKind& cmn_kind() {
  static const CmnKind kind;
  return kind;
}

}  // namespace pmufab::scenario
