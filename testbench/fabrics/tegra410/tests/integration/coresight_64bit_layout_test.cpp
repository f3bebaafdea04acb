// SPDX-License-Identifier: Apache-2.0
// The 64-bit register layout (FEAT_CSPMU_EXT64), which drivers know since Linux 7.3.
#include <algorithm>

#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using coresight::CounterInput;
using coresight::CounterProgram;
using testing::advance;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::now;

constexpr std::uint64_t kPmcr32 = 0xe04;
constexpr std::uint64_t kPmcr64 = 0xe10;

class LayoutDetection : public CoreSightTest {};
class Layout64 : public CoreSightTest {
 protected:
  static bool within(const MmioBus::BusAccess& access, std::uint64_t begin, std::uint64_t end) {
    return access.address >= begin && access.address < end;
  }
};
INSTANTIATE_TEST_SUITE_P(linux, LayoutDetection, ::testing::ValuesIn(tegra410_driver_sets()), version_name);
INSTANTIATE_TEST_SUITE_P(linux, Layout64, ::testing::ValuesIn(driver_sets_from("7.3")), version_name);

// contract C40
TEST_P(LayoutDetection, is_by_pmcnten_or_by_an_architecture_register_that_is_present) {
  struct Part {
    bool ext64;
    bool pmcnten;
    std::uint32_t pmdevarch;
    bool found;  // as 64-bit layout
  };
  constexpr Part kParts[] = {
      {true, true, 0, true},             // PMCNTEN
      {true, false, 0x0010'0af4, true},  // PMDEVARCH, bit 20: present
      {true, false, 0x4770'0af5, true},
      {true, false, 0x4760'0af5, false},  // not present
      {true, false, 0x4770'0af6, false},  // another architecture
      {false, true, 0x4770'0a06, false},  // the 32-bit layout
  };
  const bool knows = kernel_is_at_least(kKnows64BitLayout);
  for (const Part& part : kParts) {
    const auto number = std::to_string(devices.size());
    add({.ext64 = part.ext64, .pmcnten = part.pmcnten, .pmiidr = kGenericPart, .pmdevarch = part.pmdevarch});
    // A driver that assumes the other layout resets it through that layout's PMCR.
    if (part.ext64 && !(knows && part.found)) expect_guest_error("pmu" + number, "PMCR_OF_THE_32BIT_LAYOUT");
  }
  boot([&] {
    ASSERT_EQ(pmu_names().size(), std::size(kParts));
    for (unsigned number = 0; number < std::size(kParts); ++number) {
      const bool expected = knows && kParts[number].found;
      EXPECT_EQ(content(pmu(name_of(number)), "format/event"), expected ? "config:0-63\n" : "config:0-32\n") << number;
      std::vector<std::uint64_t> control;
      for (const MmioBus::BusAccess& access : accesses_to(devices[number]->page0, 0x1000)) {
        if (access.is_write && (access.address == kPmcr32 || access.address == kPmcr64))
          control.push_back(access.address);
      }
      EXPECT_THAT(control, ElementsAre(expected ? kPmcr64 : kPmcr32)) << number;
      EXPECT_EQ(peek(devices[number]->page0 + 0xc00, kParts[number].ext64 ? 8 : 4), 0U)
          << number;  // the check has left no counter enabled
    }
  });
}

// contract C41
TEST_P(Layout64, takes_64_bit_event_codes_and_filters) {
  constexpr std::uint64_t kWide = 0x8000'0001'0000'0010;
  constexpr std::uint64_t kFilter = 0xa5a5'0f0f'3c3c'00ff;
  constexpr std::uint64_t kFilter2 = 0xff00'1234'0ff0'5555;
  Probe& wide = more_probes.emplace_back("wide");
  Probe& narrow = more_probes.emplace_back("narrow");  // an event code that differs only in the upper half
  Probe& at_32 = more_probes.emplace_back("at_32");    // where the 32-bit layout has the cycle counter
  add({.counters = 8, .ext64 = true, .pmiidr = kGenericPart}, InterruptTrigger::level,
      [&](const CounterProgram& program) {
        // An event passes if its qualifier is in both filters.
        const std::uint64_t passing = program.filter & program.filter2;
        if (program.event == kWide) return CounterInput::of(wide, passing);
        if (program.event == (kWide & 0xffffffff)) return CounterInput::of(narrow);
        if (program.event == kCycles) return CounterInput::of(at_32);
        return CounterInput{};
      });
  Device& device = *devices[0];
  boot([&] {
    const std::string name = name_of(0);
    EXPECT_EQ(content(pmu(name), "format/event"), "config:0-63\n");
    EXPECT_EQ(content(pmu(name), "format/filter"), "config1:0-63\n");
    EXPECT_EQ(content(pmu(name), "format/filter2"), "config2:0-63\n");
    EXPECT_THAT(files(pmu(name), "events"), IsEmpty());  // no cycles, though PMCFGR has a cycle counter

    const EventHandle filtered = open(name, kWide, kFilter, kFilter2);
    const EventHandle low = open(name, kWide & 0xffffffff);
    const EventHandle ordinary = open(name, kCycles);
    std::uint64_t expected = 0;
    for (unsigned qualifier = 0; qualifier < 64; ++qualifier) {
      const std::uint64_t amount = 1 + qualifier * qualifier;
      wide.publish(amount, qualifier, now());
      if ((kFilter >> qualifier & 1) != 0 && (kFilter2 >> qualifier & 1) != 0) expected += amount;
    }
    narrow.publish(11, 0, now());
    at_32.publish(22, 0, now());
    advance(1'000'000);
    EXPECT_EQ(value(filtered), expected);
    EXPECT_EQ(value(low), 11U);
    EXPECT_EQ(value(ordinary), 22U);
    EXPECT_EQ(device.pmu.guest_errors(), 0U);
  });
}

// contract C41
TEST_P(Layout64, is_started_and_stopped_by_the_64_bit_control_register_alone) {
  add({.counters = 8, .ext64 = true, .pmiidr = kGenericPart});
  Device& device = *devices[0];
  boot([&] {
    const EventHandle event = open(name_of(0), kEvents[0]);
    EXPECT_TRUE(device.pmu.is_running(0));
    device.probes[0].publish(5, 0, now());
    EXPECT_EQ(host->disable(event), 0);
    EXPECT_FALSE(device.pmu.is_running(0));
    device.probes[0].publish(9, 0, now());
    EXPECT_EQ(value(event), 5U);
    EXPECT_EQ(peek(device.page0 + kPmcr64, 8), 0U);
    std::vector<std::uint64_t> control;
    for (const MmioBus::BusAccess& access : accesses_to(device.page0, 0x1000)) {
      EXPECT_NE(access.address, kPmcr32);
      if (access.is_write && access.address == kPmcr64) control.push_back(access.data);
    }
    ASSERT_GE(control.size(), 3U);
    EXPECT_EQ(control.front(), 6U);  // the probe resets event and cycle counters
    EXPECT_EQ(std::count(control.begin(), control.end(), 1U), 1);
    EXPECT_EQ(control.back(), 0U);
  });
}

// contract C42
TEST_P(Layout64, never_uses_the_cycle_counter_and_multiplexes_beyond_the_regular_ones) {
  constexpr unsigned kRegular = 3;
  constexpr unsigned kTurns = 8;
  constexpr Picoseconds kTurn = 10'000'000;
  coresight::EventTable events;
  for (unsigned i = 0; i <= kRegular; ++i) {
    events.add(i == 0 ? kCycles : i, more_probes.emplace_back(std::to_string(i)));
  }
  add({.counters = kRegular + 1, .cycle_counter = true, .ext64 = true, .pmiidr = kGenericPart}, InterruptTrigger::level,
      events);
  Device& device = *devices[0];
  boot([&] {
    std::vector<EventHandle> handles;
    std::array<std::uint64_t, kRegular + 1> expected{};
    for (unsigned i = 0; i < kRegular; ++i) handles.push_back(open(name_of(0), i == 0 ? kCycles : i));
    for (unsigned i = 0; i < kRegular; ++i) EXPECT_TRUE(device.pmu.is_running(i)) << i;
    handles.push_back(open(name_of(0), kRegular));
    ASSERT_GT(handles.back(), 0);
    // The type registers and enables of the running counters show which events are on.
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      EXPECT_EQ(peek(device.page0 + 0xc00, 8), (1U << kRegular) - 1);
      for (unsigned counter = 0; counter < kRegular; ++counter) {
        const std::uint64_t type = peek(device.page0 + 0x400 + 8 * counter, 8);
        const std::uint64_t code = type == kCycles ? 0 : type;
        ASSERT_LT(code, expected.size());
        expected[code] += 100 + code;
      }
      for (unsigned i = 0; i <= kRegular; ++i) more_probes[i].publish(100 + i, 0, now());
      advance(kTurn);
      host->rotate(name_of(0));
    }
    for (unsigned i = 0; i < handles.size(); ++i) {
      const EventReading one = reading(handles[i]);
      EXPECT_EQ(one.value, expected[i]) << i;
      EXPECT_LT(one.time_running, one.time_enabled) << i;
      EXPECT_GT(one.time_running, 0U) << i;
    }
    EXPECT_EQ(device.pmu.counter_value(31, now()), 0U);
    for (const MmioBus::BusAccess& access : accesses_to(device.page0, 0x1000)) {
      if (!access.is_write) continue;
      EXPECT_NE(access.address, 0x47cU);                    // PMCCFILTR of the 32-bit layout
      EXPECT_FALSE(within(access, 0x400 + 8 * 31, 0x500));  // and of this one
      EXPECT_FALSE(within(access, 8 * kRegular, 0x400));    // no other counter
      if (access.address == 0xc00 || access.address == 0xc40) {
        EXPECT_LT(access.data, 1U << kRegular);
      }
    }
  });
}

// contract C43
TEST_P(Layout64, types_and_filters_are_written_whole_however_counters_are_accessed) {
  for (const bool dual_page : {false, true}) {
    for (const bool atomic : {false, true}) {
      add({.counters = 8, .dual_page = dual_page, .atomic_64bit = atomic, .ext64 = true, .pmiidr = kGenericPart});
    }
  }
  boot([&] {
    for (unsigned number = 0; number < devices.size(); ++number) {
      Device& device = *devices[number];
      const bool atomic = device.pmu.options().atomic_64bit;
      accesses.clear();
      const EventHandle first = open(name_of(number), kEvents[0], 0x1111, 0x2222);
      const EventHandle second = open(name_of(number), kEvents[1]);
      device.probes[0].publish(0x1'2345'6789, 0, now());  // carries into the upper half
      device.probes[1].publish(3, 0, now());
      advance(1'000'000);
      EXPECT_EQ(value(first), 0x1'2345'6789U) << number;
      EXPECT_EQ(value(second), 3U) << number;

      unsigned types = 0;
      unsigned filters = 0;
      for (const MmioBus::BusAccess& access : accesses_to(device.page0, 0x1000)) {
        if (!access.is_write) continue;
        if (within(access, 0x400, 0x600)) {
          ++types;
          EXPECT_EQ(access.length, 8U) << number;
        } else if (within(access, 0x800, 0xc00)) {
          ++filters;
          EXPECT_EQ(access.length, 8U) << number;
        }
      }
      EXPECT_GE(types, 2U);
      EXPECT_EQ(filters, 2 * types);
      unsigned counters = 0;
      for (const MmioBus::BusAccess& access : accesses_to(device.page1, 0x400)) {
        ++counters;
        EXPECT_EQ(access.length, atomic ? 8U : 4U) << number << " at " << access.address;
      }
      EXPECT_GE(counters, atomic ? 4U : 10U);  // two presets and two reads: low, high; high, low, high
      EXPECT_EQ(device.pmu.guest_errors(), 0U);
    }
  });
}

}  // namespace
}  // namespace pmufab::integration
