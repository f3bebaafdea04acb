// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pmufab::cli {

/// @param event   that is counted wrong
/// @param note    what the result says of its count
/// @param kernel  version of the drivers
/// @return which known defect of Linux shows itself so, in one sentence; empty if none of scenarios/known-defects does,
///         or those files are not there
[[nodiscard]] std::string known_defect_like(const std::string& event, const std::string& note,
                                            const std::string& kernel);

}  // namespace pmufab::cli
