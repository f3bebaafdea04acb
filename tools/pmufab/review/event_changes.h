// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace pmufab::cli {

/// What events the changed drivers show otherwise.
struct EventChanges {
  struct Change {
    std::string text;
    std::string measurable{};  ///< the event's name; empty: nothing can count it, or something did by its former name
  };
  std::vector<Change> changes;
  std::set<std::string> renamed;     ///< new names of events that there were before
  std::set<std::string> measurable;  ///< names of all changes
};

/// @param scenarios  whose platforms the drivers are asked on
/// @param stock, changed  libraries of drivers
[[nodiscard]] EventChanges event_changes(const std::vector<std::filesystem::path>& scenarios,
                                         const std::filesystem::path& stock, const std::filesystem::path& changed);

}  // namespace pmufab::cli
