// SPDX-License-Identifier: Apache-2.0
// How arm-cmn handles overflows of a mesh's counters: on which line, when, and without losing or repeating counts.
// Counters have the widths of the products. Events come in numbers that no wire could carry.
#include <algorithm>
#include <vector>

#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

namespace pmufab::integration::cmn_overflow_test {
namespace {

using cmn::NodeType;
using cmn::Product;
using ::testing::ElementsAre;
using ::testing::ValuesIn;

constexpr Picoseconds kMicrosecond = 1'000'000;
constexpr Picoseconds kSecond = 1'000'000'000'000;

class CmnOverflow : public CmnTest {
 protected:
  /// Event 1 of every HN-F.
  static constexpr std::uint64_t kMisses = 0x5 | 1 << 16;

  [[nodiscard]] std::vector<std::uint64_t> rising_edges() {
    std::vector<std::uint64_t> edges;
    for (unsigned dtc = 0; dtc < spec.topology.dtcs; ++dtc) edges.push_back(mesh().interrupt(dtc).rising_edges());
    return edges;
  }
  [[nodiscard]] bool any_line_is_high() {
    for (unsigned dtc = 0; dtc < spec.topology.dtcs; ++dtc) {
      if (line_is_high(dtc)) return true;
    }
    return false;
  }
  [[nodiscard]] std::vector<std::uint64_t> written(std::uint64_t address) const {
    std::vector<std::uint64_t> values;
    for (const MmioBus::BusAccess& access : accesses) {
      if (access.is_write && access.address == address) values.push_back(access.data);
    }
    return values;
  }

  void each_domain_raises_its_own_line(Product product) {
    options.interrupt_delay = kMicrosecond;
    boot(mesh_of(product, 4, 3, 4), [&] {
      const EventHandle handle = start(kMisses);
      std::uint64_t expected = 0;
      for (const unsigned domain : {2U, 0U, 3U, 1U}) {
        const cmn::NodePlace& dtc = mesh().layout().nodes()[mesh().layout().dtc_node(domain)];
        EXPECT_EQ(look(spec.topology.base + dtc.offset) >> 32 & 0xffff, domain) << "logical id";
        std::vector<std::uint64_t> edges = rising_edges();
        const std::uint64_t amount = kToOverflow + 100 * domain;
        happen(source(NodeType::hn_f, 0, domain), 1, amount);
        expected += amount;
        testing::advance(kMicrosecond / 2);
        ++edges[domain];
        EXPECT_EQ(rising_edges(), edges);
        for (unsigned other = 0; other < 4; ++other) EXPECT_EQ(line_is_high(other), other == domain);
        EXPECT_EQ(look(dtc_register(domain, kPmovsr)), 1U);
        testing::advance(2 * kMicrosecond);
        EXPECT_FALSE(any_line_is_high());
        EXPECT_EQ(value(handle), expected);
      }
      EXPECT_EQ(host->handled_interrupts(), 4U);
      EXPECT_EQ(finish(handle), expected);
    });
  }

