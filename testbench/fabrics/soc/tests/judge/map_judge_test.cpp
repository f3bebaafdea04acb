// SPDX-License-Identifier: Apache-2.0
// When events of a described register map count, by what a driver writes in the perf core's calls.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "testbench/fabrics/soc/judge/soc_judge.h"
#include "testbench/judge/scoreboard.h"

namespace pmufab::scoreboard::map_judge_test {
namespace {

using Call = perf::PerfCallObserver::Call;
using soc::Role;

constexpr const char* kPmu = "bridge";
constexpr std::uint64_t kBase = 0x1000;
constexpr int kRead = 1;   // an event that counters 0 and 1 can count
constexpr int kWrite = 2;  // counters 2 and 3
constexpr int kClock = 3;  // counter 4 alone

soc::RegisterDescription one_bit(const char* name, std::uint32_t offset, Role role,
                                 std::optional<soc::BitRange> range) {
  soc::FieldDescription field;
  field.name = name;
  field.bits = {0, 1};
  field.role = role;
  field.counters = range;
  soc::RegisterDescription reg;
  reg.name = name;
  reg.offset = offset;
  reg.fields = {field};
  return reg;
}

/// Counters 0 and 1, and 2 and 3, run apart; counter 4 runs by itself, while its own switch is on.
SocJudgeSpec spec() {
  SocPmuSpec pmu{.description = {}, .name = kPmu, .windows = {kBase}};
  pmu.description.counters = 5;
  pmu.description.width = 32;
  pmu.description.events = {
      {"read", kRead, soc::EventDescription::Counts::occurrences, 0, 0, {}, 1, soc::BitRange{0, 2}},
      {"write", kWrite, soc::EventDescription::Counts::occurrences, 0, 0, {}, 1, soc::BitRange{2, 2}},
      {"clock", kClock, soc::EventDescription::Counts::occurrences, 0, 0, {}, 1, soc::BitRange{4, 1}}};
  soc::RegisterMap& map = pmu.description.map.emplace();
  map.registers = {one_bit("FIRST", 0x0, Role::run, soc::BitRange{0, 2}),
                   one_bit("SECOND", 0x4, Role::run, soc::BitRange{2, 2}), one_bit("CLOCK", 0x8, Role::enable, {})};
  map.registers[2].fields[0].first = 4;
  soc::RegisterDescription counter = one_bit("COUNTER", 0x10, Role::counter, {});
  counter.fields[0].bits = {0, 32};
  counter.fields[0].first = 4;
  counter.fields[0].is_free = true;
  map.registers.push_back(counter);
  return {.sources = {{"request", {}}}, .pmus = {pmu}};
}

class MapJudge : public ::testing::Test {
 protected:
  explicit MapJudge(const SocJudgeSpec& its = spec())
      : judge(board.add(std::make_unique<SocJudge>(its, board.chronicle(), SocFabricJudges{}))) {}

  void begin(Call call, int event = 0) { board.on_call(call, true, kPmu, event, 0, ++now); }
  void end(Call call, int event = 0, std::uint64_t value = 0) { board.on_call(call, false, kPmu, event, value, ++now); }
  void write(std::uint64_t offset, std::uint64_t value) {
    board.on_bus_access({++now, kBase + offset, value, 4, true, true});
  }
  void happen(int times) {
    for (int n = 0; n < times; ++n) judge.on_occurrence(0, {}, ++now);
  }
  void add(int event, const char* name) {
    board.expect(event, kPmu, {{name}});
    begin(Call::add, event);
    end(Call::add, event);
  }
  std::uint64_t del(int event, std::uint64_t value) {
    begin(Call::del, event);
    end(Call::del, event, value);
    return board.result(event)->expected;
  }
  [[nodiscard]] int noted(const std::string& kind) const {
    int found = 0;
    for (const Finding& finding : board.findings().list()) found += finding.kind == kind ? 1 : 0;
    return found;
  }

