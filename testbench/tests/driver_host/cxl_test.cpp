// cxl_pmu of every kernel version that has it, on the kernel's own cxl_pci and most of its cxl_core: how a PMU is found
// behind a PCI function, what the driver shows, its accesses, vectors and CPUs. What a CPMU counts is a matter of the
// models' tests.
#include <algorithm>
#include <cinttypes>

#include "testbench/tests/driver_host/driver_host_test.h"
#include "testbench/tests/driver_host/fake_cxl.h"

namespace pmufab::driver_host::testing {
namespace {

using pmufab::testing::advance;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using Memory = FakeCxlMemory;
constexpr std::uint64_t kClockTicks = 0x1e98'0000'0000'0001, kMemInv = 0x1e98'0020'0000'0001,
                        kMemRd = 0x1e98'0020'0000'0002;
constexpr Picoseconds kSecond = 1'000'000'000'000;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Two sockets of two CPUs, and a PCI segment with memory devices a test adds.
class Cxl : public DriverHostTest {
 protected:
  static constexpr std::uint64_t kEcam = 0x1000'0000'0000, kBar = 0x2000'0000'0000, kDoorbell = 0x8080040;
  static constexpr std::uint64_t kFirstPmu = 0x20000, kSecondPmu = 0x30000;

  Cxl() {
    firmware.apmt.clear();
    firmware.devices.clear();
    firmware.pci_segments.push_back({.number = 0, .ecam_base = kEcam, .last_bus = 3, .node = 1});
    firmware.msi.address = kDoorbell;
    bus.map(kEcam, 4ULL << 20, ecam);
  }

  Memory& add_memory(const Memory::Options& shape = {}, unsigned on_bus = 0) {
    const auto index = static_cast<unsigned>(memories.size());
    memories.push_back(
        std::make_unique<Memory>("memory" + std::to_string(index), bus, kBar + index * Memory::kBarSize, shape));
    ecam.add(on_bus, on_bus == 0 ? index : 0, 0, memories.back()->function);
    firmware.msi.sources.push_back(&memories.back()->line);
    return *memories.back();
  }
  /// A memory device with PMUs at the two places its locator names.
  Memory& add_memory_with_two(const FakeCpmu::Options& first = {}, FakeCpmu::Options second = {.message = 2}) {
    Memory::Options shape;
    shape.locator.push_back({.id = 4, .offset = kSecondPmu});
    Memory& memory = add_memory(shape);
    cpmu0 = &memory.add_cpmu(kFirstPmu, first);
    cpmu1 = &memory.add_cpmu(kSecondPmu, second);
    return memory;
  }
  /// As boot(), with more than a second of simulated time.
  void boot_slowly(std::function<void()> story) {
    make_host();
    run(
        [&] {
          ASSERT_EQ(host->load(), 0);
          story();
        },
        200 * kSecond);
  }

  /// Accesses to the PMU at `offset` of the first device since the bus was cleared, for example "W8 18=0".
  [[nodiscard]] std::vector<std::string> trace(std::uint64_t offset = kFirstPmu) const {
    std::vector<std::string> lines;
    const std::uint64_t base = memories.front()->base() + offset;
    for (const FakeBus::Access& access : bus.accesses(base, 0xe00)) {
      char text[64];
      std::snprintf(text, sizeof(text), "%c%u %" PRIx64 "=%" PRIx64, access.is_write ? 'W' : 'R', access.size,
                    access.address - base, access.value);
      lines.emplace_back(text);
    }
    return lines;
  }

