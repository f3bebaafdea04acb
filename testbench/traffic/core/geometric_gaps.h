// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <boost/random/mersenne_twister.hpp>

namespace pmufab::traffic {

/// Gaps between the successes of trials that succeed with the same probability each: how many cycles lie between the
/// packets of a source that flips a coin each cycle. One random number and a look into a table for most gaps; the
/// probability of a gap is exact to 2^-32. Uses no function whose last bit differs between C libraries.
class GeometricGaps {
 public:
  /// Gaps of still smaller ones take too long to draw; from about 1e-13 on it would never end.
  static constexpr double kSmallestProbability = 1e-9;

  /// @param probability  of success, kSmallestProbability ... 1
  explicit GeometricGaps(double probability);

  /// @param bits  32 random bits
  /// @return 1 or more. Draws from `engine` only for gaps longer than the table, which are as much rarer as the numbers
  ///   they need are more.
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
  std::array<std::uint16_t, 256> shortest_{};         ///< by the upper 8 bits: no gap is shorter
};

}  // namespace pmufab::traffic
