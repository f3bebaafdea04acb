// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace pmufab::explore {

/// All combinations of the values of some axes, each with a number. The last axis runs fastest. Each combination is
/// run several times, with other seeds, and each of these runs has a position.
class Grid {
 public:
  Grid() = default;
  /// @param sizes  how many values each axis has
  /// @throws scenario::InputError if there are more combinations than numbers
  Grid(std::vector<std::size_t> sizes, std::uint64_t repeats);

  [[nodiscard]] std::uint64_t sites() const noexcept { return sites_; }
  [[nodiscard]] std::uint64_t repeats() const noexcept { return repeats_; }
  [[nodiscard]] std::uint64_t positions() const noexcept { return sites_ * repeats_; }
  [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }
  /// @return which value each axis has in that combination
  [[nodiscard]] std::vector<std::size_t> values_at(std::uint64_t site) const;
  [[nodiscard]] std::uint64_t site_of(const std::vector<std::size_t>& values) const;

 private:
  std::vector<std::size_t> sizes_;
  std::uint64_t sites_ = 1;
  std::uint64_t repeats_ = 1;
};

/// @return so many combinations, sorted, each once: for each axis, about as many in each part of it.
[[nodiscard]] std::vector<std::uint64_t> latin_hypercube(const Grid& grid, std::size_t samples, std::uint64_t seed);

/// @return the first so many points of a Sobol sequence, as combinations: sorted, each once.
[[nodiscard]] std::vector<std::uint64_t> sobol(const Grid& grid, std::size_t samples);

}  // namespace pmufab::explore
