// SPDX-License-Identifier: Apache-2.0
// The unmodified CXL drivers of every kernel that has them, on a modelled memory expander behind a root port. They find
// its CPMUs and count with them. On a faulty device they do what the contract says.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cxl/cpmu/cpmu.h"
#include "models/cxl/registers/type3_device.h"
#include "models/pcie/ecam.h"
#include "testbench/host/driver_host.h"
#include "testbench/host/driver_sets.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/probe/probe.h"

namespace pmufab::cxl {
namespace {

using driver_host::DriverHost;
using driver_host::DriverSet;
using perf::EventHandle;
using ::testing::ElementsAre;

constexpr std::uint64_t kEcam = 0x30'0000'0000;
constexpr std::uint64_t kBar = 0x40'0000'0000;
constexpr std::uint64_t kMemory = 0x100'0000'0000;
constexpr std::uint64_t kUnit = std::uint64_t{256} << 20;
constexpr std::uint64_t kMemRd = 0x1e98'0020'0000'0002;  // vendor, group, mask
constexpr std::uint64_t kMemInv = 0x1e98'0020'0000'0001;
constexpr std::uint64_t kHdmFilter = 1 << 18;  // of config1; config2 is the mask of decoders
constexpr Picoseconds kSecond = 1'000'000'000'000;

std::vector<DriverSet> driver_sets() {
  return driver_host::sets_that_hold(driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR),
                                     {"cxl_core", "cxl_pci", "cxl_pmu"});
}

/// A CPU complex, a root port and the expander below it, with a CPMU for each entry of its locator. Each CPMU counts
/// M2S requests: MemInv and MemRd, filtered by HDM decoder.
struct Rig {
  Rig(const DriverSet& drivers, const Type3Parameters& parameters, bool native_cxl_error = true)
      : port("port", port_parameters()), device("mem", parameters), host("host", drivers, {}) {
    host.bus.bind(bus.socket);
    bus.map("ecam", kEcam, ecam.size(), ecam.socket);
    bus.map("bar", kBar, device.function().bar_size(0), device.function().socket(0));
    ecam.attach(0, 0, port);
    port.attach(0, 0, device.function());
    port.assign_buses(0, 1, 1);
    device.function().assign_bar(0, kBar);
    for (unsigned number = 0; number < device.cpmu_blocks(); ++number) add_cpmu(number);

    platform::FirmwareDescription firmware;
    firmware.cpus = {{.uid = 0, .container_uid = 0, .node = 0}, {.uid = 1, .container_uid = 0, .node = 0}};
    firmware.pci_segments.push_back(
        {.number = 0, .ecam_base = kEcam, .last_bus = 1, .node = 0, .native_cxl_error = native_cxl_error});
    firmware.msi.address = 0x808'0040;
    firmware.msi.sources = {&port.messages(), &device.function().messages()};
    host.describe(firmware);
  }
  static pcie::FunctionParameters port_parameters() {
    pcie::FunctionParameters parameters;
    parameters.vendor_id = 0x10de;
    parameters.class_code = 0x060400;
    parameters.type = pcie::PortType::root_port;
    return parameters;
  }
  void add_cpmu(unsigned number) {
    const std::string name = "cpmu" + std::to_string(number);
    requests.push_back(std::make_unique<Probe>(name + ".meminv"));
    requests.push_back(std::make_unique<Probe>(name + ".memrd"));
    CpmuParameters parameters;
    parameters.counters.resize(4);
    parameters.width = 16;
    parameters.hdm_filter = true;
    parameters.message_number = number + 1;
    std::vector<EventGroup> groups{{.group = 0x20,
                                    .filter = EventFilter::hdm_decoder,
                                    .supported = 0x3,
                                    .sources = {{.bit = 0, .probe = requests[2 * number].get()},
                                                {.bit = 1, .probe = requests[2 * number + 1].get()}}}};
    cpmus.push_back(std::make_unique<Cpmu>(name.c_str(), parameters, std::move(groups)));
    device.attach_cpmu(number, cpmus.back()->socket, 0xe00);
    cpmus.back()->on_interrupt([this, number] { device.signal(number + 1); });
  }
  /// This many MemRd to a host physical address, as the CPMU sees them.
  void read(unsigned cpmu, std::uint64_t address, std::uint64_t amount) {
    const auto claim = device.decode(address);
    requests[2 * cpmu + 1]->publish(amount, claim ? claim->decoder : kNoHdmDecoder, testing::now());
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const perf::Pmu& pmu : host.pmus()) names.push_back(pmu.name);
    return names;
  }
  EventHandle open(const std::string& name, std::uint64_t config, std::uint64_t config1 = 0,
                   std::uint64_t config2 = 0) {
    for (const perf::Pmu& pmu : host.pmus()) {
      if (pmu.name != name) continue;
      const EventHandle event =
          host.open({.type = pmu.type, .config = config, .config1 = config1, .config2 = config2, .disabled = false}, 0);
      EXPECT_GT(event, 0) << name;
      return event;
    }
    ADD_FAILURE() << "no PMU " << name;
    return 0;
  }
  std::uint64_t value(EventHandle event) {
    perf::EventReading reading{};
    EXPECT_EQ(host.read(event, reading), 0);
    return reading.value;
  }
  [[nodiscard]] bool logged(const std::string& part) const {
    return std::any_of(host.log().begin(), host.log().end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  MmioBus bus{"bus"};
  pcie::Ecam ecam{"ecam", 0, 1};
  pcie::Function port;
  Type3Device device;
  std::vector<std::unique_ptr<Probe>> requests;  // MemInv, MemRd of each CPMU
  std::vector<std::unique_ptr<Cpmu>> cpmus;
  DriverHost host;
};

class CxlType3Linux : public testing::SimulationTest, public ::testing::WithParamInterface<DriverSet> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CxlType3Linux);

std::string version(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(linux, CxlType3Linux, ::testing::ValuesIn(driver_sets()),
                         [](const auto& one) { return version(one.param.kernel_version); });

// contract B1
// contract B41
TEST_P(CxlType3Linux, finds_the_cpmus_of_a_device_behind_a_port_and_counts_by_decoder) {
  Type3Parameters parameters;
  parameters.blocks = {{BlockId::component}, {BlockId::cpmu}, {BlockId::chmu}, {BlockId::device}, {BlockId::cpmu}};
  parameters.memory.persistent_capacity = kUnit;
  parameters.memory.partition_alignment = kUnit;
  Rig rig(GetParam(), parameters);
  rig.device.program_decoder(0, {.base = kMemory, .size = 2 * kUnit});
  rig.device.program_decoder(1, {.base = kMemory + 4 * kUnit, .size = 6 * kUnit, .interleave = {3, 1024}});
  run([&] {
    ASSERT_EQ(rig.host.load(), 0);
    ASSERT_THAT(rig.names(), ElementsAre("cxl_pmu_mem0.0", "cxl_pmu_mem0.1"));
    const EventHandle all = rig.open("cxl_pmu_mem0.0", kMemRd);
    const EventHandle first = rig.open("cxl_pmu_mem0.0", kMemRd, kHdmFilter, 0x1);
    const EventHandle second = rig.open("cxl_pmu_mem0.0", kMemRd, kHdmFilter, 0x2);
    const EventHandle other = rig.open("cxl_pmu_mem0.1", kMemRd);
    const EventHandle invalidate = rig.open("cxl_pmu_mem0.0", kMemInv);
    rig.read(0, kMemory, 5);
    rig.read(0, kMemory + 5 * kUnit, 7);
    rig.read(0, kMemory + 3 * kUnit, 11);  // no decoder claims it
    rig.read(1, kMemory, 13);
    EXPECT_EQ(rig.value(all), 23U);
    EXPECT_EQ(rig.value(first), 5U);
    EXPECT_EQ(rig.value(second), 7U);
    EXPECT_EQ(rig.value(other), 13U);
    EXPECT_EQ(rig.value(invalidate), 0U);
    EXPECT_EQ(rig.host.warnings(), 0U);
    EXPECT_EQ(rig.device.device().guest_errors(), 0U);
    EXPECT_EQ(rig.device.function().unsupported_requests(), 0U);

    // Unbound and bound again. Then an overflow reaches the driver through MSI-X.
    rig.host.unload();
    EXPECT_FALSE(rig.device.function().is_bus_master());
    ASSERT_EQ(rig.host.load(), 0);
    ASSERT_THAT(rig.names(), ElementsAre("cxl_pmu_mem0.0", "cxl_pmu_mem0.1"));
    const EventHandle overflowing = rig.open("cxl_pmu_mem0.1", kMemRd);
    const std::uint64_t before = rig.host.handled_interrupts();
    rig.read(1, kMemory, 0xffff);
    testing::advance(1'000'000);
    rig.read(1, kMemory, 1);
    testing::advance(1'000'000);
    EXPECT_EQ(rig.host.handled_interrupts(), before + 1);
    EXPECT_EQ(rig.value(overflowing), 0x1'0000U);
    EXPECT_EQ(rig.device.function().lost_messages(), 0U);
  });
}

// contract B2
// contract B3
TEST_P(CxlType3Linux, skips_a_block_beyond_the_bar_and_stops_at_one_that_overlaps) {
  Type3Parameters parameters;
  parameters.blocks = {{BlockId::component}, {BlockId::device},         {BlockId::cpmu, 0x1000'0000},
                       {BlockId::cpmu},      {BlockId::cpmu, 0x2'0000}, {BlockId::cpmu}};
  Rig rig(GetParam(), parameters);
  run([&] {
    ASSERT_EQ(rig.host.load(), 0);
    EXPECT_THAT(rig.names(), ElementsAre("cxl_pmu_mem0.0"));
    EXPECT_TRUE(rig.logged("too small"));
    const EventHandle event = rig.open("cxl_pmu_mem0.0", kMemRd);
    rig.read(1, kMemory, 3);
    EXPECT_EQ(rig.value(event), 3U);
  });
}

/// A faulty device, and the number of PMUs the driver finds of its two.
struct Flaw {
  const char* name;
  std::function<void(Type3Parameters&)> make;
  unsigned pmus;
  const char* log;  // in the kernel's log
  bool native_cxl_error = true;
};

void fail(Type3Parameters& parameters, MailboxOpcode opcode, MailboxReturn code) {
  parameters.memory.failures[opcode] = code;
}

const std::vector<Flaw>& flaws() {
  static const std::vector<Flaw> all{
      {"no_effects_log", [](auto& p) { p.memory.command_effects_log = false; }, 0, "failed with error -2"},
      {"short_identify", [](auto& p) { p.memory.identify_bytes = 66; }, 0, "failed with error -5"},
      {"no_status", [](auto& p) { p.missing_capability = DeviceCapability::device_status; }, 0, "not found: status"},
      {"no_mailbox", [](auto& p) { p.missing_capability = DeviceCapability::primary_mailbox; }, 0, "not found: mbox"},
      {"no_memory_device_status", [](auto& p) { p.missing_capability = DeviceCapability::memory_device_status; }, 0,
       "not found: memdev"},
      {"mailbox_never_ready", [](auto& p) { p.mailbox_ready_after = std::nullopt; }, 0, "awaiting mailbox ready"},
      {"media_never_ready", [](auto& p) { p.media_ready_after = std::nullopt; }, 2, "Media not active"},
      {"media_ready_late", [](auto& p) { p.media_ready_after = 3 * kSecond; }, 2, ""},
      {"policy_refused",
       [](auto& p) { fail(p, MailboxOpcode::set_event_interrupt_policy, MailboxReturn::internal_error); }, 0,
       "Failed to set event interrupt policy"},
      {"policy_refused_to_firmware",
       [](auto& p) { fail(p, MailboxOpcode::get_event_interrupt_policy, MailboxReturn::internal_error); }, 2, "",
       false},
      {"no_timestamp", [](auto& p) { fail(p, MailboxOpcode::set_timestamp, MailboxReturn::unsupported); }, 2, ""},
      {"timestamp_fails", [](auto& p) { fail(p, MailboxOpcode::set_timestamp, MailboxReturn::internal_error); }, 0, ""},
      {"no_vectors", [](auto& p) { p.msi_x_vectors = 0; }, 0, "No interrupt support, disable event processing."},
      {"two_vectors", [](auto& p) { p.msi_x_vectors = 2; }, 1, "failed with error -22"},
      {"msi_instead",
       [](auto& p) {
         p.msi_x_vectors = 0;
         p.msi_vectors = 4;
       },
       2, ""},
      {"no_component_registers", [](auto& p) { p.blocks.erase(p.blocks.begin()); }, 2, "No component registers"},
      {"no_device_registers", [](auto& p) { p.blocks.erase(p.blocks.begin() + 1); }, 0, "cxl_pci"},
      {"small_mailbox", [](auto& p) { p.payload_size_log2 = 8; }, 2, ""},
  };
  return all;
}

class CxlType3FlawsLinux : public testing::SimulationTest,
                           public ::testing::WithParamInterface<std::tuple<DriverSet, Flaw>> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CxlType3FlawsLinux);
INSTANTIATE_TEST_SUITE_P(linux, CxlType3FlawsLinux,
                         ::testing::Combine(::testing::ValuesIn(driver_sets()), ::testing::ValuesIn(flaws())),
                         [](const auto& one) {
                           return version(std::get<0>(one.param).kernel_version) + "_" + std::get<1>(one.param).name;
                         });

// contract B4
// contract B5
// contract B6
// contract B7
TEST_P(CxlType3FlawsLinux, leave_as_many_pmus_as_the_contract_says) {
  const auto& [drivers, flaw] = GetParam();
  Type3Parameters parameters;
  parameters.blocks = {{BlockId::component}, {BlockId::device}, {BlockId::cpmu}, {BlockId::cpmu}};
  flaw.make(parameters);
  Rig rig(drivers, parameters, flaw.native_cxl_error);
  run(
      [&, &flaw = flaw] {
        ASSERT_EQ(rig.host.load(), 0);
        EXPECT_EQ(rig.names().size(), flaw.pmus);
        EXPECT_TRUE(rig.logged(flaw.log)) << flaw.log;
        EXPECT_EQ(rig.host.warnings(), 0U);
        if (flaw.pmus == 0) return;
        const EventHandle event = rig.open("cxl_pmu_mem0.0", kMemRd);
        rig.read(0, kMemory, 9);
        EXPECT_EQ(rig.value(event), 9U);
      },
      200 * kSecond);
}

}  // namespace
}  // namespace pmufab::cxl
