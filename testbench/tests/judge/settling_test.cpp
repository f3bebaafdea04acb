// SPDX-License-Identifier: Apache-2.0
// The scoreboard adds up what is final and forgets it: events may have any number of turns and readings.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/judge/scoreboard.h"

namespace pmufab::scoreboard::test::settling_test {
namespace {

using Call = perf::PerfCallObserver::Call;

constexpr const char* kPmu = "belt";
constexpr std::uint64_t kControl = 0x1000;
constexpr std::size_t kMostMarks = 600;  // a few for each of the turns and readings that wait to be settled

/// Packets, some of which are told late.
struct Belt {
  struct Marked {
    Picoseconds when;
    std::uint64_t packets;
  };
  std::uint64_t passed = 0;
  std::map<std::uint64_t, Marked> marks{};  // that nobody has forgotten
  std::uint64_t next = 0;
  std::size_t most = 0;  // marks at a time
  Picoseconds final_before = ~Picoseconds{0};
  std::uint64_t settled = 0;  // spans

  void pass(std::uint64_t packets, Picoseconds when) {
    passed += packets;
    for (auto& [number, mark] : marks) {
      if (mark.when > when) mark.packets += packets;
    }
  }
};

class BeltTruth final : public EventTruth {
 public:
  explicit BeltTruth(Belt& belt) : belt_(belt) {}
  [[nodiscard]] std::string text() const override { return "packets"; }
  [[nodiscard]] Mark mark(Picoseconds when) override {
    belt_.marks[belt_.next] = {when, belt_.passed};
    belt_.most = std::max(belt_.most, belt_.marks.size());
    return {when, belt_.next++};
  }
  void forget(const Mark& mark) override { EXPECT_EQ(belt_.marks.erase(mark.position), 1U) << "forgotten twice"; }
  [[nodiscard]] Picoseconds final_before() const override { return belt_.final_before; }
  void settle(const Span& span) override {
    EXPECT_LT(span.end.when, belt_.final_before);
    EXPECT_NO_THROW((void)count(span)) << "it still knows its marks";
    ++belt_.settled;
  }
  /// @throws std::out_of_range for forgotten marks
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    return belt_.marks.at(span.end.position).packets - belt_.marks.at(span.begin.position).packets;
  }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  Belt& belt_;
};

class BeltPmu final : public PmuJudge {
 public:
  explicit BeltPmu(Belt& belt) : PmuJudge(kPmu), belt_(belt) {}
  bool see_write(const MmioBus::BusAccess& access) override {
    on_ = access.data != 0;
    return true;
  }
  [[nodiscard]] bool written_on() const override { return on_; }
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& /*terms*/) override {
    return std::make_unique<BeltTruth>(belt_);
  }

 private:
  Belt& belt_;
  bool on_ = false;
};

class BeltJudge final : public FabricJudge {
 public:
  explicit BeltJudge(Belt& belt) : pmu_(belt) {}
  [[nodiscard]] std::vector<PmuJudge*> pmus() override { return {&pmu_}; }

 private:
  BeltPmu pmu_;
};

class Settling : public ::testing::Test {
 protected:
  void SetUp() override { board.add(std::make_unique<BeltJudge>(belt)); }

  void call(Call name, bool is_begin, int event = 0, std::uint64_t value = 0) {
    board.on_call(name, is_begin, kPmu, event, value, now += step);
  }
  void control(Call name, bool on) {
    call(name, true);
    board.on_bus_access({now += step, kControl, on ? 1U : 0U, 4, true, true});
    call(name, false);
  }
  /// The perf core puts the event on a counter, or takes it off.
  void turn_begins() {
    control(Call::pmu_disable, false);
    call(Call::add, true, 1);
    call(Call::add, false, 1);
    control(Call::pmu_enable, true);
  }
  void turn_ends(std::uint64_t value) {
    control(Call::pmu_disable, false);
    call(Call::del, true, 1);
    call(Call::del, false, 1, value);
    control(Call::pmu_enable, true);
  }
  void read(std::uint64_t value) {
    call(Call::read, true, 1);
    call(Call::read, false, 1, value);
  }
  void pass(std::uint64_t packets) { belt.pass(packets, now += 1000); }
  [[nodiscard]] EventResult result() const { return board.result(1).value(); }

  Belt belt;
  Scoreboard board;
  Picoseconds now = 0;
  Picoseconds step = 1000;  // that a call or an access takes
};

