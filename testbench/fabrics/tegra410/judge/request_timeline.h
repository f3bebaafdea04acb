// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "testbench/judge/exact_clock.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// Sums over the requests of one lane, or of all, up to an instant.
struct RequestSums {
  std::uint64_t requests = 0;     ///< those that left before the instant
  std::uint64_t outstanding = 0;  ///< sum over earlier clock edges of the requests in flight: start <= edge < end
  std::uint64_t latency_ps = 0;   ///< sum of end - start over those in `requests`, even if they end later
  RequestSums& operator+=(const RequestSums& other) noexcept;
  RequestSums& operator-=(const RequestSums& other) noexcept;
  bool operator==(const RequestSums&) const = default;
};

/// Requests on some wires, as functions of time. Lanes separate what must be distinguished: memory controllers,
/// instances of a link, reads and writes.
///
/// Requests may be reported in advance (start in the future) or late. A checkpoint taken earlier is then corrected, so
/// the difference between two checkpoints is right once all requests are reported.
class RequestTimeline {
 public:
  /// @param clock  outstanding requests are counted at its edges
  /// @param ahead  how long before its start a request may be reported, at most
  RequestTimeline(const ExactClock& clock, std::size_t lanes, Picoseconds ahead = 0);

  /// Add `amount` requests at once, at `when`. If they are outstanding, they are so at the next clock edge and no other;
  /// otherwise at none.
  void add_at_once(Picoseconds when, bool is_outstanding, std::uint64_t amount, std::size_t lane) {
    add(when, is_outstanding ? clock_.time_of(clock_.edges_before(when)) + 1 : when, amount, lane);
  }

  /// Add one lane, after the others.
  void add_lane() { settled_.emplace_back(); }
  [[nodiscard]] std::size_t lanes() const noexcept { return settled_.size(); }
  /// Add `amount` requests on the wires in [start, end).
  /// @throws std::logic_error if they begin before what final_before() has said
  void add(Picoseconds start, Picoseconds end, std::uint64_t amount, std::size_t lane);

  /// Record an instant, not before the latest one. @return its number
  std::size_t checkpoint(Picoseconds when);
  /// @return the instant before which no request will begin that is not reported yet.
  [[nodiscard]] Picoseconds final_before() const;
  /// Drop a checkpoint. Its number is not used again, and at() throws for it.
  void forget(std::size_t checkpoint) { checkpoints_.erase(checkpoint); }
  /// @return per lane, the sums before the instant of a checkpoint. Lanes added later may be missing: their sums are
  ///         zero.
  /// @throws std::out_of_range for a forgotten checkpoint
  [[nodiscard]] const std::vector<RequestSums>& at(std::size_t checkpoint) const {
    return checkpoints_.at(checkpoint).sums;
  }
  /// @return sum over all lanes of at(to) - at(from).
  [[nodiscard]] RequestSums between(std::size_t from, std::size_t to) const;
  /// @return per lane, the sums before `when`, which must not be far before the latest checkpoint.
  /// @throws std::logic_error if it is
  [[nodiscard]] std::vector<RequestSums> before(Picoseconds when) const;

 private:
  struct Request {
    Picoseconds start;
    Picoseconds end;
    std::uint64_t amount;
    std::size_t lane;
  };
  struct Checkpoint {
    Picoseconds when;
    std::vector<RequestSums> sums;
  };
  void add_before(std::vector<RequestSums>& sums, const Request& request, Picoseconds when) const;
  void settle(Picoseconds when);
  /// What takes no time and is at settled_until_ is not before it.
  [[nodiscard]] bool is_settled(Picoseconds start, Picoseconds end) const noexcept {
    return end <= settled_until_ && start < settled_until_;
  }

  ExactClock clock_;
  Picoseconds ahead_;
  std::vector<RequestSums> settled_;  // requests that ended before settled_until_ and have left requests_
  Picoseconds settled_until_ = 0;
  std::size_t since_settled_ = 0;
  std::size_t settle_after_ = 0;                   // requests
  std::vector<Request> requests_;                  // in order of reporting
  std::map<std::size_t, Checkpoint> checkpoints_;  // by number, in order of time
  std::size_t next_checkpoint_ = 0;
  Picoseconds latest_ = 0;         // checkpoint
  mutable Picoseconds final_ = 0;  // as final_before() has said
};

/// The checkpoints of one user of a timeline, kept until they are forgotten or this object ends.
class Checkpoints {
 public:
  /// @param timeline  must outlive this object
  explicit Checkpoints(RequestTimeline& timeline) : timeline_(timeline) {}
  ~Checkpoints() {
    for (const std::size_t number : numbers_) timeline_.forget(number);
  }
  Checkpoints& operator=(Checkpoints&&) = delete;

  /// @return its number in the timeline
  std::size_t take(Picoseconds when) { return *numbers_.insert(timeline_.checkpoint(when)).first; }
  /// @return the same as the timeline's.
  [[nodiscard]] Picoseconds final_before() const { return timeline_.final_before(); }
  /// Drop one that take() returned.
  void forget(std::size_t number) {
    timeline_.forget(number);
    numbers_.erase(number);
  }

 private:
  RequestTimeline& timeline_;
  std::set<std::size_t> numbers_;
};

}  // namespace pmufab::scoreboard
