#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "testbench/scoreboard/exact_clock.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// What the CMEM reads of one memory controller, or of all, amount to up to some instant.
struct CmemSums {
  std::uint64_t rd_req = 0;       ///< 32-byte requests that left before the instant
  std::uint64_t rd_cum_outs = 0;  ///< of each clock edge before the instant: requests in flight, start <= edge < end
  std::uint64_t latency_ps = 0;   ///< of the requests in rd_req: end - start of each, also when it ends later
  CmemSums& operator+=(const CmemSums& other) noexcept;
  CmemSums& operator-=(const CmemSums& other) noexcept;
  bool operator==(const CmemSums&) const = default;
};

/// The reads on the wires between one UCF and its local CMEM, as functions of time.
///
/// Reads may be told in advance (start in the future) or late; a checkpoint taken earlier is then corrected, so what
/// lies between two checkpoints is right once all reads are told.
class CmemTimeline {
 public:
  /// @param instances    of the CMEM latency PMU
  /// @param controllers  memory controllers of each; told apart as instance * controllers + controller
  CmemTimeline(const ExactClock& clock, std::size_t instances, std::size_t controllers);
  [[nodiscard]] std::size_t controllers_per_instance() const noexcept { return controllers_; }

  /// A read of `parts` 32-byte requests, on the wires in [start, end), at `controller`.
  void add(Picoseconds start, Picoseconds end, std::uint64_t parts, std::size_t controller);

  /// Remember an instant. @return its number
  std::size_t checkpoint(Picoseconds when);
  /// @return per controller, what lies before the instant of a checkpoint.
  [[nodiscard]] const std::vector<CmemSums>& at(std::size_t checkpoint) const {
    return checkpoints_.at(checkpoint).sums;
  }
  /// @return sum over all controllers of at(to) - at(from).
  [[nodiscard]] CmemSums between(std::size_t from, std::size_t to) const;
  /// @return per controller, what lies before `when`. Instants far before the latest checkpoint cannot be asked for.
  /// @throws std::logic_error then
  [[nodiscard]] std::vector<CmemSums> before(Picoseconds when) const;

 private:
  struct Read {
    Picoseconds start;
    Picoseconds end;
    std::uint64_t parts;
    std::size_t controller;
  };
  struct Checkpoint {
    Picoseconds when;
    std::vector<CmemSums> sums;
  };
  void add_before(std::vector<CmemSums>& sums, const Read& read, Picoseconds when) const;
  void settle(Picoseconds when);

  ExactClock clock_;
  std::size_t controllers_;
  std::vector<CmemSums> settled_;  // reads that ended before settled_until_ and are not in reads_ any more
  Picoseconds settled_until_ = 0;
  std::size_t since_settled_ = 0;
  std::deque<Read> reads_;              // in the order told
  std::deque<Checkpoint> checkpoints_;  // in the order taken, which is the order of time
};

}  // namespace pmufab::scoreboard
