// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/fabric.h"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "testbench/perf/event_syntax.h"
#include "testbench/scenario/fabrics/cmn/cmn_fabric.h"
#include "testbench/scenario/fabrics/cxl/cxl_fabric.h"
#include "testbench/scenario/fabrics/tegra410/tegra410_fabric.h"
#include "testbench/scenario/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

/// Traffic of a fabric the platform does not have is nobody's to refuse. @throws InputError
void check_traffic(const Workload& workload, const platform::PlatformSpec& platform) {
  const auto refuse = [](const std::string& field, const std::string& what) {
    throw InputError({}, field, "there is no " + what, "the platform has none; choose another one");
  };
  if (platform.cmn.empty()) {
    if (!workload.mesh_traffic.empty())
      refuse("mesh_traffic[0].mesh", fmt::format("mesh {}", workload.mesh_traffic.front().mesh));
    if (!workload.chi_traffic.empty())
      refuse("chi_traffic[0].mesh", fmt::format("mesh {}", workload.chi_traffic.front().mesh));
  }
  if (platform.cxl.empty() && !workload.cxl_traffic.empty())
    refuse("cxl_traffic[0].device", fmt::format("CXL device {}", workload.cxl_traffic.front().device));
  if (platform.cxl.empty() && !workload.cxl_replays.empty()) refuse("cxl_traffic[0].trace", "CXL device");
}

}  // namespace

std::vector<std::unique_ptr<Fabric>> make_fabrics(const FabricContext& context) {
  check_traffic(context.workload, context.platform.spec());
  std::vector<std::unique_ptr<Fabric>> fabrics;
  const platform::PlatformSpec& spec = context.platform.spec();
  if (spec.tegra410) fabrics.push_back(std::make_unique<Tegra410Fabric>(context));
  if (!spec.cmn.empty()) fabrics.push_back(std::make_unique<CmnFabric>(context));
  if (!spec.cxl.empty()) fabrics.push_back(std::make_unique<CxlFabric>(context));
  return fabrics;
}

void add_hints(MeasureResult& result, const perf::PmuService& pmus,
               const std::vector<std::unique_ptr<Fabric>>& fabrics) {
  std::optional<perf::PmuCatalog> catalog;
  for (CounterResult& counter : result.counters) {
    if (counter.check != CounterResult::Check::not_opened) continue;
    if (!catalog) catalog.emplace(pmus.pmus());
    try {
      const std::vector<perf::ResolvedGroup> groups = catalog->resolve(counter.event);
      for (const auto& fabric : fabrics) {
        const std::string hint = fabric->hint(groups.at(0).events.at(0));
        if (!hint.empty()) counter.note += "; " + hint;
      }
    } catch (const perf::EventError&) {
      // it was given another name
    }
  }
}

std::vector<std::string_view> driver_modules(const platform::PlatformSpec& platform) {
  std::vector<std::string_view> modules;
  if (platform.tegra410)
    modules.insert(modules.end(), {"nvidia_cspmu", "nvidia_t410_cmem_latency_pmu", "nvidia_t410_c2c_pmu"});
  if (!platform.cmn.empty()) modules.emplace_back("arm_cmn");
  if (!platform.cxl.empty()) modules.emplace_back("cxl_pmu");
  return modules;
}

}  // namespace pmufab::scenario
