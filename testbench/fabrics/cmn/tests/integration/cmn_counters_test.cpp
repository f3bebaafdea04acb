// SPDX-License-Identifier: Apache-2.0
// How arm-cmn allocates and reads a mesh's counters and watchpoints.
#include <array>
#include <vector>

#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

namespace pmufab::integration {
namespace {

using cmn::Channel;
using cmn::Interface;
using cmn::NodeType;
using cmn::Product;
using ::testing::ElementsAre;
using ::testing::ValuesIn;

constexpr Picoseconds kMillisecond = 1'000'000'000;
constexpr int kInvalid = -22;  // EINVAL

class CmnCounters : public CmnTest {
 protected:
  /// A watchpoint on requests from port 0 that ignores every bit.
  EventHandle try_watch(unsigned combine, unsigned group, EventHandle leader = 0) {
    const std::uint64_t config = 0x7770 | std::uint64_t{combine} << 27 | std::uint64_t{group} << 56;
    return try_open(config, 0, ~std::uint64_t{0}, leader);
  }
  EventHandle watch(unsigned combine, unsigned group, EventHandle leader = 0) {
    const EventHandle handle = try_watch(combine, group, leader);
    EXPECT_GT(handle, 0);
    return handle;
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnCounters, ValuesIn(cmn_driver_sets()), version_name);

// contract A32
TEST_P(CmnCounters, of_two_events_of_one_node_count_apart) {
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const unsigned home = source(NodeType::hn_f, 2);
    const cmn::NodePlace& node = node_of(home);
    const std::uint64_t event_sel = spec.topology.base + node.offset + 0x2000;
    const std::uint64_t local = dtm_register(node.xp, kDtmPmevcnt);

    const EventHandle first = start(event(NodeType::hn_f, 1, node.node_id));
    const EventHandle second = start(event(NodeType::hn_f, 3, node.node_id));
    // Slot and local counter have the same number. Counter n takes slot n of port 1's device 0: input 0x20 + n.
    EXPECT_EQ(look(event_sel), 0x0301U);
    EXPECT_EQ(look(dtm_register(node.xp, kDtmPmuConfig)) >> 32 & 0xffff, 0x2120U);

    happen(home, 1, 100);
    EXPECT_EQ(look(local), 100U);
    happen(home, 3, 7);
    EXPECT_EQ(look(local), (7U << 16) + 100U);
    happen(home, 1, 2 * kLocalWrap);
    happen(home, 2, 5000);                       // not counted
    happen(source(NodeType::hn_f, 3), 1, 6000);  // another node
    EXPECT_EQ(value(first), 2 * kLocalWrap + 100);
    EXPECT_EQ(value(second), 7U);

    EXPECT_EQ(finish(first), 2 * kLocalWrap + 100);
    EXPECT_EQ(look(event_sel), 0x0300U);
    happen(home, 1, 9);
    happen(home, 3, 3 * kLocalWrap);
    EXPECT_EQ(finish(second), 3 * kLocalWrap + 7);
    EXPECT_EQ(look(event_sel), 0U);
  });
}

// contract A53
TEST_P(CmnCounters, of_a_combined_and_a_single_watchpoint_cannot_be_a_group) {
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle single = watch(0, 0);
    EXPECT_EQ(try_watch(1, 1, single), kInvalid);
    host->close(single);
    const EventHandle combined = watch(1, 0);
    EXPECT_EQ(try_watch(0, 1, combined), kInvalid);
    EXPECT_GT(try_watch(1, 1, combined), 0);
  });
}

// contract A53
TEST_P(CmnCounters, of_watchpoints_of_different_pairs_never_count_as_a_group) {
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    const EventHandle first = watch(1, 0);
    const EventHandle second = try_watch(2, 1, first);
    if (!kernel_is_at_least("6.12")) {
      // The driver compares the pairs' numbers when the event is opened, as it does when it is added.
      EXPECT_EQ(second, kInvalid);
      return;
    }
    ASSERT_GT(second, 0);
    testing::advance(kMillisecond);
    const Picoseconds ran = reading(first).time_running;
    upload(3, 0, Channel::req, 100);
    testing::advance(kMillisecond);
    std::vector<EventReading> readings;
    ASSERT_EQ(host->read_group(first, readings), 0);
    ASSERT_EQ(readings.size(), 2U);
    // Only the microseconds in which the driver tried to add it.
    EXPECT_LT(readings[1].time_running, kMillisecond / 100);
    EXPECT_EQ(readings[1].value, 0U);
    EXPECT_LT(readings[0].time_running, ran + kMillisecond / 100);  // alone, before the second was added
    EXPECT_EQ(readings[0].value, 0U);
  });
}

