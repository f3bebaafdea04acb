// SPDX-License-Identifier: Apache-2.0
// DDR commands. Expected times are derived by hand from docs/cxl-messages.md, section 6.

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "models/cxl/memory/ddr_controller.h"
#include "testbench/fabrics/cxl/tests/model/cxl_ddr_rig.h"
#include "testbench/support/probe_log.h"
#include "testbench/support/simulation_test.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {
namespace {

using testing::SimulationTest;

struct CxlDdr : public SimulationTest {};

/// Counts one event of one group of a controller, or of all its channels.
struct Count {
  Count(DdrController& controller, std::uint16_t group, unsigned bit) {
    for (const EventGroup& one : controller.event_groups()) {
      for (const EventSource& source : one.sources) {
        if (one.group == group && source.bit == bit) source.probe->watch(sink, ~std::uint64_t{0});
      }
    }
  }
  std::uint64_t take() {
    const std::uint64_t value = sink.value();
    sink.set_value(0);
    return value;
  }
  EventSink sink;
};

TEST_F(CxlDdr, queues_count_the_edges_at_which_accesses_are_in_them) {
  DdrParameters parameters = small();
  parameters.clock_period = 10;
  parameters.power_down_after = 300;
  Ddr ddr(parameters);
  Count read_queue(ddr.controller, 0x8001, 0);
  Count write_queue(ddr.controller, 0x8001, 1);
  Count power_down(ddr.controller, 0x8001, 3);
  Count reads(ddr.controller, 0x8002, 0);
  Count writes(ddr.controller, 0x8002, 1);
  run([&] {
    testing::advance(105);
    ddr.controller.access(place(0, 0, 0, 0), false, 0);     // CAS at 115, data until 130
    ddr.controller.access(place(0, 0, 0, 0, 1), false, 1);  // CAS at 118, data until 133
    testing::advance(26);
    EXPECT_EQ(read_queue.take(), 2U) << "both at 110";
    EXPECT_EQ(reads.take(), 3U) << "110, 120, 130";
    ddr.controller.access(place(0, 0, 0, 0), true, 2);  // CAS at once, data until 146
    ddr.controller.access(place(0, 0, 0, 1), true, 3);  // tWR: PRE at 171, ACT at 183, CAS at 193, data until 208
    testing::advance(169);
    EXPECT_EQ(read_queue.take(), 0U);
    EXPECT_EQ(write_queue.take(), 6U) << "140 ... 190";
    EXPECT_EQ(writes.take(), 7U) << "140 ... 200";
    EXPECT_EQ(power_down.take(), 0U) << "rank 1 at 300 only, which is not after it";
    // Rank 1 is in power-down from 300 on, rank 0 from 493.
    testing::advance(224);
    EXPECT_EQ(power_down.take(), 22U + 3U) << "310 ... 520, 500 ... 520";
    ddr.controller.access(place(0, 0, 0, 1), false, 4);  // ends it at 524
    testing::advance(20);
    EXPECT_EQ(power_down.take(), 2U) << "rank 1 at 530 and 540";
  });
}

TEST_F(CxlDdr, a_cas_that_fails_comes_again_and_counts_again) {
  DdrParameters parameters = small();
  parameters.retries = {.read_crc_every = 2, .write_crc_every = 3, .parity_every = 5, .ecc_every = 3, .delay = 50};
  Ddr ddr(parameters);
  Count read_crc(ddr.controller, 0x8003, 0);
  Count write_crc(ddr.controller, 0x8003, 1);
  Count parity(ddr.controller, 0x8003, 2);
  Count ecc(ddr.controller, 0x8003, 3);
  run([&] {
    const auto access = [&](bool write, Picoseconds takes) {
      const Picoseconds now = testing::now();
      ddr.done.clear();
      ddr.controller.access(place(0, 0, 0, 0), write, 0);
      testing::advance(1000);
      EXPECT_EQ(ddr.done.at(0).when - now, takes);
    };
    testing::advance(1000);
    access(false, 10 + 15);  // ACT first
    access(false, 50 + 15);  // checksum of the second read
    EXPECT_EQ(read_crc.take(), 1U);
    access(false, 50 + 15);  // ECC of the third
    EXPECT_EQ(ecc.take(), 1U);
    access(true, 15);
    ddr.take();
    access(true, 50 + 15);  // parity of the fifth access
    EXPECT_EQ(parity.take(), 1U);
    const Picoseconds first = testing::now() - 1000;
    EXPECT_EQ(ddr.take(), (std::vector<Ddr::Command>{{kWrite, first, 0}, {kWrite, first + 50, 0}}));
    access(true, 50 + 15);  // checksum of the third write
    EXPECT_EQ(write_crc.take(), 1U);
    EXPECT_EQ(read_crc.take() + ecc.take() + parity.take(), 0U);
  });
}

TEST_F(CxlDdr, too_many_accesses_in_a_window_hold_those_that_follow_back) {
  DdrParameters parameters = small();
  parameters.clock_period = 10;
  parameters.power = {.accesses = 3, .window = 100, .pause = 40};
  Ddr ddr(parameters);
  Count thermal(ddr.controller, 0x8004, 0);
  Count power(ddr.controller, 0x8004, 1);
  run([&] {
    const auto access = [&](Picoseconds before) {
      testing::advance(before);
      ddr.controller.access(place(0, 0, 0, 0), false, 0);
    };
    access(1000);
    access(60);
    access(50);  // begins its own window
    access(50);
    testing::advance(39);
    EXPECT_EQ(power.take(), 0U);
    ddr.done.clear();
    access(0);   // at 1199 the third from 1110 on: held until 1239
    access(21);  // at 1220: held as well, and not counted
    testing::advance(100);
    EXPECT_EQ(power.take(), 4U) << "1200 ... 1230";
    EXPECT_EQ(thermal.take(), 0U);
    ASSERT_EQ(ddr.done.size(), 2U);
    EXPECT_EQ(ddr.done[0].when, 1239U + 15);
    EXPECT_EQ(ddr.done[1].when, 1239U + 3 + 15);
  });
}

TEST_F(CxlDdr, commands_keep_the_rules_of_ddr_under_any_load) {
  std::vector<DdrParameters> variants;
  for (const RefreshMode refresh : {RefreshMode::none, RefreshMode::all_banks, RefreshMode::same_bank}) {
    for (const PagePolicy policy : {PagePolicy::open, PagePolicy::closed}) {
      DdrParameters parameters = small();
      parameters.refresh_mode = refresh;
      parameters.page_policy = policy;
      parameters.rfm_after = 5;
      parameters.power_down_after = 90;
      parameters.self_refresh_after = 2500;
      variants.push_back(parameters);
    }
  }
  std::vector<std::unique_ptr<Ddr>> controllers;
  for (const DdrParameters& parameters : variants) controllers.push_back(std::make_unique<Ddr>(parameters));
  run([&] {
    for (std::size_t variant = 0; variant < variants.size(); ++variant) {
      Ddr& ddr = *controllers[variant];
      std::uint64_t state = 12345 + variant;
      const auto below = [&](std::uint64_t limit) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state >> 33) % limit;
      };
      std::uint64_t writes = 0;
      constexpr unsigned kAccesses = 3000;
      for (unsigned i = 0; i < kAccesses; ++i) {
        const bool write = below(3) == 0;
        writes += write ? 1 : 0;
        ddr.controller.access(below(64) * 64, write, i);
        const std::uint64_t kind = below(100);
        testing::advance(kind < 60 ? below(4) : kind < 98 ? below(300) : below(8000));
      }
      testing::advance(50'000);
      Rules rules(variants[variant]);
      std::array<std::uint64_t, 16> count{};
      for (const Ddr::Command& command : ddr.commands) {
        rules.check(command);
        ++count[command.bit];
      }
      EXPECT_EQ(count[kWrite], writes);
      EXPECT_EQ(count[kRead], kAccesses - writes);
      EXPECT_EQ(ddr.done.size(), kAccesses);
      EXPECT_GT(count[kRfm], 0U);
      EXPECT_GT(count[kSelfRefresh], 0U);
      EXPECT_GT(count[kPowerDown], 0U);
      EXPECT_EQ(count[kPowerDown], count[kPowerUp]);  // all are asleep at the end
      EXPECT_EQ(count[kReadAp] + count[kWriteAp], variants[variant].page_policy == PagePolicy::closed ? kAccesses : 0U);
      EXPECT_EQ(count[kRefreshAll] > 0, variants[variant].refresh_mode == RefreshMode::all_banks);
      EXPECT_EQ(count[kRefreshSame] > 0, variants[variant].refresh_mode == RefreshMode::same_bank);
      if (HasFailure()) return;
    }
  });
}