  FakeEcam ecam;
  std::vector<std::unique_ptr<Memory>> memories;
  FakeCpmu* cpmu0 = nullptr;
  FakeCpmu* cpmu1 = nullptr;
};
std::vector<DriverSet> cxl_driver_sets() {
  return sets_that_hold(all_driver_sets(), {"cxl_core", "cxl_pci", "cxl_pmu"});
}
PMUFAB_FOR_EVERY_SET(Cxl, cxl_driver_sets());

// contract B1
TEST_P(Cxl, each_block_of_the_locator_with_id_4_is_a_pmu_in_locator_order) {
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
    const std::vector<std::string> modules = host->modules();
    EXPECT_THAT(modules, Contains("cxl_core"));
    EXPECT_THAT(modules, Contains("cxl_pci"));
    EXPECT_THAT(modules, Contains("cxl_pmu"));
    EXPECT_EQ(host->warnings(), 0U);
    EXPECT_TRUE(logged("pci 0000:00:00.0: [1234:5678] class 0x050210"));
    EXPECT_EQ(memory.function.get(FakePciFunction::kCommand, 2), 0x406U);  // memory, bus master, no INTx
    // Unbound and bound again everything is as before, and numbers begin anew.
    host->unload();
    EXPECT_EQ(memory.messages.msix_control() >> 15, 0);
    EXPECT_EQ(memory.function.get(FakePciFunction::kCommand, 2) & 4U, 0U);
    EXPECT_EQ(host->warnings(), 0U);
    ASSERT_EQ(host->load(), 0);
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0", "cxl_pmu_mem0.1", "cxl_pmu_mem1.0"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Cxl, a_device_behind_a_root_port_is_found_and_the_port_is_enabled) {
  FakePciFunction port(0x1234, 0x1111, 0x060400);
  port.add_pcie(FakePciFunction::kRootPort);
  port.make_bridge(0, 2);
  ecam.add(0, 3, 0, port);
  FakePciFunction beside(0x1234, 0x2222, 0x050210);  // a link has one device: this one is not looked for
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

TEST_P(Cxl, a_function_of_another_class_is_left_alone) {
  FakePciFunction other(0x1234, 0x5678, 0x050200);
  other.add_bar(0, kBar, Memory::kBarSize);
  ecam.add(0, 0, 0, other);
  boot([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_EQ(other.get(FakePciFunction::kCommand, 2), 0U);
    EXPECT_EQ(other.get(0x10, 4) | std::uint64_t{other.get(0x14, 4)} << 32, kBar | 4U);  // sized and put back
  });
}

// contract B2
TEST_P(Cxl, a_block_beyond_its_bar_is_skipped_with_a_warning) {
  Memory& memory = add_memory({.locator = {{.id = 3, .offset = Memory::kDeviceBlock},
                                           {.id = 4, .offset = Memory::kBarSize + 0x10000},
                                           {.id = 4, .offset = kFirstPmu}}});
  memory.add_cpmu(kFirstPmu, {});
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0"));
    EXPECT_TRUE(logged("too small"));
  });
}

// contract B3
TEST_P(Cxl, of_pmus_that_overlap_the_first_works_and_none_after_the_second_appears) {
  Memory& memory = add_memory({.locator = {{.id = 3, .offset = Memory::kDeviceBlock},
                                           {.id = 4, .offset = kFirstPmu},
                                           {.id = 4, .offset = kFirstPmu},
                                           {.id = 4, .offset = kSecondPmu}}});
  cpmu0 = &memory.add_cpmu(kFirstPmu, {});
  memory.add_cpmu(kSecondPmu, {.message = 2});
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0"));
    EXPECT_TRUE(logged("Failed to request region"));
    const EventHandle event = open("cxl_pmu_mem0.0", kMemRd, 0, false);
    cpmu0->count(0, 5);
    EXPECT_EQ(value(event), 5U);
  });
}

// contract B4
TEST_P(Cxl, a_pmu_needs_freezing_and_an_interrupt_with_a_vector_of_its_own) {
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

// contract B4
TEST_P(Cxl, without_message_interrupts_there_is_a_device_and_no_pmu) {
  Memory& memory = add_memory({.msix_vectors = 0});
  memory.add_cpmu(kFirstPmu, {});
  boot([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("No interrupt support, disable event processing."));
    EXPECT_TRUE(logged("cxl_pmu pmu_mem0.0: probe with driver cxl_pmu failed"));
  });
}

// contract B5
TEST_P(Cxl, media_that_never_gets_ready_delays_the_pmu_and_is_not_asked_who_it_is) {
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
TEST_P(Cxl, a_mailbox_that_never_gets_ready_leaves_no_pmu) {
  Memory& memory = add_memory({.mailbox_ready = false});
  memory.add_cpmu(kFirstPmu, {});
  boot_slowly([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("timeout awaiting mailbox ready"));
    EXPECT_GE(to_picoseconds(sc_core::sc_time_stamp()), 60 * kSecond);
    EXPECT_THAT(memory.seen, IsEmpty());
    EXPECT_EQ(memory.messages.msix_control() >> 15, 0);  // everything is given back
    EXPECT_EQ(host->warnings(), 0U);
  });
}