// contract A53
TEST_P(CmnCounters, of_watchpoints_that_do_not_go_together_take_turns) {
  boot(mesh_of(Product::cmn600, 4, 3), [&] {
    // A combined event beside a single one, in both orders; and two combined ones of different pairs. A combined event
    // without its other half counts nothing; a single one counts all.
    const auto counts = [](unsigned combine, std::uint64_t amount) { return combine == 0 ? amount : 0; };
    for (const auto& [first_combine, second_combine] :
         std::vector<std::pair<unsigned, unsigned>>{{0, 1}, {1, 0}, {1, 2}}) {
      const EventHandle first = watch(first_combine, 0);
      const EventHandle second = watch(second_combine, 1);
      testing::advance(kMillisecond);
      upload(3, 0, Channel::req, 100);
      EXPECT_EQ(value(second), 0U);
      EXPECT_LT(reading(second).time_running, kMillisecond / 100);
      EXPECT_GE(reading(first).time_running, kMillisecond);
      const std::uint64_t of_first = value(first);
      EXPECT_EQ(of_first, counts(first_combine, 100)) << first_combine << " " << second_combine;
      host->rotate(host->pmus().at(0).name);
      const Picoseconds ran = reading(first).time_running;
      testing::advance(kMillisecond);
      upload(3, 0, Channel::req, 40);
      // Linux 6.1 always takes the second watchpoint of a pair for match group 1. That one does not combine by itself.
      // The first combines as long as its configuration says so, which stays when its event is gone.
      const unsigned combine = kernel_is_at_least("6.12") ? second_combine : first_combine;
      EXPECT_EQ(value(second), counts(combine, 40)) << first_combine << " " << second_combine;
      EXPECT_GE(reading(second).time_running, kMillisecond);
      EXPECT_EQ(value(first), of_first);
      EXPECT_EQ(reading(first).time_running, ran);
      host->close(first);
      host->close(second);
    }
  });
}

// contract A70
TEST_P(CmnCounters, of_a_group_are_read_while_the_dtc_stands_still) {
  boot(mesh_of(Product::cmn650, 4, 3, 2), [&] {
    const std::array xps{1U, 6U, 7U, 11U};  // in both domains
    std::vector<EventHandle> group;
    for (const Interface interface : {Interface::east, Interface::north}) {
      for (unsigned i = 0; i < 2; ++i) {
        const std::uint64_t id = 1 | static_cast<std::uint64_t>(interface) << 2;
        group.push_back(start(event(NodeType::xp, id), 0, 0, group.empty() ? 0 : group[0]));
      }
    }
    // Flits pass at every register access, equally at both interfaces.
    std::uint64_t passed = 0;
    const auto pass = [&](std::uint64_t amount, Picoseconds when) {
      passed += amount;
      for (const unsigned xp : xps) {
        flits(xp, Interface::east, Channel::req, amount, when);
        flits(xp, Interface::north, Channel::req, amount, when);
      }
    };
    pass(kLocalWrap - 40, testing::now());
    platform->bus().monitor([&](const MmioBus::BusAccess& access) { pass(7, access.when); });

    for (unsigned turn = 0; turn < 20; ++turn) {
      accesses.clear();
      const std::uint64_t before = passed;
      std::vector<EventReading> readings;
      ASSERT_EQ(host->read_group(group[0], readings), 0);
      ASSERT_EQ(readings.size(), 4U);
      ASSERT_GT(passed, before + 7 * 4);
      // Flits that pass while the members are read count in all of them or in none.
      for (const EventReading& one : readings) EXPECT_EQ(one.value, readings[0].value) << turn;

      std::vector<std::uint64_t> pmcr;
      for (const MmioBus::BusAccess& access : accesses) {
        if (access.address != dtc_register(0, kPmcr)) continue;
        EXPECT_TRUE(access.is_write);
        pmcr.push_back(access.data);
      }
      EXPECT_THAT(pmcr, ElementsAre(0U, 0x41U));
      EXPECT_EQ(accesses.front().address, dtc_register(0, kPmcr));
      EXPECT_EQ(accesses.back().address, dtc_register(0, kPmcr));
    }
  });
}

}  // namespace
}  // namespace pmufab::integration