TEST_F(CxlDdr, rows_are_opened_and_closed_as_accesses_need_them) {
  Ddr ddr(small());
  run([&] {
    const auto at = [&](Picoseconds when, std::uint64_t address, bool write) {
      testing::advance_to(when);
      ddr.controller.access(address, write, 7);
    };
    at(100, place(0, 0, 0, 5), false);     // ACT 100, CAS 110
    at(100, place(0, 1, 0, 5), false);     // another bank: ACT 104, CAS 114
    at(100, place(0, 0, 0, 5, 1), false);  // row hit: CAS 117
    at(101, place(0, 0, 0, 6), true);      // PRE 130 (tRAS), ACT 142, CAS 152: switching
    at(102, place(1, 1, 1, 0), false);     // other rank: ACT 102, CAS 172 (write to read)
    testing::advance_to(1000);
    EXPECT_EQ(ddr.take(), (std::vector<Ddr::Command>{{kAct, 100, 0},
                                                     {kAct, 102, 7},
                                                     {kAct, 104, 2},
                                                     {kRead, 110, 0},
                                                     {kRead, 114, 2},
                                                     {kRead, 117, 0},
                                                     {kPre, 130, 0},
                                                     {kAct, 142, 0},
                                                     {kSwitch, 152, 0},
                                                     {kWrite, 152, 0},
                                                     {kSwitch, 172, 7},
                                                     {kRead, 172, 7}}));
    std::vector<Picoseconds> done;
    for (const Ddr::Command& one : ddr.done) done.push_back(one.when);
    EXPECT_EQ(done, (std::vector<Picoseconds>{125, 129, 132, 167, 187}));
    EXPECT_EQ(ddr.controller.pending(), 0U);
  });
}

