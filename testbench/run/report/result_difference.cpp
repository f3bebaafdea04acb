// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/result_difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/run/report/report.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tlm/spec/printable.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;

/// How something is now. The order is that of gravity.
enum class Change : std::uint8_t { same, changed, better, worse };

std::string_view word_of(Change change) {
  switch (change) {
    case Change::same:
      return "same";
    case Change::changed:
      return "changed";
    case Change::better:
      return "better";
    case Change::worse:
      break;
  }
  return "worse";
}

Change change_of(bool was_good, bool is_good, bool differs) {
  if (was_good != is_good) return is_good ? Change::better : Change::worse;
  return differs ? Change::changed : Change::same;
}

void read_file(const fs::path& file, const std::set<std::string_view>& keys, std::vector<Json>& runs) {
  constexpr std::size_t kMostBytes = 1U << 30U;
  Json json = read_json_input(file, kMostBytes, keys);
  const auto list = json.is_object() ? json.find("runs") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array())
    throw InputError(fmt::format("{} is no result of pmufab run or stat", file.string()),
                     "give a file of --json or a folder of --out");
  for (Json& run : *list) {
    if (!run.is_object() || !run.contains("scenario") || !run.contains("status"))
      throw InputError(fmt::format("{}: a run has no scenario or no status", file.string()));
    runs.push_back(std::move(run));
  }
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json value_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? Json() : *found;
}

const Json& list_at(const Json& json, const char* key) {
  static const Json none = Json::array();
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? *found : none;
}

/// The things of a list, by a name that tells them apart.
class Named {
 public:
  void add(const std::string& name, const Json& item) {
    const unsigned number = ++times_[name];
    names_.push_back(number == 1 ? name : fmt::format("{} ({})", name, number));
    items_.emplace(names_.back(), &item);
  }
  /// @return null if there is none
  [[nodiscard]] const Json* find(const std::string& name) const {
    const auto found = items_.find(name);
    return found == items_.end() ? nullptr : found->second;
  }
  /// In the order of the list.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::unordered_map<std::string, unsigned> times_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, const Json*> items_;
};

/// Both lists' names, those from before first.
std::vector<std::string> names_of(const Named& before, const Named& after) {
  std::vector<std::string> names = before.names();
  for (const std::string& name : after.names()) {
    if (before.find(name) == nullptr) names.push_back(name);
  }
  return names;
}

Json both(const Json* before, const Json* after, const char* key) {
  return Json::array(
      {before == nullptr ? Json() : value_at(*before, key), after == nullptr ? Json() : value_at(*after, key)});
}

bool differs(const Json& pair) { return pair[0] != pair[1]; }

Named counters_of(const Json& run) {
  Named counters;
  for (const Json& measure : list_at(run, "measures")) {
    for (const Json& counter : list_at(measure, "counters"))
      counters.add(fmt::format("{}: {}", text_at(measure, "name"), text_at(counter, "event")), counter);
  }
  return counters;
}

Named checks_of(const Json& run) {
  Named checks;
  for (const Json& check : list_at(run, "checks")) checks.add(text_at(check, "name"), check);
  for (const Json& measure : list_at(run, "measures")) {
    for (const Json& check : list_at(measure, "checks"))
      checks.add(fmt::format("{}: {}", text_at(measure, "name"), text_at(check, "name")), check);
  }
  return checks;
}

Named files_of(const Json& run) {
  Named files;
  for (const Json& file : list_at(run, "driver_files")) files.add(text_at(file, "file"), file);
  return files;
}

bool is_good_counter(const Json* counter) {
  if (counter == nullptr) return true;
  const perf::Check check = perf::check_called(text_at(*counter, "check"));
  return check != perf::Check::wrong && check != perf::Check::not_opened;
}

bool is_good_check(const Json* check) { return check == nullptr || value_at(*check, "ok") != Json(false); }

bool is_good_status(const Json* run) {
  if (run == nullptr) return false;
  const std::string status = text_at(*run, "status");
  return status == to_string(RunResult::Status::passed) || status == to_string(RunResult::Status::expected_failure) ||
         status == to_string(RunResult::Status::not_judged);
}

/// Checks that a result has only if they fail, and remarks: that accesses stretched a window, or that a driver was not used.
/// @param check  perhaps with its measure: "lanes: window"
bool may_be_missing(const std::string& check) {
  static const std::set<std::string> names = {"drivers", "kernel_panic", "models", "window"};
  const std::size_t measure = check.rfind(": ");
  return names.contains(measure == std::string::npos ? check : check.substr(measure + 2));
}