  Scoreboard board;
  SocJudge& judge;
  Picoseconds now = 0;
};

TEST_F(MapJudge, ranges_of_counters_that_run_apart_count_apart) {
  add(kRead, "read");
  add(kWrite, "write");
  begin(Call::pmu_enable);
  write(0x0, 1);
  happen(1);
  write(0x4, 1);
  happen(2);
  end(Call::pmu_enable);
  happen(4);
  begin(Call::pmu_disable);
  write(0x0, 0);
  happen(8);
  write(0x4, 0);
  happen(16);
  end(Call::pmu_disable);
  EXPECT_EQ(del(kRead, 7), 7U);
  EXPECT_EQ(del(kWrite, 14), 14U);
  EXPECT_EQ(board.findings().failures(), 0);
}

TEST_F(MapJudge, a_range_that_stands_though_it_has_an_event_is_exposed) {
  add(kRead, "read");
  add(kWrite, "write");
  begin(Call::pmu_enable);
  write(0x0, 1);
  end(Call::pmu_enable);
  del(kRead, 0);
  EXPECT_EQ(noted("pmu_not_started"), 0);
  del(kWrite, 0);
  EXPECT_EQ(noted("pmu_not_started"), 1);
}

/// The same, whose second range is on after a reset, and a third one, which no event uses.
class IdleRanges : public MapJudge {
 protected:
  static SocJudgeSpec idle() {
    SocJudgeSpec its = spec();
    soc::PmuDescription& pmu = its.pmus[0].description;
    pmu.counters = 7;
    pmu.map->registers[1].fields[0].value = 1;
    pmu.map->registers.push_back(one_bit("THIRD", 0xc, Role::run, soc::BitRange{5, 2}));
    pmu.map->registers.back().fields[0].value = 1;
    return its;
  }
  IdleRanges() : MapJudge(idle()) {}
  /// Let an event count, with what switches its range. @return what it must have counted
  std::uint64_t count(int event, const char* name, std::uint64_t range, std::uint64_t at_end) {
    add(event, name);
    begin(Call::pmu_enable);
    write(range, 1);
    end(Call::pmu_enable);
    happen(1);
    begin(Call::pmu_disable);
    happen(2);
    write(range, at_end);
    happen(4);
    end(Call::pmu_disable);
    return del(event, 3);
  }
};

TEST_F(IdleRanges, a_driver_may_leave_ranges_on_that_no_event_uses) {
  EXPECT_EQ(count(kRead, "read", 0x0, 0), 3U);
  EXPECT_EQ(count(kClock, "clock", 0x8, 0), 3U);
  EXPECT_EQ(board.findings().failures(), 0);
  static_cast<void>(count(kWrite, "write", 0x4, 1));
  EXPECT_EQ(noted("pmu_not_stopped"), 1) << "its range has an event";
}

TEST_F(MapJudge, a_handler_that_leaves_a_range_stopped_is_exposed) {
  add(kRead, "read");
  add(kWrite, "write");
  begin(Call::pmu_enable);
  write(0x0, 1);
  write(0x4, 1);
  end(Call::pmu_enable);
  begin(Call::interrupt);
  write(0x0, 0);
  write(0x0, 1);
  end(Call::interrupt);
  EXPECT_EQ(noted("handler_left_pmu_stopped"), 0);
  begin(Call::interrupt);
  write(0x4, 0);
  end(Call::interrupt);
  EXPECT_EQ(noted("handler_left_pmu_stopped"), 1);
}

TEST_F(MapJudge, a_free_counter_counts_while_its_own_switch_is_on) {
  add(kClock, "clock");
  begin(Call::pmu_enable);
  happen(1);
  write(0x8, 1);
  happen(2);
  end(Call::pmu_enable);
  happen(4);
  begin(Call::pmu_disable);
  happen(8);
  write(0x8, 0);
  happen(16);
  end(Call::pmu_disable);
  EXPECT_EQ(del(kClock, 14), 14U);
  EXPECT_EQ(noted("pmu_not_started"), 0);
}

TEST_F(MapJudge, a_driver_may_turn_a_free_counter_on_as_it_takes_its_event) {
  board.expect(kClock, kPmu, {{"clock"}});
  begin(Call::add, kClock);
  write(0x8, 1);
  happen(1);
  end(Call::add, kClock);
  begin(Call::pmu_enable);
  end(Call::pmu_enable);
  happen(2);
  begin(Call::pmu_disable);
  end(Call::pmu_disable);
  begin(Call::del, kClock);
  happen(4);
  write(0x8, 0);
  happen(8);
  end(Call::del, kClock, 7);
  EXPECT_EQ(board.result(kClock)->expected, 7U);
  EXPECT_EQ(board.findings().failures(), 0);
}

TEST_F(MapJudge, a_free_counter_that_nobody_turns_on_is_exposed) {
  add(kClock, "clock");
  begin(Call::pmu_enable);
  write(0x0, 1);
  end(Call::pmu_enable);
  happen(1);
  EXPECT_EQ(del(kClock, 0), 0U);
  EXPECT_EQ(noted("pmu_not_started"), 1);
}

TEST_F(MapJudge, a_reset_turns_a_counter_off_and_one_of_another_window_does_not) {
  add(kClock, "clock");
  begin(Call::pmu_enable);
  write(0x8, 1);
  end(Call::pmu_enable);
  happen(1);
  board.on_reset(kBase + 0x1000, ++now);
  happen(2);
  board.on_reset(kBase, ++now);
  happen(4);
  begin(Call::pmu_disable);
  end(Call::pmu_disable);
  EXPECT_EQ(del(kClock, 3), 3U);
}

/// A PMU whose driver starts counters one by one.
class StartedJudge : public MapJudge {
 protected:
  static SocJudgeSpec started() {
    SocJudgeSpec its = spec();
    soc::RegisterMap& map = *its.pmus[0].description.map;
    map.registers.erase(map.registers.begin(), map.registers.begin() + 2);
    map.runs_by_event = true;
    return its;
  }
  StartedJudge() : MapJudge(started()) {
    board.expect(kClock, kPmu, {{"clock"}});
    begin(Call::add, kClock);
    write(0x8, 1);
    end(Call::add, kClock);
    begin(Call::pmu_enable);
    end(Call::pmu_enable);
  }
};

TEST_F(StartedJudge, a_counter_that_stands_though_its_event_goes_on_is_exposed) {
  begin(Call::pmu_disable);
  write(0x8, 0);
  end(Call::pmu_disable);
  begin(Call::pmu_enable);
  end(Call::pmu_enable);
  del(kClock, 0);
  EXPECT_EQ(noted("pmu_not_started"), 1);
}

TEST_F(StartedJudge, a_driver_may_turn_counters_off_while_perf_has_the_pmu_off) {
  begin(Call::pmu_disable);
  write(0x8, 0);
  end(Call::pmu_disable);
  begin(Call::pmu_enable);
  write(0x8, 1);
  end(Call::pmu_enable);
  begin(Call::del, kClock);
  write(0x8, 0);
  end(Call::del, kClock);
  EXPECT_EQ(board.findings().failures(), 0);
}

/// The same with a mask of the interrupts of counters.
class MaskedJudge : public MapJudge {
 protected:
  static SocJudgeSpec masked() {
    SocJudgeSpec its = spec();
    soc::PmuDescription& pmu = its.pmus[0].description;
    pmu.interrupt.emplace();
    pmu.map->registers.push_back(one_bit("MASK", 0xc, Role::interrupt_mask, {}));
    return its;
  }
  explicit MaskedJudge(const SocJudgeSpec& its = masked()) : MapJudge(its) {}
  void count_and_read(std::uint64_t enable = 1) {
    write(0x8, enable);
    for (int n = 0; n < 2; ++n) board.on_bus_access({++now, kBase + 0x10, 0, 4, false, true});
  }
};

TEST_F(MaskedJudge, a_driver_may_rely_on_what_a_reset_leaves) {
  write(0xc, 1);  // an earlier driver, as it goes
  board.on_reset({}, ++now);
  count_and_read();
  EXPECT_EQ(noted("overflow_untold"), 0);
  write(0xc, 1);
  count_and_read();
  EXPECT_EQ(noted("overflow_untold"), 1);
}

/// The same, whose counter stands, and whose interrupts are masked, after a reset.
class InvertedJudge : public MaskedJudge {
 protected:
  static SocJudgeSpec inverted() {
    SocJudgeSpec its = masked();
    std::vector<soc::RegisterDescription>& registers = its.pmus[0].description.map->registers;
    registers[2].fields[0].role = Role::disable;
    for (const std::size_t number : {2, 4}) registers[number].fields[0].value = 1;
    return its;
  }
  InvertedJudge() : MaskedJudge(inverted()) {}
};

TEST_F(InvertedJudge, a_counter_whose_interrupt_is_off_is_found_though_a_zero_lets_it_count) {
  count_and_read();
  EXPECT_EQ(noted("overflow_untold"), 0) << "it stands";
  write(0x8, 0);
  count_and_read(0);
  EXPECT_EQ(noted("overflow_untold"), 1);
}

TEST_F(InvertedJudge, no_driver_hears_of_a_reset) {
  write(0xc, 0);
  count_and_read(0);
  board.on_reset({}, ++now);
  count_and_read(0);
  EXPECT_EQ(noted("overflow_untold"), 0);
  write(0xc, 0);
  write(0xc, 1);
  count_and_read(0);
  EXPECT_EQ(noted("overflow_untold"), 1) << "it has turned interrupts on again, and off";
}

/// The same, whose counter stays at its last value.
class SaturatingJudge : public MapJudge {
 protected:
  static SocJudgeSpec saturating() {
    SocJudgeSpec its = spec();
    its.pmus[0].description.width = 8;
    its.pmus[0].description.map->registers[3].fields[0].saturates = true;
    return its;
  }
  SaturatingJudge() : MapJudge(saturating()) {}
  std::int64_t frozen(int times, std::uint64_t reported) {
    add(kClock, "clock");
    begin(Call::pmu_enable);
    write(0x8, 1);
    end(Call::pmu_enable);
    happen(times);
    static_cast<void>(del(kClock, reported));
    return board.result(kClock)->account.loss[LossCause::frozen];
  }
};

TEST_F(SaturatingJudge, what_is_missing_came_when_its_counter_was_full) { EXPECT_EQ(frozen(300, 127), 173); }
TEST_F(SaturatingJudge, a_counter_that_had_room_explains_nothing) { EXPECT_EQ(frozen(100, 50), 0); }

/// A PMU whose counters nothing stops, and whose readers read what software latches.
class LatchedJudge : public MapJudge {
 protected:
  static SocJudgeSpec latched() {
    SocJudgeSpec its = spec();
    soc::PmuDescription& pmu = its.pmus[0].description;
    pmu.counters = 2;
    pmu.events.resize(1);
    pmu.events[0].counters = soc::BitRange{0, 2};
    soc::RegisterDescription counter = pmu.map->registers[3];
    counter.count = 2;
    counter.stride = 4;
    counter.fields[0].first = 0;
    counter.fields[0].is_free = false;
    counter.fields[0].read_only = true;
    counter.fields[0].latched = true;
    pmu.map->registers = {one_bit("LATCH", 0x0, Role::latch, {}), counter, one_bit("LATCHES", 0x4, Role::latch, {})};
    pmu.map->registers[2].fields[0].bits = {0, 2};
    pmu.map->runs_by_event = true;
    return its;
  }
  LatchedJudge() : MapJudge(latched()) {}
  void read(std::uint64_t offset) { board.on_bus_access({++now, kBase + offset, 0, 4, false, true}); }
};

TEST_F(LatchedJudge, what_was_latched_is_what_a_reading_tells) {
  begin(Call::pmu_enable);
  end(Call::pmu_enable);
  board.expect(kRead, kPmu, {{"read"}});
  begin(Call::add, kRead);
  write(0x10, 0x8000'0000);  // lost
  happen(1);
  write(0x0, 1);
  happen(2);
  read(0x10);
  end(Call::add, kRead);
  happen(4);
  begin(Call::read, kRead);
  write(0x0, 1);
  happen(8);
  read(0x10);
  end(Call::read, kRead, 6);
  EXPECT_TRUE(board.last_read(kRead, now)->ok()) << "2 and 4, after the first latching";
  begin(Call::del, kRead);
  write(0x0, 1);
  happen(16);
  read(0x10);
  end(Call::del, kRead, 14);
  EXPECT_EQ(board.result(kRead)->expected, 14U);
}

TEST_F(LatchedJudge, a_reading_tells_what_its_own_counter_had_when_that_was_latched) {
  begin(Call::pmu_enable);
  end(Call::pmu_enable);
  board.expect(kRead, kPmu, {{"read"}});
  begin(Call::add, kRead);
  write(0x0, 1);
  read(0x14);
  end(Call::add, kRead);
  const auto latch_both = [&] {
    happen(1);
    write(0x4, 2);
    happen(2);
    write(0x4, 1);  // another counter
    read(0x14);
  };
  begin(Call::read, kRead);
  latch_both();
  end(Call::read, kRead, 1);
  EXPECT_TRUE(board.last_read(kRead, now)->ok());
  begin(Call::del, kRead);
  latch_both();
  end(Call::del, kRead, 4);
  EXPECT_EQ(board.result(kRead)->expected, 4U);
}

}  // namespace
}  // namespace pmufab::scoreboard::map_judge_test
