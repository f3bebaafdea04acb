// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace pmufab::verify {

/// The random numbers of one generated case. The same seed gives the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// @return a number of `least` ... `most`, equally likely
  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    return boost::random::uniform_int_distribution<std::uint64_t>(least, most)(engine_);
  }
  /// @return true in `percent` of 100 cases
  bool chance(unsigned percent) { return number(1, 100) <= percent; }
  /// @return one of the items, equally likely; there must be one
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(number(0, items.size() - 1))];
  }
  template <typename T>
  T pick(std::initializer_list<T> items) {
    return items.begin()[static_cast<std::size_t>(number(0, items.size() - 1))];
  }
  /// Put the items into a random order.
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[static_cast<std::size_t>(number(0, left - 1))]);
  }

 private:
  boost::random::mt19937_64 engine_;
};

}  // namespace pmufab::verify