/// @return the share of the time in which a counter was wanted and counted, in percent; null if it was never wanted
Json share_of_time(const Json* counter) {
  if (counter == nullptr) return {};
  const Json enabled = value_at(*counter, "time_enabled_ps");
  const Json running = value_at(*counter, "time_running_ps");
  if (!enabled.is_number() || !running.is_number() || enabled.get<double>() <= 0) return {};
  constexpr double kPercent = 100;
  return kPercent * running.get<double>() / enabled.get<double>();
}

constexpr double kMostFall = 10;  // percentage points

/// @return true if both sides have a share of time, and it falls by more than kMostFall
bool has_fallen(const Json& shares) {
  return shares[0].is_number() && shares[1].is_number() &&
         shares[0].get<double>() - shares[1].get<double>() > kMostFall;
}

/// @return by how much a count is off, in percent of the larger of what is counted and what is expected; nothing without one
std::optional<double> error_of(const Json& item, std::size_t side) {
  const Json& driver = item["driver"][side];
  const Json& expected = item["expected"][side];
  if (!driver.is_number() || !expected.is_number()) return std::nullopt;
  constexpr double kPercent = 100;
  const auto [least, most] = std::minmax({driver.get<double>(), expected.get<double>()});
  return most > 0 ? kPercent * (most - least) / most : 0;
}

/// What was there and is missing may be anything. What is wrong both times may be so by a little, or by all of it.
Change change_of_counter(const Json& item, const Json* before, const Json* after, bool differs) {
  if (after == nullptr || has_fallen(item["time_share_percent"])) return Change::worse;
  const bool was_good = is_good_counter(before);
  const bool is_good = is_good_counter(after);
  if (!was_good && !is_good) {
    const std::optional<double> error = error_of(item, 0);
    const std::optional<double> error_now = error_of(item, 1);
    if (error && error_now && std::abs(*error - *error_now) > kMostFall)
      return *error < *error_now ? Change::worse : Change::better;
  }
  return change_of(was_good, is_good, differs || before == nullptr);
}

Change change_of_check(const Json& item, const Json* before, const Json* after, bool differs) {
  const bool is_missed = after == nullptr && !may_be_missing(text_at(item, "name"));
  return is_missed ? Change::worse : change_of(is_good_check(before), is_good_check(after), differs);
}

/// Differences of one kind. `describe` fills in what is told of one thing, and says whether it differs at all; `judge` says
/// how it is now.
template <typename Judge, typename Describe>
Json differences(const Named& before, const Named& after, Judge judge, Describe describe, Change& worst) {
  Json list = Json::array();
  for (const std::string& name : names_of(before, after)) {
    const Json* const old_one = before.find(name);
    const Json* const new_one = after.find(name);
    Json item;
    item["name"] = name;
    const bool other = describe(item, old_one, new_one);
    const Change change = judge(item, old_one, new_one, other);
    if (change == Change::same) continue;
    item["change"] = word_of(change);
    worst = std::max(worst, change);
    list.push_back(std::move(item));
  }
  return list;
}

std::string count_text(const Json& value) {
  return value.is_number_unsigned() ? with_separators(value.get<std::uint64_t>()) : std::string("none");
}

/// For a terminal: files come from anywhere.
std::string word(const Json& value) {
  return value.is_string() ? printable(value.get_ref<const std::string&>()) : std::string("absent");
}

std::string short_sum(const Json& value) {
  constexpr std::size_t kShown = 12;
  return value.is_string() ? word(value).substr(0, kShown) + "..." : word(value);
}

void write_counter_change(std::ostream& out, const Json& counter) {
  const Json& driver = counter["driver"];
  const Json& expected = counter["expected"];
  fmt::print(out, "  {}: {}: {}, then {}", word(counter["change"]), word(counter["name"]), count_text(driver[0]),
             count_text(driver[1]));
  if (differs(expected)) {
    fmt::print(out, " (scoreboard: {}, then {})", count_text(expected[0]), count_text(expected[1]));
  } else {
    fmt::print(out, " (scoreboard: {})", count_text(expected[1]));
  }
  if (const Json& share = counter["time_share_percent"]; has_fallen(share))
    fmt::print(out, "; counted {:.1f} % of the time, then {:.1f} %", share[0].get<double>(), share[1].get<double>());
  if (differs(counter["check"])) fmt::print(out, "; {}, then {}", word(counter["check"][0]), word(counter["check"][1]));
  fmt::print(out, "\n");
}

