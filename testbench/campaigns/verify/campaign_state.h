// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/campaigns/coverage/coverage.h"
#include "testbench/fabrics/common/fabric_generator.h"
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

}  // namespace pmufab::verify
