// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <systemc>

namespace pmufab {

/// A point in simulated time, or a duration, in picoseconds. SystemC runs at its default resolution of 1 ps.
using Picoseconds = std::uint64_t;

/// @return `time` in picoseconds. The simulation must run at SystemC's default resolution (1 ps).
inline Picoseconds to_picoseconds(const sc_core::sc_time& time) noexcept { return time.value(); }

/// @return simulated time now.
inline Picoseconds simulated_time() noexcept { return to_picoseconds(sc_core::sc_time_stamp()); }

/// @return `duration` as SystemC time.
inline sc_core::sc_time to_sc_time(Picoseconds duration) { return sc_core::sc_time::from_value(duration); }

/// @return the time until something else happens in the simulation; 0 if it happens at this instant.
inline Picoseconds time_to_activity() {
  return to_picoseconds(sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext()));
}

/// A free-running clock of a fixed frequency. Nothing toggles: cycle counts are computed from time on demand.
///
/// Rising edge n (n = 0, 1, 2, ...) lies at exactly ceil(n * 10^12 / frequency) picoseconds. Rational frequencies do
/// not drift.
class ClockDomain {
 public:
  /// @param name          for reports
  /// @param frequency_hz  1 Hz ... 1 THz
  /// @throws std::invalid_argument outside that range
  ClockDomain(std::string name, std::uint64_t frequency_hz);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t frequency_hz() const noexcept { return frequency_hz_; }

  /// @return the number of rising edges in [0, when). A window [a, b) holds edges_before(b) - edges_before(a) edges.
  [[nodiscard]] std::uint64_t edges_before(Picoseconds when) const noexcept {
    if (when == 0) return 0;
    const std::uint64_t last = when - 1;
    if (last <= short_limit_) return last * numerator_ / denominator_ + 1;
    return static_cast<std::uint64_t>(static_cast<Wide>(last) * numerator_ / denominator_) + 1;
  }

  /// @return the time of rising edge `edge`, or the largest Picoseconds value if the edge lies beyond it.
  [[nodiscard]] Picoseconds time_of_edge(std::uint64_t edge) const noexcept {
    if (edge > short_edges_) [[unlikely]]
      return time_of_late_edge(edge);
    const std::uint64_t parts = edge * denominator_;
    return numerator_ == 1 ? parts : (parts + (numerator_ - 1)) / numerator_;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  [[nodiscard]] Picoseconds time_of_late_edge(std::uint64_t edge) const noexcept;

  std::string name_;
  std::uint64_t frequency_hz_;
  std::uint64_t numerator_;  // frequency / 10^12, reduced
  std::uint64_t denominator_;
  std::uint64_t short_limit_;  // largest time whose product with the numerator fits 64 bits
  std::uint64_t short_edges_;  // largest edge whose product with the denominator, rounded up, fits 64 bits
};

}  // namespace pmufab