TEST_F(CxlDdr, refresh_closes_the_banks_of_a_rank) {
  DdrParameters parameters = small();
  parameters.refresh_mode = RefreshMode::all_banks;
  Ddr ddr(parameters);
  run([&] {
    testing::advance_to(990);
    ddr.controller.access(place(0, 1, 1, 0), false, 0);  // ACT 990, CAS 1000; no PRE before 1020
    testing::advance_to(1010);
    ddr.controller.access(place(0, 1, 1, 0), false, 0);  // after the refresh: 1032 + 100
    testing::advance_to(1600);
    // Rank 0 at 1000, rank 1 half an interval later, all closed.
    EXPECT_EQ(ddr.take(), (std::vector<Ddr::Command>{{kAct, 990, 3},
                                                     {kRead, 1000, 3},
                                                     {kPre, 1020, 0},
                                                     {kRefreshAll, 1032, 0},
                                                     {kAct, 1132, 3},
                                                     {kRead, 1142, 3},
                                                     {kRefreshAll, 1500, 4}}));
    testing::advance_to(2050);
    EXPECT_EQ(ddr.take(), (std::vector<Ddr::Command>{{kPre, 2000, 0}, {kRefreshAll, 2012, 0}}));
    // Commands to no bank say so.
    unsigned any_bank = 0;
    for (const EventSource& source : ddr.group.sources) any_bank += source.any_bank ? 1U << source.bit : 0U;
    EXPECT_EQ(any_bank,
              1U << kPre | 1U << kRefresh | 1U << kSelfRefresh | 1U << kRefreshAll | 1U << kPowerDown | 1U << kPowerUp);
  });
}

TEST_F(CxlDdr, same_bank_refresh_takes_the_banks_in_turn) {
  DdrParameters parameters = small();
  parameters.shape.ranks = 1;
  parameters.refresh_mode = RefreshMode::same_bank;
  Ddr ddr(parameters);
  run([&] {
    testing::advance_to(200);
    ddr.controller.access(place(0, 1, 0, 0), false, 0);
    ddr.controller.access(place(0, 1, 1, 0), false, 0);
    ddr.take();
    testing::advance_to(1700);
    const std::vector<Ddr::Command> commands = ddr.take();
    std::vector<Ddr::Command> refreshes;
    for (const Ddr::Command& one : commands) {
      if (one.bit == kPre || one.bit == kRefreshSame) refreshes.push_back(one);
    }
    // Every 500: bank 0 (open in group 1: PRE first), bank 1, bank 0.
    ASSERT_GE(refreshes.size(), 4U);
    EXPECT_EQ(refreshes[0], (Ddr::Command{kPre, 500, 2}));
    EXPECT_EQ(refreshes[1].bit, kRefreshSame);
    EXPECT_EQ(refreshes[1].when, 512U);
    EXPECT_EQ(refreshes[1].qualifier, 0U);
    EXPECT_EQ(refreshes.back(), (Ddr::Command{kRefreshSame, 1500, 0}));
  });
}

