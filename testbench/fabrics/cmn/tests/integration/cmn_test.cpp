// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/standard_devices.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::integration {

using cmn::NodePlace;
using cmn::NodeType;

const std::vector<DriverSet>& cmn_driver_sets() {
  // If there are no drivers, a test of its own fails, and not the listing of tests.
  static const std::vector<DriverSet> sets = [] {
    try {
      const char* const folder = std::getenv("PMUFAB_TEST_DRIVERS");
      return driver_host::sets_that_hold(driver_host::find_driver_sets(folder != nullptr ? folder : PMUFAB_DRIVERS_DIR),
                                         {"arm_cmn"});
    } catch (const std::runtime_error&) {
      return std::vector<DriverSet>();
    }
  }();
  return sets;
}

cmn::Topology CmnTest::mesh_of(cmn::Product product, unsigned columns, unsigned rows, unsigned dtcs) {
  const auto port = [&](const char* name) { return *cmn::standard_port(product, name); };
  cmn::Topology topology;
  topology.product = product;
  topology.revision = 2;
  topology.columns = columns;
  topology.rows = rows;
  topology.dtcs = dtcs;
  for (unsigned xp = 0; xp < columns * rows; ++xp) {
    const unsigned x = xp % columns;
    const unsigned domain = x * dtcs / columns;
    const bool first_of_domain = xp < columns && (x == 0 || (x - 1) * dtcs / columns != domain);
    // Not more home nodes than Linux 7.2 allows.
    const char* second = first_of_domain ? domain == 0 ? "HN-D" : "HN-T" : xp < 144 ? "HN-F" : "SN-F";
    topology.crosspoints.push_back({.dtc_domain = domain, .ports = {port("RN-F"), port(second)}, .nodes = {}});
  }
  return topology;
}

void CmnTest::boot(cmn::Topology topology, std::function<void()> story) {
  spec.topology = std::move(topology);
  // Linux 6.1 never switches clock gating off.
  if (!kernel_is_at_least("6.12")) spec.mesh.pmu.cycles_need_cg_disable = false;
  platform::PlatformSpec all;
  all.name = "mesh";
  all.sockets = 1;
  all.cpus_per_socket = 2;
  all.edit<platform::CmnMeshesSpec>().meshes.push_back(spec);
  platform = std::make_unique<platform::Platform>("platform", all);
  platform::FirmwareDescription firmware = platform->firmware();
  if (change_firmware) change_firmware(firmware.devices.at(0));
  DriverTest::boot(platform->bus(), firmware, [this, story = std::move(story)] {
    ASSERT_EQ(host->pmus().size(), expect_probe ? 1U : 0U);
    story();
    EXPECT_EQ(host->disabled_interrupts(), 0U);
    EXPECT_EQ(host->unhandled_interrupts(), 0U);
  });
}

EventHandle CmnTest::try_open(std::uint64_t config, std::uint64_t config1, std::uint64_t config2, EventHandle leader) {
  perf::PerfAttributes attributes;
  attributes.type = host->pmus().at(0).type;
  attributes.config = config;
  attributes.config1 = config1;
  attributes.config2 = config2;
  attributes.disabled = false;
  return host->open(attributes, 0, leader);
}

EventHandle CmnTest::start(std::uint64_t config, std::uint64_t config1, std::uint64_t config2, EventHandle leader) {
  const EventHandle handle = try_open(config, config1, config2, leader);
  EXPECT_GT(handle, 0) << std::hex << config;
  return handle;
}

std::uint64_t CmnTest::finish(EventHandle handle) {
  EXPECT_EQ(host->disable(handle), 0);
  const EventReading last = reading(handle);
  EXPECT_EQ(last.time_running, last.time_enabled);
  host->close(handle);
  return last.value;
}

unsigned CmnTest::source(NodeType events, unsigned number, std::optional<unsigned> domain) {
  const cmn::Layout& layout = mesh().layout();
  for (unsigned i = 0; i < layout.sources().size(); ++i) {
    const cmn::EventSource& candidate = layout.sources()[i];
    const unsigned xp = layout.nodes()[candidate.node].xp;
    if (candidate.events != events || (domain && spec.topology.crosspoints[xp].dtc_domain != *domain)) continue;
    if (number-- == 0) return i;
  }
  throw std::out_of_range("no such event source");
}

const NodePlace& CmnTest::node_of(unsigned source_index) {
  return mesh().layout().nodes()[mesh().layout().sources()[source_index].node];
}

void CmnTest::flits(unsigned xp, cmn::Interface interface, cmn::Channel channel, std::uint64_t amount,
                    Picoseconds when) {
  const unsigned id = (static_cast<unsigned>(cmn::FlitEvent::valid) + 1) | static_cast<unsigned>(interface) << 2 |
                      static_cast<unsigned>(channel) << 5;
  for (std::uint64_t i = 0; i < amount; ++i) mesh().pmu().xp_event(xp, id, 1, when);
}

void CmnTest::upload(unsigned xp, unsigned port, cmn::Channel channel, unsigned amount) {
  cmn::FlitFields fields;
  fields.opcode = 4;
  for (unsigned i = 0; i < amount; ++i) mesh().pmu().upload(xp, port, channel, fields, testing::now());
}

namespace {
/// The offset of a node's PMU registers in its window (arm_cmn_pmu_offset). There is no CMN S3 here.
constexpr std::uint64_t kPmuOffset = 0x2000;
}  // namespace

std::uint64_t CmnTest::dtc_register(unsigned dtc, std::uint64_t offset) {
  const cmn::Layout& layout = mesh().layout();
  return spec.topology.base + layout.nodes()[layout.dtc_node(dtc)].offset + kPmuOffset + offset;
}

std::uint64_t CmnTest::dtm_register(unsigned xp, std::uint64_t offset) {
  return spec.topology.base + mesh().layout().xp(xp).offset + kPmuOffset + offset;
}

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
