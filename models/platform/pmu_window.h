// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace pmufab::platform {

/// A range of addresses on the bus, which one target of the model serves.
struct PmuWindow {
  std::string name;  ///< on the bus: "socket0.ucf_pmu.page1"
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

/// @return whether one of them has that name
[[nodiscard]] inline bool has_window(const std::vector<PmuWindow>& windows, const std::string& name) {
  return std::any_of(windows.begin(), windows.end(), [&](const PmuWindow& one) { return one.name == name; });
}

}  // namespace pmufab::platform
