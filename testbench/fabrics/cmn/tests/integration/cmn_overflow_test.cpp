// SPDX-License-Identifier: Apache-2.0
// How arm-cmn handles overflows of a mesh's counters: on which line, when, and without losing or repeating counts.
// Counters have the widths of the products. Events come in numbers that no wire could carry.
#include <array>

#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

namespace pmufab::integration::cmn_overflow_test {
namespace {

using cmn::NodeType;
using cmn::Product;
using ::testing::ValuesIn;

class CmnOverflow : public CmnTest {
 protected:
  /// Event 1 of every HN-F.
  static constexpr std::uint64_t kMisses = 0x5 | 1 << 16;
};
INSTANTIATE_TEST_SUITE_P(linux, CmnOverflow, ValuesIn(cmn_driver_sets()), version_name);

// contract A62
TEST_P(CmnOverflow, that_is_read_before_the_interrupt_is_counted_once) {
  options.interrupt_delay = 10 * kMicrosecond;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle handle = start(kMisses);
    const unsigned home = source(NodeType::hn_f);
    happen(home, 1, kToOverflow + 123);
    EXPECT_EQ(value(handle), kToOverflow + 123);
    EXPECT_EQ(host->handled_interrupts(), 0U);
    EXPECT_TRUE(line_is_high(0));
    // What the handler must still add.
    happen(home, 1, 5 * kLocalWrap);
    testing::advance(20 * kMicrosecond);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_FALSE(line_is_high(0));
    EXPECT_EQ(value(handle), kToOverflow + 123 + 5 * kLocalWrap);
    EXPECT_EQ(finish(handle), kToOverflow + 123 + 5 * kLocalWrap);
  });
}

// contract A63
TEST_P(CmnOverflow, while_one_event_is_read_from_two_dtcs_is_counted_once) {
  boot(mesh_of(Product::cmn650, 4, 3, 2), [&] {
    const EventHandle handle = start(kMisses);
    const std::array homes{source(NodeType::hn_f, 0, 0), source(NodeType::hn_f, 0, 1)};
    happen(homes[0], 1, 1000);
    happen(homes[1], 1, 2000);
    // Both overflow when the first DTC's counter has been read and set up again, and the second's has not.
    bool once = true;
    platform->bus().monitor([&](const MmioBus::BusAccess& access) {
      if (!once || !access.is_write || access.address != dtc_register(0, kPmevcnt0)) return;
      once = false;
      for (const unsigned home : homes)
        mesh().pmu().node_event(home, 1, cmn::kEveryClass, kToOverflow + kLocalWrap, access.when);
    });
    // The driver's reading contains the second overflow. The interrupts come as soon as the driver enables them, before
    // the call returns.
    const std::uint64_t total = 3000 + 2 * (kToOverflow + kLocalWrap);
    EXPECT_EQ(value(handle), total);
    EXPECT_FALSE(once);
    EXPECT_EQ(host->handled_interrupts(), 2U);
    testing::advance(kMicrosecond);
    EXPECT_EQ(value(handle), total);
    EXPECT_EQ(finish(handle), total);
  });
}

// contract A65
TEST_P(CmnOverflow, pends_while_the_dtc_is_disabled_and_interrupts_when_it_is_enabled) {
  options.interrupt_delay = 10 * kMicrosecond;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle handle = start(kMisses);
    happen(source(NodeType::hn_f), 1, kToOverflow + 9);
    testing::advance(kMicrosecond);
    EXPECT_EQ(mesh().interrupt(0).rising_edges(), 1U);
    EXPECT_TRUE(line_is_high(0));

    // Another event is added while the PMU is stopped.
    bool disabled = false;
    unsigned seen_disabled = 0;
    unsigned high_while_disabled = 0;
    platform->bus().monitor([&](const MmioBus::BusAccess& access) {
      if (disabled) {
        ++seen_disabled;
        high_while_disabled += line_is_high(0) ? 1 : 0;
      }
      if (access.is_write && access.address == dtc_register(0, kPmcr)) disabled = access.data == 0;
    });
    const EventHandle other = start(event(NodeType::hn_f, 2));
    EXPECT_FALSE(disabled);
    EXPECT_GT(seen_disabled, 2U);
    EXPECT_EQ(high_while_disabled, 1U);  // the last one is the write that enables the PMU again
    EXPECT_EQ(host->handled_interrupts(), 0U);
    testing::advance(kMicrosecond);
    EXPECT_EQ(mesh().interrupt(0).rising_edges(), 2U);
    EXPECT_TRUE(line_is_high(0));

    testing::advance(20 * kMicrosecond);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_FALSE(line_is_high(0));
    EXPECT_EQ(finish(handle), kToOverflow + 9);
    EXPECT_EQ(finish(other), 0U);
  });
}

// contract A69
TEST_P(CmnOverflow, of_an_event_that_is_gone_makes_the_driver_warn_and_counts_right) {
  // A weakness of the driver: deleting an event leaves its overflow status, and then the handler looks for the event.
  expected_warnings = 1;
  options.interrupt_delay = 10 * kMicrosecond;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle gone = start(kMisses);
    const unsigned home = source(NodeType::hn_f);
    happen(home, 1, kToOverflow + 77);
    EXPECT_EQ(finish(gone), kToOverflow + 77);
    EXPECT_EQ(host->warnings(), 0U);
    EXPECT_EQ(look(dtc_register(0, kPmovsr)), 1U);
    // The PMU runs for another event with another counter, and the interrupt comes.
    const EventHandle first = start(kDtcCycles);
    testing::advance(20 * kMicrosecond);
    EXPECT_EQ(host->warnings(), 1U);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(look(dtc_register(0, kPmovsr)), 0U);
    EXPECT_FALSE(line_is_high(0));
    // The counter is used again.
    const EventHandle next = start(kMisses);
    happen(home, 1, kToOverflow + 5);
    testing::advance(20 * kMicrosecond);
    EXPECT_EQ(finish(next), kToOverflow + 5);
    finish(first);
    EXPECT_EQ(host->warnings(), 1U);
  });
}

}  // namespace
}  // namespace pmufab::integration::cmn_overflow_test
