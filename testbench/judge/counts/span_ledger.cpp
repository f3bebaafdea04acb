// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/counts/span_ledger.h"

#include <utility>

namespace pmufab::scoreboard {
namespace {

bool is_same(const Mark& one, const Mark& other) { return one.when == other.when && one.position == other.position; }

/// Marks of one instant are in the order of their positions.
bool is_before(const Mark& one, const Mark& other) {
  return std::pair(one.when, one.position) < std::pair(other.when, other.position);
}

void lose(Losses& losses, LossCause cause, std::uint64_t more) {
  losses[cause] = static_cast<std::int64_t>(static_cast<std::uint64_t>(losses[cause]) + more);
}

}  // namespace

/// What happened in parts of windows. Parts come in order of time.
class SpanLedger::Windows {
 public:
  Windows(const EventTruth& truth, std::vector<Mark> beginnings) : truth_(truth), beginnings_(std::move(beginnings)) {}

  /// Something may count otherwise when it begins anew, so a part is the difference of two that begin with the window.
  [[nodiscard]] std::uint64_t happened_in(const Span& part) {
    const Mark& begin = beginning_of(part);
    return truth_.happened({begin, part.end}) - truth_.happened({begin, part.begin});
  }
  [[nodiscard]] const Mark& beginning_of(const Span& part) {
    while (at_ + 1 < beginnings_.size() && !is_before(part.begin, beginnings_[at_ + 1])) ++at_;
    return beginnings_[at_];
  }

 private:
  const EventTruth& truth_;
  std::vector<Mark> beginnings_;
  std::size_t at_ = 0;
};

void SpanLedger::settle(EventTruth& truth, Picoseconds until) {
  Windows windows(truth, times_.beginnings());
  std::deque<OpenTimes::Gap>& gaps = times_.ended_gaps();
  // Turns may have no length, so several may be of one instant.
  const auto is_gap_next = [&] {
    return !gaps.empty() && (spans_.empty() || is_before(gaps.front().span.begin, spans_.front().begin));
  };
  const auto next = [&] { return is_gap_next() ? gaps.front().span : spans_.front(); };
  while (!gaps.empty() || !spans_.empty()) {
    const Span part = next();
    if (part.end.when >= until) break;
    const std::uint64_t happened = windows.happened_in(part);
    if (is_gap_next()) {
      settled_.before = gaps.front().cause;
      lose(settled_.loss, settled_.before, happened);
      gaps.pop_front();
    } else {
      const std::uint64_t counted = truth.count(part);
      lose(settled_.loss, settled_.before, happened - counted);
      settled_.counted += counted;
      settled_.time += part.end.when - part.begin.when;
      ++settled_.spans;
      truth.settle(part);
      spans_.pop_front();
    }
    // Its end is where the next one begins. A window's beginning is needed until the window is settled.
    if (!is_same(part.begin, windows.beginning_of(part))) truth.forget(part.begin);
  }
  std::deque<Span>& closed = times_.closed_windows();
  while (!closed.empty()) {
    const Span window = closed.front();
    const bool has_more = (!gaps.empty() || !spans_.empty()) && next().begin.when < window.end.when;
    if (has_more || window.end.when >= until) break;
    settled_.happened += truth.happened(window);
    truth.forget(window.begin);
    if (!is_same(window.begin, window.end)) truth.forget(window.end);
    closed.pop_front();
  }
}

Account SpanLedger::account(const EventTruth& truth, std::span<const Span> spans,
                            const std::optional<Mark>& end) const {
  Account account;
  account.happened = settled_.happened;
  account.loss = settled_.loss;
  const std::vector<Span> all = times_.windows(end);
  std::vector<Mark> beginnings;
  for (const Span& window : all) {
    account.happened += truth.happened(window);
    beginnings.push_back(window.begin);
  }
  Windows windows(truth, std::move(beginnings));
  const std::vector<OpenTimes::Gap> gaps = times_.gaps(end);
  auto gap = gaps.begin();
  LossCause before = settled_.before;
  for (const Span& span : spans) {
    for (; gap != gaps.end() && is_before(gap->span.begin, span.begin); ++gap)
      lose(account.loss, before = gap->cause, windows.happened_in(gap->span));
    // What begins anew may count otherwise for a moment, as thresholds do.
    lose(account.loss, before, windows.happened_in(span) - truth.count(span));
  }
  for (; gap != gaps.end(); ++gap) lose(account.loss, gap->cause, windows.happened_in(gap->span));
  return account;
}

}  // namespace pmufab::scoreboard
