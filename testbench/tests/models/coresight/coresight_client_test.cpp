// SPDX-License-Identifier: Apache-2.0
// The reference software for CoreSight PMUs, on registers made for the test.

#include "testbench/host/coresight_client/coresight_client.h"

#include <array>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace pmufab::coresight_client {
namespace {

constexpr std::uint64_t kPage0 = 0x1000;
constexpr std::uint64_t kPage1 = 0x2000;

/// A PMU with the registers that software uses, by Arm IHI 0091. Something may happen before each access.
class Registers {
 public:
  /// @param counters  the cycle counter included
  Registers(unsigned width, unsigned counters, bool has_cycles)
      : width_(width), configuration_((counters - 1) | (width - 1) << 8 | (has_cycles ? 1U << 14 : 0)) {}

  CoreSightClient client(bool atomic_64bit = false) {
    return CoreSightClient({.read32 = [this](std::uint64_t address) { return read32(address); },
                            .write32 = [this](std::uint64_t address, std::uint32_t value) { write32(address, value); },
                            .read64 =
                                [this](std::uint64_t address) {
                                  happen();
                                  return values.at((address - kPage1) / 8);
                                },
                            .write64 =
                                [this](std::uint64_t address, std::uint64_t value) {
                                  happen();
                                  values.at((address - kPage1) / 8) = value;
                                }},
                           {.page0 = kPage0, .page1 = kPage1, .atomic_64bit = atomic_64bit});
  }

  void count(unsigned counter, std::uint64_t events) {
    if ((control & 1U) == 0 || (enabled >> counter & 1U) == 0) return;
    const std::uint64_t end = width_ == 64 ? 0 : std::uint64_t{1} << width_;
    values.at(counter) += events;
    if (end == 0 || values.at(counter) < end) return;
    values.at(counter) -= end;
    overflows |= std::uint64_t{1} << counter;
  }

  std::array<std::uint64_t, 64> values{};
  std::array<std::uint32_t, 64> types{};
  std::array<std::uint32_t, 64> filters{};
  std::array<std::uint32_t, 64> filters2{};
  std::uint32_t control = 0;
  std::uint64_t enabled = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t overflows = 0;
  std::function<void()> before_access;

