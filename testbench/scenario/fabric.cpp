#include "testbench/scenario/fabric.h"

#include "testbench/scenario/cmn_fabric.h"
#include "testbench/scenario/cxl_fabric.h"
#include "testbench/scenario/tegra410_fabric.h"

namespace pmufab::scenario {

std::vector<std::unique_ptr<Fabric>> make_fabrics(const FabricContext& context) {
  std::vector<std::unique_ptr<Fabric>> fabrics;
  const platform::PlatformSpec& spec = context.platform.spec();
  if (spec.tegra410) fabrics.push_back(std::make_unique<Tegra410Fabric>(context));
  if (!spec.cmn.empty()) fabrics.push_back(std::make_unique<CmnFabric>(context));
  if (!spec.cxl.empty()) fabrics.push_back(std::make_unique<CxlFabric>(context));
  return fabrics;
}

std::vector<std::string_view> driver_modules(const platform::PlatformSpec& platform) {
  std::vector<std::string_view> modules;
  if (platform.tegra410) modules.insert(modules.end(), {"nvidia_cspmu", "nvidia_t410_cmem_latency_pmu"});
  if (!platform.cmn.empty()) modules.emplace_back("arm_cmn");
  if (!platform.cxl.empty()) modules.emplace_back("cxl_pmu");
  return modules;
}

}  // namespace pmufab::scenario
