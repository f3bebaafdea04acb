// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/coverage/coverage.h"

#include <fmt/format.h>

#include "testbench/campaigns/coverage/coverpoints.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"

namespace pmufab::coverage {
namespace {

using scenario::InputError;

constexpr std::string_view kFormat = "pmufab coverage";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kMostBytes = 256U << 20U;             // of a file
constexpr std::uint64_t kMostRuns = 1'000'000'000'000'000;  // of a file: sums of many do not overflow

[[noreturn]] void refuse(std::string_view file, std::string_view what) {
  throw InputError(fmt::format("'{}' holds no coverage: {}", file, what),
                   "pmufab run, verify, shell and boot write such files (--coverage FILE)");
}

const Json& member(const Json& json, const char* key, std::string_view file) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end()) refuse(file, fmt::format("there is no '{}'", key));
  return *found;
}

const Json& object(const Json& json, std::string_view what, std::string_view file) {
  if (!json.is_object()) refuse(file, fmt::format("{} is no object", what));
  return json;
}

std::uint64_t number(const Json& json, std::string_view what, std::string_view file) {
  if (!json.is_number_unsigned()) refuse(file, fmt::format("{} is no number of runs", what));
  return json.get<std::uint64_t>();
}

}  // namespace

void Coverage::declare(const std::string& kind, const std::string& point, const std::string& bin) {
  kinds_[kind][point].try_emplace(bin, 0);
}

void Coverage::declare_uncaused(const std::string& kind, const std::string& event, const std::string& reason) {
  kinds_[kind];
  uncaused_[kind].try_emplace(event, reason);
}

bool Coverage::meet(const std::string& kind, const std::string& point, const std::string& bin) {
  const auto points = kinds_.find(kind);
  if (points == kinds_.end()) return false;
  const auto bins = points->second.find(point);
  if (bins == points->second.end()) return false;
  const auto found = bins->second.find(bin);
  if (found == bins->second.end() || found->second != 0) return false;
  found->second = 1;
  return true;
}

void Coverage::merge(const Coverage& other) {
  runs_ += other.runs_;
  for (const auto& [kind, points] : other.kinds_) {
    Points& own_points = kinds_[kind];
    for (const auto& [point, bins] : points) {
      Bins& own_bins = own_points[point];
      for (const auto& [bin, runs] : bins) own_bins[bin] += runs;
    }
  }
  for (const auto& [kind, events] : other.uncaused_) {
    Reasons& own = uncaused_[kind];
    for (const auto& [event, reason] : events) {
      // Of two reasons the lesser text, so that the order of merging does not matter.
      const auto [place, is_new] = own.try_emplace(event, reason);
      if (!is_new && reason < place->second) place->second = reason;
    }
  }
}

Coverage::Uncaused Coverage::uncaused() const {
  Uncaused result;
  for (const auto& [kind, events] : uncaused_) {
    const Points& points = kinds_.at(kind);
    const auto caused = points.find(kEvent);
    for (const auto& [event, reason] : events) {
      if (caused == points.end() || !caused->second.contains(event)) result[kind].emplace(event, reason);
    }
  }
  return result;
}

Json Coverage::to_json() const {
  Json json;
  json["format"] = kFormat;
  json["version"] = kVersion;
  json["runs"] = runs_;
  json["kinds"] = kinds_;
  json["not_caused"] = uncaused_;
  if (kinds_.empty()) json["kinds"] = Json::object();
  if (uncaused_.empty()) json["not_caused"] = Json::object();
  return json;
}

Coverage Coverage::from_json(const Json& json, std::string_view file) {
  if (member(json, "format", file) != kFormat) refuse(file, "it is of another format");
  if (member(json, "version", file) != kVersion) refuse(file, "another version of pmufab wrote it");
  Coverage coverage;
  coverage.runs_ = number(member(json, "runs", file), "'runs'", file);
  if (coverage.runs_ > kMostRuns) refuse(file, "nobody has made so many runs");
  for (const auto& [kind, points] : object(member(json, "kinds", file), "'kinds'", file).items()) {
    Points& own_points = coverage.kinds_[kind];
    for (const auto& [point, bins] : object(points, kind, file).items()) {
      Bins& own_bins = own_points[point];
      for (const auto& [bin, runs] : object(bins, point, file).items()) {
        const std::uint64_t met = number(runs, fmt::format("'{}'", bin), file);
        if (met > coverage.runs_) refuse(file, fmt::format("more runs met '{}' than there were", bin));
        own_bins[bin] = met;
      }
    }
  }
  for (const auto& [kind, events] : object(member(json, "not_caused", file), "'not_caused'", file).items()) {
    for (const auto& [event, reason] : object(events, kind, file).items()) {
      if (!reason.is_string()) refuse(file, fmt::format("'{}' has no reason", event));
      coverage.declare_uncaused(kind, event, reason.get<std::string>());
    }
  }
  return coverage;
}

Coverage read_coverage(const std::filesystem::path& file) {
  const std::string name = file.generic_string();
  const Json json = scenario::read_json_input(file, kMostBytes);
  if (json.is_discarded()) refuse(name, "it is not JSON");
  return Coverage::from_json(json, name);
}

std::string to_text(const Coverage& coverage) {
  return coverage.to_json().dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pmufab::coverage
