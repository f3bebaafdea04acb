// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testbench/judge/events/event_result.h"
#include "testbench/perf/check.h"
#include "tlm/clock/clock_domain.h"

/// The verdict on a count: the rules, the arithmetic and the sentences. Scenarios, shells and virtual machines obtain
/// counts in different ways. The verdict is the same for all.
namespace pmufab::perf {

/// How often events that share counters change them, as the kernel's timer does it.
inline constexpr Picoseconds kRotation = 4'000'000'000;

/// The reason where the scoreboard does not know a PMU.
inline constexpr const char* kNobodyJudges = "the scoreboard does not judge this PMU";

/// For how long an event was to count, and for how long of that it had a counter.
struct Turns {
  Picoseconds enabled = 0;
  Picoseconds running = 0;

  /// It had to share a counter with others. Each time the perf core puts events on or off, their register accesses take
  /// a little simulated time: less than a tenth of the time says nothing.
  [[nodiscard]] bool is_shared() const noexcept;
  /// It was to count and never had a counter: what was read is no count.
  [[nodiscard]] bool is_never() const noexcept { return enabled > 0 && running == 0; }
};

/// @param rotation  how often events change counters
/// @return what is worth saying about an event's turns: "had a counter 40 % of the time"; empty if it had a counter
///         (nearly) all the time
[[nodiscard]] std::string describe(const Turns& turns, Picoseconds rotation = kRotation);

/// A count, as whoever counted tells it.
struct Count {
  std::optional<std::uint64_t> value{};  ///< nothing: it could not be read
  Turns turns{};
  Picoseconds rotation = kRotation;
  bool is_estimate = false;   ///< perf scaled it up to the time the event was to count
  bool is_cut_short = false;  ///< a sum of intervals (-I): without what was counted after the last one
  std::string unknown{};      ///< why nobody can say which count it is; empty: it is known
  std::string read_error{};   ///< why it could not be read, as far as it is known
};

/// What a count has to be.
struct Expected {
  /// Bounds, equal where the count is known exactly; nothing if nobody can say.
  std::optional<std::uint64_t> low{};
  std::optional<std::uint64_t> high{};
  std::string not_judged{};  ///< why nobody can say; empty: nobody judges the PMU
  bool is_compared = true;   ///< false: the user wants no comparison
  bool is_nonzero = false;   ///< the traffic was meant to cause the event
  std::string doubt{};       ///< why a count out of bounds may be right all the same
  // What the scoreboard has found out on the way.
  bool is_right = true;  ///< every value the driver gave was right
  std::uint64_t reads = 0;
  std::uint64_t reads_failed = 0;
  std::string first_failed{};  ///< the first of those: "that at 11.400 us was 0 instead of 5 ... 9"
  std::string refusal{};       ///< the driver refused the event although the hardware had room, in words
  std::string explanation{};   ///< of a difference
  std::string remark{};        ///< worth a word even if the count is right
  std::string summary{};       ///< in two words, for want of a better explanation
};

/// @param zero  simulated time that counts as 0 in texts
/// @return what an event the scoreboard judged has to count
[[nodiscard]] Expected expected_of(const scoreboard::EventResult& judged, Picoseconds zero = 0);

/// @return an Expected without bounds, with the reason. @param reason  empty: nobody judges the PMU
[[nodiscard]] Expected not_judged(std::string reason);

/// The outcome of judge().
struct Judgement {
  Check check = Check::unchecked;
  std::string note{};  ///< why it is not exact, or what is worth knowing all the same
};

/// The only place that decides whether a count is right.
///
/// - Without bounds, or where no comparison is wanted, a count is not checked; nor is one nobody can tell from others.
/// - An estimate of perf, of an event that had a counter for a part of the time, is not checked. Raw counts of such
///   events are: the scoreboard counts in the same windows.
/// - An event that was to count and never had a counter is not checked: it has no count, as perf says, too. It is wrong
///   if the traffic was meant to cause it. So is one that could not be read.
/// - An event is wrong that its driver refused at some time although the hardware certainly had room for it.
/// - A count between equal bounds is exact, between others it is within them ("about").
/// - A sum of intervals that is too small is not checked: what came after the last interval is missing. One that is too
///   big is wrong.
/// - A count out of bounds is not checked if there is a doubt, else wrong.
/// - A right count is wrong all the same if a value on the way was impossible, or if it is 0 and was not to be.
[[nodiscard]] Judgement judge(const Count& count, const Expected& expected);

/// The result for one event that a program counted.
struct Verdict {
  std::string event;                     ///< its text
  std::optional<std::uint64_t> count{};  ///< what was counted; nothing if that is not known
  std::optional<std::uint64_t> low{};    ///< bounds by the scoreboard; nothing if nobody can say
  std::optional<std::uint64_t> high{};
  Check check = Check::unchecked;
  std::string note{};
  /// How it was open, where that was seen. What it had to count is known exactly then.
  struct Opening {
    std::string pmu;
    int cpu = 0;  ///< the one it was opened on
    Picoseconds opened = 0;
    Picoseconds closed = 0;
    Turns turns{};
    std::uint64_t reads = 0;  ///< by the program
  };
  std::optional<Opening> opening{};
  std::optional<scoreboard::Account> account{};  ///< what became of its occurrences, where that is known
};

/// @return the verdict on an event; its opening is left to the caller
[[nodiscard]] Verdict verdict_on(std::string event, const Count& count, const Expected& expected);

}  // namespace pmufab::perf
