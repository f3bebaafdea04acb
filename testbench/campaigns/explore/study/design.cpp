// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/design.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::explore {
namespace {

// Positions are also numbers of SQLite.
constexpr std::uint64_t kMostPositions = std::uint64_t{1} << 62;

std::vector<std::uint64_t> sorted_once(std::vector<std::uint64_t> sites) {
  std::ranges::sort(sites);
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return sites;
}

}  // namespace

Grid::Grid(std::vector<std::size_t> sizes, std::uint64_t repeats) : sizes_(std::move(sizes)), repeats_(repeats) {
  for (const std::size_t size : sizes_) {
    if (size > kMostPositions / repeats_ / sites_)
      throw scenario::InputError("the axes have more combinations than can be numbered", "give them fewer values");
    sites_ *= size;
  }
}

std::vector<std::size_t> Grid::values_at(std::uint64_t site) const {
  std::vector<std::size_t> values(sizes_.size());
  for (std::size_t i = sizes_.size(); i-- > 0;) {
    values[i] = site % sizes_[i];
    site /= sizes_[i];
  }
  return values;
}

std::uint64_t Grid::site_of(const std::vector<std::size_t>& values) const {
  std::uint64_t site = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) site = site * sizes_[i] + values[i];
  return site;
}

std::vector<std::uint64_t> latin_hypercube(const Grid& grid, std::size_t samples, std::uint64_t seed) {
  // Boost's generators and distributions give the same numbers everywhere; those of the standard library need not.
  boost::random::mt19937_64 random(seed);
  std::vector<std::vector<std::size_t>> points(samples);
  for (const std::size_t size : grid.sizes()) {
    std::vector<std::size_t> strata(samples);
    for (std::size_t i = 0; i < samples; ++i) strata[i] = i;
    for (std::size_t i = samples; i > 1; --i) {
      boost::random::uniform_int_distribution<std::size_t> other(0, i - 1);
      std::swap(strata[i - 1], strata[other(random)]);
    }
    for (std::size_t i = 0; i < samples; ++i) {
      // The stratum covers size / samples values; one of them, or the one it lies in, is taken.
      const std::size_t first = strata[i] * size / samples;
      const std::size_t last = std::max(first, ((strata[i] + 1) * size - 1) / samples);
      boost::random::uniform_int_distribution<std::size_t> within(first, std::min(last, size - 1));
      points[i].push_back(within(random));
    }
  }
  std::vector<std::uint64_t> sites;
  for (const std::vector<std::size_t>& point : points) sites.push_back(grid.site_of(point));
  return sorted_once(std::move(sites));
}

std::vector<std::uint64_t> sobol(const Grid& grid, std::size_t samples) {
  std::vector<std::uint64_t> sites;
  if (grid.sizes().empty()) return {0};
  boost::random::sobol sequence(grid.sizes().size());
  for (std::size_t i = 0; i < samples; ++i) {
    std::vector<std::size_t> point;
    for (const std::size_t size : grid.sizes()) {
      constexpr unsigned kBits = 32;
      point.push_back(static_cast<std::size_t>(((sequence() >> kBits) * size) >> kBits));
    }
    sites.push_back(grid.site_of(point));
  }
  return sorted_once(std::move(sites));
}

}  // namespace pmufab::explore
