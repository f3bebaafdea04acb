// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/soc_kind.h"

#include <array>

#include "models/soc/part/soc_rows.h"
#include "testbench/fabrics/soc/coverage/soc_facts.h"
#include "testbench/fabrics/soc/scenario/soc_fabric.h"
#include "testbench/fabrics/soc/scenario/soc_loader.h"
#include "testbench/fabrics/soc/verify/soc_generator.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

constexpr const char* kTrafficKey = "soc_traffic";

constexpr std::array<RegisterSwitch, 2> kSocSwitches{{
    {.registers = "PMCNTENSET", .field = "P", .what = "a counter is enabled"},
    {.registers = "PMINTENSET", .field = "P", .what = "an overflow interrupt is enabled"},
}};

class SocKind final : public FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "soc"; }

  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    const bool is_there = reader.has("sources") || reader.has("coresight_pmus");
    if (!is_kind && !is_there) return;
    read_description(reader, platform);
    if (is_kind && platform.of<platform::SocSpec>().pmus.empty() &&
        platform.parts.size() == (platform.has<platform::SocSpec>() ? 1U : 0U))
      reader.fail("coresight_pmus", "are missing: such a platform has nothing else",
                  "describe one, or name another kind");
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return !platform.of<platform::SocSpec>().pmus.empty();
  }
  [[nodiscard]] std::string_view reference_software() const override { return "CoreSight PMUs"; }
  [[nodiscard]] std::vector<std::string_view> driver_modules() const override {
    return {"arm_cspmu_module", "nvidia_cspmu", "ampere_cspmu"};
  }
  [[nodiscard]] std::span<const RegisterSwitch> switches() const override { return kSocSwitches; }

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

  [[nodiscard]] const coverage::FactsRoom* facts() const override { return &coverage::soc_facts(); }
  [[nodiscard]] const verify::FabricGenerator* generator() const override { return &verify::soc_generator(); }
};

}  // namespace

const FabricKind& soc_kind() {
  static const SocKind kind;
  return kind;
}

}  // namespace pmufab::scenario
