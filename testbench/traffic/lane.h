// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "testbench/traffic/producers/producer.h"
#include "tlm/spec/latency_histogram.h"

namespace pmufab::traffic {

/// The statistics of a generator. Latencies run from the issue of a request to the completion that the fabric
/// annotated.
struct GeneratorStatistics {
  std::string name;
  std::uint64_t issued = 0;
  std::uint64_t bytes = 0;      ///< payload of reads, writes and atomics
  std::uint64_t errors = 0;     ///< requests answered with anything but TLM_OK_RESPONSE (they count as issued)
  std::uint64_t delayed = 0;    ///< requests that waited for the outstanding limit
  Picoseconds waited = 0;       ///< how long these waited, in all
  std::uint64_t dropped = 0;    ///< requests still waiting when their phase ended
  Picoseconds latency_sum = 0;  ///< the exact mean latency is latency_sum / issued
  Picoseconds latency_max = 0;
  Picoseconds last_completion = 0;     ///< absolute
  std::uint32_t peak_outstanding = 0;  ///< most requests in flight at once

  /// @return mean latency in picoseconds, rounded down; 0 if nothing was issued.
  [[nodiscard]] Picoseconds mean_latency() const noexcept { return issued == 0 ? 0 : latency_sum / issued; }
};

/// The stage between a producer, which plans, and the issuer, which sends. It applies the outstanding limit and
/// computes when the next request is sent. Plain C++; times are relative to the issuer's start.
class Lane {
 public:
  Lane(std::unique_ptr<Producer> producer, std::string name);

  /// @return when the next request is sent; kNever at the end.
  [[nodiscard]] Picoseconds next_time() const noexcept { return next_; }
  /// @return the request to send at next_time(), unless that is kNever.
  [[nodiscard]] const Request& request() const noexcept { return buffer_[position_]; }
  /// The request was sent at next_time() and completes at `completion`. Advances to the next one.
  void sent(Picoseconds completion, bool failed) {
    const Picoseconds latency = completion - next_;
    ++statistics_.issued;
    statistics_.bytes += request().length;
    statistics_.latency_sum += latency;
    statistics_.latency_max = std::max(statistics_.latency_max, latency);
    latencies_.add(latency);
    statistics_.last_completion = std::max(statistics_.last_completion, completion);
    if (failed) ++statistics_.errors;
    // A request without latency never counts as in flight together with another.
    in_flight_.push_back(completion);
    std::push_heap(in_flight_.begin(), in_flight_.end(), std::greater<>());
    statistics_.peak_outstanding =
        std::max(statistics_.peak_outstanding, static_cast<std::uint32_t>(in_flight_.size()));
    last_ = next_;
    ++position_;
    find_next();
  }

  [[nodiscard]] const Producer& producer() const noexcept { return *producer_; }
  /// @return the requests sent by then that have not completed. @param when  not before the last one was sent
  [[nodiscard]] std::uint64_t outstanding(Picoseconds when) const noexcept {
    return static_cast<std::uint64_t>(std::count_if(in_flight_.begin(), in_flight_.end(),
                                                    [when](Picoseconds completion) { return completion > when; }));
  }
  /// @return the statistics so far; last_completion is relative to the issuer's start.
  [[nodiscard]] const GeneratorStatistics& statistics() const noexcept { return statistics_; }
  [[nodiscard]] const LatencyHistogram& latencies() const noexcept { return latencies_; }

 private:
  void find_next();
  bool refill();
  void take_over_phase();
  void retire(Picoseconds when);
  [[nodiscard]] Picoseconds room_at() const;

  std::unique_ptr<Producer> producer_;
  std::vector<Request> buffer_;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  Picoseconds next_ = 0;
  Picoseconds last_ = 0;  // when the last request was sent
  // State of the phase.
  Picoseconds slip_ = 0;  // delay against the plan, in a phase that does not catch up
  Picoseconds deadline_ = kNever;
  std::uint32_t limit_ = 0;
  bool catch_up_ = true;
  std::vector<Picoseconds> in_flight_;  // completions: a heap, the earliest on top
  GeneratorStatistics statistics_;
  LatencyHistogram latencies_;
};

}  // namespace pmufab::traffic
