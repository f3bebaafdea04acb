// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <boost/random/mersenne_twister.hpp>

namespace pmufab::traffic {

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
