// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/events/event_record.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "testbench/judge/events/event_result.h"

namespace pmufab::scoreboard {
namespace {

/// What a difference tells by itself: a counter that wrapped, or was added more than once.
/// @param width  of the PMU's counters
std::string remark_on(std::uint64_t expected, std::uint64_t driver, unsigned width) {
  constexpr std::uint64_t kMostTimes = 16;  // small numbers are multiples of each other by chance
  if (expected > kMostTimes && driver > expected && driver % expected == 0 && driver / expected <= kMostTimes)
    return driver / expected == 2 ? ": twice what happened"
                                  : fmt::format(": {} times what happened", driver / expected);
  if (driver > kMostTimes && expected > driver && expected % driver == 0 && expected / driver <= kMostTimes)
    return expected / driver == 2 ? ": half of what happened"
                                  : fmt::format(": one in {} of what happened", expected / driver);
  const std::uint64_t difference = driver > expected ? driver - expected : expected - driver;
  constexpr unsigned kLeastWidth = 16;  // small numbers are multiples of less by chance
  constexpr unsigned kWord = 64;
  if (difference != 0 && width >= kLeastWidth && width < kWord && (difference & ((std::uint64_t{1} << width) - 1)) == 0)
    return difference >> width == 1 ? fmt::format(": 2^{}", width)
                                    : fmt::format(": {} times 2^{}", difference >> width, width);
  constexpr int kNarrowest = 20;  // a wrap of a narrower counter is of no width that is known here
  const int bits = difference == 0 ? 0 : std::countr_zero(difference);
  const std::uint64_t times = difference >> bits;
  if (bits < kNarrowest || times > kMostTimes) return {};
  return times == 1 ? fmt::format(": 2^{}", bits) : fmt::format(": {} times 2^{}", times, bits);
}

std::string difference(std::uint64_t expected, std::uint64_t driver, unsigned width) {
  if (driver == 0) return "the driver counted nothing";
  const std::string remark = remark_on(expected, driver, width);
  if (driver < expected) return fmt::format("{} missing{}", expected - driver, remark);
  const std::uint64_t above = driver - expected;
  // In two's complement this is a small negative number.
  return above >> 63 != 0 ? fmt::format("{} too many (-{}: wrapped; is a mask missing?)", above, -above)
                          : fmt::format("{} too many{}", above, remark);
}

}  // namespace

void EventRecord::set_truth(std::unique_ptr<EventTruth> truth, Picoseconds when) {
  truth_ = std::move(truth);
  ledger_ = {};
  room_ = kLeastRoom;
  reads_.clear();
  marks_of_reads_.clear();
  settled_ = {};
  kept_.reset();
  open_.reset();
  has_own_gate_ = false;
  if (active_) truth_->activated();
  if (pmu_.running) begin_span(when);
}

void EventRecord::activate(Picoseconds when) {
  if (!active_ && truth_ != nullptr) truth_->activated();
  active_ = true;
  if (pmu_.running) begin_span(when);
  note_cause(when);
}

void EventRecord::deactivate(Picoseconds when) {
  const bool was_active = std::exchange(active_, false);
  end_span(when);
  if (was_active && truth_ != nullptr) truth_->deactivated();
  note_cause(when);
}

void EventRecord::enabled(Picoseconds when) {
  if (truth_ == nullptr || !ledger_.times().enabled()) return;
  ledger_.times().wait(truth_->mark(when), cause());
  truth_->window_opened();
}

void EventRecord::disabling(Picoseconds when) {
  if (truth_ == nullptr || !ledger_.times().disabling()) return;
  ledger_.times().end(truth_->mark(when));
  truth_->window_closed();
}

void EventRecord::disabled() {
  const bool was_open = ledger_.times().is_open();
  ledger_.times().disabled();
  if (was_open && !ledger_.times().is_open()) truth_->window_closed();
}

void EventRecord::activate_by_call(Picoseconds begin, Picoseconds end) {
  const bool may_begin = truth_ != nullptr && !open_;
  const std::optional<Mark> mark = may_begin ? truth_->own_begin(begin) : std::nullopt;
  if (mark) has_own_gate_ = true;
  if (mark) open(*mark);
  activate(end);
}

void EventRecord::deactivate_by_call(Picoseconds begin, Picoseconds end) {
  if (has_own_gate_ && open_) close(truth_->own_end(begin, end));
  has_own_gate_ = false;
  deactivate(end);
}

void EventRecord::begin_span(Picoseconds when) {
  if (active_ && !open_ && truth_ != nullptr) open(truth_->mark(when));
}

void EventRecord::open(const Mark& begin) {
  open_ = begin;
  if (ledger_.times().counts_from(begin)) truth_->window_opened();
  truth_->opened();
}

void EventRecord::close(const Mark& end) {
  ledger_.add({*open_, end});
  truth_->closed();
  open_.reset();
  begin_gap(end);
}

LossCause EventRecord::cause() const {
  if (active_ || !pmu_.wanted) return pmu_.stopped_by;
  return LossCause::not_scheduled;
}

void EventRecord::begin_gap(const Mark& begin) {
  if (ledger_.times().counts_until(begin, cause())) truth_->window_closed();
}

void EventRecord::note_cause(Picoseconds when) {
  if (!open_ && ledger_.times().has_other_cause(cause())) ledger_.times().change(truth_->mark(when), cause());
}

void EventRecord::end_span(Picoseconds when) {
  if (open_ && !has_own_gate_) close(truth_->mark(when));
}

void EventRecord::end_span_at(const std::optional<Point>& point) {
  if (open_ && !has_own_gate_ && point && point->open && point->spans == ledger_.number()) {
    close(point->open->end);
    return;
  }
  if (point) forget(*point);
  if (!open_ || has_own_gate_) return;
  const Mark begin = *open_;
  truth_->closed();
  open_.reset();
  begin_gap(begin);
}

std::optional<EventRecord::Point> EventRecord::point(Picoseconds when) {
  if (truth_ == nullptr) return std::nullopt;
  Point point{ledger_.number(), std::nullopt};
  if (open_) point.open = Span{*open_, truth_->mark(when)};
  return point;
}

std::optional<EventRecord::Point> EventRecord::point_of_read(Picoseconds when) {
  std::optional<Point> taken = point(when);
  if (taken && taken->open) marks_of_reads_.push_back(taken->open->end);
  return taken;
}

void EventRecord::judge_read(Picoseconds begin, Picoseconds end, std::uint64_t value, const std::optional<Point>& low,
                             const std::optional<Point>& high, const std::optional<Point>& sample) {
  driver_ = value;
  if (!low || !high) return;
  reads_.push_back({begin, end, value, sample.value_or(*low), sample.value_or(*high), sample.has_value()});
}

void EventRecord::settle(Picoseconds busy_since) {
  if (truth_ == nullptr || waiting() < room_) return;
  const Picoseconds until = std::min(busy_since, truth_->final_before());
  ledger_.settle(*truth_, settle_reads(until));
  // If much is too young, as much again is awaited, so that each is looked at about twice.
  room_ = std::max(kLeastRoom, 2 * waiting());
}

Picoseconds EventRecord::settle_reads(Picoseconds until) {
  for (const ReadCheck& check : read_checks(until)) {
    settled_.add(check);
    if (reads_.front().is_kept) kept_ = check;
    reads_.pop_front();
  }
  // A reading within another one ends first, so the order of their begins is another.
  for (const JudgedRead& read : reads_) until = std::min(until, read.begin);
  while (!marks_of_reads_.empty() && marks_of_reads_.front().when < until) {
    truth_->forget(marks_of_reads_.front());
    marks_of_reads_.pop_front();
  }
  return until;
}

void EventRecord::keep_last_read() {
  if (reads_.empty()) {
    kept_ = settled_.last;
  } else {
    reads_.back().is_kept = true;
  }
}

std::vector<Span> EventRecord::spans_until(Picoseconds when) {
  std::vector<Span> spans(ledger_.kept().begin(), ledger_.kept().end());
  if (open_ && when >= open_->when) spans.push_back({*open_, truth_->mark(when)});
  return spans;
}

void EventRecord::forget_end(const std::vector<Span>& spans) {
  if (spans.size() > ledger_.kept().size()) truth_->forget(spans.back().end);
}

void EventRecord::forget(const Point& point) {
  if (point.open) truth_->forget(point.open->end);
}

std::uint64_t EventRecord::expected(Picoseconds when) {
  if (truth_ == nullptr) return 0;
  std::uint64_t sum = ledger_.settled_count();
  const std::vector<Span> spans = spans_until(when);
  for (const Span& span : spans) sum += truth_->count(span);
  forget_end(spans);
  return sum;
}

std::vector<ReadCheck> EventRecord::read_checks(Picoseconds until) const {
  const std::deque<Span>& spans = ledger_.kept();
  std::vector<std::uint64_t> before(1, ledger_.settled_count());  // by span: count of all earlier spans
  const auto value_of = [&](const Point& point) {
    const std::size_t number = point.spans - ledger_.settled_spans();
    while (before.size() <= number) before.push_back(before.back() + truth_->count(spans.at(before.size() - 1)));
    return before[number] + (point.open ? truth_->count(*point.open) : 0);
  };
  std::vector<ReadCheck> checks;
  std::uint64_t last = settled_.last ? settled_.last->value : 0;
  for (const JudgedRead& read : reads_) {
    if (read.end >= until) break;
    ReadCheck& check = checks.emplace_back();
    check.begin = read.begin;
    check.end = read.end;
    check.value = read.value;
    check.low = value_of(read.low);
    check.high = read.sampled ? check.low : value_of(read.high);
    check.sampled = read.sampled;
    check.possible = truth_->allows(check.value, check.low, check.high);
    check.monotonic = read.value >= last || !truth_->grows();
    last = read.value;
  }
  return checks;
}

std::optional<ReadCheck> EventRecord::last_read(Picoseconds until) const {
  std::optional<ReadCheck> last;
  if (truth_ == nullptr) return last;
  if (kept_ && kept_->end <= until) last = kept_;
  if (settled_.last && settled_.last->end <= until) last = settled_.last;
  for (const ReadCheck& check : read_checks()) {
    if (check.end <= until) last = check;
  }
  return last;
}

void EventRecord::Readings::add(const ReadCheck& check) {
  constexpr std::size_t kKept = 8;
  ++all;
  if (check.sampled) ++sampled;
  if (!check.ok()) {
    ++failed;
    if (first_failed.size() < kKept) first_failed.push_back(check);
  }
  last = check;
}

Account EventRecord::account(const std::vector<Span>& spans, std::uint64_t counted, const std::optional<Mark>& now) {
  std::optional<Mark> end = open_ ? open_ : now;
  if (spans.size() > ledger_.kept().size()) end = spans.back().end;
  Account account = ledger_.account(*truth_, spans, end);
  account.counted = counted;
  const std::uint64_t reported = driver_.value_or(0);
  if (reported != counted) {
    const std::optional<LossCause> known = truth_->cause_of_difference(spans, counted, reported);
    const LossCause cause = known ? *known : wraps_or_unexplained(pmu_.counter_width(), counted, reported);
    account.loss[cause] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(account.loss[cause]) + counted - reported);
  }
  return account;
}