void write_check_change(std::ostream& out, const Json& check) {
  const auto outcome = [&](std::size_t side) {
    const Json& ok = check["ok"][side];
    return ok.is_boolean() ? (ok.get<bool>() ? "good" : "failed") : "absent";
  };
  fmt::print(out, "  {}: check {}: {}, then {}", word(check["change"]), word(check["name"]), outcome(0), outcome(1));
  const std::size_t told = check["ok"][1] == Json(false) ? 1 : 0;
  fmt::print(out, ": {}\n", word(check["text"][told]));
}

/// Most runs of a comparison have the same other drivers: what differs between all of them is told once.
void write_drivers(std::ostream& out, const Json& runs) {
  std::vector<std::pair<std::string, std::size_t>> lines;  // in the order of the runs, and in how many runs
  const auto add = [&](const std::string& line) {
    const auto known = std::ranges::find(lines, line, &std::pair<std::string, std::size_t>::first);
    if (known == lines.end()) {
      lines.emplace_back(line, 1);
    } else {
      ++known->second;
    }
  };
  for (const Json& run : runs) {
    const Json& drivers = run["drivers"];
    if (differs(drivers) && !drivers[0].is_null() && !drivers[1].is_null())
      add(fmt::format("drivers of Linux {}, then {}", word(drivers[0]), word(drivers[1])));
    for (const Json& file : run["driver_files"])
      add(fmt::format("driver file {}: SHA-256 {}, then {}", word(file["name"]), short_sum(file["sha256"][0]),
                      short_sum(file["sha256"][1])));
  }
  for (const auto& [line, number] : lines) fmt::print(out, "{} (in {})\n", line, counted(number, "run"));
}

void write_run_change(std::ostream& out, const Json& run) {
  const Json& drivers = run["drivers"];
  const std::string variant = word(run["variant"]);
  fmt::print(out, "{}{} (Linux {}{}): ", word(run["scenario"]), variant.empty() ? "" : fmt::format(" [{}]", variant),
             word(drivers[0].is_null() ? drivers[1] : drivers[0]),
             differs(drivers) && !drivers[0].is_null() && !drivers[1].is_null()
                 ? fmt::format(", then {}", word(drivers[1]))
                 : "");
  const Json& status = run["status"];
  if (differs(status)) {
    fmt::print(out, "{}: {}, then {}\n", word(run["change"]), word(status[0]), word(status[1]));
  } else {
    fmt::print(out, "{}: {} both times\n", word(run["change"]), word(status[0]));
  }
  if (differs(run["seed"]))
    fmt::print(out, "  seed: {}, then {}\n", printable(run["seed"][0].dump()), printable(run["seed"][1].dump()));
  for (const std::string_view change : {"worse", "better", "changed"}) {
    for (const Json& counter : run["counters"]) {
      if (counter["change"] == change) write_counter_change(out, counter);
    }
    for (const Json& check : run["checks"]) {
      if (check["change"] == change) write_check_change(out, check);
    }
  }
}

}  // namespace

const std::set<std::string_view>& compared_keys() {
  static const std::set<std::string_view> keys = {
      "runs",           "scenario", "variant", "drivers", "status",   "seed",     "simulated_time_ps",
      "driver_files",   "file",     "sha256",  "name",    "measures", "counters", "event",
      "driver",         "expected", "check",   "checks",  "ok",       "text",     "time_enabled_ps",
      "time_running_ps"};
  return keys;
}

std::vector<Json> read_results(const fs::path& place, const std::set<std::string_view>& keys) {
  std::error_code error;
  std::vector<Json> runs;
  if (!fs::is_directory(place, error)) {
    if (!fs::exists(place, error)) throw InputError(fmt::format("{} does not exist", place.string()));
    read_file(place, keys, runs);
    return runs;
  }
  std::set<fs::path> files;  // in order
  fs::path reading = place;
  for (fs::recursive_directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    reading = entry->path();
    if (reading.filename() == "result.json") files.insert(reading);
  }
  if (error) throw InputError(fmt::format("{} cannot be read: {}", reading.string(), error.message()));
  if (files.empty())
    throw InputError(fmt::format("{} holds no result.json", place.string()), "pmufab run --out makes such folders");
  for (const fs::path& file : files) read_file(file, keys, runs);
  return runs;
}

