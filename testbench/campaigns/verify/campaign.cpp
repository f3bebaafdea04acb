// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/campaign.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/campaigns/coverage/coverpoints.h"
#include "testbench/campaigns/coverage/report.h"
#include "testbench/campaigns/verify/case_generator.h"
#include "testbench/campaigns/verify/failure.h"
#include "testbench/campaigns/verify/shrinker.h"
#include "testbench/host/module_library.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/report/report.h"
#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::verify {
namespace {

namespace fs = std::filesystem;
using scenario::RunPlan;
using scenario::RunResult;
using scenario::Value;

// The same for any number of jobs: when a kind is found, and in which case, depends on no machine.
constexpr std::uint64_t kBatch = 64;

// Cases take milliseconds, and a file that survives a crash of the machine takes as long.
constexpr std::chrono::milliseconds kBetweenSaves{200};

using Drivers = std::shared_ptr<const driver_host::DriverSet>;

std::string identity_of(const CampaignOptions& options) {
  std::string text = fmt::format("seed {}", options.seed);
  for (const Target& target : options.targets)
    text += fmt::format(", {} with drivers of Linux {}", target.fabric->name(), target.drivers->kernel_version);
  if (options.covers) text += ", with coverage";
  return text;
}

std::map<std::string, std::string> made_with(const CampaignOptions& options) {
  std::map<std::string, std::string> parts{{"pmufab", scenario::version()}};
  try {
    for (const Target& target : options.targets) {
      for (const driver_host::DriverFile& file : driver_host::files_in(target.drivers->library))
        parts[fmt::format("{} of Linux {}", file.file, target.drivers->kernel_version)] = file.sha256;
    }
    if (options.stock != nullptr) {
      for (const driver_host::DriverFile& file : driver_host::files_in(options.stock->library))
        parts[fmt::format("{} of the kernel's Linux {}", file.file, options.stock->kernel_version)] = file.sha256;
    }
  } catch (const driver_host::DriverSetError& error) {
    throw scenario::InputError(error.what());
  }
  return parts;
}

/// @return its name; empty for a document that has lost it, which is no scenario any more
std::string name_of(const Value& document) {
  const Value* const name = document.find("name");
  return name == nullptr ? std::string() : name->scalar;
}

RunPlan plan_of(Value document, const Drivers& drivers) {
  auto planned = std::make_shared<scenario::PlannedScenario>();
  planned->name = name_of(document);
  planned->overrides = std::make_shared<const std::vector<std::string>>();
  planned->file = std::make_shared<const scenario::ScenarioFile>(std::move(document), fs::path());
  return {std::move(planned), drivers};
}

/// Text as comment lines.
std::string commented(const std::string& text) {
  constexpr std::size_t kWidth = 110;
  std::string lines;
  std::string line = "#";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (line.size() + end - at >= kWidth && line.size() > 1) {
      lines += line + "\n";
      line = "#";
    }
    line += " " + text.substr(at, end - at);
    at = end + 1;
  }
  return lines + line + "\n";
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, CampaignState& state) : options_(options), state_(state) {
    state_ = {};
    state_.identity = identity_of(options);
    state_.made_with = made_with(options);
    if (options.covers) state_.coverage.emplace();
  }

  void run() {
    if (options_.resumes) resume();
    try {
      run_all();
    } catch (...) {
      save_at_last();
      throw;
    }
    save();
  }

 private:
  void run_all() {
    shrink_new_kinds();
    while (!is_finished()) {
      const std::uint64_t before = state_.next;
      run_batch();
      shrink_new_kinds();
      if (state_.next == before) break;  // the time has passed, or the user has stopped it
    }
  }

  void resume() {
    std::optional<CampaignState> kept = CampaignState::load(state_file());
    if (!kept) return;
    if (kept->identity != state_.identity)
      throw scenario::InputError(
          fmt::format("'{}' is of another campaign: {}", state_file().generic_string(), kept->identity),
          "name its folder with the same seed, fabrics and drivers, or another folder");
    refuse_other_parts(kept->made_with);
    state_ = std::move(*kept);
  }

  /// Another driver, or another generator of cases, would go on with another campaign.
  void refuse_other_parts(const std::map<std::string, std::string>& before) const {
    const auto part = [](const std::map<std::string, std::string>& parts, const std::string& name) {
      const auto found = parts.find(name);
      return found == parts.end() ? std::string("none") : found->second;
    };
    std::map<std::string, std::string> names = before;
    names.insert(state_.made_with.begin(), state_.made_with.end());
    for (const auto& [name, ignored] : names) {
      const std::string was = part(before, name);
      const std::string is = part(state_.made_with, name);
      if (was == is) continue;
      const char* const what = name == "pmufab" ? "version" : "SHA-256";
      throw scenario::InputError(fmt::format("'{}' is of another campaign: its {} of {} was {}, and now it is {}",
                                             state_file().generic_string(), what, name, was, is),
                                 "name another folder, or use what it was begun with");
    }
  }

  [[nodiscard]] fs::path state_file() const { return options_.out / kStateFile; }
  void save() {
    if (!options_.keeps_state) return;
    options_.write_file(state_file(), state_.to_text());
    saved_ = std::chrono::steady_clock::now();
  }
  /// The campaign ends with an error. If this is another one, the first is told.
  void save_at_last() {
    try {
      save();
    } catch (const scenario::InputError&) {
      return;
    }
  }

  [[nodiscard]] bool is_interrupted() const { return options_.runner.interrupted && options_.runner.interrupted() > 0; }
  [[nodiscard]] bool is_finished() const {
    const bool has_all = options_.runs && state_.next >= *options_.runs;
    const bool has_enough = options_.most_kinds > 0 && state_.groups.size() >= options_.most_kinds;
    return has_all || has_enough || is_interrupted() || (options_.is_over && options_.is_over());
  }

  [[nodiscard]] const Target& target_of(std::uint64_t index) const {
    return options_.targets[index % options_.targets.size()];
  }
  [[nodiscard]] Value document_of(std::uint64_t index) const {
    const Target& target = target_of(index);
    return make_case(*target.fabric, target.drivers->kernel_version, options_.seed, index, state_.wishes);
  }

  /// The cases of a batch are made with the wishes at its begin, also after an interruption.
  void make_wishes() {
    if (!state_.coverage || state_.next % kBatch != 0) return;
    state_.wishes.clear();
    for (const coverage::KindReport& kind : make_report(*state_.coverage, options_.exclusions).kinds) {
      for (const coverage::PointReport& point : kind.points) {
        if (!coverage::is_of_events(point.name)) continue;
        for (const std::string& bin : point.missing) state_.wishes[kind.name].insert(coverage::event_of(bin));
      }
    }
  }

  void run_batch() {
    make_wishes();
    std::uint64_t end = (state_.next / kBatch + 1) * kBatch;
    if (options_.runs) end = std::min(end, *options_.runs);
    std::vector<Value> documents;
    std::vector<RunPlan> plans;
    for (std::uint64_t index = state_.next; index < end; ++index) {
      documents.push_back(document_of(index));
      plans.push_back(plan_of(documents.back(), target_of(index).drivers));
    }
    scenario::RunnerOptions runner = options_.runner;
    runner.covers = options_.covers;
    runner.interrupted = [this] {
      const int asked = options_.runner.interrupted ? options_.runner.interrupted() : 0;
      return asked == 0 && options_.is_over && options_.is_over() ? 1 : asked;
    };
    bool is_cut = false;  // what comes after a case that was stopped does not count
    std::size_t position = 0;
    runner.on_result = [&](const RunPlan& plan, const RunResult& run) {
      const Value& document = documents[position++];
      is_cut = is_cut || run.status == RunResult::Status::not_run || was_stopped(run) || is_lost(run);
      if (is_cut) return;
      judge(document, run);
      if (options_.on_case) options_.on_case(plan, run);
    };
    runner.on_progress = [this](const scenario::RunnerProgress&) {
      if (options_.on_progress) options_.on_progress(state_, "");
    };
    scenario::run_all(plans, runner);
    refuse_lost_results();
  }

  /// @return true for a run whose results could not be written, as on a full disk. No driver has failed.
  bool is_lost(const RunResult& run) {
    if (run.is_lost) lost_ = run.message;
    return run.is_lost;
  }
  void refuse_lost_results() const {
    if (!lost_.empty()) throw scenario::InputError(lost_);
  }

  /// By the user, or because the time has passed; not by a limit, or by a signal that the driver sent.
  [[nodiscard]] bool was_stopped(const RunResult& run) const {
    const bool is_asked = is_interrupted() || (options_.is_over && options_.is_over());
    return is_asked && run.status == RunResult::Status::interrupted && !run.is_limited;
  }

  void judge(const Value& document, const RunResult& run) {
    state_.counters += run.counters();
    const std::vector<Failure> failures = failures_of(run);
    if (failures.empty()) {
      ++(run.status == RunResult::Status::not_judged ? state_.not_judged : state_.passed);
    } else {
      ++state_.failed;
      add(failures.front(), document, run);
    }
    if (state_.coverage && !run.coverage.is_null())
      state_.coverage->merge(coverage::Coverage::from_json(run.coverage, run.title()));
    ++state_.next;
    if (std::chrono::steady_clock::now() - saved_ >= kBetweenSaves) save();
  }

  void add(const Failure& failure, const Value& document, const RunResult& run) {
    const auto known =
        std::ranges::find_if(state_.groups, [&](const FailureGroup& group) { return group.kind == failure.kind; });
    if (known != state_.groups.end()) {
      ++known->cases;
      return;
    }
    state_.groups.push_back({failure.kind, failure.text, state_.next, name_of(document), run.drivers, 1, {}, 0});
  }

  void shrink_new_kinds() {
    for (FailureGroup& group : state_.groups) {
      if (!group.file.empty()) continue;
      const Value whole = document_of(group.first);
      FailureGroup unfinished = group;
      const std::optional<Value> smallest = options_.shrinks ? smallest_of(group, whole) : whole;
      if (!smallest) {
        // What was tried before an interruption says nothing. The case is shrunk after --resume, but it is there.
        unfinished.name += "-whole";
        write(unfinished, whole);
        if (options_.on_failure) options_.on_failure(unfinished);
        group.text = unfinished.text;
        continue;
      }
      write(group, *smallest);
      save();
      if (options_.on_failure) options_.on_failure(group);
    }
  }

  /// @return nothing if it is interrupted
  std::optional<Value> smallest_of(FailureGroup& group, const Value& whole) {
    const Drivers& drivers = target_of(group.first).drivers;
    const auto fails = [&](const std::vector<Value>& documents) { return try_all(documents, drivers, group); };
    constexpr std::uint64_t kRuns = 500;
    constexpr std::uint64_t kRunsOfTimeouts = 8;  // each takes as long as a run may take
    runs_left_ = group.kind.starts_with("took too long") ? kRunsOfTimeouts : kRuns;
    checks_stock_ = options_.stock != nullptr && failures_in({whole}, options_.stock, group).front().empty();
    Value smallest = shrink(whole, fails).smallest;
    return is_interrupted() ? std::nullopt : std::optional(std::move(smallest));
  }

  using Failures = std::vector<Failure>;

  /// @return of each document whether it fails as the group does. Documents that make no sense do not, nor do those in
  ///         which the kernel's own drivers fail: they have lost what made the case legal.
  std::vector<bool> try_all(const std::vector<Value>& documents, const Drivers& drivers, FailureGroup& group) {
    std::vector<bool> failed(documents.size(), false);
    if (is_interrupted() || runs_left_ == 0) return failed;
    std::vector<Value> failing;
    std::vector<std::size_t> places;
    std::vector<std::string> texts;
    const std::vector<Failures> tried = failures_in(documents, drivers, group);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto alike =
          std::ranges::find_if(tried[i], [&](const Failure& failure) { return failure.kind == group.kind; });
      if (alike == tried[i].end()) continue;
      failing.push_back(documents[i]);
      places.push_back(i);
      texts.push_back(alike->text);
    }
    const std::vector<Failures> stock =
        checks_stock_ ? failures_in(failing, options_.stock, group) : std::vector<Failures>(failing.size());
    const auto legal = std::ranges::find_if(stock, [](const Failures& found) { return found.empty(); });
    if (legal != stock.end()) group.text = texts[static_cast<std::size_t>(legal - stock.begin())];  // it will be taken
    for (std::size_t i = 0; i < places.size(); ++i) failed[places[i]] = stock[i].empty();
    return failed;
  }

  /// @return the failures of each document with these drivers; of one that makes no sense, none
  std::vector<Failures> failures_in(const std::vector<Value>& documents, const Drivers& drivers,
                                    const FailureGroup& group) {
    std::vector<Failures> failures(documents.size());
    std::vector<RunPlan> plans;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      RunPlan plan = plan_of(documents[i], drivers);
      try {
        static_cast<void>(plan.scenario->load());
      } catch (const scenario::InputError&) {
        continue;
      }
      plans.push_back(std::move(plan));
      places.push_back(i);
    }
    if (drivers != options_.stock) runs_left_ -= std::min<std::uint64_t>(runs_left_, plans.size());
    scenario::RunnerOptions runner = options_.runner;
    std::size_t position = 0;
    runner.on_result = [&](const RunPlan&, const RunResult& run) {
      const std::size_t place = places[position++];
      if (!is_lost(run)) failures[place] = failures_of(run);
    };
    runner.on_progress = [&](const scenario::RunnerProgress&) {
      if (options_.on_progress) options_.on_progress(state_, "shrinking " + group.name);
    };
    scenario::run_all(plans, runner);
    refuse_lost_results();
    return failures;
  }

  void write(FailureGroup& group, const Value& document) {
    std::error_code ignored;
    fs::create_directories(options_.out, ignored);  // writing says what is wrong
    const std::string body = scenario::to_compact_yaml(document);
    group.file = group.name + ".yaml";
    std::string text = text_of(group, body);
    // Another campaign's file stays.
    for (unsigned number = 2; is_taken(options_.out / group.file, text); ++number) {
      group.file = fmt::format("{}-{}.yaml", group.name, number);
      text = text_of(group, body);
    }
    const fs::path file = options_.out / group.file;
    options_.write_file(file, text);
    group.lines = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  }

  static bool is_taken(const fs::path& file, const std::string& text) {
    std::error_code ignored;
    const fs::file_type type = fs::symlink_status(file, ignored).type();
    if (type == fs::file_type::not_found) return false;
    if (type != fs::file_type::regular) return true;  // such as a link: nothing is written to where it leads
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {}) != text;
  }

  [[nodiscard]] std::string text_of(const FailureGroup& group, const std::string& body) const {
    const std::string file = process::shell_word((options_.out / group.file).generic_string());
    const std::string drivers = options_.names_drivers ? " --drivers " + group.drivers : "";
    // The command is one line, so that it can be copied.
    return commented("Found by pmufab verify: " + group.kind + ".") + commented(group.text) +
           fmt::format("# Fails with: pmufab run {}{}{}\n", file, options_.run_options, drivers) + body;
  }

  const CampaignOptions& options_;
  CampaignState& state_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
  /// To shrink one case. Those with the kernel's own drivers come on top, at most one for each document that fails.
  std::uint64_t runs_left_ = 0;
  bool checks_stock_ = false;  // the case that is shrunk passes with the kernel's own drivers
  std::string lost_;           // why a run's results could not be written
};

}  // namespace