EventResult EventRecord::result(Picoseconds when) {
  EventResult result;
  result.event = handle_;
  result.pmu = pmu_.name();
  result.running = active_;
  result.driver = driver_;
  result.meaning = truth_->text();
  result.refusal = refusal_;
  for (const Span& span : ledger_.kept()) result.windows.push_back({span.begin.when, span.end.when});
  result.window_time = ledger_.settled_time();
  result.expected = ledger_.settled_count();
  const std::vector<Span> spans = spans_until(when);
  for (const Span& span : spans) {
    result.window_time += span.end.when - span.begin.when;
    result.expected += truth_->count(span);
  }
  const std::optional<Mark> now = !open_ && ledger_.times().lasts() ? std::optional(truth_->mark(when)) : std::nullopt;
  result.account = account(spans, result.expected, now);
  if (now) truth_->forget(*now);
  Readings readings = settled_;
  for (const ReadCheck& check : read_checks()) readings.add(check);
  result.reads = readings.all;
  result.reads_sampled = readings.sampled;
  result.reads_failed = readings.failed;
  result.failed_reads = std::move(readings.first_failed);
  result.last_read = readings.last;
  truth_->describe(spans, result);

  using Match = EventResult::Match;
  if (!driver_) {
    result.match = Match::not_counted;
  } else if (active_) {
    result.match = result.reads_failed != 0 ? Match::mismatch : Match::within;
  } else {
    result.match = result.reads_failed == 0 && *driver_ == result.expected ? Match::exact : Match::mismatch;
  }
  // A wrong value read while the event runs can only be explained at its own instant, the final one from all windows.
  // If only readings before it were wrong, there is nothing to explain.
  if (result.match == Match::mismatch && *driver_ != result.expected) {
    result.explanation = difference(result.expected, *driver_, pmu_.counter_width());
    const std::string more = truth_->explain(spans, *driver_);
    if (!more.empty()) result.explanation += "; " + more;
  }
  forget_end(spans);
  return result;
}

std::string_view to_string(EventResult::Match match) noexcept {
  switch (match) {
    case EventResult::Match::exact:
      return "exact";
    case EventResult::Match::within:
      return "within";
    case EventResult::Match::mismatch:
      return "mismatch";
    case EventResult::Match::not_counted:
      break;
  }
  return "not counted";
}

}  // namespace pmufab::scoreboard