  void shared_lines_are_all_served(unsigned dtcs, std::vector<unsigned> interrupts) {
    spec.interrupts = std::move(interrupts);
    boot(mesh_of(Product::cmn650, 4, 3, dtcs), [&] {
      const EventHandle handle = start(kMisses);
      std::uint64_t expected = 0;
      const auto overflow = [&](unsigned domain) {
        happen(source(NodeType::hn_f, 0, domain), 1, kToOverflow + 1);
        expected += kToOverflow + 1;
      };
      for (unsigned domain = 0; domain < dtcs; ++domain) overflow(domain);
      testing::advance(kMicrosecond);
      EXPECT_FALSE(any_line_is_high());
      const std::uint64_t at_once = host->handled_interrupts();
      EXPECT_GE(at_once, 1U);
      for (unsigned domain = 0; domain < dtcs; ++domain) {
        // The driver's handlers added the overflows. A read would have found them too.
        overflow(domain);
        testing::advance(kMicrosecond);
        EXPECT_FALSE(line_is_high(domain));
        EXPECT_EQ(look(dtc_register(domain, kPmovsr)), 0U);
      }
      EXPECT_EQ(host->handled_interrupts(), at_once + dtcs);
      EXPECT_EQ(value(handle), expected);
      EXPECT_EQ(finish(handle), expected);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnOverflow, ValuesIn(cmn_driver_sets()), version_name);

// contract A13
TEST_P(CmnOverflow, of_a_domain_raises_the_line_of_its_dtc_alone_on_cmn_600) {
  each_domain_raises_its_own_line(Product::cmn600);
}

// contract A13
TEST_P(CmnOverflow, of_a_domain_raises_the_line_of_its_dtc_alone_on_cmn_650) {
  each_domain_raises_its_own_line(Product::cmn650);
}

// contract A13
TEST_P(CmnOverflow, of_a_domain_raises_the_line_of_its_dtc_alone_on_cmn_700) {
  each_domain_raises_its_own_line(Product::cmn700);
}

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

// contract A64
TEST_P(CmnOverflow, of_the_cycle_counter_is_handled_and_the_count_exact) {
  limit = 1000 * kSecond;
  // The driver reads the counter and then sets it up again. Counts between the two would be lost. Here there are none,
  // because a cycle has 500 ps.
  options.access_latency = 1;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const ClockDomain& clock = mesh().clock();
    const Picoseconds begin = testing::now();
    const EventHandle cycles = start(kDtcCycles);
    testing::advance(300 * kSecond);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    testing::advance(300 * kSecond);
    EXPECT_EQ(host->handled_interrupts(), 2U);
    const std::uint64_t expected = clock.edges_before(testing::now()) - clock.edges_before(begin);
    EXPECT_GT(expected, 2 * kCyclesToOverflow);
    EXPECT_EQ(finish(cycles), expected);
  });
}

// contract A64
TEST_P(CmnOverflow, of_the_cycle_counter_nobody_uses_is_cleared) {
  limit = 3000 * kSecond;
  // Hardware without clock gating: the cycle counter always runs.
  spec.mesh.pmu.cycles_need_cg_disable = false;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle cycles = start(kDtcCycles);
    finish(cycles);
    const EventHandle misses = start(kMisses);
    happen(source(NodeType::hn_f), 1, 55);
    // Half a turn first, then full turns of 2^40 cycles: 275, 825, 1375, 1925 seconds.
    testing::advance(2000 * kSecond);
    EXPECT_EQ(host->handled_interrupts(), 4U);
    EXPECT_FALSE(line_is_high(0));
    EXPECT_EQ(look(dtc_register(0, kPmovsr)), 0U);
    EXPECT_EQ(finish(misses), 55U);
  });
}

// contract A65
TEST_P(CmnOverflow, pends_while_the_dtc_is_disabled_and_interrupts_when_it_is_enabled) {
  options.interrupt_delay = 10 * kMicrosecond;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle handle = start(kMisses);
    happen(source(NodeType::hn_f), 1, kToOverflow + 9);
    testing::advance(kMicrosecond);
    EXPECT_THAT(rising_edges(), ElementsAre(1U));
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
    EXPECT_THAT(rising_edges(), ElementsAre(2U));
    EXPECT_TRUE(line_is_high(0));

    testing::advance(20 * kMicrosecond);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_FALSE(line_is_high(0));
    EXPECT_EQ(finish(handle), kToOverflow + 9);
    EXPECT_EQ(finish(other), 0U);
  });
}

// contract A66
TEST_P(CmnOverflow, of_two_dtcs_that_share_a_line_is_served) { shared_lines_are_all_served(2, {0, 0}); }

// contract A66
TEST_P(CmnOverflow, of_three_dtcs_that_share_a_line_is_served) { shared_lines_are_all_served(3, {0, 0, 0}); }

// contract A66
TEST_P(CmnOverflow, of_four_dtcs_that_share_a_line_is_served) { shared_lines_are_all_served(4, {0, 0, 0, 0}); }

// contract A66
TEST_P(CmnOverflow, of_four_dtcs_on_two_lines_is_served) { shared_lines_are_all_served(4, {0, 1, 1, 0}); }

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

// contract A38
TEST_P(CmnOverflow, of_an_event_that_is_gone_does_not_leak_into_the_next_on_its_counter) {
  options.interrupt_delay = 10 * kMicrosecond;
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle gone = start(kMisses);
    const unsigned home = source(NodeType::hn_f);
    happen(home, 1, kToOverflow + 77);
    EXPECT_EQ(finish(gone), kToOverflow + 77);
    const EventHandle next = start(event(NodeType::hn_f, 2));
    EXPECT_EQ(value(next), 0U);
    happen(home, 2, 3 * kLocalWrap + 1);
    testing::advance(20 * kMicrosecond);
    EXPECT_EQ(host->handled_interrupts(), 1U);
    EXPECT_EQ(finish(next), 3 * kLocalWrap + 1);
  });
}

}  // namespace
}  // namespace pmufab::integration::cmn_overflow_test
