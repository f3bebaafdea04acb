// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_fabric.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::scenario {
namespace {

bool is_endless(const traffic::GeneratorSpec& generator) {
  if (generator.trace) return false;
  if (generator.phases.empty()) return true;
  return !generator.phases.back().duration && !generator.phases.back().count;
}

/// Check generators against the platform. @param origins  of each: its part of `traffic`, and its index in that
void check_generators(const traffic::TrafficSpec& generators, const platform::PlatformSpec& platform,
                      const Value* traffic, const std::vector<std::pair<std::size_t, std::size_t>>& origins) {
  try {
    traffic::validate(generators, traffic_memory(platform), platform.sockets);
    check_requesters(generators, platform);
  } catch (const SpecError& error) {
    constexpr std::string_view kPrefix = "generators[";
    const std::string& field = error.field();
    if (!field.starts_with(kPrefix)) throw InputError({}, field, error.reason(), error.suggestion());
    const std::size_t end = field.find(']');
    const auto [part, index] = origins.at(std::stoul(field.substr(kPrefix.size(), end - kPrefix.size())));
    const std::string path = fmt::format("generators[{}]{}", index, field.substr(end + 1));
    throw InputError(locate(traffic->items[part], path), fmt::format("traffic[{}].{}", part, path), error.reason(),
                     error.suggestion());
  }
}

constexpr std::array<RegisterSwitch, 6> kTegra410Switches{{
    {.registers = "PMCNTENSET", .field = "P", .what = "a counter is enabled"},
    {.registers = "PMINTENSET", .field = "P", .what = "an overflow interrupt is enabled"},
    {.name = RegisterSwitch::Name::whole,
     .registers = "ADDR_CTRL",
     .field = "ENABLE",
     .what = "an address filter is enabled"},
    {.name = RegisterSwitch::Name::whole, .registers = "CG_CTRL", .field = "ENABLE", .what = "the clock is not gated"},
    {.name = RegisterSwitch::Name::whole, .registers = "CTRL", .field = "ENABLE", .what = "the counters run"},
    {.name = RegisterSwitch::Name::whole,
     .registers = "CG_CTRL",
     .field = "ENABLE",
     .what = "the clock is not gated",
     .is_for_unloaded = true},
}};

class Tegra410Kind final : public FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "tegra410"; }

  [[nodiscard]] platform::PlatformSpec new_platform() const override { return platform::tegra410_platform(); }
  /// Sockets are all of one kind: a platform of another kind has none of these.
  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    if (!is_kind) return;
    read_memory(reader, platform);
    reader.object("tegra410", [&](Reader& part) {
      read_tegra410(part, platform.sockets, platform.edit<platform::Tegra410Spec>());
    });
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return platform.has<platform::Tegra410Spec>();
  }
  [[nodiscard]] std::string_view reference_software() const override { return "CoreSight PMUs"; }
  [[nodiscard]] std::vector<PmuDriver> drivers() const override {
    const std::vector<std::string_view> coresight = {"nvidia_ucf_pmu", "nvidia_pcie_pmu", "nvidia_pcie_tgt_pmu"};
    return {{"apmt", coresight, false},
            {"arm_cspmu_module", coresight},
            {"nvidia_cspmu", coresight},
            {"nvidia_t410_cmem_latency_pmu", {"nvidia_cmem_latency_pmu"}},
            {"nvidia_t410_c2c_pmu", {"nvidia_nvlink_c2c_pmu", "nvidia_nvclink_pmu", "nvidia_nvdlink_pmu"}}};
  }
  [[nodiscard]] std::vector<RegisterSwitch> switches(const platform::PlatformSpec& /*platform*/) const override {
    return {kTegra410Switches.begin(), kTegra410Switches.end()};
  }

  void read_traffic(Reader& reader, const TrafficContext& context, Workload& workload) const override {
    const Value* traffic = reader.take("traffic");
    Value effective = Value::sequence();
    std::vector<std::pair<std::size_t, std::size_t>> origins;
    traffic::TrafficSpec all{workload.seed, {}};
    if (traffic != nullptr) {
      if (traffic->kind != Value::Kind::sequence)
        reader.fail("traffic", fmt::format("must be a list of file names or maps, not {}", describe(traffic->kind)));
      for (std::size_t i = 0; i < traffic->items.size(); ++i) {
        effective.items.push_back(Value::map());
        const TraceFiles files{i < context.part_bases.size() ? context.part_bases[i] : std::filesystem::path(),
                               context.default_trace, context.files};
        std::vector<traffic::GeneratorSpec> generators =
            scenario::read_traffic(traffic->items[i], fmt::format("traffic[{}]", i), files, effective.items.back());
        for (std::size_t g = 0; g < generators.size(); ++g) {
          origins.emplace_back(i, g);
          all.generators.push_back(std::move(generators[g]));
        }
      }
    }
    reader.put("traffic", std::move(effective));
    check_generators(all, context.platform, traffic, origins);
    for (const traffic::GeneratorSpec& generator : all.generators) context.names.add(generator.name);
    workload.of<Tegra410Workload>().generators = std::move(all.generators);
  }
  [[nodiscard]] std::vector<std::string_view> traffic_keys() const override { return {"generators"}; }
  [[nodiscard]] TrafficEnd traffic_end(const Workload& workload) const override {
    const auto& generators = workload.of<Tegra410Workload>().generators;
    if (generators.empty()) return {};
    const auto endless = std::ranges::find_if(generators, is_endless);
    if (endless == generators.end()) return {TrafficEnd::Kind::ends, {}, {}};
    return {TrafficEnd::Kind::never, fmt::format("the traffic '{}' never ends", endless->name),
            "add duration: 100 us, or a count or duration to its last phase"};
  }
  /// The loader has done that.
  void refuse_traffic(const Workload& /*workload*/) const override {}

  [[nodiscard]] std::unique_ptr<Fabric> make(const FabricContext& context) const override {
    return std::make_unique<Tegra410Fabric>(context);
  }
  [[nodiscard]] std::vector<DerivedResult> derive(const std::vector<DerivedInput>& inputs) const override {
    return derived_figures(inputs);
  }

  [[nodiscard]] const coverage::FactsRoom* facts() const override { return &coverage::tegra410_facts(); }
  [[nodiscard]] const verify::FabricGenerator* generator() const override { return &verify::tegra410_generator(); }
};

}  // namespace

const FabricKind& tegra410_kind() {
  static const Tegra410Kind kind;
  return kind;
}

}  // namespace pmufab::scenario
