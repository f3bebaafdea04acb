// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"
#include "testbench/fabrics/tegra410/judge/request_timeline.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// Sums over the requests of one device below one root port to one destination.
struct PcieLane {
  unsigned root_port;
  std::uint16_t bdf;
  PcieDestination destination;
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t latency_ps = 0;   ///< sum over reads, from acceptance to answer
  std::uint64_t outstanding = 0;  ///< sum over clock edges of the reads without an answer; not filled in by
                                  ///< PcieRequests::lanes()

  /// @return the lane's amount of `event`.
  [[nodiscard]] std::uint64_t amount(PcieEvent event) const noexcept;
  PcieLane& operator+=(const PcieLane& other) noexcept;
  PcieLane& operator-=(const PcieLane& other) noexcept;
};

/// The requests of the devices below one root complex, from the wires.
class PcieRequests {
 public:
  explicit PcieRequests(const ExactClock& clock) : reads_(clock, 0) {}

  /// A request was accepted. @param bytes  of its data
  void accept(unsigned root_port, std::uint16_t bdf, PcieDestination destination, bool is_read, std::uint64_t bytes);
  /// The answer to a read that was accepted at `start` is back at `end`.
  void answer(unsigned root_port, std::uint16_t bdf, PcieDestination destination, Picoseconds start, Picoseconds end);

  /// An event (not rd_cum_outs) happened `amount` times at once. No device has the requester id of its lane, 0.
  void count(unsigned root_port, PcieDestination destination, PcieEvent event, std::uint64_t amount);

  /// @return all lanes since the beginning, in order of first use.
  [[nodiscard]] const std::vector<PcieLane>& lanes() const noexcept { return lanes_; }
  /// @return the outstanding reads as functions of time; lanes are numbered as in lanes().
  [[nodiscard]] RequestTimeline& reads() noexcept { return reads_; }
  [[nodiscard]] const RequestTimeline& reads() const noexcept { return reads_; }

 private:
  std::size_t lane_of(unsigned root_port, std::uint16_t bdf, PcieDestination destination);

  std::vector<PcieLane> lanes_;
  std::map<std::uint32_t, std::size_t> numbers_;
  RequestTimeline reads_;
};

}  // namespace pmufab::scoreboard
