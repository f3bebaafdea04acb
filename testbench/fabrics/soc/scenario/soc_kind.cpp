// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/soc_kind.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "models/plugin/part/plugin_spec.h"
#include "models/soc/part/soc_rows.h"
#include "testbench/fabrics/cxl/scenario/judge_spec.h"
#include "testbench/fabrics/soc/scenario/soc_fabric.h"
#include "testbench/fabrics/soc/scenario/soc_loader.h"
#include "testbench/fabrics/soc/verify/platform_generator.h"
#include "testbench/fabrics/soc/verify/soc_generator.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

constexpr const char* kTrafficKey = "soc_traffic";

constexpr std::array<RegisterSwitch, 2> kSocSwitches{{
    {.registers = "PMCNTENSET", .field = "P", .what = "a counter is enabled"},
    {.registers = "PMINTENSET", .field = "P", .what = "an overflow interrupt is enabled"},
}};

/// @return the same text, which lives for as long as the program
std::string_view kept(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::scoped_lock lock(mutex);
  return *texts.insert(text).first;
}

/// @return the events of a PMU that one of the sources causes
std::size_t events_of(const soc::PmuDescription& pmu, std::size_t source) {
  return static_cast<std::size_t>(
      std::count_if(pmu.events.begin(), pmu.events.end(), [&](const soc::EventDescription& event) {
        return event.counts != soc::EventDescription::Counts::cycles && event.source == source;
      }));
}

/// What described PMUs of the platform can count: the sources of its file, then those that its fabrics are.
std::vector<soc::SourceDescription> sources_of(const platform::PlatformSpec& platform) {
  std::vector<soc::SourceDescription> sources = platform.of<platform::SocSpec>().sources;
  for (soc::SourceDescription& source : fabric_sources_of(platform)) {
    if (std::none_of(sources.begin(), sources.end(), [&](const auto& one) { return one.name == source.name; }))
      sources.push_back(std::move(source));
  }
  return sources;
}

/// @return the names of the components of a CXL hierarchy, by the number that sources know them by.
std::vector<std::string> cxl_components(const platform::PlatformSpec& platform) {
  std::vector<std::string> names;
  for (const scoreboard::CxlComponentSpec& component : cxl_judge_spec(platform).components)
    names.push_back(component.name);
  return names;
}

