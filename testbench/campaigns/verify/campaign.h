// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/campaigns/coverage/coverage.h"
#include "testbench/campaigns/coverage/exclusions.h"
#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/runner.h"
#include "tlm/spec/named_fields.h"

namespace pmufab::verify {

/// Failures of one kind: most likely one cause.
struct FailureGroup {
  std::string kind;
  std::string text;         ///< of the first case, or of the smallest scenario
  std::uint64_t first = 0;  ///< number of the first case
  std::string name;         ///< of its scenario
  std::string drivers;      ///< kernel version
  std::uint64_t cases = 0;
  std::string file;         ///< the smallest scenario, without its folder; empty: not there yet
  std::uint64_t lines = 0;  ///< of that file

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"kind", &FailureGroup::kind}, NamedField{"text", &FailureGroup::text},
                      NamedField{"first", &FailureGroup::first}, NamedField{"name", &FailureGroup::name},
                      NamedField{"drivers", &FailureGroup::drivers}, NamedField{"cases", &FailureGroup::cases},
                      NamedField{"file", &FailureGroup::file}, NamedField{"lines", &FailureGroup::lines});
  }
};

/// How far a campaign is: everything that a later process needs to go on.
struct CampaignState {
  std::string identity;  ///< seed, fabrics and drivers: only the same campaign can go on
  /// With what: the version of "pmufab", and the SHA-256 of each driver file, by "arm_cspmu.c of Linux 7.3.4".
  std::map<std::string, std::string> made_with;
  std::uint64_t next = 0;  ///< the first case that has not been judged
  std::uint64_t passed = 0;
  std::uint64_t not_judged = 0;
  std::uint64_t failed = 0;
  std::uint64_t counters = 0;
  std::vector<FailureGroup> groups;              ///< in the order of their first cases
  std::optional<coverage::Coverage> coverage{};  ///< of the cases that were judged, if that is wanted
  Wishes wishes{};                               ///< of the batch of cases that `next` is in

  /// @return the content of the file that load() reads
  [[nodiscard]] std::string to_text() const;
  /// @return what a file says; nothing if there is no such file
  /// @throws scenario::InputError if it cannot be read, or is something else
  [[nodiscard]] static std::optional<CampaignState> load(const std::filesystem::path& file);
};

/// A fabric and the drivers that are tried on it.
struct Target {
  const FabricGenerator* fabric = nullptr;
  std::shared_ptr<const driver_host::DriverSet> drivers;
};

struct CampaignOptions {
  std::vector<Target> targets;  ///< case i is for target i modulo their number
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> runs;   ///< number of cases; nothing: until `is_over`
  std::function<bool()> is_over = {};  ///< no more cases, because the time has passed
  std::uint64_t most_kinds = 0;        ///< stop after failures of so many kinds; 0: never
  bool shrinks = true;                 ///< find the smallest scenario of each kind
  /// The kernel's own drivers, if others of the same kernel are tried: a case in which they fail, too, is no smaller
  /// case of a failure. Null: it is they that are tried, or there are none.
  std::shared_ptr<const driver_host::DriverSet> stock = {};
  std::filesystem::path out;        ///< folder for the smallest scenarios, required; made when there is one
  bool keeps_state = false;         ///< in that folder
  bool resumes = false;             ///< with the state that is there
  std::string run_options;          ///< for the command line that shows a failure again: " --driver my.so"
  bool names_drivers = true;        ///< that command line has --drivers
  bool covers = false;              ///< the state has what the drivers met, and cases seek what they have not met
  coverage::Exclusions exclusions;  ///< what they need not meet, with `covers`
  /// Writes a whole file, so that it survives a crash of the machine. @throws scenario::InputError
  std::function<void(const std::filesystem::path& file, const std::string& content)> write_file;
  /// Jobs, time-out, limits, scratch folder, interrupts of the user. The campaign sets what else a runner asks for.
  scenario::RunnerOptions runner;
  /// Called a few times a second. @param what  what is being done
  std::function<void(const CampaignState& state, const std::string& what)> on_progress = {};
  /// Called with each case that was judged.
  std::function<void(const scenario::RunPlan& plan, const scenario::RunResult& run)> on_case = {};
  /// Called when a new kind has been found, and the smallest scenario if there is one.
  std::function<void(const FailureGroup& group)> on_failure = {};
};

/// Run a campaign, or go on with one. What is kept in its folder is at most a fifth of a second older than its last
/// case.
/// @param state  becomes how far it is, also if this throws
/// @throws scenario::InputError if a file cannot be read or written
void run_campaign(const CampaignOptions& options, CampaignState& state);

/// Name of the file that keeps a campaign's state, in its folder.
inline constexpr const char* kStateFile = "verify-state.json";

}  // namespace pmufab::verify
