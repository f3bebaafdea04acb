// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>

namespace pmufab::traffic {

/// @return a well mixed function of `value`: every bit of the result depends on every bit of the value.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15ULL;  // the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ value >> 27) * 0x94d049bb133111ebULL;
  return value ^ value >> 31;
}

/// @return a hash of `text` that never changes (FNV-1a).
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
  return hash;
}

/// @return `value`, which is not negative and below 2^63, rounded to the nearest integer, halves up. Exact.
[[nodiscard]] inline std::uint64_t rounded(double value) noexcept {
  const auto whole = static_cast<std::uint64_t>(value);
  return value - static_cast<double>(whole) >= 0.5 ? whole + 1 : whole;
}

/// Draws integers below a limit, all equally likely. The results are those of Boost's uniform_int_distribution; the
/// division that depends on the limit alone is done once.
class UniformBelow {
 public:
  /// @param limit  not 0. For 1 nothing is drawn.
  constexpr explicit UniformBelow(std::uint64_t limit)
      : limit_(limit),
        shift_(std::has_single_bit(limit) ? static_cast<unsigned>(64 - std::countr_zero(limit)) : 0),
        bucket_(std::has_single_bit(limit) ? 0 : ~std::uint64_t{0} / limit) {}

  std::uint64_t operator()(boost::random::mt19937_64& engine) const {
    if (limit_ == 1) return 0;
    if (shift_ != 0) return engine() >> shift_;
    for (;;) {
      const std::uint64_t drawn = bucket_of(engine());
      if (drawn < limit_) return drawn;
    }
  }

 private:
  /// @return number / bucket_, without a division where possible: for limits below 2^32, number * limit_ / 2^64 is this or
  ///         one less.
  [[nodiscard]] constexpr std::uint64_t bucket_of(std::uint64_t number) const {
    __extension__ using Wide = unsigned __int128;
    if (limit_ >> 32 != 0) return number / bucket_;
    const auto estimate = static_cast<std::uint64_t>(static_cast<Wide>(number) * limit_ >> 64);
    return estimate + (number - estimate * bucket_ >= bucket_ ? 1 : 0);
  }

  std::uint64_t limit_;
  unsigned shift_;        ///< not 0: the limit is a power of two, and the result is what this leaves
  std::uint64_t bucket_;  ///< otherwise: numbers of the engine with the same result
};

/// Random numbers that are the same on every machine: Boost's engine and distributions, an explicit seed.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : engine_(seed) {}

  /// @return 0 ... limit - 1, all equally likely; `limit` is not 0. Draws nothing for a limit of 1.
  std::uint64_t below(std::uint64_t limit) { return UniformBelow(limit)(engine_); }
  /// @return exponentially distributed with mean 1.
  double exponential() { return boost::random::exponential_distribution<double>()(engine_); }
  /// @return exponentially distributed with that mean, rounded down. It only compares random numbers (J. von Neumann,
  ///         "Various techniques used in connection with random digits", 1951): no library of mathematics has a part in
  ///         the result.
  std::uint64_t exponential(std::uint64_t mean) {
    __extension__ using Wide = unsigned __int128;
    for (std::uint64_t whole = 0;; ++whole) {
      const std::uint64_t first = engine_();
      bool is_odd = true;  // how many numbers fall, one after the other
      for (std::uint64_t last = first, next = engine_(); next < last; last = next, next = engine_()) is_odd = !is_odd;
      if (is_odd) return whole * mean + static_cast<std::uint64_t>(static_cast<Wide>(first) * mean >> 64U);
    }
  }
  /// @return true with that probability, 0 ... 1.
  bool happens(double probability) {
    constexpr std::uint64_t kScale = std::uint64_t{1} << 53;  // what a double holds
    return below(kScale) < rounded(probability * static_cast<double>(kScale));
  }

 private:
  boost::random::mt19937_64 engine_;
};

/// A choice among values with integer weights.
template <typename Value>
class WeightedChoice {
 public:
  void add(Value value, std::uint64_t weight) {
    if (weight == 0) return;
    total_ += weight;
    values_.push_back(value);
    ends_.push_back(total_);
  }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

  /// @return the value whose share holds `point`, 0 ... total() - 1.
  [[nodiscard]] const Value& at(std::uint64_t point) const noexcept {
    std::size_t i = 0;
    while (point >= ends_[i]) ++i;
    return values_[i];
  }
  /// Draws nothing if there is only one value.
  const Value& choose(RandomStream& random) const {
    return values_.size() == 1 ? values_[0] : at(random.below(total_));
  }

 private:
  std::vector<Value> values_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t total_ = 0;
};

}  // namespace pmufab::traffic