class SocKind final : public FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "soc"; }

  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    const bool is_there = reader.has("sources") || reader.has("coresight_pmus") || reader.has("pmus");
    if (!is_kind && !is_there) return;
    read_description(reader, platform);
    if (is_kind && platform.of<platform::SocSpec>().pmus.empty() && !platform.has<platform::PluginSpec>())
      reader.fail("coresight_pmus", "are missing, and so are pmus: such a platform has nothing else",
                  "describe one, or name another kind");
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return !platform.of<platform::SocSpec>().pmus.empty();
  }
  [[nodiscard]] std::string_view reference_software() const override { return "CoreSight PMUs"; }
  /// Without a back-end, "arm_cspmu" is how the names of PMUs begin.
  [[nodiscard]] std::vector<PmuDriver> drivers() const override {
    const std::vector<std::string_view> nvidia = {"nvidia_scf_pmu",         "nvidia_pcie_pmu",
                                                  "nvidia_nvlink_c2c0_pmu", "nvidia_nvlink_c2c1_pmu",
                                                  "nvidia_cnvlink_pmu",     "nvidia_uncore_pmu"};
    std::vector<std::string_view> all = {"arm_cspmu", "ampere_mcu_pmu"};
    all.insert(all.end(), nvidia.begin(), nvidia.end());
    return {{"apmt", all, false},
            {"arm_cspmu_module", all},
            {"nvidia_cspmu", nvidia},
            {"ampere_cspmu", {"ampere_mcu_pmu"}}};
  }
  /// The kernel's for CoreSight PMUs, and those that descriptions name.
  [[nodiscard]] std::vector<std::string_view> driver_modules_of(const platform::PlatformSpec& platform) const override {
    std::vector<std::string_view> modules;
    const auto add = [&](std::string_view module) {
      if (std::ranges::find(modules, module) == modules.end()) modules.push_back(module);
    };
    for (const soc::PmuDescription& pmu : platform.of<platform::SocSpec>().pmus) {
      if (pmu.map) {
        add(kept(pmu.map->device.module));
      } else {
        for (const std::string_view module : driver_modules()) add(module);
      }
    }
    return modules;
  }
  /// Those of registers that descriptions name, too.
  [[nodiscard]] std::vector<RegisterSwitch> switches(const platform::PlatformSpec& platform) const override {
    std::vector<RegisterSwitch> switches(kSocSwitches.begin(), kSocSwitches.end());
    for (const soc::PmuDescription& pmu : platform.of<platform::SocSpec>().pmus) {
      if (!pmu.map) continue;
      for (const soc::RegisterDescription& reg : pmu.map->registers) {
        for (const soc::FieldDescription& field : reg.fields) {
          using enum soc::Role;
          std::string_view what;
          const bool is_inverted = field.role == disable || field.role == interrupt_mask;
          if (field.role == enable || field.role == enable_set || field.role == disable || field.zero_stops)
            what = kSocSwitches[0].what;
          if (field.role == interrupt_enable || field.role == interrupt_set || field.role == interrupt_mask)
            what = kSocSwitches[1].what;
          if (what.empty()) continue;
          switches.push_back({.name = RegisterSwitch::Name::whole,
                              .registers = kept(reg.name),
                              .field = kept(field.name),
                              .what = what,
                              .is_inverted = is_inverted,
                              .banks = kept(pmu.name)});
        }
      }
    }
    return switches;
  }

  void read_traffic(Reader& reader, const TrafficContext& context, Workload& workload) const override {
    read_streams(reader, context, workload.of<SocWorkload>());
  }
  [[nodiscard]] std::vector<std::string_view> traffic_keys() const override { return {kTrafficKey}; }
  [[nodiscard]] TrafficEnd traffic_end(const Workload& workload) const override {
    return end_of_streams(workload.of<SocWorkload>());
  }
  /// The loader has done that.
  void refuse_traffic(const Workload& /*workload*/) const override {}

  [[nodiscard]] std::unique_ptr<Fabric> make(const FabricContext& context) const override {
    return std::make_unique<SocFabric>(context);
  }

  [[nodiscard]] Json countable_sources(const platform::PlatformSpec& platform) const override {
    Json list = Json::array();
    const std::vector<std::string> components = cxl_components(platform);
    const std::vector<soc::SourceDescription> sources = sources_of(platform);
    for (std::size_t source = 0; source < sources.size(); ++source) {
      Json item = {{"name", sources[source].name}, {"attributes", sources[source].attributes}};
      item["counted_by"] = Json::object();
      for (const soc::PmuDescription& pmu : platform.of<platform::SocSpec>().pmus) {
        if (const std::size_t events = events_of(pmu, source); events > 0) item["counted_by"][pmu.name] = events;
      }
      list.push_back(std::move(item));
    }
    Json all = {{"sources", std::move(list)}};
    if (!components.empty()) all["cxl_components"] = components;
    return all;
  }

  [[nodiscard]] const coverage::FactsRoom* facts() const override { return &coverage::soc_facts(); }
  [[nodiscard]] const verify::FabricGenerator* generator() const override { return &verify::soc_generator(); }
  [[nodiscard]] std::unique_ptr<const verify::FabricGenerator> generator_on(
      const std::string& file, const platform::PlatformSpec& platform,
      const std::vector<std::string_view>& modules) const override {
    return std::make_unique<const verify::PlatformGenerator>(file, platform, modules);
  }
};

}  // namespace

const FabricKind& soc_kind() {
  static const SocKind kind;
  return kind;
}

}  // namespace pmufab::scenario
