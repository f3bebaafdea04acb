// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/traffic/tegra410/traffic_spec.h"

namespace pmufab::traffic {

inline constexpr std::uint64_t kLineBytes = 64;

/// A target in system addresses.
struct Window {
  std::uint64_t base;
  std::uint64_t size;  ///< bytes
};

/// Why a target is no window.
struct TargetProblem {
  std::string member;  ///< of Target
  std::string reason;
  std::string suggestion;
};

/// @return the addresses `target` stands for, or nothing and, if `problem` is given, why.
std::optional<Window> resolve(const Target& target, const std::vector<MemoryRange>& map,
                              TargetProblem* problem = nullptr);

}  // namespace pmufab::traffic
