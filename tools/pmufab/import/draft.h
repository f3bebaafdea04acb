// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "tools/pmufab/import/machine.h"

namespace pmufab::cli {

/// A platform file as text.
struct Draft {
  std::string text;
  std::size_t pmus = 0;   ///< entries of CoreSight PMUs. One of several sockets is one entry
  std::string refusal{};  ///< why it does not load as it is; empty: it does
};

/// @return a platform with what firmware tells. What it does not tell is a placeholder with a comment TODO, or a
/// comment if there can be no placeholder. An entry that no platform can have is a comment with the reason.
/// @param name  the platform's
[[nodiscard]] Draft draft_of(const FoundMachine& machine, const std::string& name);

}  // namespace pmufab::cli
