// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "testbench/run/results/results.h"

namespace pmufab::cli {

/// The lines of an access log from which an explanation is told, as indices.
struct StoryPart {
  std::size_t first = 0;
  std::size_t last = 0;  ///< 0: there is none
  bool is_wrong = false;
  bool has_right = false;  ///< `first` begins the call with a right count
};

/// Mark the lines about an event, for the functions below. @param text  of the event, as the scenario has it
/// @return false if there are none
bool mark_event(std::vector<scenario::Json>& log, const std::string& text);

/// The lines between the last right count of the marked event and its first wrong one, both included. If its driver has never given
/// a count: from its opening, or that of its group, to the last line about it.
/// @param is_refused  the part ends where the driver refuses it
[[nodiscard]] StoryPart part_of_count(const std::vector<scenario::Json>& log, bool is_refused);
/// The lines from the opening of the marked event, or of its group, to its end, if the driver refuses one of the group a
/// counter.
[[nodiscard]] StoryPart part_of_refusal(const std::vector<scenario::Json>& log);
/// The lines up to a driver's first access of one of the addresses, from the opening of the event before it.
/// @param addresses  "0x10000400"
/// @param function   of the driver, as the log begins its name: "cxl_pmu_enable()"; empty: any
[[nodiscard]] StoryPart part_of_access(const std::vector<scenario::Json>& log, const std::set<std::string>& addresses,
                                       const std::string& function);
/// The lines up to the first warning of the kernel, from the opening of the event before it.
[[nodiscard]] StoryPart part_of_warning(const std::vector<scenario::Json>& log);
/// The lines up to the first warning of the kernel that is in `text`, from the opening of the event before it, or from the
/// beginning.
[[nodiscard]] StoryPart part_of_message(const std::vector<scenario::Json>& log, const std::string& text);

/// Tell a part: both ends, and the most telling and latest lines between them, with what was set before and is still so.
/// @param most  lines
[[nodiscard]] std::vector<std::string> tell(const std::vector<scenario::Json>& log, const StoryPart& part,
                                            std::size_t most);

}  // namespace pmufab::cli
