// SPDX-License-Identifier: Apache-2.0
// How the kernel's own cxl_pci and most of its cxl_core find a CXL PMU behind a PCI function, and what cxl_pmu
// publishes of it.
#include "testbench/tests/host/cxl_test.h"

namespace pmufab::driver_host::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class CxlProbe : public Cxl {};
PMUFAB_FOR_EVERY_SET(CxlProbe, cxl_driver_sets());

// contract B1
TEST_P(CxlProbe, each_block_of_the_locator_with_id_4_is_a_pmu_in_locator_order) {
  Memory& memory = add_memory({.locator = {{.id = 4, .offset = 0x40000},
                                           {.id = 3, .offset = Memory::kDeviceBlock},
                                           {.id = 2, .offset = 0x50000},
                                           {.id = 0, .offset = 0},
                                           {.id = 4, .offset = 0x20000}}});
  memory.add_cpmu(0x40000, {.events = {FakeCpmu::group(0x1e98, 0x20, 0x2)}});
  memory.add_cpmu(0x20000, {.message = 2, .events = {FakeCpmu::group(0x1e98, 0x21, 0x2)}});
  add_memory().add_cpmu(kFirstPmu, {.message = 3});
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0", "cxl_pmu_mem0.1", "cxl_pmu_mem1.0"));
    EXPECT_THAT(files(pmu("cxl_pmu_mem0.0"), "events/"), ElementsAre("m2s_req_memrd"));
    EXPECT_THAT(files(pmu("cxl_pmu_mem0.1"), "events/"), ElementsAre("m2s_rwd_memwr"));
    std::vector<std::string> modules;
    for (const DriverHost::LoadedModule& module : host->modules()) modules.push_back(module.name);
    EXPECT_THAT(modules, Contains("cxl_core"));
    EXPECT_THAT(modules, Contains("cxl_pci"));
    EXPECT_THAT(modules, Contains("cxl_pmu"));
    EXPECT_EQ(host->warnings(), 0U);
    EXPECT_TRUE(logged("pci 0000:00:00.0: [1234:5678] class 0x050210"));
    EXPECT_EQ(memory.function.get(FakePciFunction::kCommand, 2), 0x406U);  // memory, bus master, no INTx
    // After unbinding and binding again everything is as before, and numbers start again.
    host->unload();
    EXPECT_EQ(memory.messages.msix_control() >> 15, 0);
    EXPECT_EQ(memory.function.get(FakePciFunction::kCommand, 2) & 4U, 0U);
    EXPECT_EQ(host->warnings(), 0U);
    ASSERT_EQ(host->load(), 0);
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0", "cxl_pmu_mem0.1", "cxl_pmu_mem1.0"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(CxlProbe, a_device_behind_a_root_port_is_found_and_the_port_is_enabled) {
  FakePciFunction port(0x1234, 0x1111, 0x060400);
  port.add_pcie(FakePciFunction::kRootPort);
  port.make_bridge(0, 2);
  ecam.add(0, 3, 0, port);
  FakePciFunction beside(0x1234, 0x2222, 0x050210);  // a link has one device, so this one is not searched for
  ecam.add(2, 1, 0, beside);
  Memory& memory = add_memory({}, 2);
  memory.add_cpmu(kFirstPmu, {});
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0"));
    EXPECT_TRUE(logged("pci 0000:02:00.0: [1234:5678]"));
    EXPECT_FALSE(logged("0000:02:01.0"));
    EXPECT_EQ(port.get(FakePciFunction::kCommand, 2) & 6U, 6U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(CxlProbe, a_function_of_another_class_is_left_alone) {
  FakePciFunction other(0x1234, 0x5678, 0x050200);
  other.add_bar(0, kBar, Memory::kBarSize);
  ecam.add(0, 0, 0, other);
  boot([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_EQ(other.get(FakePciFunction::kCommand, 2), 0U);
    EXPECT_EQ(other.get(0x10, 4) | std::uint64_t{other.get(0x14, 4)} << 32, kBar | 4U);  // sized and restored
  });
}

// contract B4
TEST_P(CxlProbe, a_pmu_needs_freezing_and_an_interrupt_with_a_vector_of_its_own) {
  Memory::Options shape{.msix_vectors = 4};
  const std::vector<FakeCpmu::Options> pmus{
      {.message = 1, .writable_while_frozen = false},
      {.message = 1, .freeze = false},
      {.message = 1, .interrupt = false},
      {.message = 0},
      {.message = 4},  // vectors 0 to 3 are granted
      {.message = 3},
  };
  shape.locator.resize(1);
  for (std::size_t i = 0; i < pmus.size(); ++i) shape.locator.push_back({.id = 4, .offset = 0x20000 + 0x10000 * i});
  Memory& memory = add_memory(shape);
  for (std::size_t i = 0; i < pmus.size(); ++i) memory.add_cpmu(shape.locator[i + 1].offset, pmus[i]);
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.5"));
    EXPECT_TRUE(logged("cxl_pmu pmu_mem0.0: Counters not writable while frozen"));
    EXPECT_TRUE(logged("cxl_pmu pmu_mem0.1: Counters not writable while frozen"));
    EXPECT_TRUE(logged("cxl_pmu pmu_mem0.2: probe with driver cxl_pmu failed with error -22"));
    EXPECT_TRUE(logged("cxl_pmu pmu_mem0.3: probe with driver cxl_pmu failed with error -22"));
    EXPECT_TRUE(logged("cxl_pmu pmu_mem0.4: probe with driver cxl_pmu failed with error -22"));
  });
}

