// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace pmufab::perf {

/// The outcome of comparing a count with the scoreboard's.
enum class Check : std::uint8_t {
  exact,       ///< equal to the scoreboard's
  within,      ///< between its bounds ("about"), where nobody knows exactly when an event was open
  wrong,       ///< differs, or another check of this count failed
  not_opened,  ///< the driver refused the event
  refused,     ///< the driver refused the event, as it had to
  unchecked,   ///< the scoreboard cannot say, or no comparison was wanted
};

/// @return the word in result files: "exact", "not_opened"
[[nodiscard]] std::string_view to_string(Check check) noexcept;
/// @return the check of that word; unchecked for any other
[[nodiscard]] Check check_called(std::string_view word) noexcept;
/// @param symbols  of UTF-8
/// @return the mark in tables for people: "✓" or "ok", "≈" or "about", "✗" or "WRONG", "-"
[[nodiscard]] std::string_view mark_of(Check check, bool symbols) noexcept;

}  // namespace pmufab::perf
