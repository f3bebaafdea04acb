// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace pmufab::scoreboard {

/// @param places  a bit for each value of the enumeration `Place`
/// @return their names: "loc_cmem+rem"
template <typename Place>
[[nodiscard]] std::string places_text(std::uint32_t places) {
  std::string text;
  for (unsigned bit = 0; places >> bit != 0; ++bit) {
    if ((places >> bit & 1U) != 0)
      text += fmt::format("{}{}", text.empty() ? "" : "+", to_string(static_cast<Place>(bit)));
  }
  return text;
}

}  // namespace pmufab::scoreboard
