// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pmufab::scoreboard {

/// Why something that happened is not in the number that a driver reports (docs/scoreboard.md, "Three numbers").
enum class LossCause : std::uint8_t {
  // It was not counted, because at that time ...
  handler,        ///< ... an interrupt handler had stopped the PMU
  reading,        ///< ... software had stopped it to read counters
  not_scheduled,  ///< ... the event had no counter: others had their turn
  disabled,       ///< ... it was off for any other reason, as when other events were switched on or off
  // It was counted, and ...
  frozen,           ///< ... the hardware had stopped its counters by itself, at an overflow
  carry_under_way,  ///< ... a carry had not arrived when counting ended
  carry_lost,       ///< ... a carry was dropped, or software overwrote it
  ambiguous_wrap,   ///< ... a counter wrapped whole turns that software did not notice
  unexplained,      ///< ... nothing of this explains the difference: the driver, or the widths it presumes, are wrong
};
inline constexpr std::size_t kLossCauses = 9;
/// The causes from here on lie between what was counted and what was reported.
inline constexpr LossCause kFirstOfReporting = LossCause::frozen;

/// @return the word for a cause in files: "carry_under_way".
[[nodiscard]] constexpr std::string_view to_string(LossCause cause) noexcept {
  constexpr std::array<std::string_view, kLossCauses> kLossNames{"handler",    "reading",        "not_scheduled",
                                                                 "disabled",   "frozen",         "carry_under_way",
                                                                 "carry_lost", "ambiguous_wrap", "unexplained"};
  // cppcheck-suppress containerOutOfBounds ; it takes another enumeration's call for one of this function
  return kLossNames[static_cast<std::size_t>(cause)];
}

/// @param width  of a counter, in bits
/// @return ambiguous_wrap if whole turns of such a counter are missing, else unexplained
[[nodiscard]] constexpr LossCause wraps_or_unexplained(unsigned width, std::uint64_t counted,
                                                       std::uint64_t reported) noexcept {
  const bool turns = width < 64 && reported < counted && (counted - reported) % (std::uint64_t{1} << width) == 0;
  return turns ? LossCause::ambiguous_wrap : LossCause::unexplained;
}

/// Amounts by cause. One is negative where more was counted, or reported, than happened.
struct Losses {
  std::array<std::int64_t, kLossCauses> amount{};

  [[nodiscard]] std::int64_t& operator[](LossCause cause) noexcept { return amount[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] std::int64_t operator[](LossCause cause) const noexcept {
    return amount[static_cast<std::size_t>(cause)];
  }
  /// Modulo 2^64, as the numbers it is the difference of.
  [[nodiscard]] std::uint64_t sum() const noexcept {
    std::uint64_t total = 0;
    for (const std::int64_t one : amount) total += static_cast<std::uint64_t>(one);
    return total;
  }
  bool operator==(const Losses&) const = default;
};

/// What became of an event's occurrences: happened - counted - reported, and what was lost between them.
struct Account {
  std::uint64_t happened = 0;  ///< over the whole time in which the user wanted the event counted
  std::uint64_t counted = 0;   ///< of these, while the hardware was to count them
  Losses loss;                 ///< adds up to happened - reported

  bool operator==(const Account&) const = default;
  [[nodiscard]] bool adds_up(std::uint64_t reported) const noexcept { return loss.sum() == happened - reported; }
};

}  // namespace pmufab::scoreboard
