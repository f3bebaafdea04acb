// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/checks.h"

#include <utility>

#include <fmt/format.h>

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kMaximumRanks = std::uint64_t{1} << 22;

void check_part(std::uint64_t bytes, const std::vector<Window>& windows, const std::string& field) {
  check(bytes != 0 && bytes % kLineBytes == 0, field, fmt::format("{} is not a multiple of 64", bytes));
  for (const Window& window : windows) {
    check(bytes <= window.size, field,
          fmt::format("{} bytes are more than the smallest target's {}", bytes, window.size));
  }
}

}  // namespace

void check(bool good, const std::string& field, std::string reason, std::string suggestion) {
  if (!good) throw SpecError(field, std::move(reason), std::move(suggestion));
}

void check_pacing(const PacingSpec& pacing, const std::string& field) {
  if (pacing.kind == PacingSpec::Kind::back_to_back) {
    check(pacing.gap >= 1, field + ".gap", "0 lets no time pass", "use 1 ps or more");
    return;
  }
  check(pacing.requests_per_us >= 1e-6 && pacing.requests_per_us <= 1e6, field + ".requests_per_us",
        fmt::format("{} is not within 0.000001 ... 1000000", pacing.requests_per_us));
}

void check_burst(const std::optional<BurstSpec>& burst, const std::string& field) {
  if (!burst) return;
  check(burst->on > 0, field + ".on", "the generator would never be on", "use 1 ps or more");
  check(burst->off > 0, field + ".off", "there is no pause between bursts", "leave the burst out");
}

void check_pattern(const PatternSpec& pattern, const std::vector<Window>& windows, const std::string& field) {
  switch (pattern.kind) {
    case PatternKind::uniform:
    case PatternKind::stream:
    case PatternKind::pointer_chase:
      break;
    case PatternKind::stride:
      check(pattern.stride >= 1, field + ".stride", "0 would stay in one place", "use the hotspot pattern for that");
      break;
    case PatternKind::hotspot:
      check(pattern.hot_fraction >= 0.0 && pattern.hot_fraction <= 1.0, field + ".hot_fraction",
            fmt::format("{} is not within 0 ... 1", pattern.hot_fraction));
      check_part(pattern.hot_size, windows, field + ".hot_size");
      break;
    case PatternKind::zipf:
      check(pattern.exponent > 0.0 && pattern.exponent <= 8.0, field + ".exponent",
            fmt::format("{} is not above 0 and up to 8", pattern.exponent), "use the uniform pattern for 0");
      check(pattern.ranks >= 1 && pattern.ranks <= kMaximumRanks, field + ".ranks",
            fmt::format("{} is not within 1 ... {}", pattern.ranks, kMaximumRanks));
      break;
    case PatternKind::producer_consumer:
      check_part(pattern.block_size, windows, field + ".block_size");
      break;
  }
}

}  // namespace pmufab::traffic
