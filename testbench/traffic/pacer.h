// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <boost/random/mersenne_twister.hpp>

#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::traffic {

/// The planned times of the requests of one phase.
class Pacer {
 public:
  /// @param base  when the phase starts
  Pacer(const PacingSpec& pacing, const std::optional<BurstSpec>& burst, Picoseconds base, RandomStream& random);

  /// @return when the next request is due.
  [[nodiscard]] Picoseconds due() const noexcept { return base_ + spread(active_); }
  /// @return the end of a phase that ends after the requests so far. At a fixed rate, this is when the next request
  ///         would be due; with random arrivals, which have no memory, it is the time of the last one.
  [[nodiscard]] Picoseconds end() const noexcept {
    return base_ + spread(kind_ == Kind::exponential ? last_ : active_);
  }
  /// The next request has been planned.
  void advance(RandomStream& random);

  /// @return the approximate number of requests that fit into `duration`; at least 1.
  [[nodiscard]] static std::uint64_t estimate(const PacingSpec& pacing, const std::optional<BurstSpec>& burst,
                                              Picoseconds duration) noexcept;

 private:
  using Kind = PacingSpec::Kind;

  // The pacing runs on a clock that stops in the pauses between bursts.
  [[nodiscard]] Picoseconds spread(Picoseconds active) const noexcept {
    return on_ == 0 ? active : active + active / on_ * off_;
  }
  Picoseconds random_gap(RandomStream& random) const;

  Kind kind_;
  Picoseconds base_;
  Picoseconds on_ = 0;
  Picoseconds off_ = 0;
  Picoseconds active_ = 0;  // time of the next request
  Picoseconds last_ = 0;    // time of the previous request
  // fixed: request n is due at ceil(n * 10^12 / rate), kept as a whole part and a remainder in units of 1 / rate.
  std::uint64_t rate_ = 0;  // requests per second
  Picoseconds gap_ = 0;     // whole part of the gap
  std::uint64_t gap_remainder_ = 0;
  std::uint64_t remainder_ = 0;
  double mean_ = 0.0;  // exponential: ps
};

/// Gaps between the successes of independent trials with the same probability: the cycles between packets of a source
/// that makes one with that probability in each cycle. Most gaps take one random number and a table look-up. The
/// probability of a gap is exact to 2^-32. Uses no function whose last bit differs between C libraries.
class GeometricGaps {
 public:
  /// For smaller probabilities gaps take too long to draw; from about 1e-13 on, drawing would never end.
  static constexpr double kSmallestProbability = 1e-9;

  /// @param probability  of success, kSmallestProbability ... 1
  explicit GeometricGaps(double probability);

  /// @param bits  32 random bits
  /// @return 1 or more. Draws from `engine` only for gaps longer than the table. These are rarer in proportion to the
  ///         numbers they need.
  std::uint64_t draw(std::uint32_t bits, boost::random::mt19937_64& engine) const {
    std::uint64_t gap = 0;
    while (bits < longer_[kLongest]) {
      gap += kLongest;
      bits = static_cast<std::uint32_t>(engine() >> 32);
    }
    unsigned rest = shortest_[bits >> 24];
    while (bits < longer_[rest]) ++rest;
    return gap + rest;
  }

 private:
  static constexpr unsigned kLongest = 1024;

  std::array<std::uint64_t, kLongest + 1> longer_{};  ///< by gap: probability of a longer one, in units of 2^-32
  std::array<std::uint16_t, 256> shortest_{};         ///< by the upper 8 bits: lower bound of the gap
};

}  // namespace pmufab::traffic
