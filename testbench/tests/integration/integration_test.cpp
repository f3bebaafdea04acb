// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/integration/integration_test.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "testbench/run/session/kernel_selection.h"

namespace pmufab::integration {

const std::vector<DriverSet>& tegra410_driver_sets() {
  // If there are no drivers, a test of its own fails, and not the listing of tests.
  static const std::vector<DriverSet> sets = [] {
    try {
      const char* const folder = std::getenv("PMUFAB_TEST_DRIVERS");
      return driver_host::sets_that_hold(driver_host::find_driver_sets(folder != nullptr ? folder : PMUFAB_DRIVERS_DIR),
                                         {"arm_cspmu_module", "nvidia_cspmu", "nvidia_t410_cmem_latency_pmu"});
    } catch (const std::runtime_error&) {
      return std::vector<DriverSet>();
    }
  }();
  return sets;
}

std::vector<DriverSet> driver_sets_from(const std::string& version) {
  std::vector<DriverSet> sets = tegra410_driver_sets();
  std::erase_if(sets,
                [&](const DriverSet& set) { return driver_host::compare_versions(set.kernel_version, version) < 0; });
  return sets;
}

std::string version_name(const ::testing::TestParamInfo<DriverSet>& info) {
  std::string name = info.param.kernel_version;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

void DriverTest::boot(MmioBus& bus, const platform::FirmwareDescription& firmware, std::function<void()> story) {
  bus.monitor([this](const MmioBus::BusAccess& access) { accesses.push_back(access); });
  host = std::make_unique<driver_host::DriverHost>("host", GetParam(), options);
  host->bus.bind(bus.socket);
  host->describe(firmware);
  run(
      [&] {
        ASSERT_EQ(host->load(), 0);
        story();
        EXPECT_EQ(host->warnings(), expected_warnings);
      },
      limit);
}

bool DriverTest::kernel_is_at_least(const std::string& version) const {
  return driver_host::compare_versions(GetParam().kernel_version, version) >= 0;
}

Pmu DriverTest::pmu(const std::string& name) const {
  for (const Pmu& candidate : host->pmus()) {
    if (candidate.name == name) return candidate;
  }
  ADD_FAILURE() << "there is no PMU " << name;
  return {};
}

std::vector<std::string> DriverTest::pmu_names() const {
  std::vector<std::string> names;
  for (const Pmu& candidate : host->pmus()) names.push_back(candidate.name);
  return names;
}

std::string DriverTest::content(const Pmu& pmu, const std::string& path) {
  for (const auto& [name, text] : pmu.files) {
    if (name == path) return text;
  }
  return "(no such file)";
}

std::vector<std::string> DriverTest::files(const Pmu& pmu, const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& [path, text] : pmu.files) {
    if (path.starts_with(folder + "/")) names.push_back(path.substr(folder.size() + 1));
  }
  return names;
}

std::size_t DriverTest::logged(const std::string& part) const {
  return static_cast<std::size_t>(std::count_if(host->log().begin(), host->log().end(), [&](const std::string& line) {
    return line.find(part) != std::string::npos;
  }));
}

EventHandle DriverTest::open(const std::string& name, std::uint64_t config, std::uint64_t config1,
                             std::uint64_t config2, int cpu) {
  perf::PerfAttributes attributes;
  attributes.type = pmu(name).type;
  attributes.config = config;
  attributes.config1 = config1;
  attributes.config2 = config2;
  attributes.disabled = false;
  return host->open(attributes, cpu);
}

EventReading DriverTest::reading(EventHandle event) {
  EventReading result{};
  EXPECT_EQ(host->read(event, result), 0);
  return result;
}

std::vector<MmioBus::BusAccess> DriverTest::accesses_to(std::uint64_t base, std::uint64_t size) const {
  std::vector<MmioBus::BusAccess> found;
  for (MmioBus::BusAccess access : accesses) {
    if (access.address < base || access.address >= base + size) continue;
    access.address -= base;
    found.push_back(access);
  }
  return found;
}

std::uint64_t DriverTest::peek(std::uint64_t address, unsigned length) {
  std::uint64_t value = 0;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(length);
  EXPECT_EQ(host->bus->transport_dbg(payload), length);
  return value;
}

CoreSightTest::Device::Device(unsigned number, const coresight::CoreSightPmuOptions& pmu_options,
                              const ClockDomain& clock, coresight::InputResolver resolve, InterruptTrigger trigger)
    : page0(0x1000'0000 + number * std::uint64_t{0x1'0000}),
      page1(page0 + (pmu_options.dual_page ? 0x1000 : 0)),
      line("line" + std::to_string(number), trigger),
      pmu(("pmu" + std::to_string(number)).c_str(), pmu_options, clock,
          resolve ? std::move(resolve)
                  : coresight::EventTable()
                        .add(kEvents[0], probes[0])
                        .add(kEvents[1], probes[1])
                        .add(kEvents[2], probes[2])) {
  pmu.connect_interrupt(line);
}

CoreSightTest::CoreSightTest() {
  for (std::uint32_t cpu = 0; cpu < 2; ++cpu) firmware.cpus.push_back({.uid = cpu, .container_uid = 0, .node = 0});
}

void CoreSightTest::add(const coresight::CoreSightPmuOptions& pmu_options, InterruptTrigger trigger,
                        coresight::InputResolver resolve) {
  const auto number = static_cast<unsigned>(devices.size());
  devices.push_back(std::make_unique<Device>(number, pmu_options, clock, std::move(resolve), trigger));
  Device& device = *devices.back();
  bus.map("pmu" + std::to_string(number), device.page0, 0x1000, device.pmu.socket);
  if (pmu_options.dual_page) bus.map("pmu" + std::to_string(number) + ".page1", device.page1, 0x1000, device.pmu.page1);

  platform::ApmtNode node{};
  node.id = number;
  node.type = platform::ApmtNode::Type::cache;
  node.instance_secondary = number;
  node.base0 = device.page0;
  if (pmu_options.dual_page) node.base1 = device.page1;
  node.overflow_interrupt = platform::InterruptResource{.number = 100 + number, .line = &device.line};
  node.affinity_is_container = true;
  node.processor_affinity = 0;
  node.atomic_64bit = pmu_options.atomic_64bit;
  firmware.apmt.push_back(node);
}

}  // namespace pmufab::integration
