// SPDX-License-Identifier: Apache-2.0
// cxl_pmu's accesses, vectors and CPUs. The tests of the models check what a CPMU counts.
#include "testbench/tests/host/cxl_test.h"

namespace pmufab::driver_host::testing {
namespace {

using pmufab::testing::advance;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CxlPmu : public Cxl {};
PMUFAB_FOR_EVERY_SET(CxlPmu, cxl_driver_sets());

TEST_P(CxlPmu, starting_reading_and_stopping_are_the_documented_accesses) {
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

TEST_P(CxlPmu, the_channel_rank_and_bank_filter_is_for_single_memory_events_alone) {
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
    const bool known = kernel_is_at_least(7, 3);  // older kernels do not know the bit
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

TEST_P(CxlPmu, sampling_and_tasks_are_refused_and_events_need_a_counter_of_their_group) {
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

TEST_P(CxlPmu, vectors_are_programmed_with_the_doorbell_and_open_only_while_somebody_listens) {
  Memory& memory = add_memory_with_two();
  boot([&] {
    EXPECT_EQ(memory.messages.msix_control(), 0x8000 | (8 - 1));
    for (unsigned vector = 0; vector < 8; ++vector) {
      EXPECT_EQ(memory.messages.entry(vector).address, kDoorbell);
      EXPECT_EQ(memory.messages.entry(vector).data, firmware.msi.first_number + vector);
      // Vector 0 is for the device's own events, 1 and 2 are for the PMUs.
      EXPECT_EQ(memory.messages.entry(vector).control, vector > 2 ? 1U : 0U);
    }
    // A message to an unused address is lost and reported.
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

TEST_P(CxlPmu, a_function_with_plain_msi_gets_aligned_numbers) {
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
TEST_P(CxlPmu, an_overflow_is_read_and_cleared_but_the_counters_stay_frozen) {
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
    // Up to 7.3 the driver arms freezing on overflow, and its handler does not undo it: counts are lost until the next
    // change.
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
    // The handler clears bits of unused counters. It does not claim a message without any bit.
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
TEST_P(CxlPmu, the_pmu_and_its_vector_move_when_their_cpu_goes) {
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
    // An event for another CPU is moved to the owner.
    const EventHandle moved = open("cxl_pmu_mem0.1", kMemRd, 0, false, 0);
    cpmu1->count(0, 4);
    EXPECT_EQ(value(moved), 4U);
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(CxlPmu, a_pmu_cannot_share_the_vector_of_the_devices_events) {
  Memory& memory = add_memory_with_two({.message = 1}, {.message = 1});
  memory.commands[0x102] = [](const auto&) { return Memory::Reply{.payload = {0x11, 0x01, 0x01, 0x01}}; };
  boot([&] {
    // The device asks first. Two PMUs may share a vector.
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("Flags mismatch irq 8193"));
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(CxlPmu, an_event_interrupt_of_the_device_is_handled_by_its_thread) {
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