void run_campaign(const CampaignOptions& options, CampaignState& state) { Campaign(options, state).run(); }

namespace {

using Json = nlohmann::ordered_json;

// Coverage is there only if it is wanted.
constexpr auto kBeforeCoverage =
    std::tuple(NamedField{"campaign", &CampaignState::identity}, NamedField{"made_with", &CampaignState::made_with},
               NamedField{"next", &CampaignState::next}, NamedField{"passed", &CampaignState::passed},
               NamedField{"not_judged", &CampaignState::not_judged}, NamedField{"failed", &CampaignState::failed},
               NamedField{"counters", &CampaignState::counters}, NamedField{"failures", &CampaignState::groups});
constexpr auto kBehindCoverage = std::tuple(NamedField{"wishes", &CampaignState::wishes});

}  // namespace

std::string CampaignState::to_text() const {
  Json json;
  write_fields(json, *this, kBeforeCoverage);
  if (coverage) json["coverage"] = coverage->to_json();
  write_fields(json, *this, kBehindCoverage);
  // Kernel logs and names of drivers may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<CampaignState> CampaignState::load(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    std::ifstream stream(file, std::ios::binary);
    const Json json = Json::parse(stream);
    CampaignState state;
    read_fields(json, state, kBeforeCoverage);
    if (json.contains("coverage"))
      state.coverage = coverage::Coverage::from_json(json.at("coverage"), file.generic_string());
    read_fields(json, state, kBehindCoverage);
    return state;
  } catch (const Json::exception&) {
    throw scenario::InputError(fmt::format("'{}' is not the state of a campaign", file.generic_string()),
                               "remove it, or name another folder");
  }
}

}  // namespace pmufab::verify
