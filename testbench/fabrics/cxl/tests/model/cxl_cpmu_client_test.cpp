// SPDX-License-Identifier: Apache-2.0
// A CPMU programmed by the reference client.

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/client/cpmu_client.h"
#include "testbench/fabrics/cxl/tests/model/cxl_cpmu_rig.h"

namespace pmufab::cxl {
namespace {

using cxl_client::CpmuClient;
using enum CounterType;
using testing::advance;

struct ClientRig : CpmuRig {
  explicit ClientRig(const CpmuParameters& parameters) : CpmuRig(parameters) {}
  CpmuClient client() {
    return CpmuClient({.read32 = {},
                       .write32 = [this](std::uint64_t address, std::uint32_t value) { cpu.put32(address, value); },
                       .read64 = [this](std::uint64_t address) { return cpu.get64(address); },
                       .write64 = [this](std::uint64_t address, std::uint64_t value) { cpu.put64(address, value); }},
                      kBase);
  }
};

class CxlCpmuClient : public testing::SimulationTest {
 protected:
  void count_over_overflows(unsigned width, bool global_freeze);
};

/// Events in random numbers on two counters, over many overflows of both. A message reports each overflow.
void CxlCpmuClient::count_over_overflows(unsigned width, bool global_freeze) {
  ClientRig rig({.counters = std::vector<CpmuCounterParameters>(3), .width = width});
  std::mt19937_64 random(width);
  run([&] {
    CpmuClient client = rig.client();
    ASSERT_EQ(client.width(), width);
    const auto reads = client.open({.group = 0x20, .events = 0x2, .global_freeze = global_freeze});
    const auto both = client.open({.group = 0x20, .events = 0x3, .global_freeze = global_freeze});
    const auto clock = client.open({.group = 0, .events = 1});
    ASSERT_TRUE(reads && both && clock);
    std::uint64_t published_reads = 0;
    std::uint64_t published = 0;
    unsigned overflows = 0;
    const std::uint64_t most = (std::uint64_t{1} << width) * 9 / 10;
    for (int step = 0; step < 400; ++step) {
      const unsigned probe = random() % 2;
      const std::uint64_t amount = random() % most;
      rig.publish(probe, amount);
      published += amount;
      if (probe == 1) published_reads += amount;
      advance(1'700);  // a freeze has taken effect by now
      for (std::size_t messages = rig.take_messages().size(); messages > 0; --messages) {
        overflows += client.handle_overflow() != 0;
      }
      if (random() % 8 == 0) {
        ASSERT_EQ(client.count(*reads), published_reads);
      }
    }
    EXPECT_GT(overflows, 100U);
    EXPECT_EQ(client.count(*reads), published_reads);
    EXPECT_EQ(client.count(*both), published);
    EXPECT_EQ(client.handle_overflow(), 0U);
    if (!global_freeze) {
      EXPECT_EQ(client.count(*clock), 400U * 17 / 10);
    }
    EXPECT_EQ(rig.cpmu.guest_errors(), 0U);
  });
}

TEST_F(CxlCpmuClient, counts_over_overflows_of_8_bits) { count_over_overflows(8, false); }
TEST_F(CxlCpmuClient, counts_over_overflows_of_16_bits) { count_over_overflows(16, false); }
TEST_F(CxlCpmuClient, counts_over_overflows_of_24_bits_that_freeze) { count_over_overflows(24, true); }
TEST_F(CxlCpmuClient, counts_over_overflows_of_48_bits_that_freeze) { count_over_overflows(48, true); }

TEST_F(CxlCpmuClient, nothing_is_missed_or_counted_twice_over_a_freeze_by_overflow) {
  ClientRig rig({.counters = std::vector<CpmuCounterParameters>(2), .width = 8});
  run([&] {
    CpmuClient client = rig.client();
    const auto first = client.open({.group = 0x20, .events = 0x1, .global_freeze = true});
    const auto second = client.open({.group = 0x20, .events = 0x2});
    rig.publish(0, 200);
    EXPECT_EQ(client.count(*first), 200U);  // read before the overflow
    advance(300);
    rig.publish(0, 55);
    rig.publish(1, 3);
    rig.publish(0, 1);
    rig.publish(1, 4);  // the same clock
    advance(700);
    rig.publish(0, 77);  // frozen
    rig.publish(1, 77);
    EXPECT_EQ(client.count(*second), 7U);
    EXPECT_EQ(client.handle_overflow(), 0U);  // the reading handled it, and let the counters continue
    rig.publish(0, 5);
    client.close(*first);
    rig.publish(0, 5);
    EXPECT_EQ(client.count(*first), 261U);
    client.freeze();
    rig.publish(1, 9);
    EXPECT_EQ(client.count(*second), 7U);
    rig.publish(1, 9);
    client.unfreeze();
    rig.publish(1, 1);
    EXPECT_EQ(client.count(*second), 8U);
  });
}

TEST_F(CxlCpmuClient, finds_the_counter_and_the_capability_that_fit) {
  CpmuParameters parameters{.counters = counters({configurable, fixed, free_running, configurable, configurable})};
  parameters.counters[2].events = 2;
  parameters.hdm_filter = true;
  ClientRig rig(parameters);
  run([&] {
    CpmuClient client = rig.client();
    EXPECT_FALSE(client.open({.group = 0x20, .events = 0x8}));                          // not supported
    EXPECT_FALSE(client.open({.group = 0x21}));                                         // no such group
    EXPECT_FALSE(client.open({.group = 0x8000, .events = 1, .ddr_location = 1}));       // no such filter
    EXPECT_EQ(client.open({.group = 0x20, .events = 0x1}), 1U);                         // the fixed one
    EXPECT_EQ(client.open({.group = 0x20, .events = 0x1, .hdm_decoders = 0x4}), 0U);    // already in use
    EXPECT_EQ(client.open({.vendor = 0x1234, .group = 7, .events = 0x8000'0000}), 3U);  // of another vendor
    EXPECT_EQ(client.open({.group = 0x20, .events = 0x7, .threshold = 2}), 4U);
    EXPECT_FALSE(client.open({.group = 0x20, .events = 0x2}));  // none left
    for (const unsigned qualifier : {1U, 2U, 2U, kNoHdmDecoder}) rig.publish(0, 1, qualifier);
    rig.publish(1, 2);
    rig.publish(6, 6);
    advance(1'000);
    rig.publish(0, 1, 1);
    advance(1'001);
    EXPECT_EQ(client.count(0), 2U);
    EXPECT_EQ(client.count(1), 5U);
    EXPECT_EQ(client.count(3), 6U);
    EXPECT_EQ(client.count(4), 1U);  // clocks with two or more
    client.close(0);
    EXPECT_EQ(client.open({.group = 0x20, .events = 0x2}), 0U);
    rig.publish(0, 1, 2);
    rig.publish(1, 1, 9);
    EXPECT_EQ(client.count(0), 1U);  // nothing is left of the previous program
  });
}

TEST_F(CxlCpmuClient, counts_on_a_cpmu_that_cannot_freeze) {
  ClientRig rig(
      {.counters = std::vector<CpmuCounterParameters>(1), .width = 8, .writable_while_frozen = false, .freeze = false});
  run([&] {
    CpmuClient client = rig.client();
    ASSERT_EQ(client.open({.group = 0x20, .events = 1, .global_freeze = true}), 0U);
    client.freeze();
    rig.publish(0, 250);
    client.unfreeze();
    EXPECT_EQ(client.count(0), 250U);
    rig.publish(0, 250);
    EXPECT_EQ(client.handle_overflow(), 1U);
    rig.publish(0, 1);
    EXPECT_EQ(client.count(0), 501U);
  });
}

}  // namespace
}  // namespace pmufab::cxl