TEST_F(CxlDdr, idle_ranks_power_down_and_refresh_themselves_in_the_end) {
  DdrParameters parameters = small();
  parameters.shape.ranks = 1;
  parameters.refresh_mode = RefreshMode::all_banks;
  parameters.power_down_after = 200;
  parameters.self_refresh_after = 1500;
  Ddr ddr(parameters);
  run([&] {
    testing::advance_to(100);
    ddr.controller.access(place(0, 0, 0, 0), false, 0);  // ACT 100, CAS 110
    testing::advance_to(400);
    ddr.controller.access(place(0, 0, 0, 0), false, 0);  // asleep since 310: CAS 405
    testing::advance_to(1'000'000);
    // 605 down; refresh 1000: up, PRE 1005, REF 1017, busy until 1117, 1317 down; 405 + 1500: up, self refresh 1910.
    EXPECT_EQ(ddr.take(), (std::vector<Ddr::Command>{{kAct, 100, 0},
                                                     {kRead, 110, 0},
                                                     {kPowerDown, 310, 0},
                                                     {kPowerUp, 400, 0},
                                                     {kRead, 405, 0},
                                                     {kPowerDown, 605, 0},
                                                     {kPowerUp, 1000, 0},
                                                     {kPre, 1005, 0},
                                                     {kRefreshAll, 1017, 0},
                                                     {kPowerDown, 1317, 0},
                                                     {kPowerUp, 1905, 0},
                                                     {kSelfRefresh, 1910, 0}}));
    // Sleep costs nothing.
    const std::uint64_t acts = ddr.engine.acts();
    testing::advance_to(900'000'000);
    EXPECT_EQ(ddr.engine.acts(), acts);
    ddr.controller.access(place(0, 0, 0, 0), true, 0);
    testing::advance(1400);
    constexpr Picoseconds kAwake = 900'000'000;
    EXPECT_EQ(ddr.take(), (std::vector<Ddr::Command>{{kAct, kAwake + 150, 0},
                                                     {kSwitch, kAwake + 160, 0},
                                                     {kWrite, kAwake + 160, 0},
                                                     {kPowerDown, kAwake + 360, 0},
                                                     {kPowerUp, kAwake + 1000, 0},
                                                     {kPre, kAwake + 1005, 0},
                                                     {kRefreshAll, kAwake + 1017, 0},
                                                     {kPowerDown, kAwake + 1317, 0}}));
  });
}

// Commands that nobody watches have no acts of their own. The results must be the same.
TEST_F(CxlDdr, who_begins_to_watch_sees_commands_from_then_on) {
  struct Nobody final : DdrClient {
    void access_done(std::uint32_t /*ticket*/, Picoseconds /*now*/) override {}
  } nobody;
  Engine engine;
  DdrController controller("ddr", engine, small(), nobody, 0, 1);
  const EventGroup group = controller.event_group();
  run([&] {
    testing::advance_to(100);
    controller.access(place(0, 0, 0, 0), false, 0);  // ACT 100, CAS 110
    controller.access(place(0, 0, 0, 1), false, 1);  // PRE 130, ACT 142, CAS 152
    controller.access(place(0, 1, 0, 0), false, 2);  // ACT 146, CAS 156
    testing::advance_to(144);
    std::vector<Picoseconds> acts;
    const testing::ProbeLog log(*group.sources[0].probe,
                                [&](std::uint64_t, unsigned, Picoseconds when) { acts.push_back(when); });
    EXPECT_EQ(group.sources[0].probe->tally(), 2U);
    EXPECT_EQ(group.sources[1].probe->tally(), 1U);
    testing::advance_to(148);
    EXPECT_EQ(acts, std::vector<Picoseconds>{146});
    testing::advance_to(154);
    EventSink reads;
    const auto read = std::find_if(group.sources.begin(), group.sources.end(),
                                   [](const EventSource& source) { return source.bit == kRead; });
    EXPECT_EQ(read->probe->tally(), 2U);
    read->probe->watch(reads, ~std::uint64_t{0});
    testing::advance_to(1000);
    EXPECT_EQ(reads.value(), 1U);
    EXPECT_EQ(acts.size(), 1U);
    EXPECT_EQ(group.sources[0].probe->tally(), 3U);
  });
}

/// Gives two controllers the same accesses, many in one turn of the engine.
struct Twins final : public DdrClient, public Actor {
  Twins() : seen("seen", engine, small(), *this, 0, 1), counted("counted", engine, small(), *this, 0, 1) {
    actor = engine.add(*this);
  }
  void access_done(std::uint32_t /*ticket*/, Picoseconds /*now*/) override {}
  void act(Picoseconds now) override {
    const std::uint64_t address = place(accesses % 2, 0, accesses / 8 % 2, accesses / 3 % 4);
    for (DdrController* const controller : {&seen, &counted})
      controller->access(address, accesses % 5 == 0, DdrController::kNoTicket);
    if (++accesses < 5000) engine.set(actor, now + 40);
  }