// contract B5
TEST_P(CxlProbe, media_that_never_gets_ready_delays_the_pmu_and_is_not_asked_who_it_is) {
  add_memory({.media_info_valid = false}).add_cpmu(kFirstPmu, {});
  add_memory({.media_active = false}).add_cpmu(kFirstPmu, {});
  add_memory({.media_ready = false}).add_cpmu(kFirstPmu, {});
  boot_slowly([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0", "cxl_pmu_mem1.0", "cxl_pmu_mem2.0"));
    const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
    EXPECT_GE(now, 62 * kSecond);  // 2 s for the first, 60 s for the second, nothing for the third
    EXPECT_LT(now, 63 * kSecond);
    for (unsigned i = 0; i < 3; ++i) {
      EXPECT_TRUE(logged("cxl_pci 0000:00:0" + std::to_string(i) + ".0: Media not active"));
      EXPECT_THAT(memories[i]->seen, Not(Contains(0x4000)));
    }
  });
}

// contract B5
TEST_P(CxlProbe, a_mailbox_command_that_never_ends_is_given_up_after_two_seconds) {
  Memory& memory = add_memory();
  memory.add_cpmu(kFirstPmu, {});
  memory.hangs = 0x400;
  boot_slowly([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_THAT(memory.seen, ElementsAre(0x400));
    EXPECT_TRUE(logged("cxl_pci 0000:00:00.0: mailbox timeout"));
    const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
    EXPECT_GE(now, 2 * kSecond);
    EXPECT_LT(now, 2 * kSecond + kSecond / 10);
  });
}

