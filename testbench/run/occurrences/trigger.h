// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/pmu/alarm.h"
#include "testbench/perf/types.h"
#include "testbench/run/yaml/reader.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {

/// When something happens: at a time, or right before a register access that a driver makes for the perf core.
struct Trigger {
  using Call = perf::PerfCallObserver::Call;

  Picoseconds time = 0;        ///< when; of an access: calls that begin earlier do not count
  std::string pmu;             ///< whose driver makes the access; empty: at the time
  std::optional<Call> call;    ///< kind of calls whose accesses count; nothing: all
  std::uint64_t nth_call = 0;  ///< the accesses of the n-th of these calls alone count; 0: of all
  std::uint64_t access = 1;    ///< which; if the n-th call has fewer, when it ends
  bool is_optional = false;    ///< nothing is wrong if the access never comes

  [[nodiscard]] bool is_access() const noexcept { return !pmu.empty(); }
};

/// @return the word of a call in scenarios: "read", "pmu_enable"
[[nodiscard]] std::string_view to_string(Trigger::Call call) noexcept;
/// @return the call of that word
[[nodiscard]] std::optional<Trigger::Call> call_called(std::string_view word) noexcept;
/// Every word of a call.
[[nodiscard]] const Words<Trigger::Call>& call_words();

/// Read a time, or a map that tells an access: {access: 3, of: read, pmu: arm_cmn_0, call: 2, after: 10 us}.
void read_trigger(Reader& reader, std::string_view key, Trigger& out, Presence presence);

/// @return as in "before access 3 of read call 2 of arm_cmn_0"; of a time, the time
[[nodiscard]] std::string describe(const Trigger& trigger);

/// The register accesses that drivers make for the perf core, counted, and what waits for them.
class Triggers {
 public:
  using Call = Trigger::Call;

  /// Call `fire` once, when the trigger says.
  /// @param zero  the scenario's beginning
  void arm(const Trigger& trigger, Picoseconds zero, std::function<void()> fire);
  /// Nothing that waits for an access or a time happens any more.
  void disarm();
  /// @return what waited for an access when disarm() was called
  [[nodiscard]] const std::vector<std::string>& missed() const noexcept { return missed_; }

  /// The perf core's calls.
  void on_call(Call call, bool begin, const std::string& pmu);
  /// A driver is about to access a register. @return true if something must happen before: call fire()
  [[nodiscard]] bool before_access();
  void fire();

  /// The call that is being carried out.
  struct Place {
    std::string pmu;  ///< empty: none
    Call call = Call::read;
    std::uint64_t nth_call = 0;  ///< of its kind, for that PMU, from 1
    std::uint64_t access = 0;    ///< accesses it has begun
  };
  [[nodiscard]] const Place& place() const noexcept { return place_; }

 private:
  struct Waiting {
    Trigger trigger;
    Picoseconds from;
    std::function<void()> fire;
    std::uint64_t calls = 0;     // that match, so far
    std::uint64_t accesses = 0;  // that count, so far
    bool is_inside = false;      // a call whose accesses count
    [[nodiscard]] bool is_due() const noexcept { return accesses == trigger.access; }
  };
  struct Calls {
    std::string pmu;
    Call call;
    std::uint64_t number;
  };
  std::uint64_t& number_of(const std::string& pmu, Call call);
  static bool matches(const Waiting& waiting, Call call, const std::string& pmu);

  std::vector<std::unique_ptr<Alarm>> alarms_;
  std::vector<Waiting> waiting_;
  std::vector<Calls> calls_;
  std::vector<std::string> missed_;
  Place place_;
};

}  // namespace pmufab::scenario
