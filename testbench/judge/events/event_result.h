// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/judge/losses.h"
#include "testbench/perf/types.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// A ratio kept exact until it is printed.
struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;  ///< 0: no value
  [[nodiscard]] double value() const noexcept {
    return denominator == 0 ? 0.0 : static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

/// The remark on an event whose number, or filter, selects nothing: drivers accept it, and its count must be 0.
inline constexpr const char* kCountsNothing = "this PMU has no such event, so 0 is all it can be";

/// A span of time in which an event must count: begin inclusive, end exclusive.
struct CountingWindow {
  Picoseconds begin;
  Picoseconds end;
};

/// The judgement of one read of a running event.
struct ReadCheck {
  Picoseconds begin;  ///< the driver's read call
  Picoseconds end;
  std::uint64_t value;  ///< the value the driver made of it
  std::uint64_t low;    ///< smallest allowed value: count at the begin of the call, or the sampled count
  std::uint64_t high;   ///< largest allowed value: count at the end of the call, or the sampled count
  bool sampled;         ///< low == high because the register read was seen on the bus
  bool possible;        ///< the hardware can have given this value
  bool monotonic;       ///< not below the previous read, where that is required
  [[nodiscard]] bool ok() const noexcept { return monotonic && possible; }
};

/// What a formula of the kernel's documents makes of a count.
enum class Figure : std::uint8_t {
  none,
  bandwidth,     ///< the count is of bytes
  request_rate,  ///< of requests, for each cycle
};

/// The judgement of one event.
struct EventResult {
  enum class Match : std::uint8_t {
    exact,        ///< every value the driver gave is right; the last one was taken with the event stopped
    within,       ///< still running; every read was possible
    mismatch,     ///< at least one value is wrong
    not_counted,  ///< never scheduled, or its driver never gave a value
  };
  perf::EventHandle event = 0;
  std::string pmu;
  std::string meaning;  ///< the event in words
  Figure figure = Figure::none;
  Match match = Match::not_counted;
  std::uint64_t expected = 0;           ///< up to now; final once the event is stopped
  std::optional<std::uint64_t> driver;  ///< raw count at the end of the driver's last call about the event
  /// Happened, counted (that is `expected`), and the losses down to what the driver reports; 0 if it never said a value.
  Account account{};
  bool running = false;                 ///< not stopped yet
  std::vector<CountingWindow> windows;  ///< closed windows: the last ones, if there are many
  Picoseconds window_time = 0;          ///< of all, including the open one up to the last thing seen
  std::uint64_t reads = 0;              ///< reads judged
  std::uint64_t reads_sampled = 0;      ///< of these, exactly
  std::uint64_t reads_failed = 0;
  std::vector<ReadCheck> failed_reads;  ///< the first eight
  std::optional<ReadCheck> last_read;
  std::string refusal;         ///< the driver's first refusal although the hardware had room, in words
  std::string explanation;     ///< for mismatch: what is known about the difference
  std::string remark;          ///< a note, even if the count is right
  Ratio mean_read_latency_ps;  ///< CMEM: of the reads that left within the windows, per 32-byte part; chip-to-chip
                               ///< interfaces: of the event's requests
};

[[nodiscard]] std::string_view to_string(EventResult::Match match) noexcept;

}  // namespace pmufab::scoreboard
