#include "testbench/scoreboard/cmem_timeline.h"

#include <algorithm>
#include <stdexcept>

namespace pmufab::scoreboard {
namespace {

// How long a read is kept after its end, so that an instant slightly before the latest one can still be asked for.
constexpr Picoseconds kMemory = 10'000'000;
// Without checkpoints reads are settled every so often all the same, to bound the memory of a long run.
constexpr std::size_t kSettleEvery = 65'536;

}  // namespace

CmemSums& CmemSums::operator+=(const CmemSums& other) noexcept {
  rd_req += other.rd_req;
  rd_cum_outs += other.rd_cum_outs;
  latency_ps += other.latency_ps;
  return *this;
}

CmemSums& CmemSums::operator-=(const CmemSums& other) noexcept {
  rd_req -= other.rd_req;
  rd_cum_outs -= other.rd_cum_outs;
  latency_ps -= other.latency_ps;
  return *this;
}

CmemTimeline::CmemTimeline(const ExactClock& clock, std::size_t instances, std::size_t controllers)
    : clock_(clock), controllers_(controllers), settled_(instances * controllers) {}

void CmemTimeline::add(Picoseconds start, Picoseconds end, std::uint64_t parts, std::size_t controller) {
  const Read read{start, end, parts, controller};
  for (auto earlier = checkpoints_.rbegin(); earlier != checkpoints_.rend() && earlier->when > start; ++earlier) {
    add_before(earlier->sums, read, earlier->when);
  }
  if (end <= settled_until_) {
    add_before(settled_, read, settled_until_);
  } else {
    reads_.push_back(read);
  }
  if (++since_settled_ >= kSettleEvery) settle(start);
}

std::size_t CmemTimeline::checkpoint(Picoseconds when) {
  settle(when);
  checkpoints_.push_back({when, before(when)});
  return checkpoints_.size() - 1;
}

CmemSums CmemTimeline::between(std::size_t from, std::size_t to) const {
  CmemSums sum;
  for (const CmemSums& controller : at(to)) sum += controller;
  for (const CmemSums& controller : at(from)) sum -= controller;
  return sum;
}

std::vector<CmemSums> CmemTimeline::before(Picoseconds when) const {
  if (when < settled_until_) throw std::logic_error("scoreboard: time runs backwards by more than 10 us");
  std::vector<CmemSums> sums = settled_;
  for (const Read& read : reads_) add_before(sums, read, when);
  return sums;
}

void CmemTimeline::add_before(std::vector<CmemSums>& sums, const Read& read, Picoseconds when) const {
  if (read.start >= when) return;
  CmemSums& sum = sums.at(read.controller);
  sum.rd_req += read.parts;
  sum.rd_cum_outs += read.parts * clock_.edges_in(read.start, std::min(read.end, when));
  sum.latency_ps += read.parts * (read.end - read.start);
}

void CmemTimeline::settle(Picoseconds when) {
  if (when < kMemory || when - kMemory <= settled_until_) return;
  settled_until_ = when - kMemory;
  since_settled_ = 0;
  std::erase_if(reads_, [&](const Read& read) {
    if (read.end > settled_until_) return false;
    add_before(settled_, read, settled_until_);
    return true;
  });
}

}  // namespace pmufab::scoreboard
