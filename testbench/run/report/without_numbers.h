// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pmufab::scenario {

/// @return the text with '*' for every number, decimal or hexadecimal, with its separators: equal for PMUs of one kind
///         and for messages of one cause. Digits in the middle of a word, as in "c2c" or "m2s_req", are no number.
[[nodiscard]] std::string without_numbers(std::string_view text);

}  // namespace pmufab::scenario
