// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "testbench/judge/losses.h"
#include "testbench/perf/verdict.h"

/// What became of an event's occurrences (docs/scoreboard.md, "Three numbers"), for files and for people.
namespace pmufab::perf {

/// @return the count, scaled up to the time that the event was to count, as perf does in floating point.
[[nodiscard]] std::uint64_t scaled_up(std::uint64_t count, const Turns& turns);

/// @return the account with the number that was reported, of which nothing is known but that it may differ.
[[nodiscard]] scoreboard::Account with_reported(scoreboard::Account account, std::uint64_t reported);

/// Add the keys happened, counted, reported, scaled and loss; null where they are not known.
void add_account(nlohmann::ordered_json& json, const std::optional<scoreboard::Account>& account,
                 std::optional<std::uint64_t> reported, const Turns& turns);
/// @return what add_account() has added; nothing if it was not known, or is missing
[[nodiscard]] std::optional<scoreboard::Account> account_from_json(const nlohmann::ordered_json& json);

/// @return whether more or less happened than was counted, and it is worth a column: not if it is below 5 % and comes
///         from switching events on and off
[[nodiscard]] bool has_blind_time(const scoreboard::Account& account) noexcept;
/// @return the losses in words: "lost: 84,513 handler, 12 disabled"; empty if there are none
[[nodiscard]] std::string describe(const scoreboard::Losses& loss);
/// @return a note on a count with the losses behind it.
[[nodiscard]] std::string with_losses(std::string note, const scoreboard::Losses& loss);

}  // namespace pmufab::perf
