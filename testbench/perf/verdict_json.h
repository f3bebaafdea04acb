// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "testbench/perf/verdict.h"

namespace pmufab::perf {

/// Verdicts as they stand in the files of --json and in the journal of a shell. The count is called by who counted:
/// "driver" or "guest". An event that was seen open has one "expected" count, any other the bounds "low" and "high";
/// neither has them if nobody can say.
[[nodiscard]] nlohmann::ordered_json to_json(const Verdict& verdict, const char* counter);
/// @throws nlohmann::json::exception for what to_json() did not write
[[nodiscard]] Verdict verdict_from_json(const nlohmann::ordered_json& json, const char* counter);
/// A check by its word.
void to_json(nlohmann::ordered_json& json, Check check);
void from_json(const nlohmann::ordered_json& json, Check& check);

}  // namespace pmufab::perf
