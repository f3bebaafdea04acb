// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// Functional coverage: what drivers have met of what they may meet. docs/coverage.md explains it for users.
namespace pmufab::coverage {

using Json = nlohmann::ordered_json;

/// Every bin there is, and how many runs have met it. A bin has three names: the kind of PMU ("nvidia_ucf_pmu_*"), the
/// coverpoint ("event x use") and its own ("slc_access_rd x in a group").
class Coverage {
 public:
  using Bins = std::map<std::string, std::uint64_t>;   ///< runs that met a bin; 0: none
  using Points = std::map<std::string, Bins>;          ///< by coverpoint
  using Reasons = std::map<std::string, std::string>;  ///< by event
  using Kinds = std::map<std::string, Points>;         ///< by kind of PMU
  using Uncaused = std::map<std::string, Reasons>;     ///< by kind of PMU

  /// There is such a bin.
  void declare(const std::string& kind, const std::string& point, const std::string& bin);
  /// A driver publishes an event that nothing on the platform causes: it has no bins.
  void declare_uncaused(const std::string& kind, const std::string& event, const std::string& reason);
  /// This run met the bin. What nobody has declared is no bin. @return true if it is met for the first time
  bool meet(const std::string& kind, const std::string& point, const std::string& bin);
  /// One more run is in it.
  void count_run() noexcept { ++runs_; }

  /// Add other runs. The order does not matter.
  void merge(const Coverage& other);

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] const Kinds& kinds() const noexcept { return kinds_; }
  /// Events that nothing causes on any platform of these runs.
  [[nodiscard]] Uncaused uncaused() const;

  [[nodiscard]] Json to_json() const;
  /// @param file  for messages
  /// @throws InputError if it is not what to_json() makes
  [[nodiscard]] static Coverage from_json(const Json& json, std::string_view file);

  bool operator==(const Coverage&) const = default;

 private:
  std::uint64_t runs_ = 0;
  Kinds kinds_;
  Uncaused uncaused_;
};

/// @throws InputError if the file cannot be read, or holds no coverage
[[nodiscard]] Coverage read_coverage(const std::filesystem::path& file);
/// @return the content of a file that read_coverage() reads
[[nodiscard]] std::string to_text(const Coverage& coverage);

}  // namespace pmufab::coverage