ResultDifference::ResultDifference(const std::vector<Json>& before, const std::vector<Json>& after) {
  const auto title = [](const Json& run, bool with_version) {
    return fmt::format("{} [{}] {}", text_at(run, "scenario"), text_at(run, "variant"),
                       with_version ? text_at(run, "drivers") : "");
  };
  std::vector<const Json*> partners(before.size());
  std::vector<bool> is_taken(after.size());
  for (const bool with_version : {true, false}) {
    std::map<std::string, std::vector<std::size_t>> left;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (!is_taken[i]) left[title(after[i], with_version)].push_back(i);
    }
    std::map<std::string, std::vector<std::size_t>> wanted;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (partners[i] == nullptr) wanted[title(before[i], with_version)].push_back(i);
    }
    for (const auto& [name, alike] : wanted) {
      const std::vector<std::size_t>& others = left[name];
      if (!with_version && others.size() != alike.size()) continue;  // which is whose nobody can say
      for (std::size_t i = 0; i < std::min(alike.size(), others.size()); ++i) {
        partners[alike[i]] = &after[others[i]];
        is_taken[others[i]] = true;
      }
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) add(&before[i], partners[i]);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!is_taken[i]) add(nullptr, &after[i]);
  }
}

void ResultDifference::add(const Json* before, const Json* after) {
  static const Json nothing = Json::object();
  const Json& old_run = before == nullptr ? nothing : *before;
  const Json& new_run = after == nullptr ? nothing : *after;
  const Json& known = before == nullptr ? new_run : old_run;
  Json run;
  run["scenario"] = text_at(known, "scenario");
  run["variant"] = text_at(known, "variant");
  run["drivers"] = both(before, after, "drivers");
  run["status"] = both(before, after, "status");
  run["seed"] = both(before, after, "seed");
  run["simulated_time_ps"] = both(before, after, "simulated_time_ps");
  // What is missing may be anything.
  Change worst = after == nullptr    ? Change::worse
                 : before == nullptr ? (is_good_status(after) ? Change::changed : Change::worse)
                                     : change_of(is_good_status(before), is_good_status(after), differs(run["status"]));
  Change files = Change::same;
  const auto only_told = [](const Json& /*item*/, const Json* /*before*/, const Json* /*after*/, bool other) {
    return other ? Change::changed : Change::same;
  };
  run["driver_files"] = differences(
      files_of(old_run), files_of(new_run), only_told,
      [](Json& item, const Json* one, const Json* other) {
        item["sha256"] = both(one, other, "sha256");
        return differs(item["sha256"]);
      },
      files);
  run["counters"] = Json::array();
  run["checks"] = Json::array();
  if (before != nullptr && after != nullptr) {
    run["counters"] = differences(
        counters_of(old_run), counters_of(new_run), change_of_counter,
        [](Json& item, const Json* one, const Json* other) {
          item["driver"] = both(one, other, "driver");
          item["expected"] = both(one, other, "expected");
          item["check"] = both(one, other, "check");
          item["time_share_percent"] = Json::array({share_of_time(one), share_of_time(other)});
          return differs(item["driver"]) || differs(item["expected"]) || differs(item["check"]);
        },
        worst);
    run["checks"] = differences(
        checks_of(old_run), checks_of(new_run), change_of_check,
        [](Json& item, const Json* one, const Json* other) {
          item["ok"] = both(one, other, "ok");
          item["text"] = both(one, other, "text");
          return differs(item["ok"]) || (item["ok"][1] == Json(false) && differs(item["text"]));
        },
        worst);
  }
  if (worst == Change::same && (differs(run["seed"]) || differs(run["simulated_time_ps"]))) worst = Change::changed;
  run["change"] = word_of(worst);
  ++(worst == Change::worse ? worse_ : worst == Change::better ? better_ : worst == Change::changed ? changed_ : same_);
  runs_.push_back(std::move(run));
}

void ResultDifference::write_text(std::ostream& out, bool everything) const {
  write_drivers(out, runs_);
  for (const Change change : {Change::worse, Change::better, Change::changed, Change::same}) {
    if (change == Change::same && !everything) continue;
    for (const Json& run : runs_) {
      if (run["change"] == word_of(change)) write_run_change(out, run);
    }
  }
  fmt::print(out, "same {}, better {}, worse {}", same_, better_, worse_);
  fmt::print(out, "{}\n", changed_ == 0 ? "" : fmt::format(", changed otherwise {}", changed_));
}

Json ResultDifference::to_json() const {
  Json json;
  json["program"] = "pmufab";
  json["version"] = version();
  json["worse"] = worse_;
  json["better"] = better_;
  json["changed"] = changed_;
  json["same"] = same_;
  json["runs"] = runs_;
  return json;
}

}  // namespace pmufab::scenario
