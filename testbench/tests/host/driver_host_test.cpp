// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/host/driver_host_test.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace pmufab::driver_host::testing {

DriverHostTest::DriverHostTest(InterruptTrigger trigger) : line0("overflow0", trigger), line1("overflow1", trigger) {
  for (std::uint32_t cpu = 0; cpu < 4; ++cpu) {
    firmware.cpus.push_back({.uid = cpu, .container_uid = cpu / 2, .node = cpu / 2});
  }
  add_coresight(0, kUcfBase[0], ucf0, &line0, 100, 0);
  add_coresight(1, kUcfBase[1], ucf1, &line1, 101, 1);
  add_cmem(0, cmem0);
  add_cmem(1, cmem1);
}

void DriverHostTest::add_coresight(std::uint32_t id, std::uint64_t base, FakeCoresightPmu& device, InterruptLine* line,
                                   std::uint32_t number, std::uint32_t container) {
  platform::ApmtNode node{};
  node.id = id;
  node.type = platform::ApmtNode::Type::cache;
  node.instance_secondary = id;
  node.base0 = base;
  if (line != nullptr) node.overflow_interrupt = platform::InterruptResource{.number = number, .line = line};
  node.affinity_is_container = true;
  node.processor_affinity = container;
  firmware.apmt.push_back(node);
  bus.map(base, 0x1000, device);
}

void DriverHostTest::add_cmem(unsigned socket, FakeCmem& device) {
  platform::AcpiDevice acpi;
  acpi.hid = "NVDA2021";
  acpi.uid = std::to_string(socket);
  for (unsigned i = 0; i <= FakeCmem::kInstances; ++i) {
    const std::uint64_t base = kCmemBase[socket] + i * std::uint64_t{0x1000};
    acpi.memory.push_back({.base = base, .size = 0x1000});
    bus.map(base, 0x1000, i == FakeCmem::kInstances ? device.broadcast() : device.instance(i));
  }
  firmware.devices.push_back(acpi);
}

void DriverHostTest::make_host() {
  host = std::make_unique<DriverHost>("host", GetParam(), options);
  host->bus.bind(bus.socket);
  host->describe(firmware);
}

void DriverHostTest::elaborate(std::function<void()> story) {
  make_host();
  run(std::move(story));
}

void DriverHostTest::boot(std::function<void()> story) {
  elaborate([&] {
    ASSERT_EQ(host->load(), 0);
    story();
  });
}

bool DriverHostTest::kernel_is_at_least(unsigned major, unsigned minor) const {
  std::pair<unsigned, unsigned> version{};
  char dot = 0;
  std::istringstream(GetParam().kernel_version) >> version.first >> dot >> version.second;
  return version >= std::pair{major, minor};
}

Pmu DriverHostTest::pmu(const std::string& name) const {
  for (const Pmu& candidate : host->pmus()) {
    if (candidate.name == name) return candidate;
  }
  ADD_FAILURE() << "there is no PMU " << name;
  return {};
}

std::vector<std::string> DriverHostTest::pmu_names() const {
  std::vector<std::string> names;
  for (const Pmu& candidate : host->pmus()) names.push_back(candidate.name);
  return names;
}

std::vector<std::string> DriverHostTest::files(const Pmu& pmu, const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& [path, text] : pmu.files) {
    if (path.starts_with(folder)) names.push_back(path.substr(folder.size()));
  }
  return names;
}

std::string DriverHostTest::content(const Pmu& pmu, const std::string& path) {
  for (const auto& [name, text] : pmu.files) {
    if (name == path) return text;
  }
  return "(no such file)";
}

bool DriverHostTest::logged(const std::string& part) const {
  return std::any_of(host->log().begin(), host->log().end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

EventHandle DriverHostTest::open(const std::string& name, std::uint64_t config, EventHandle leader, bool disabled,
                                 int cpu) {
  PerfAttributes attributes;
  attributes.type = type(name);
  attributes.config = config;
  attributes.disabled = disabled;
  return host->open(attributes, cpu, leader);
}

EventReading DriverHostTest::reading(EventHandle event) {
  EventReading result{};
  EXPECT_EQ(host->read(event, result), 0);
  return result;
}

std::uint64_t DriverHostTest::value(EventHandle event) { return reading(event).value; }

std::string version_name(const ::testing::TestParamInfo<DriverSet>& info) {
  std::string name = info.param.kernel_version;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

const std::vector<DriverSet>& all_driver_sets() {
  // If there are no drivers, a test of its own fails, and not the listing of tests.
  static const std::vector<DriverSet> sets = [] {
    try {
      const char* const folder = std::getenv("PMUFAB_TEST_DRIVERS");
      return find_driver_sets(folder != nullptr ? folder : PMUFAB_DRIVERS_DIR);
    } catch (const std::runtime_error&) {
      return std::vector<DriverSet>();
    }
  }();
  return sets;
}

std::vector<DriverSet> tegra410_driver_sets() {
  return sets_that_hold(all_driver_sets(), {"arm_cspmu_module", "nvidia_cspmu", "nvidia_t410_cmem_latency_pmu"});
}

std::string CallRecorder::begun(const std::string& pmu) const {
  static const char* const names[] = {"pmu_disable", "pmu_enable", "add",       "del",        "start",     "stop",
                                      "read",        "interrupt",  "start_txn", "commit_txn", "cancel_txn"};
  std::string text;
  for (const Seen& one : seen) {
    if (!one.begin || one.pmu != pmu) continue;
    if (!text.empty()) text += ' ';
    text += names[static_cast<int>(one.call)];
  }
  return text;
}

}  // namespace pmufab::driver_host::testing
