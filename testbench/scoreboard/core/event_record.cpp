// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/core/event_record.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace pmufab::scoreboard {
namespace {

// 1 s. Traffic is reported sooner than this after it happened, so an older reading can be judged for good.
constexpr Picoseconds kLatest = 1'000'000'000'000;

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
  spans_.clear();
  reads_.clear();
  marks_of_reads_.clear();
  settled_ = {};
  open_.reset();
  times_ = {};
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
  if (truth_ == nullptr || !times_.enabled()) return;
  times_.wait(truth_->mark(when), cause());
  truth_->window_opened();
}

void EventRecord::disabling(Picoseconds when) {
  if (truth_ == nullptr || !times_.disabling()) return;
  times_.end(truth_->mark(when));
  truth_->window_closed();
}

void EventRecord::disabled() {
  const bool was_open = times_.is_open();
  times_.disabled();
  if (was_open && !times_.is_open()) truth_->window_closed();
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
  if (times_.counts_from(begin)) truth_->window_opened();
  truth_->opened();
}

void EventRecord::close(const Mark& end) {
  spans_.push_back({*open_, end});
  truth_->closed();
  open_.reset();
  begin_gap(end);
}

LossCause EventRecord::cause() const {
  if (active_ || !pmu_.wanted) return pmu_.stopped_by;
  return LossCause::not_scheduled;
}

void EventRecord::begin_gap(const Mark& begin) {
  if (times_.counts_until(begin, cause())) truth_->window_closed();
}

void EventRecord::note_cause(Picoseconds when) {
  if (!open_ && times_.has_other_cause(cause())) times_.change(truth_->mark(when), cause());
}

void EventRecord::end_span(Picoseconds when) {
  if (open_ && !has_own_gate_) close(truth_->mark(when));
}

void EventRecord::end_span_at(const std::optional<Point>& point) {
  if (!open_ || has_own_gate_) return;
  if (point && point->open && point->spans == spans_.size()) {
    close(point->open->end);
  } else {
    const Mark begin = *open_;
    truth_->closed();
    open_.reset();
    begin_gap(begin);
  }
}

std::optional<EventRecord::Point> EventRecord::point(Picoseconds when) {
  if (truth_ == nullptr) return std::nullopt;
  Point point{spans_.size(), std::nullopt};
  if (open_) point.open = Span{*open_, truth_->mark(when)};
  return point;
}

std::optional<EventRecord::Point> EventRecord::point_of_read(Picoseconds when) {
  std::optional<Point> taken = point(when);
  if (taken && taken->open) marks_of_reads_.push_back(taken->open->end);
  return taken;
}

void EventRecord::judge_read(Picoseconds begin, Picoseconds end, std::uint64_t value, const std::optional<Point>& low,
                             const std::optional<Point>& high, const std::optional<Point>& sample,
                             Picoseconds busy_since) {
  driver_ = value;
  if (!low || !high) return;
  reads_.push_back({begin, end, value, sample.value_or(*low), sample.value_or(*high), sample.has_value()});
  constexpr std::size_t kMany = 64;
  if (reads_.size() >= kMany && busy_since > kLatest) settle_reads(busy_since - kLatest);
}

void EventRecord::settle_reads(Picoseconds until) {
  // All of reads_ are judged to settle some, so it is done when half of them can be settled.
  if (reads_[reads_.size() / 2].end >= until) return;
  for (const ReadCheck& check : read_checks()) {
    if (check.end >= until) break;
    settled_.add(check);
    reads_.pop_front();
  }
  // A reading within another one ends first, so the order of their begins is another.
  Picoseconds needed = until;
  for (const JudgedRead& read : reads_) needed = std::min(needed, read.begin);
  while (!marks_of_reads_.empty() && marks_of_reads_.front().when < needed) {
    truth_->forget(marks_of_reads_.front());
    marks_of_reads_.pop_front();
  }
}

std::vector<Span> EventRecord::spans_until(Picoseconds when) {
  std::vector<Span> spans = spans_;
  if (open_ && when >= open_->when) spans.push_back({*open_, truth_->mark(when)});
  return spans;
}

void EventRecord::forget_end(const std::vector<Span>& spans) {
  if (spans.size() > spans_.size()) truth_->forget(spans.back().end);
}

void EventRecord::forget(const Point& point) {
  if (point.open) truth_->forget(point.open->end);
}

std::uint64_t EventRecord::expected(Picoseconds when) {
  std::uint64_t sum = 0;
  if (truth_ == nullptr) return sum;
  const std::vector<Span> spans = spans_until(when);
  for (const Span& span : spans) sum += truth_->count(span);
  forget_end(spans);
  return sum;
}

std::vector<ReadCheck> EventRecord::read_checks() const {
  std::vector<std::uint64_t> before(1, 0);  // by span: count of all earlier spans
  for (const Span& span : spans_) before.push_back(before.back() + truth_->count(span));
  const auto value_of = [&](const Point& point) {
    return before[point.spans] + (point.open ? truth_->count(*point.open) : 0);
  };
  std::vector<ReadCheck> checks;
  std::uint64_t last = settled_.last ? settled_.last->value : 0;
  for (const JudgedRead& read : reads_) {
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
  Account account;
  account.counted = counted;
  std::optional<Mark> end = open_ ? open_ : now;
  if (spans.size() > spans_.size()) end = spans.back().end;
  const std::vector<Span> windows = times_.windows(end);
  for (const Span& window : windows) account.happened += truth_->happened(window);

  // What happened in a part of a window that begins here.
  std::size_t at = 0;
  const auto happened_in = [&](const Span& part) {
    while (at + 1 < windows.size() && windows[at + 1].begin.when <= part.begin.when) ++at;
    return truth_->happened({windows[at].begin, part.end}) - truth_->happened({windows[at].begin, part.begin});
  };
  const auto lose = [&](LossCause cause, std::uint64_t more) {
    account.loss[cause] = static_cast<std::int64_t>(static_cast<std::uint64_t>(account.loss[cause]) + more);
  };
  const std::vector<OpenTimes::Gap> gaps = times_.gaps(end);
  auto gap = gaps.begin();
  LossCause before = LossCause::disabled;  // the gap before a span
  for (const Span& span : spans) {
    for (; gap != gaps.end() && gap->span.end.when <= span.begin.when; ++gap)
      lose(before = gap->cause, happened_in(gap->span));
    // What begins anew may count otherwise for a moment, as thresholds do.
    lose(before, happened_in(span) - truth_->count(span));
  }
  for (; gap != gaps.end(); ++gap) lose(gap->cause, happened_in(gap->span));
  const std::uint64_t reported = driver_.value_or(0);
  if (reported != counted) {
    const std::optional<LossCause> known = truth_->cause_of_difference(spans, counted, reported);
    lose(known ? *known : wraps_or_unexplained(pmu_.counter_width(), counted, reported), counted - reported);
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
  for (const Span& span : spans_) result.windows.push_back({span.begin.when, span.end.when});
  const std::vector<Span> spans = spans_until(when);
  for (const Span& span : spans) {
    result.window_time += span.end.when - span.begin.when;
    result.expected += truth_->count(span);
  }
  const std::optional<Mark> now = !open_ && times_.lasts() ? std::optional(truth_->mark(when)) : std::nullopt;
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

}  // namespace pmufab::scoreboard
