// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/run/session/runner.h"
#include "tlm/spec/named_fields.h"

/// Runs with the kernel's own drivers and the same runs with changed ones.
namespace pmufab::cli {

using Drivers = std::shared_ptr<const driver_host::DriverSet>;

/// Something that is wrong with one of both drivers only.
struct Finding {
  std::string kind;          ///< equal for what most likely has one cause
  std::string where;         ///< the first run that shows it
  std::string text;          ///< what is wrong there, in one line
  std::uint64_t runs = 0;    ///< that show it
  std::string file;          ///< a scenario that shows it; empty: `where` is a shipped one
  std::string scenario;      ///< content of that file, the smallest that is known
  bool is_expected = false;  ///< its scenario expects a failure, and so passes

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"kind", &Finding::kind}, NamedField{"where", &Finding::where},
                      NamedField{"text", &Finding::text}, NamedField{"runs", &Finding::runs},
                      NamedField{"file", &Finding::file}, NamedField{"scenario", &Finding::scenario},
                      NamedField{"is_expected", &Finding::is_expected});
  }
};

/// Count a finding; of each kind, the first is kept, or the first that fails without being expected to.
void add_finding(std::vector<Finding>& findings, const Finding& finding);

/// What became of runs of one kind: scenarios, random cases or interleavings.
struct Trial {
  std::string name;                        ///< "scenario"
  std::set<std::string> renamed{};         ///< new names of events that there were before
  std::set<std::string> changed_events{};  ///< names
  std::set<std::string> counted{};         ///< those of changed_events that something happened of, and that were judged
  std::uint64_t same = 0;                  ///< nothing right has become wrong, or the reverse
  std::uint64_t changed = 0;               ///< of these, those with other figures, which are right
  std::uint64_t better = 0;
  std::uint64_t worse = 0;
  std::vector<Finding> worse_findings{};   ///< of the changed drivers
  std::vector<Finding> better_findings{};  ///< of the kernel's own drivers, which the changed ones have no more
  std::vector<std::string> notes{};        ///< why something was not tried

  [[nodiscard]] std::uint64_t runs() const noexcept { return same + better + worse; }
  /// What a scenario says of its runs.
  enum class Expectation : std::uint8_t {
    defect,  ///< expected_failure, if there is one, is a defect of the drivers: a run without it is better
    older,   ///< so it is, and the newest drivers may have other names for what it measures
    rule,    ///< expected_failure: drivers must fail there
  };
  /// Take the results of one run with both drivers.
  void add(const scenario::RunResult& before, scenario::RunResult after, Expectation expectation);

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"what", &Trial::name}, NamedField{"same", &Trial::same},
                      NamedField{"other_figures", &Trial::changed}, NamedField{"better", &Trial::better},
                      NamedField{"worse", &Trial::worse}, NamedField{"worse_findings", &Trial::worse_findings},
                      NamedField{"better_findings", &Trial::better_findings}, NamedField{"notes", &Trial::notes},
                      NamedField{"counted_events", &Trial::counted});
  }
};

/// How to run.
struct TrialOptions {
  Drivers before;
  Drivers after;
  std::string cases_for;          ///< kernel whose known defects random cases avoid: the newest, so that a change
                                  ///< that mends those of an older one is seen
  std::set<std::string> renamed;  ///< new names of events that there were before
  std::set<std::string> changed_events;  ///< names of those that are new, or stand for something else
  scenario::RunnerOptions runner;        ///< jobs, limits, time-out, scratch folder, interrupts of the user
  std::filesystem::path out;             ///< folder for scenarios that are found
  std::string library;                   ///< of the changed drivers, as a shell's word
  /// Told a few times a second: 0 ... 1, and what runs.
  std::function<void(double fraction, const std::string& what)> on_progress;
};

/// Run scenarios with both drivers.
[[nodiscard]] Trial try_scenarios(const std::vector<std::filesystem::path>& files, const TrialOptions& options);

/// Run random cases with both drivers: as many as fit into the time.
[[nodiscard]] Trial try_random_cases(const std::vector<const verify::FabricGenerator*>& fabrics, std::uint64_t seed,
                                     double seconds, const TrialOptions& options);

/// Let counters wrap between any two register accesses of the drivers' calls.
/// @param files  scenarios; what cannot be explored is left out
[[nodiscard]] Trial try_interleavings(const std::vector<std::filesystem::path>& files, const TrialOptions& options);

/// A driver that counts right may need more counters for the same events. Where counts of a PMU are mended, and none becomes
/// wrong, it is no mistake that its counters have less of the time in other runs, as they take turns: the mended count says so.
void bear_shorter_turns(std::vector<Trial>& trials);

}  // namespace pmufab::cli
