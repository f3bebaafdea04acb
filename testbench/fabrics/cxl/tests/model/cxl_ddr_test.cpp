// SPDX-License-Identifier: Apache-2.0
// Who watches a memory controller's commands, and when. The commands themselves are compared with the judge's
// (CxlDdrCross), which are derived by hand from docs/cxl-messages.md, section 6.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "models/cxl/memory/ddr_controller.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {
namespace {

using testing::SimulationTest;

struct CxlDdr : public SimulationTest {};

// Event ids of group 0x8000.
constexpr unsigned kPre = 1;
constexpr unsigned kRead = 2;

/// Two ranks of two bank groups of two banks; rows of two lines. Times in ps that are easy to add up.
DdrParameters small() {
  DdrParameters parameters;
  parameters.shape = {1, 2, 2, 2};
  parameters.row_bytes = 128;
  parameters.refresh_mode = RefreshMode::none;
  parameters.power_down_after = 0;
  parameters.self_refresh_after = 0;
  DdrTiming& timing = parameters.timing;
  timing.act_to_cas = 10;
  timing.act_to_pre = 30;
  timing.act_to_act = 4;
  timing.pre_to_act = 12;
  timing.read_to_pre = 6;
  timing.write_to_pre = 40;
  timing.cas_to_cas = 3;
  timing.read_to_write = 8;
  timing.write_to_read = 20;
  timing.cas_latency = 15;
  timing.refresh_interval = 1000;
  timing.refresh = 100;
  timing.refresh_same_bank = 50;
  timing.refresh_management = 60;
  timing.power_down_exit = 5;
  timing.self_refresh_exit = 150;
  return parameters;
}

/// @return the address of a place in small().
std::uint64_t place(unsigned rank, unsigned bank_group, unsigned bank, std::uint64_t row, unsigned column = 0) {
  return ((((row * 2 + rank) * 2 + bank) * 2 + column) * 2 + bank_group) * 64;
}

/// Counts one event of one group of a controller, or of all its channels.
struct Count {
  Count(DdrController& controller, std::uint16_t group, unsigned bit) {
    for (const EventGroup& one : controller.event_groups()) {
      for (const EventSource& source : one.sources) {
        if (one.group == group && source.bit == bit) source.probe->watch(sink, ~std::uint64_t{0});
      }
    }
  }
  EventSink sink;
};

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

TEST_F(CxlDdr, what_can_not_be_is_refused) {
  DdrParameters odd = small();
  odd.shape.banks = 3;
  DdrParameters many = small();
  many.shape.banks = 32;
  DdrParameters narrow = small();
  narrow.row_bytes = 32;
  Twins client;
  for (const DdrParameters& impossible : {odd, many, narrow})
    EXPECT_THROW(DdrController("ddr", client.engine, impossible, client, 0, 1), SpecError);
}

}  // namespace
}  // namespace pmufab::cxl
