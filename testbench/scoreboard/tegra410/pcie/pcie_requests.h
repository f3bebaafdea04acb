// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "testbench/scoreboard/core/exact_clock.h"
#include "testbench/scoreboard/tegra410/pcie/pcie_meaning.h"
#include "testbench/scoreboard/tegra410/request_timeline.h"

namespace pmufab::scoreboard {

/// What the requests of one device below one root port to one destination amount to.
struct PcieLane {
  unsigned root_port;
  std::uint16_t bdf;
  PcieDestination destination;
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t latency_ps = 0;   ///< of the reads: from acceptance to answer, summed up
  std::uint64_t outstanding = 0;  ///< of each clock edge, reads without an answer; not filled by PcieRequests::lanes()

  /// @return how much of `event` this is.
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

  /// Since the beginning, in the order in which lanes were first used.
  [[nodiscard]] const std::vector<PcieLane>& lanes() const noexcept { return lanes_; }
  /// The same numbers as lanes(): outstanding reads as functions of time.
  [[nodiscard]] RequestTimeline& reads() noexcept { return reads_; }
  [[nodiscard]] const RequestTimeline& reads() const noexcept { return reads_; }

 private:
  std::size_t lane_of(unsigned root_port, std::uint16_t bdf, PcieDestination destination);

  std::vector<PcieLane> lanes_;
  std::map<std::uint32_t, std::size_t> numbers_;
  RequestTimeline reads_;
};

}  // namespace pmufab::scoreboard