TEST_F(Settling, any_number_of_turns_and_readings_needs_the_memory_of_a_few) {
  constexpr std::uint64_t kTurns = 20'000;
  board.expect(1, kPmu, {});
  board.enabling(1);
  control(Call::pmu_enable, true);
  std::uint64_t counted = 0;
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    turn_begins();
    if (turn == 0) board.enabled(1, now);
    pass(3);
    read(counted + 3);
    pass(4);
    read(counted += 7);
    turn_ends(counted);
    pass(11);
    if (turn % 100 == 0) {
      EXPECT_EQ(board.expected(1, now), counted);
    }
  }
  board.disabling(1, now);
  board.disabled(1);
  EXPECT_LT(belt.most, kMostMarks);
  const EventResult end = result();
  EXPECT_EQ(end.expected, 7 * kTurns);
  EXPECT_EQ(end.match, EventResult::Match::exact);
  EXPECT_EQ(end.reads, 2 * kTurns);
  EXPECT_EQ(end.account.happened, 18 * kTurns);
  EXPECT_EQ(end.account.loss[LossCause::not_scheduled], static_cast<std::int64_t>(11 * kTurns));
  EXPECT_TRUE(end.account.adds_up(counted));
  EXPECT_GT(belt.settled, kTurns - 100);
  EXPECT_LT(end.windows.size(), 100U) << "the last ones";
  // Of each turn: from the write that starts the PMU to the one that stops it.
  EXPECT_EQ(end.window_time, kTurns * (end.windows.back().end - end.windows.back().begin));
}

TEST_F(Settling, turns_without_length_keep_their_order_at_one_instant) {
  constexpr std::uint64_t kTurns = 3'000;
  step = 0;
  board.expect(1, kPmu, {});
  board.enabling(1);
  control(Call::pmu_enable, true);
  std::uint64_t counted = 0;
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    turn_begins();
    if (turn == 0) board.enabled(1, now);
    if (turn % 3 == 0) {
      pass(2);
      counted += 2;
    }
    turn_ends(counted);
    if (turn % 7 == 0) pass(5);
  }
  board.disabling(1, now);
  board.disabled(1);
  EXPECT_LT(belt.most, kMostMarks);
  const EventResult end = result();
  EXPECT_EQ(end.expected, counted);
  EXPECT_EQ(end.match, EventResult::Match::exact);
  EXPECT_TRUE(end.account.adds_up(counted));
}

TEST_F(Settling, an_event_that_waits_for_ever_needs_no_memory_for_it) {
  constexpr std::uint64_t kRotations = 20'000;
  board.expect(1, kPmu, {});
  board.enabling(1);
  board.enabled(1, now += 1000);
  for (std::uint64_t rotation = 0; rotation < kRotations; ++rotation) {
    control(Call::pmu_enable, true);
    pass(5);
    control(Call::pmu_disable, false);  // for other events
    pass(2);
  }
  EXPECT_LT(belt.most, kMostMarks);
  board.disabling(1, now);
  board.disabled(1);
  const EventResult end = result();
  EXPECT_EQ(end.expected, 0U);
  EXPECT_EQ(end.account.happened, 7 * kRotations);
  EXPECT_EQ(end.account.loss[LossCause::not_scheduled], static_cast<std::int64_t>(7 * kRotations));
}

TEST_F(Settling, what_is_told_late_is_still_counted_until_it_is_final) {
  board.expect(1, kPmu, {});
  board.enabling(1);
  control(Call::pmu_enable, true);
  belt.final_before = 0;
  std::vector<Picoseconds> in_turn;
  for (int turn = 0; turn < 500; ++turn) {
    turn_begins();
    pass(1);
    in_turn.push_back(now);
    turn_ends(0);
  }
  EXPECT_EQ(belt.settled, 0U);
  for (const Picoseconds when : in_turn) belt.pass(2, when);
  EXPECT_EQ(board.expected(1, now), 1'500U);
  belt.final_before = in_turn[400];
  for (int turn = 0; turn < 600; ++turn) {
    turn_begins();
    turn_ends(1'500);
  }
  EXPECT_EQ(belt.settled, 400U) << "the turn of that instant is not over before it";
  belt.pass(1, in_turn[400]);
  EXPECT_EQ(board.expected(1, now), 1'501U);
}

TEST_F(Settling, a_reading_that_its_user_has_taken_is_known_after_any_number_of_others) {
  board.expect(1, kPmu, {});
  board.enabling(1);
  turn_begins();
  pass(5);
  read(5);
  const Picoseconds taken = now;
  board.keep_last_read(1);
  for (int i = 0; i < 1'000; ++i) {
    pass(1);
    read(static_cast<std::uint64_t>(i) + 6);
  }
  ASSERT_TRUE(board.last_read(1, taken));
  EXPECT_EQ(board.last_read(1, taken)->end, taken);
  EXPECT_EQ(board.last_read(1, taken)->low, 5U);
  EXPECT_EQ(board.last_read(1, now)->low, 1'005U);
}

}  // namespace
}  // namespace pmufab::scoreboard::test::settling_test
