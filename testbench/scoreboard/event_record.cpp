#include "testbench/scoreboard/event_record.h"

#include <utility>

namespace pmufab::scoreboard {

void EventRecord::begin_add() {
  // An event that is added again without having been deleted was refused the last time.
  if (active_) {
    counted_ = before_add_;
    open_.reset();
    suspected_.reset();
    active_ = false;
  }
  before_add_ = counted_;
}

void EventRecord::end_add(bool accepted, const Instant& now) {
  if (accepted) activate(now);
}

void EventRecord::activate(const Instant& now) {
  active_ = true;
  if (pmu_.running) open(now);
}

void EventRecord::deactivate(const Instant& now) {
  close(now);
  active_ = false;
}

void EventRecord::open(const Instant& now) {
  if (active_ && !open_) open_ = now;
}

void EventRecord::close(const Instant& now) {
  if (!open_) return;
  // A stop that takes effect before the window began (a driver that forgot the write) leaves nothing of it.
  if (now.number >= open_->number) {
    if (pmu_.kind() == PmuWatch::Kind::ucf) {
      UcfTally inside = now.ucf;
      inside -= open_->ucf;
      counted_.ucf += inside;
    } else {
      counted_.spans.push_back({open_->checkpoint, now.checkpoint});
    }
    counted_.edges += clock_.edges_in(open_->when, now.when);
    counted_.windows.push_back({open_->when, now.when});
  }
  open_.reset();
}

bool EventRecord::counts_edges() const {
  if (const auto* const ucf = std::get_if<UcfMeaning>(&*meaning_)) return ucf->kind == UcfMeaning::Kind::cycles;
  return std::get<CmemMeaning>(*meaning_) == CmemMeaning::cycles;
}

std::uint64_t EventRecord::pick(const CmemSums& sums) const {
  return std::get<CmemMeaning>(*meaning_) == CmemMeaning::rd_req ? sums.rd_req : sums.rd_cum_outs;
}

UcfTally EventRecord::ucf_counted(const UcfTally& now) const {
  UcfTally sum = counted_.ucf;
  if (open_) {
    sum += now;
    sum -= open_->ucf;
  }
  return sum;
}

std::vector<CmemSums> EventRecord::cmem_counted(Picoseconds when) const {
  std::vector<CmemSums> sums;
  const auto add = [&](const std::vector<CmemSums>& end, const std::vector<CmemSums>& begin) {
    sums.resize(end.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += end[i];
      sums[i] -= begin[i];
    }
  };
  for (const Span& span : counted_.spans) add(timeline_.at(span.end), timeline_.at(span.begin));
  if (open_) add(timeline_.before(when), timeline_.at(open_->checkpoint));
  return sums;
}

std::optional<EventRecord::Point> EventRecord::point(const Instant& now) const {
  if (!meaning_) return std::nullopt;
  Point point;
  if (counts_edges()) {
    point.value = counted_.edges + (open_ ? clock_.edges_in(open_->when, now.when) : 0);
  } else if (const auto* const ucf = std::get_if<UcfMeaning>(&*meaning_)) {
    if (ucf->kind == UcfMeaning::Kind::traffic) {
      point.value = ucf_counted(now.ucf)[ucf->event].sum(ucf->sources, ucf->destinations);
    }
  } else {
    point.lazy = true;
    point.spans = counted_.spans.size();
    point.end = now.checkpoint;
    if (open_) point.begin = open_->checkpoint;
  }
  return point;
}

std::uint64_t EventRecord::value_of(const Point& point) const {
  if (!point.lazy) return point.value;
  CmemSums sums;
  for (std::size_t i = 0; i < point.spans; ++i) {
    sums += timeline_.between(counted_.spans[i].begin, counted_.spans[i].end);
  }
  if (point.begin) sums += timeline_.between(*point.begin, point.end);
  return pick(sums);
}

void EventRecord::judge_read(Picoseconds begin, Picoseconds end, std::uint64_t value, const std::optional<Point>& low,
                             const std::optional<Point>& high, const std::optional<Point>& sample) {
  driver_ = value;
  if (!low || !high) return;
  reads_.push_back({begin, end, value, sample.value_or(*low), sample.value_or(*high), sample.has_value()});
}

std::uint64_t EventRecord::expected(const UcfTally& ucf, Picoseconds when) const {
  if (!meaning_) return 0;
  if (counts_edges()) return counted_.edges + (open_ ? clock_.edges_in(open_->when, when) : 0);
  if (const auto* const meaning = std::get_if<UcfMeaning>(&*meaning_)) {
    if (meaning->kind == UcfMeaning::Kind::nothing) return 0;
    return ucf_counted(ucf)[meaning->event].sum(meaning->sources, meaning->destinations);
  }
  CmemSums sum;
  for (const CmemSums& controller : cmem_counted(when)) sum += controller;
  return pick(sum);
}

void EventRecord::add_reads(EventResult& result) const {
  constexpr std::size_t kKept = 8;
  std::uint64_t last = 0;
  for (const JudgedRead& read : reads_) {
    ReadCheck check{};
    check.begin = read.begin;
    check.end = read.end;
    check.value = read.value;
    check.low = value_of(read.low);
    check.high = read.sampled ? check.low : value_of(read.high);
    check.sampled = read.sampled;
    check.monotonic = read.value >= last;
    last = read.value;
    ++result.reads;
    if (read.sampled) ++result.reads_sampled;
    if (!check.ok()) {
      ++result.reads_failed;
      if (result.failed_reads.size() < kKept) result.failed_reads.push_back(check);
    }
    result.last_read = check;
  }
}

EventResult EventRecord::result(const UcfTally& ucf, Picoseconds when) const {
  EventResult result;
  result.event = handle_;
  result.pmu = pmu_.name();
  result.running = active_;
  result.expected = expected(ucf, when);
  result.driver = driver_;
  result.windows = counted_.windows;
  for (const CountingWindow& window : counted_.windows) result.window_time += window.end - window.begin;
  std::uint64_t edges = counted_.edges;
  if (open_ && when > open_->when) {
    result.window_time += when - open_->when;
    edges += clock_.edges_in(open_->when, when);
  }
  add_reads(result);

  const auto* const meaning = std::get_if<UcfMeaning>(&*meaning_);
  const UcfTally ucf_sums = meaning != nullptr ? ucf_counted(ucf) : UcfTally{};
  const std::vector<CmemSums> cmem_sums = meaning != nullptr ? std::vector<CmemSums>{} : cmem_counted(when);
  std::uint64_t bytes = 0;
  if (meaning != nullptr) {
    result.meaning = meaning->text;
    if (meaning->kind == UcfMeaning::Kind::traffic) {
      result.breakdown = ucf_sums[meaning->event];
      const bool counts_bytes = meaning->event == UcfEvent::slc_bytes_rd || meaning->event == UcfEvent::slc_bytes_wr ||
                                meaning->event == UcfEvent::mem_bytes_rd || meaning->event == UcfEvent::mem_bytes_wr;
      if (counts_bytes) bytes = result.expected;
    }
  } else {
    const auto event = std::get<CmemMeaning>(*meaning_);
    result.meaning = event == CmemMeaning::cycles ? "cycles" : event == CmemMeaning::rd_req ? "rd_req" : "rd_cum_outs";
    CmemSums sum;
    for (const CmemSums& controller : cmem_sums) sum += controller;
    result.mean_read_latency_ps = {sum.latency_ps, sum.rd_req};
    if (event == CmemMeaning::rd_req) bytes = sum.rd_req * 32;
  }
  if (bytes != 0) result.bandwidth_bytes_per_ns = {bytes * 1000, result.window_time};

  using Verdict = EventResult::Verdict;
  if (!driver_) {
    result.verdict = Verdict::not_counted;
  } else if (active_) {
    result.verdict = result.reads_failed != 0 ? Verdict::mismatch : Verdict::within;
  } else {
    result.verdict = result.reads_failed == 0 && *driver_ == result.expected ? Verdict::exact : Verdict::mismatch;
  }
  if (result.verdict == Verdict::mismatch) {
    // A wrong value read while the event runs may be explained by its own instant only; the final one by all windows.
    result.explanation = meaning != nullptr ? explain_ucf(*meaning, ucf_sums, edges, *driver_)
                                            : explain_cmem(std::get<CmemMeaning>(*meaning_), cmem_sums,
                                                           timeline_.controllers_per_instance(), edges, *driver_);
  }
  return result;
}

}  // namespace pmufab::scoreboard