// contract B6
TEST_P(Cxl, a_refused_event_interrupt_policy_takes_the_whole_device_away) {
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

// contract B6
TEST_P(Cxl, firmware_that_keeps_cxl_errors_to_itself_is_not_disturbed) {
  Memory& memory = add_memory();
  memory.add_cpmu(kFirstPmu, {});
  memory.commands[0x103] = [](const auto&) { return Memory::Reply{.code = 4}; };
  firmware.pci_segments[0].native_cxl_error = false;
  boot([&] {
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0"));
    EXPECT_THAT(memory.seen, ElementsAre(0x400, 0x401, 0x301, 0x4000));
  });
}

TEST_P(Cxl, the_mailbox_is_used_in_the_kernels_order) {
  Memory& memory = add_memory_with_two();
  std::vector<std::uint8_t> time;
  memory.commands[0x301] = [&](const auto& input) {
    time = input;
    return Memory::Reply{.code = Memory::kUnsupported};  // is tolerated
  };
  memory.commands[0x4000] = [](const auto&) {
    Memory::Reply reply{.payload = std::vector<std::uint8_t>(67)};
    reply.payload[16] = 4;
    reply.payload[40] = 1;  // capacity can be partitioned: the partitions are asked for
    return reply;
  };
  memory.commands[0x4100] = [](const auto&) { return Memory::Reply{.payload = std::vector<std::uint8_t>(32)}; };
  boot([&] {
    EXPECT_THAT(memory.seen,
                ElementsAre(0x400, 0x401, 0x301, 0x4000, 0x4100, 0x102, 0x103, 0x102, 0x100, 0x100, 0x100, 0x100));
    EXPECT_THAT(time, SizeIs(8));
    EXPECT_THAT(pmu_names(), SizeIs(2));
  });
}

// contract B7
TEST_P(Cxl, a_device_without_what_every_memory_device_has_gets_no_pmu) {
  const auto with_pmu = [&](const Memory::Options& shape) -> Memory& {
    Memory& memory = add_memory(shape);
    memory.add_cpmu(kFirstPmu, {});
    return memory;
  };
  with_pmu({.capabilities = {0x2, 0x4000}});
  with_pmu({.capabilities = {0x1, 0x4000}});
  with_pmu({.capabilities = {0x1, 0x2}});
  with_pmu({.locator = {{.id = 4, .offset = kFirstPmu}}});
  with_pmu({}).commands[0x400] = [](const auto&) { return Memory::Reply{.payload = std::vector<std::uint8_t>(8)}; };
  with_pmu({}).commands[0x4000] = [](const auto&) { return Memory::Reply{.payload = std::vector<std::uint8_t>(66)}; };
  with_pmu({});
  boot([&] {
    EXPECT_TRUE(logged("cxl_pci 0000:00:00.0: registers not found: status "));
    EXPECT_TRUE(logged("cxl_pci 0000:00:01.0: registers not found: mbox "));
    EXPECT_TRUE(logged("cxl_pci 0000:00:02.0: registers not found: memdev"));
    EXPECT_TRUE(logged("cxl_pci 0000:00:04.0: probe with driver cxl_pci failed with error -2"));
    EXPECT_TRUE(logged("cxl_pci 0000:00:05.0: probe with driver cxl_pci failed with error -5"));
    EXPECT_THAT(pmu_names(), ElementsAre("cxl_pmu_mem0.0"));  // of the last device
    EXPECT_EQ(host->warnings(), 0U);
  });
}

// contract B8, B9
TEST_P(Cxl, events_are_those_of_fixed_counters_and_of_capabilities_left_to_configurable_ones) {
  const FakeCpmu::Options shape{
      .events = {FakeCpmu::group(0x1e98, 0x20, 0x6), FakeCpmu::group(0x1e98, 0x0, 0x1),
                 FakeCpmu::group(0x1e98, 0x8000, 0x7f), FakeCpmu::group(0x1e98, 0x21, 0xff),
                 FakeCpmu::group(0xabcd, 0x22, 0xff)},
      // Free-running and reserved ones are no counters of Linux's; one event of the last capability but one is fixed.
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
    // A pair of fixed events is not its parts; a capability that a fixed counter uses is not for configurable ones.
    EXPECT_EQ(open("cxl_pmu_mem0.0", 0x1e98'8000'0000'0001), kEINVAL);
    EXPECT_GT(open("cxl_pmu_mem0.0", 0x1e98'8000'0000'0003), 0);
    EXPECT_EQ(open("cxl_pmu_mem0.0", 0x1e98'0021'0000'0002), kEINVAL);
    EXPECT_GT(open("cxl_pmu_mem0.0", 0xabcd'0022'0000'0081), 0);
    EXPECT_EQ(open("cxl_pmu_mem0.0", 0x1e98'0020'0000'0001), kEINVAL);
    EXPECT_EQ(memory.seen.size(), 11U);
  });
}

TEST_P(Cxl, every_event_the_kernel_names_is_published_once) {
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

TEST_P(Cxl, probing_reads_capabilities_and_configurations_and_writes_nothing) {
  add_memory_with_two({.events = {FakeCpmu::group(0x1e98, 0x20, 0x7), FakeCpmu::group(0x1e98, 0x0, 0x1)},
                       .counters = {FakeCpmu::fixed(1, 0x1), FakeCpmu::kConfigurable}});
  boot([&] {
    EXPECT_THAT(trace(), ElementsAre("R8 0=1007100000102001", "R8 200=800000001000001", "R8 108=1e98000000000001",
                                     "R8 208=2", "R8 100=1e98002000000007"));
  });
}

TEST_P(Cxl, starting_reading_and_stopping_are_the_documented_accesses) {
  add_memory_with_two({.filters = 0x3});
  boot([&] {
    const bool writes_filter_1 = kernel_is_at_least(7, 3);
    PerfAttributes attributes;
    attributes.type = type("cxl_pmu_mem0.0");
    attributes.config = kMemRd;
    attributes.config1 = 5 | 1 << 16 | 1 << 17 | 1 << 18;  // threshold, invert, edge, decoders
    attributes.config2 = 0x8001;
    const EventHandle event = host->open(attributes, 0);
    ASSERT_GT(event, 0);
    bus.clear();
    EXPECT_EQ(host->enable(event), 0);
    const std::uint64_t config = 2 | FakeCpmu::kEnable | FakeCpmu::kInterrupt | FakeCpmu::kFreezeOnOverflow | 1 << 11 |
                                 1 << 12 | 5 << 16 | 2ULL << 24;
    char configured[32];
    std::snprintf(configured, sizeof(configured), "W8 200=%" PRIx64, config);
    std::vector<std::string> expected{"W8 18=ffffffffffffffff", "W4 400=8001"};
    if (writes_filter_1) expected.emplace_back("W4 404=ffffffff");
    expected.insert(expected.end(), {"R8 200=2", configured, "W8 c00=0", "W8 18=0"});
    EXPECT_EQ(trace(), expected);

    cpmu0->count(0, 0x123);
    bus.clear();
    EXPECT_EQ(value(event), 0x123U);
    EXPECT_THAT(trace(), ElementsAre("R8 c00=123"));

    cpmu0->count(0, 0x10);
    bus.clear();
    EXPECT_EQ(host->disable(event), 0);
    char stopped[2][32];
    std::snprintf(stopped[0], sizeof(stopped[0]), "R8 200=%" PRIx64, config);
    std::snprintf(stopped[1], sizeof(stopped[1]), "W8 200=%" PRIx64,
                  config & ~(FakeCpmu::kEnable | FakeCpmu::kInterrupt));
    EXPECT_THAT(trace(), ElementsAre("W8 18=ffffffffffffffff", "R8 c00=133", stopped[0], stopped[1], "W8 18=0"));
    EXPECT_EQ(value(event), 0x133U);
    EXPECT_EQ(host->warnings(), 0U);
    EXPECT_THAT(trace(kSecondPmu), IsEmpty());
  });
}

TEST_P(Cxl, the_channel_rank_and_bank_filter_is_for_single_memory_events_alone) {
  add_memory_with_two(
      {.filters = 0x2, .events = {FakeCpmu::group(0x1e98, 0x8000, 0x7f), FakeCpmu::group(0x1e98, 0x20, 0x7)}});
  boot([&] {
    PerfAttributes attributes;
    attributes.type = type("cxl_pmu_mem0.0");
    attributes.config1 = 1 << 19;
    attributes.config2 = 0x0102'03ff'0000'0000;
    const auto opens = [&](std::uint64_t config) {
      attributes.config = config;
      return host->open(attributes, 0);
    };
    const bool known = kernel_is_at_least(7, 3);  // before, the bit means nothing
    EXPECT_EQ(opens(0x1e98'8000'0000'0003) > 0, !known);
    EXPECT_EQ(opens(kMemRd) > 0, !known);
    const EventHandle event = opens(0x1e98'8000'0000'0004);
    ASSERT_GT(event, 0);
    bus.clear();
    EXPECT_EQ(host->enable(event), 0);
    if (known)
      EXPECT_THAT(trace(), Contains("W4 404=10203ff"));
    else
      EXPECT_EQ(trace()[1], "R8 200=2");
  });
}

TEST_P(Cxl, sampling_and_tasks_are_refused_and_events_need_a_counter_of_their_group) {
  add_memory_with_two();
  boot([&] {
    PerfAttributes attributes;
    attributes.type = type("cxl_pmu_mem0.0");
    attributes.config = kMemRd;
    EXPECT_LT(host->open_for_task(attributes, 0), 0);
    attributes.sample_period = 100;
    EXPECT_EQ(host->open(attributes, 0), kEOPNOTSUPP);
    EXPECT_EQ(open("cxl_pmu_mem0.0", kMemRd | 8), kEINVAL);
    EXPECT_EQ(open("cxl_pmu_mem0.0", kClockTicks), kEINVAL);
    EXPECT_GT(open("cxl_pmu_mem0.0", kMemRd | 1), 0);
  });
}

TEST_P(Cxl, vectors_are_programmed_with_the_doorbell_and_open_only_while_somebody_listens) {
  Memory& memory = add_memory_with_two();
  boot([&] {
    EXPECT_EQ(memory.messages.msix_control(), 0x8000 | (8 - 1));
    for (unsigned vector = 0; vector < 8; ++vector) {
      EXPECT_EQ(memory.messages.entry(vector).address, kDoorbell);
      EXPECT_EQ(memory.messages.entry(vector).data, firmware.msi.first_number + vector);
      // 0 is for the device's own events, 1 and 2 are the PMUs'.
      EXPECT_EQ(memory.messages.entry(vector).control, vector > 2 ? 1U : 0U);
    }
    // A message to nobody's address is lost, and told.
    memory.line.send(kDoorbell + 4, 8193);
    memory.line.send(kDoorbell, 7);
    advance(1'000'000);
    EXPECT_TRUE(logged("message interrupt lost: 0x2001 written to 0x0000000008080044"));
    EXPECT_TRUE(logged("message interrupt lost: 0x7 written to"));
    EXPECT_EQ(host->handled_interrupts() + host->unhandled_interrupts(), 0U);
    host->unload();
    EXPECT_EQ(memory.messages.entry(1).control, 1U);
  });
}

TEST_P(Cxl, a_function_with_plain_msi_gets_aligned_numbers) {
  add_memory({.locator = {{.id = 3, .offset = Memory::kDeviceBlock}}});  // takes the first eight numbers
  Memory& memory = add_memory({.msix_vectors = 0, .msi_order = 2});
  cpmu0 = &memory.add_cpmu(kFirstPmu, {.message = 3});
  firmware.msi.first_number = 9001;
  boot([&] {
    EXPECT_THAT(pmu_names(), Contains("cxl_pmu_mem1.0"));
    const EventHandle event = open("cxl_pmu_mem1.0", kMemRd, 0, false);
    cpmu0->count(0, (1ULL << 32) - 1);
    cpmu0->count(0, 1);
    advance(1'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(value(event), 1ULL << 32);
    EXPECT_EQ(host->warnings(), 0U);
    EXPECT_FALSE(logged("lost"));
  });
}

// contract B34, B37, B39, B41
TEST_P(Cxl, an_overflow_is_read_and_cleared_but_the_counters_stay_frozen) {
  Memory& memory = add_memory_with_two();
  boot([&] {
    const EventHandle event = open("cxl_pmu_mem0.0", kMemRd, 0, false);
    const EventHandle other = open("cxl_pmu_mem0.0", kMemInv, 0, false);
    const EventHandle elsewhere = open("cxl_pmu_mem0.1", kMemRd, 0, false);
    CallRecorder recorder;
    host->observe(&recorder);
    cpmu0->count(1, 7);
    bus.clear();
    cpmu0->count(0, 1ULL << 32);
    advance(1'000'000);
    EXPECT_THAT(trace(), ElementsAre("R8 10=1", "R8 c00=0", "W8 10=1"));
    EXPECT_EQ(recorder.begun("cxl_pmu_mem0.0") + recorder.begun(""), "interrupt");
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(value(event), 1ULL << 32);
    // Freezing on overflow is armed and never undone by the handler: counts are lost until the next change.
    EXPECT_EQ(cpmu0->reg(FakeCpmu::kFreeze), kAll);
    cpmu0->count(0, 3);
    cpmu0->count(1, 3);
    EXPECT_EQ(value(event), 1ULL << 32);
    EXPECT_EQ(value(other), 7U);
    cpmu1->count(0, 9);
    EXPECT_EQ(value(elsewhere), 9U);
    EXPECT_EQ(host->disable(other), 0);
    cpmu0->count(0, 5);
    EXPECT_EQ(value(event), (1ULL << 32) + 5);
    // Bits nobody owns are cleared; a message without any is nobody's.
    cpmu0->raise(2);
    advance(1'000'000);
    EXPECT_EQ(cpmu0->reg(FakeCpmu::kOverflow), 0U);
    EXPECT_EQ(host->handled_interrupts(), 2U);
    cpmu0->raise(0);
    advance(1'000'000);
    EXPECT_EQ(host->unhandled_interrupts(), 1U);
    EXPECT_EQ(memory.line.sent(), 3U);
    EXPECT_EQ(host->warnings(), 0U);
    host->observe(nullptr);
  });
}

// contract B40
TEST_P(Cxl, the_pmu_and_its_vector_move_when_their_cpu_goes) {
  add_memory_with_two();
  boot([&] {
    const EventHandle event = open("cxl_pmu_mem0.0", kMemRd, 0, false);
    cpmu0->count(0, 10);
    EXPECT_EQ(host->set_cpu_online(0, false), 0);
    EXPECT_EQ(content(pmu("cxl_pmu_mem0.0"), "cpumask"), "1\n");
    EXPECT_EQ(content(pmu("cxl_pmu_mem0.1"), "cpumask"), "1\n");
    cpmu0->count(0, 1);
    EXPECT_EQ(value(event), 11U);
    cpmu0->raise(1);  // the handler runs on the new CPU, where its event is
    advance(1'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(host->set_cpu_online(0, true), 0);
    EXPECT_EQ(content(pmu("cxl_pmu_mem0.0"), "cpumask"), "1\n");
    // An event asked for on another CPU is moved to the owner.
    const EventHandle moved = open("cxl_pmu_mem0.1", kMemRd, 0, false, 0);
    cpmu1->count(0, 4);
    EXPECT_EQ(value(moved), 4U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

// Of the vectors a device uses for its own events, PMUs cannot have one: threads and handlers do not share.
TEST_P(Cxl, a_pmu_cannot_share_the_vector_of_the_devices_events) {
  Memory& memory = add_memory_with_two({.message = 1}, {.message = 1});
  memory.commands[0x102] = [](const auto&) { return Memory::Reply{.payload = {0x11, 0x01, 0x01, 0x01}}; };
  boot([&] {
    // The device asks first; two PMUs may share between themselves.
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("Flags mismatch irq 8193"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Cxl, an_event_interrupt_of_the_device_is_handled_by_its_thread) {
  Memory& memory = add_memory_with_two();
  boot([&] {
    memory.seen.clear();
    memory.messages.send(0);  // four logs share vector 0; the status register shows none
    advance(1'000'000);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_THAT(memory.seen, IsEmpty());
    EXPECT_EQ(host->warnings(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::driver_host::testing
