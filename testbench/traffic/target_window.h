// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::traffic {

inline constexpr std::uint64_t kLineBytes = 64;

/// A target as a range of system addresses.
struct Window {
  std::uint64_t base;
  std::uint64_t size;  ///< bytes
};

/// Why a target has no window.
struct TargetProblem {
  std::string member;  ///< name in Target
  std::string reason;
  std::string suggestion;
};

/// @return the addresses of `target`; empty if there are none, with the reason in `problem` if given.
std::optional<Window> resolve(const Target& target, const std::vector<MemoryRange>& map,
                              TargetProblem* problem = nullptr);

}  // namespace pmufab::traffic
