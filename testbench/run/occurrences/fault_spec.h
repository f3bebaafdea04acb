// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/occurrences/delay.h"
#include "testbench/run/occurrences/trigger.h"
#include "testbench/run/yaml/reader.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {

/// Hardware that fails at a given moment.
struct FaultSpec {
  enum class Kind : std::uint8_t {
    interrupt_lost,
    interrupt_doubled,
    interrupt_spurious,
    interrupt_late,
    counter_stuck,   ///< reads answer what the first one answered
    reads_all_ones,  ///< and do not reach the registers
    reads_refused,
    slow_access,
    power_off,  ///< accesses are refused; then registers are at reset
    removed,    ///< reads answer all ones, writes and interrupts are lost, for good
  };
  Trigger at;
  Kind kind = Kind::interrupt_lost;
  std::string pmu;               ///< of interrupt_*, and of removed
  std::string block;             ///< of the others: name of register windows, * and ? stand for anything
  std::uint64_t offset = 0;      ///< in the block: of the first byte
  std::uint64_t size = 0;        ///< bytes from there; 0: all
  std::uint64_t count = 0;       ///< interrupts or accesses that it changes; 0: all
  DelaySpec delay;               ///< of interrupt_late, interrupt_doubled, slow_access
  std::optional<Trigger> until;  ///< when it ends; nothing: never
  std::vector<std::string> not_judged_events;
  std::string not_judged_reason;  ///< why no driver can count these right
  Source place;
  std::string path;  ///< "faults[2]"

  [[nodiscard]] bool is_of_interrupts() const noexcept { return kind <= Kind::interrupt_late; }
};

/// @return the word of a fault in scenarios: "interrupt_lost"
[[nodiscard]] std::string_view to_string(FaultSpec::Kind kind) noexcept;

/// Read one item of `faults`.
/// @param base         folder of files that are named
/// @param is_measured  whether a measure counts an event of that text
void read_fault(Reader& reader, const std::filesystem::path& base,
                const std::function<bool(const std::string& event)>& is_measured, std::vector<FaultSpec>& out);

}  // namespace pmufab::scenario
