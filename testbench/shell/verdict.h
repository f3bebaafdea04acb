// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "testbench/scenario/report/results.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// What came of comparing a count with the scoreboard's.
enum class Check : std::uint8_t {
  exact,
  within,  ///< its bounds: of a guest, where nobody knows just when an event was open
  wrong,
  unchecked
};

/// What became of one event that a program in the shell counted.
struct Verdict {
  using Check = shell::Check;
  std::string event;                      ///< in the driver's words
  std::string pmu;                        ///< its name
  int cpu = 0;                            ///< the one it was opened on
  std::uint64_t driver = 0;               ///< count the program read last
  std::optional<std::uint64_t> expected;  ///< by the scoreboard, over exactly the event's windows
  Check check = Check::unchecked;
  std::string note;
  Picoseconds opened = 0;
  Picoseconds closed = 0;
  Picoseconds time_enabled = 0;
  Picoseconds time_running = 0;
  std::uint64_t reads = 0;  ///< by the program
};

/// As in the journal of a session and in the file of --json; without "expected" if nobody judged the event.
void to_json(scenario::Json& json, const Verdict& verdict);
/// @throws nlohmann::json::exception for what to_json() did not write
void from_json(const scenario::Json& json, Verdict& verdict);

NLOHMANN_JSON_SERIALIZE_ENUM(Check, {{Check::exact, "exact"},
                                     {Check::within, "within"},
                                     {Check::wrong, "wrong"},
                                     {Check::unchecked, "unchecked"}})

}  // namespace pmufab::shell
