// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/verdict.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/yaml/quantity.h"
#include "tlm/spec/printable.h"

namespace pmufab::perf {
namespace {

std::string duration(Picoseconds span) { return scenario::format_quantity(span, scenario::Quantity::duration); }

std::string describe(const scoreboard::ReadCheck& check, Picoseconds zero) {
  std::string allowed = with_separators(check.low);
  if (check.high != check.low) allowed += " ... " + with_separators(check.high);
  return fmt::format("that at {} was {} instead of {}", duration(check.begin - std::min(zero, check.begin)),
                     with_separators(check.value), check.possible ? "at least as much as the one before it" : allowed);
}

/// Sentences of one note.
class Note {
 public:
  void add(const std::string& text) {
    if (text.empty()) return;
    if (!text_.empty()) text_ += "; ";
    text_ += text;
  }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  Judgement with(Check check) && { return {check, std::move(text_)}; }

 private:
  std::string text_;
};

}  // namespace

bool Turns::is_shared() const noexcept { return static_cast<double>(running) < 0.9 * static_cast<double>(enabled); }

std::string describe(const Turns& turns, Picoseconds rotation) {
  if (!turns.is_shared()) return {};
  if (turns.is_never()) {
    // After seven turns, each of ten events on six counters has had a counter.
    return fmt::format(
        "not counted: never had a counter (events take turns of {}: count for about {}; a group needs all its counters "
        "at once)",
        duration(rotation), duration(rotation * 15 / 2));
  }
  return fmt::format("had a counter {:.0f} % of the time",
                     100.0 * static_cast<double>(turns.running) / static_cast<double>(turns.enabled));
}

Expected expected_of(const scoreboard::EventResult& judged, Picoseconds zero) {
  Expected expected;
  expected.low = judged.expected;
  expected.high = judged.expected;
  expected.is_right = judged.match == scoreboard::EventResult::Match::exact;
  expected.reads = judged.reads;
  expected.reads_failed = judged.reads_failed;
  if (!judged.failed_reads.empty()) expected.first_failed = describe(judged.failed_reads.front(), zero);
  expected.refusal = judged.refusal;
  expected.explanation = judged.explanation;
  expected.remark = judged.remark;
  expected.summary = std::string(scoreboard::to_string(judged.match));
  return expected;
}

Expected not_judged(std::string reason) {
  Expected expected;
  expected.not_judged = std::move(reason);
  return expected;
}

Judgement judge(const Count& count, const Expected& expected) {
  Note note;
  const bool has_bounds = expected.low && expected.high;
  if (!has_bounds) {
    const bool nobody = expected.not_judged.empty() || expected.not_judged == kNobodyJudges;
    note.add(nobody ? std::string(kNobodyJudges) : fmt::format("not judged: {}", expected.not_judged));
  }
  if (!expected.refusal.empty()) note.add(expected.refusal);
  if (expected.refusal.empty() || !count.turns.is_never()) note.add(describe(count.turns, count.rotation));
  if (!count.read_error.empty()) note.add(fmt::format("could not be read: {}", count.read_error));
  if (!has_bounds || !expected.is_compared) return std::move(note).with(Check::unchecked);
  if (!count.unknown.empty()) {
    note.add(count.unknown);
    return std::move(note).with(Check::unchecked);
  }
  if (count.is_estimate) {
    note.add("an estimate: the event had a counter for part of the time only");
    return std::move(note).with(Check::unchecked);
  }

  const bool has_read_nothing = count.read_error.empty() && count.value.value_or(0) == 0 && expected.reads_failed == 0;
  if (count.turns.is_never() && has_read_nothing && expected.refusal.empty() && !expected.is_nonzero)
    return std::move(note).with(Check::unchecked);
  bool good = expected.is_right && !count.turns.is_never() && expected.refusal.empty();
  if (!count.value) {
    if (!count.turns.is_never() && count.read_error.empty()) note.add("could not be read");
    good = false;
  } else if (*count.value < *expected.low && count.is_cut_short) {
    note.add("perf -I does not print the counts after the last interval");
    return std::move(note).with(Check::unchecked);
  } else if (*count.value < *expected.low || *count.value > *expected.high) {
    if (!expected.doubt.empty()) {
      note.add(expected.doubt);
      return std::move(note).with(Check::unchecked);
    }
    good = false;
  }
  if (expected.reads_failed > 0) {
    note.add(fmt::format("{} of {} readings {} impossible{}{}", expected.reads_failed, expected.reads,
                         expected.reads_failed == 1 ? "was" : "were",
                         expected.reads_failed == 1 || expected.first_failed.empty() ? "" : "; the first",
                         expected.first_failed.empty() ? "" : ": " + expected.first_failed));
    good = false;
  }
  if (!good) note.add(expected.explanation);
  note.add(expected.remark);
  if (expected.is_nonzero && count.value == 0U) {
    note.add("0, and the scenario says 'nonzero'");
    good = false;
  }
  if (!good && note.empty()) note.add(expected.summary);
  if (!good) return std::move(note).with(Check::wrong);
  return std::move(note).with(*expected.low == *expected.high ? Check::exact : Check::within);
}

Verdict verdict_on(std::string event, const Count& count, const Expected& expected) {
  Judgement judgement = judge(count, expected);
  return {std::move(event), count.value, expected.low, expected.high, judgement.check, std::move(judgement.note), {}};
}

}  // namespace pmufab::perf