 private:
  void happen() {
    if (before_access) before_access();
  }
  std::uint32_t read32(std::uint64_t address) {
    happen();
    if (address == kPage0 + 0xe00) return configuration_;
    if (address >= kPage1 + 0xc80 && address < kPage1 + 0xc88)
      return static_cast<std::uint32_t>(overflows >> 8 * (address - kPage1 - 0xc80));
    if (address >= kPage1 && address < kPage1 + 0x200) {
      const std::uint64_t at = address - kPage1;
      return static_cast<std::uint32_t>(width_ > 32 ? values.at(at / 8) >> (at % 8 == 0 ? 0 : 32) : values.at(at / 4));
    }
    ADD_FAILURE() << "read of " << std::hex << address;
    return 0;
  }
  void write32(std::uint64_t address, std::uint32_t value) {
    happen();
    const auto mask = [&](std::uint64_t first) { return std::uint64_t{value} << 8 * (address - first); };
    const auto is_in = [&](std::uint64_t first, std::uint64_t bytes) {
      return address >= first && address < first + bytes;
    };
    if (address == kPage0 + 0xe04) {
      control = value;
    } else if (is_in(kPage0 + 0xc00, 8)) {
      enabled |= mask(kPage0 + 0xc00);
    } else if (is_in(kPage0 + 0xc20, 8)) {
      enabled &= ~mask(kPage0 + 0xc20);
    } else if (is_in(kPage0 + 0xc40, 8)) {
      interrupts |= mask(kPage0 + 0xc40);
    } else if (is_in(kPage0 + 0xc60, 8)) {
      interrupts &= ~mask(kPage0 + 0xc60);
    } else if (is_in(kPage1 + 0xc80, 8)) {
      overflows &= ~mask(kPage1 + 0xc80);
    } else if (is_in(kPage0 + 0x400, 0x100)) {
      types.at((address - kPage0 - 0x400) / 4) = value;
    } else if (is_in(kPage0 + 0x800, 0x100)) {
      filters2.at((address - kPage0 - 0x800) / 4) = value;
    } else if (is_in(kPage0 + 0xa00, 0x100)) {
      filters.at((address - kPage0 - 0xa00) / 4) = value;
    } else if (is_in(kPage1, 0x200)) {
      const std::uint64_t at = address - kPage1;
      if (width_ <= 32) {
        values.at(at / 4) = value;
      } else {
        std::uint64_t& counter = values.at(at / 8);
        counter = at % 8 == 0 ? (counter >> 32 << 32 | value) : (counter & 0xffff'ffff) | std::uint64_t{value} << 32;
      }
    } else {
      ADD_FAILURE() << "write of " << std::hex << address;
    }
  }

  unsigned width_;
  std::uint32_t configuration_;
};

TEST(CoreSightClient, programs_a_counter_from_zero_with_its_interrupt) {
  Registers pmu(16, 4, false);
  pmu.values[0] = 77;
  pmu.overflows = 1;
  CoreSightClient client = pmu.client();
  const auto counter = client.open({.event = 0x111, .filter = 0xf07});
  ASSERT_EQ(counter, 0U);
  EXPECT_EQ(pmu.types[0], 0x111U);
  EXPECT_EQ(pmu.filters[0], 0xf07U);
  EXPECT_EQ(pmu.values[0], 0U);
  EXPECT_EQ(pmu.overflows, 0U);
  EXPECT_EQ(pmu.enabled, 1U);
  EXPECT_EQ(pmu.interrupts, 1U);
  client.run();
  pmu.count(0, 5);
  client.close(0);
  EXPECT_EQ(client.count(0), 5U);
  EXPECT_EQ(pmu.enabled, 0U);
  EXPECT_EQ(pmu.interrupts, 0U);
}

TEST(CoreSightClient, writes_both_filters_or_leaves_them_alone) {
  Registers pmu(16, 4, false);
  pmu.filters.fill(9);
  pmu.filters2.fill(8);
  CoreSightClient client = pmu.client();
  ASSERT_EQ(client.open({.event = 1}), 0U);
  ASSERT_EQ(client.open({.event = 1, .filter = 0, .filter2 = 0x1f}), 1U);
  EXPECT_EQ(pmu.filters[0], 9U);
  EXPECT_EQ(pmu.filters2[0], 8U);
  EXPECT_EQ(pmu.filters[1], 0U);
  EXPECT_EQ(pmu.filters2[1], 0x1fU);
}

TEST(CoreSightClient, counts_turns_of_a_narrow_counter_without_stopping_it) {
  Registers pmu(8, 2, false);
  CoreSightClient client = pmu.client();
  static_cast<void>(client.open({.event = 1}));
  client.run();
  for (int turn = 0; turn < 3; ++turn) {
    pmu.count(0, 250);
    EXPECT_EQ(client.handle_overflow(), turn > 0);
    EXPECT_EQ(pmu.control, 1U);
  }
  EXPECT_EQ(client.count(0), 750U);
  // An overflow that nobody has handled yet counts, too, and once.
  pmu.count(0, 250);
  EXPECT_EQ(client.count(0), 1000U);
  EXPECT_TRUE(client.handle_overflow());
  EXPECT_EQ(client.count(0), 1000U);
}

TEST(CoreSightClient, reads_value_and_status_that_belong_together) {
  // The counter wraps before each access of a reading in turn.
  for (const unsigned width : {16U, 40U}) {
    for (int access = 1; access <= 8; ++access) {
      Registers pmu(width, 2, false);
      CoreSightClient client = pmu.client();
      static_cast<void>(client.open({.event = 1}));
      client.run();
      const std::uint64_t turn = std::uint64_t{1} << width;
      pmu.count(0, turn - 1);
      int left = access;
      pmu.before_access = [&] {
        if (--left == 0) pmu.count(0, 1);
      };
      const std::uint64_t value = client.count(0);
      EXPECT_TRUE(value == turn - 1 || value == turn) << value << " at access " << access << ", width " << width;
      pmu.before_access = {};
      EXPECT_EQ(client.count(0), left > 0 ? turn - 1 : turn);
    }
  }
}

TEST(CoreSightClient, reads_halves_that_belong_together) {
  for (int access = 1; access <= 6; ++access) {
    Registers pmu(48, 2, false);
    CoreSightClient client = pmu.client();
    static_cast<void>(client.open({.event = 1}));
    client.run();
    pmu.count(0, 0x5'ffff'ffff);
    int left = access;
    pmu.before_access = [&] {
      if (--left == 0) pmu.count(0, 1);
    };
    const std::uint64_t value = client.count(0);
    EXPECT_TRUE(value == 0x5'ffff'ffff || value == 0x6'0000'0000) << std::hex << value << " at access " << access;
  }
}

TEST(CoreSightClient, knows_which_number_is_the_cycle_counter) {
  Registers pmu(64, 40, true);
  CoreSightClient client = pmu.client(true);
  std::vector<unsigned> numbers;
  while (const auto counter = client.open({.event = 1})) numbers.push_back(*counter);
  ASSERT_EQ(numbers.size(), 39U);
  EXPECT_EQ(numbers[30], 30U);
  EXPECT_EQ(numbers[31], 32U);
  EXPECT_EQ(client.open({.cycles = true, .filter = 7}), 31U);
  EXPECT_EQ(pmu.filters[31], 0U);
  EXPECT_EQ(pmu.types[31], 7U);  // PMCCFILTR lies there
  EXPECT_EQ(client.open({.cycles = true}), std::nullopt);
  EXPECT_TRUE(client.has_counters_for(std::vector<CounterRequest>(39)));
  EXPECT_FALSE(client.has_counters_for(std::vector<CounterRequest>(40)));
  // The second word of the masks.
  client.run();
  pmu.count(35, 9);
  EXPECT_EQ(client.count(35), 9U);
}

TEST(CoreSightClient, says_that_an_interrupt_was_not_the_pmus) {
  Registers pmu(16, 2, false);
  CoreSightClient client = pmu.client();
  EXPECT_FALSE(client.handle_overflow());
}

}  // namespace
}  // namespace pmufab::coresight_client