TEST_P(CxlProbe, a_device_integrated_into_the_root_complex_waits_for_a_port_that_never_comes) {
  Memory& memory = add_memory({.pcie_type = FakePciFunction::kRootComplexEndpoint});
  memory.add_cpmu(kFirstPmu, {});
  boot([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("pci 0000:00:00.0: deferred probe pending"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

// contract B6
TEST_P(CxlProbe, a_refused_event_interrupt_policy_takes_the_whole_device_away) {
  Memory& refused = add_memory();
  refused.add_cpmu(kFirstPmu, {});
  refused.commands[0x103] = [](const auto&) { return Memory::Reply{.code = 4}; };
  Memory& ignored = add_memory();
  ignored.add_cpmu(kFirstPmu, {});
  ignored.commands[0x102] = [](const auto&) { return Memory::Reply{.payload = {1, 0, 1, 1}}; };
  Memory& of_firmware = add_memory();
  of_firmware.add_cpmu(kFirstPmu, {});
  of_firmware.commands[0x102] = [](const auto&) { return Memory::Reply{.payload = {1, 1, 1, 2}}; };
  boot([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("Failed to set event interrupt policy"));
    EXPECT_TRUE(logged("Failed to get interrupt for event Warn log"));
    EXPECT_TRUE(logged("FW still in control of Event Logs despite _OSC settings"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(CxlProbe, the_mailbox_is_used_in_the_kernels_order) {
  Memory& memory = add_memory_with_two();
  std::vector<std::uint8_t> time;
  memory.commands[0x301] = [&](const auto& input) {
    time = input;
    return Memory::Reply{.code = Memory::kUnsupported};  // tolerated by the driver
  };
  memory.commands[0x4000] = [](const auto&) {
    Memory::Reply reply{.payload = std::vector<std::uint8_t>(67)};
    reply.payload[16] = 4;
    reply.payload[40] = 1;  // capacity can be partitioned, so the driver asks for the partitions
    return reply;
  };
  memory.commands[0x4100] = [](const auto&) { return Memory::Reply{.payload = std::vector<std::uint8_t>(32)}; };
  boot([&] {
    EXPECT_THAT(memory.seen,
                ElementsAre(0x400, 0x401, 0x301, 0x4000, 0x4100, 0x102, 0x103, 0x102, 0x100, 0x100, 0x100, 0x100));
    EXPECT_THAT(time, SizeIs(8));
    EXPECT_TRUE(logged("Found LOG type 0da9c0b5-bf41-4b78-8f79-96b1623b3f17 of size 16"));
    EXPECT_THAT(pmu_names(), SizeIs(2));
  });
}

// contract B8, B9
TEST_P(CxlProbe, events_are_those_of_fixed_counters_and_of_capabilities_left_to_configurable_ones) {
  const FakeCpmu::Options shape{
      .events = {FakeCpmu::group(0x1e98, 0x20, 0x6), FakeCpmu::group(0x1e98, 0x0, 0x1),
                 FakeCpmu::group(0x1e98, 0x8000, 0x7f), FakeCpmu::group(0x1e98, 0x21, 0xff),
                 FakeCpmu::group(0xabcd, 0x22, 0xff)},
      // Linux does not use free-running and reserved counters. One event of the last capability but one is fixed.
      .counters = {FakeCpmu::fixed(1, 0x1), 0x0 | 0x4ULL << 24 | 2ULL << 59, FakeCpmu::kConfigurable,
                   FakeCpmu::fixed(3, 0x4), FakeCpmu::fixed(2, 0x3), 0x3}};
  Memory& memory = add_memory_with_two(shape, {.message = 2, .filters = 0x3});
  boot([&] {
    const Pmu first = pmu("cxl_pmu_mem0.0");
    EXPECT_THAT(files(first, "events/"),
                UnorderedElementsAre("clock_ticks", "m2s_req_memrd", "m2s_req_memrddata", "m2s_rwd_memwrptl"));
    EXPECT_EQ(content(first, "events/m2s_req_memrd"), "config=0x1e98002000000002\n");
    EXPECT_THAT(files(first, "format/"), UnorderedElementsAre("vid", "gid", "mask", "threshold", "invert", "edge"));
    EXPECT_EQ(content(first, "format/vid"), "config:48-63\n");
    EXPECT_EQ(content(first, "format/gid"), "config:32-47\n");
    EXPECT_EQ(content(first, "format/mask"), "config:0-31\n");
    EXPECT_EQ(content(first, "format/threshold"), "config1:0-15\n");
    EXPECT_EQ(content(first, "cpumask"), "0\n");
    std::vector<std::string> formats{"vid", "gid", "mask", "threshold", "invert", "edge", "hdm_filter_en", "hdm"};
    if (kernel_is_at_least(7, 3)) formats.insert(formats.end(), {"crb_filter_en", "crb"});
    const Pmu second = pmu("cxl_pmu_mem0.1");
    EXPECT_THAT(files(second, "format/"), ::testing::UnorderedElementsAreArray(formats));
    EXPECT_EQ(content(second, "format/hdm"), "config2:0-15\n");
    EXPECT_EQ(content(second, "format/hdm_filter_en"), "config1:18\n");
    if (kernel_is_at_least(7, 3)) {
      EXPECT_EQ(content(second, "format/crb"), "config2:32-63\n");
      EXPECT_EQ(content(second, "format/crb_filter_en"), "config1:19\n");
    }
    // A fixed pair of events does not serve the single ones. Configurable counters cannot use a fixed counter's
    // capability.
    EXPECT_EQ(open("cxl_pmu_mem0.0", 0x1e98'8000'0000'0001), kEINVAL);
    EXPECT_GT(open("cxl_pmu_mem0.0", 0x1e98'8000'0000'0003), 0);
    EXPECT_EQ(open("cxl_pmu_mem0.0", 0x1e98'0021'0000'0002), kEINVAL);
    EXPECT_GT(open("cxl_pmu_mem0.0", 0xabcd'0022'0000'0081), 0);
    EXPECT_EQ(open("cxl_pmu_mem0.0", 0x1e98'0020'0000'0001), kEINVAL);
    EXPECT_EQ(memory.seen.size(), 11U);
  });
}

TEST_P(CxlProbe, every_event_the_kernel_names_is_published_once) {
  FakeCpmu::Options shape;
  shape.events.clear();
  for (const std::uint64_t id :
       {0x0, 0x10, 0x11, 0x12, 0x13, 0x14, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x8000, 0x8001, 0x8002, 0x8003, 0x8004})
    shape.events.push_back(FakeCpmu::group(0x1e98, id, 0xffffffff));
  add_memory_with_two(shape);
  boot([&] {
    const std::size_t named = kernel_is_at_least(7, 3) ? 115 : kernel_is_at_least(7, 2) ? 74 : 71;
    EXPECT_THAT(files(pmu("cxl_pmu_mem0.0"), "events/"), SizeIs(named));
  });
}

TEST_P(CxlProbe, probing_reads_capabilities_and_configurations_and_writes_nothing) {
  add_memory_with_two({.events = {FakeCpmu::group(0x1e98, 0x20, 0x7), FakeCpmu::group(0x1e98, 0x0, 0x1)},
                       .counters = {FakeCpmu::fixed(1, 0x1), FakeCpmu::kConfigurable}});
  boot([&] {
    EXPECT_THAT(trace(), ElementsAre("R8 0=1007100000102001", "R8 200=800000001000001", "R8 108=1e98000000000001",
                                     "R8 208=2", "R8 100=1e98002000000007"));
  });
}

}  // namespace
}  // namespace pmufab::driver_host::testing
