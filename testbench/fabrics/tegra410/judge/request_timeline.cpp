// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/request_timeline.h"

#include <algorithm>
#include <stdexcept>

namespace pmufab::scoreboard {
namespace {

// How long a request is kept after its end, so that sums slightly before the latest instant are possible.
constexpr Picoseconds kMemory = 10'000'000;
// Requests are reported when they are accepted, and at the latest so long after they began. Latencies do not matter.
constexpr Picoseconds kLatest = 100'000'000;
// Without checkpoints, requests are settled from time to time: few enough that they stay in the caches. If more are too
// young, as many again are awaited, so that each is looked at about twice.
constexpr std::size_t kSettleEvery = 1'024;

}  // namespace

RequestSums& RequestSums::operator+=(const RequestSums& other) noexcept {
  requests += other.requests;
  outstanding += other.outstanding;
  latency_ps += other.latency_ps;
  return *this;
}

RequestSums& RequestSums::operator-=(const RequestSums& other) noexcept {
  requests -= other.requests;
  outstanding -= other.outstanding;
  latency_ps -= other.latency_ps;
  return *this;
}

RequestTimeline::RequestTimeline(const ExactClock& clock, std::size_t lanes, Picoseconds ahead)
    : clock_(clock), ahead_(ahead), settled_(lanes), settle_after_(kSettleEvery) {}

void RequestTimeline::add(Picoseconds start, Picoseconds end, std::uint64_t amount, std::size_t lane) {
  if (start < final_) throw std::logic_error("scoreboard: a request is reported more than 100 us late");
  const Request request{start, end, amount, lane};
  for (auto entry = checkpoints_.rbegin(); entry != checkpoints_.rend() && entry->second.when > start; ++entry)
    add_before(entry->second.sums, request, entry->second.when);
  if (is_settled(start, end)) {
    add_before(settled_, request, settled_until_);
  } else {
    requests_.push_back(request);
  }
  if (++since_settled_ >= settle_after_ && start > ahead_) settle(start - ahead_);
}

std::size_t RequestTimeline::checkpoint(Picoseconds when) {
  settle(when);
  latest_ = std::max(latest_, when);
  checkpoints_.emplace_hint(checkpoints_.end(), next_checkpoint_, Checkpoint{when, before(when)});
  return next_checkpoint_++;
}

Picoseconds RequestTimeline::final_before() const {
  if (latest_ > kLatest) final_ = std::max(final_, latest_ - kLatest);
  return final_;
}

RequestSums RequestTimeline::between(std::size_t from, std::size_t to) const {
  RequestSums sum;
  for (const RequestSums& lane : at(to)) sum += lane;
  for (const RequestSums& lane : at(from)) sum -= lane;
  return sum;
}

std::vector<RequestSums> RequestTimeline::before(Picoseconds when) const {
  if (when < settled_until_) throw std::logic_error("scoreboard: time runs backwards by more than 10 us");
  std::vector<RequestSums> sums = settled_;
  for (const Request& request : requests_) add_before(sums, request, when);
  return sums;
}

void RequestTimeline::add_before(std::vector<RequestSums>& sums, const Request& request, Picoseconds when) const {
  if (request.start >= when) return;
  if (request.lane >= sums.size()) sums.resize(settled_.size());  // the checkpoint is older than the lane
  RequestSums& sum = sums.at(request.lane);
  sum.requests += request.amount;
  sum.outstanding += request.amount * clock_.edges_in(request.start, std::min(request.end, when));
  sum.latency_ps += request.amount * (request.end - request.start);
}

void RequestTimeline::settle(Picoseconds when) {
  if (when < kMemory || when - kMemory <= settled_until_) return;
  settled_until_ = when - kMemory;
  since_settled_ = 0;
  std::erase_if(requests_, [&](const Request& request) {
    if (!is_settled(request.start, request.end)) return false;
    add_before(settled_, request, settled_until_);
    return true;
  });
  settle_after_ = std::max(kSettleEvery, requests_.size());
}

}  // namespace pmufab::scoreboard
