// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/event_changes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "testbench/run/results/results.h"
#include "testbench/run/yaml/document.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::Json;

/// An event as a driver shows it.
struct ShownEvent {
  std::string terms;
  std::string why;  ///< nothing counts it; empty: something does
};
/// By PMU and name: "dwc_rootport_0/L1".
using Events = std::map<std::string, ShownEvent>;

std::optional<Events> ask_events(const fs::path& platform, const fs::path& library) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const ProgramReply reply = ask_program(
      {"timeout", "--signal=KILL", "20", self, "list", "--json", "--driver", library.string(), platform.string()});
  const Json json = Json::parse(reply.out, nullptr, false);
  Events events;
  if (reply.exit_code != 0 || !json.is_object()) return std::nullopt;
  for (const Json& pmu : json.at("pmus")) {
    const std::string name = pmu.at("name").get<std::string>();
    const Json reasons = pmu.value("not_modelled", Json::object());
    const Json published = pmu.value("events", Json::object());
    for (const auto& [event, terms] : published.items())
      events[fmt::format("{}/{}", name, event)] = {terms.get<std::string>(), reasons.value(event, "")};
  }
  return events;
}

/// The platform files of scenarios, each once.
std::vector<fs::path> platforms_of(const std::vector<fs::path>& scenarios) {
  constexpr std::size_t kMost = 4;
  std::vector<fs::path> platforms;
  for (const fs::path& file : scenarios) {
    const scenario::Value document = scenario::load_file(file);
    const scenario::Value* const platform = document.find("platform");
    if (platform == nullptr || platform->scalar.empty()) continue;
    const fs::path path = (file.parent_path() / platform->scalar).lexically_normal();
    std::error_code error;
    if (fs::exists(path, error) && std::ranges::find(platforms, path) == platforms.end()) platforms.push_back(path);
    if (platforms.size() == kMost) break;
  }
  return platforms;
}

/// @return the event of the same PMU that stood for the same, and is gone; null if there is none
const std::string* former_name(const std::string& event, const Events& before, const Events& after) {
  const auto found = std::ranges::find_if(before, [&](const auto& one) {
    return one.second.terms == after.at(event).terms && one.first.starts_with(event.substr(0, event.find('/') + 1)) &&
           !after.contains(one.first);
  });
  return found == before.end() ? nullptr : &found->first;
}

}  // namespace

EventChanges event_changes(const std::vector<fs::path>& scenarios, const fs::path& stock, const fs::path& changed) {
  EventChanges found;
  std::set<std::string> told;
  for (const fs::path& platform : platforms_of(scenarios)) {
    const std::optional<Events> before = ask_events(platform, stock);
    const std::optional<Events> after = ask_events(platform, changed);
    if (!before || !after) continue;
    for (const auto& [event, shown] : *after) {
      const auto known = before->find(event);
      const std::string name = event.substr(event.find('/') + 1);
      if ((known != before->end() && known->second.terms == shown.terms) || !told.insert(name).second) continue;
      if (const std::string* const former = former_name(event, *before, *after); former != nullptr) {
        found.renamed.insert(name);
        found.changes.push_back({fmt::format("renames {}/ to {}", *former, name)});
        continue;
      }
      EventChanges::Change& change = found.changes.emplace_back();
      change.text =
          fmt::format("{} {}/ ({}): {}", known == before->end() ? "adds" : "changes", event, shown.terms,
                      shown.why.empty() ? "no run counted it by its name" : "nothing counts it: " + shown.why);
      if (!shown.why.empty()) continue;
      change.measurable = name;
      found.measurable.insert(name);
    }
  }
  return found;
}

}  // namespace pmufab::cli
