// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/integration/cmn_linux_7_3.h"

#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/session/driver_selection.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::integration {

std::vector<DriverSet> driver_sets_for_cmn_s3() {
  std::vector<DriverSet> sets = cmn_driver_sets();
  std::erase_if(sets,
                [](const DriverSet& set) { return driver_host::compare_versions(set.kernel_version, "6.12") < 0; });
  return sets;
}

platform::CmnSpec CmnLinux73::ready_made(const std::string& name) {
  const std::string file = fmt::format("{}/scenarios/platforms/{}.yaml", PMUFAB_SOURCE_DIR, name);
  return scenario::load_platform(file, {}).spec.of<platform::CmnMeshesSpec>().meshes.at(0);
}

EventHandle CmnLinux73::try_open(const std::string& text, EventHandle leader) {
  return host->open(attributes_of(text), 0, leader);
}

EventHandle CmnLinux73::start(const std::string& text, EventHandle leader) {
  const EventHandle event = try_open(text, leader);
  EXPECT_GT(event, 0) << text;
  return event;
}

perf::PerfAttributes CmnLinux73::attributes_of(const std::string& text) const {
  const perf::PmuCatalog catalog(host->pmus());
  perf::PerfAttributes attributes = catalog.resolve("arm_cmn_0/" + text + "/").at(0).events.at(0).attributes;
  attributes.disabled = false;
  return attributes;
}

std::string CmnLinux73::at(const std::string& event, unsigned node_id) {
  return fmt::format("{},bynodeid=1,nodeid={:#x}", event, node_id);
}

void CmnLinux73::expect_never_counted(EventHandle event) {
  EXPECT_EQ(reading(event).time_running, 0U);
  host->close(event);
}

unsigned CmnLinux73::source(cmn::NodeType events, const std::function<bool(const cmn::NodePlace&)>& fits) {
  for (unsigned index = 0; index < layout().sources().size(); ++index) {
    if (layout().sources()[index].events == events && (!fits || fits(node_of(index)))) return index;
  }
  throw std::out_of_range("no such event source");
}

std::vector<std::uint64_t> CmnLinux73::written(const cmn::NodePlace& node, std::uint64_t offset, unsigned length) {
  std::vector<std::uint64_t> values;
  for (const MmioBus::BusAccess& access : accesses_to(topology().base + node.offset + offset, 1)) {
    if (access.is_write && access.length == length) values.push_back(access.data);
  }
  return values;
}

std::vector<MmioBus::BusAccess> CmnLinux73::window(const cmn::NodePlace& node) {
  return accesses_to(topology().base + node.offset, 0x1'0000);
}

std::set<std::string> CmnLinux73::events(const std::string& prefix) {
  std::set<std::string> found;
  for (const std::string& name : files(pmu("arm_cmn_0"), "events")) {
    if (name.starts_with(prefix)) found.insert(name);
  }
  return found;
}

}  // namespace pmufab::integration