  Engine engine;
  DdrController seen;
  DdrController counted;
  unsigned actor = 0;
  unsigned accesses = 0;
};

// Counters far from their overflow get commands in bulk. The results must be the same.
TEST_F(CxlDdr, a_process_that_looks_at_a_counter_sees_the_commands_up_to_then) {
  Twins twins;
  const EventGroup group = twins.seen.event_group();
  std::array<std::uint64_t, 16> seen{};
  std::vector<std::unique_ptr<testing::ProbeLog>> logs;
  for (const EventSource& source : group.sources) {
    logs.push_back(std::make_unique<testing::ProbeLog>(
        *source.probe, [&count = seen[source.bit]](std::uint64_t, unsigned, Picoseconds) { ++count; }));
  }
  std::array<std::unique_ptr<Count>, 4> counts;
  for (unsigned event = 0; event < 4; ++event) counts[event] = std::make_unique<Count>(twins.counted, 0x8000, event);
  run([&] {
    testing::advance_to(10);
    twins.engine.set(twins.actor, 10);
    // Long and short turns of the engine, which end at commands and between them.
    for (Picoseconds look = 0; look < 400; ++look) {
      testing::advance(look % 5 == 0 ? look % 7 : 200 + look % 41);
      for (unsigned event = 0; event < 4; ++event) {
        ASSERT_EQ(counts[event]->sink.value(), seen[event])
            << "event " << event << " up to " << sc_core::sc_time_stamp();
      }
    }
    EXPECT_GT(seen[kPre], 500U);
    // If single commands are not watched, none needs an act of its own.
    logs.clear();
    const std::uint64_t acts = twins.engine.acts();
    const unsigned accesses = twins.accesses;
    const std::uint64_t commands = counts[kRead]->sink.value();
    testing::advance(20'000);
    EXPECT_GT(counts[kRead]->sink.value(), commands + 300);
    EXPECT_LT(twins.engine.acts() - acts, (twins.accesses - accesses) * 3 / 2);
  });
}

TEST_F(CxlDdr, a_counter_near_its_end_overflows_at_the_time_of_the_command) {
  Twins twins;
  Count reads(twins.counted, 0x8000, kRead);
  reads.sink = EventSink(4);
  struct Overflows {
    Engine& engine;
    unsigned number = 0;
    unsigned late = 0;
  } overflows{twins.engine};
  reads.sink.on_wrap(
      [](void* context, std::uint64_t /*wraps*/, Picoseconds when) {
        Overflows& self = *static_cast<Overflows*>(context);
        ++self.number;
        if (self.engine.now() != when) ++self.late;
      },
      &overflows);
  run([&] {
    testing::advance_to(10);
    twins.engine.set(twins.actor, 10);
    testing::advance(100'000);
    EXPECT_GT(overflows.number, 100U);
    EXPECT_EQ(overflows.late, 0U);
  });
}

TEST_F(CxlDdr, refresh_management_and_closed_pages) {
  DdrParameters parameters = small();
  parameters.rfm_after = 2;
  parameters.page_policy = PagePolicy::closed;
  Ddr ddr(parameters);
  run([&] {
    for (unsigned i = 0; i < 3; ++i) {
      ddr.controller.access(place(0, 0, 0, 1), i == 2, 0);
      testing::advance(1000);
    }
    EXPECT_EQ(ddr.take(), (std::vector<Ddr::Command>{{kAct, 0, 0},
                                                     {kRead, 10, 0},
                                                     {kReadAp, 10, 0},
                                                     {kAct, 1000, 0},
                                                     {kRead, 1010, 0},
                                                     {kReadAp, 1010, 0},
                                                     {kRfm, 2000, 0},
                                                     {kAct, 2060, 0},
                                                     {kSwitch, 2070, 0},
                                                     {kWrite, 2070, 0},
                                                     {kWriteAp, 2070, 0}}));
  });
}

TEST_F(CxlDdr, what_can_not_be_is_refused) {
  DdrParameters odd = small();
  odd.shape.banks = 3;
  EXPECT_THROW(Ddr{odd}, SpecError);
  DdrParameters many = small();
  many.shape.banks = 32;
  EXPECT_THROW(Ddr{many}, SpecError);
  DdrParameters narrow = small();
  narrow.row_bytes = 32;
  EXPECT_THROW(Ddr{narrow}, SpecError);
}

}  // namespace
}  // namespace pmufab::cxl
