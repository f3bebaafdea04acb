// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/perf/perf_rows.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/software_events.h"

namespace pmufab::guest {
namespace {

using Entry = perf::PmuCatalog::Entry;

constexpr std::string_view kDecimal = "0123456789";
constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";
/// A number with letters is one from three digits on: "_ddr" or "_rc" ends no name.
constexpr std::size_t kFewestHexadecimal = 3;

bool is_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of(kHexadecimal) != std::string_view::npos) return false;
  return text.find_first_not_of(kDecimal) == std::string_view::npos || text.size() >= kFewestHexadecimal;
}

/// @return a PMU's name without its last number: "nvidia_ucf_pmu"
std::string_view base_of(std::string_view pmu) {
  const std::size_t bar = pmu.rfind('_');
  return bar != std::string_view::npos && bar > 0 && is_number(pmu.substr(bar + 1)) ? pmu.substr(0, bar) : pmu;
}

std::uint64_t number_of(const std::string& pmu) {
  constexpr int kSixteen = 16;  // perf orders decimal ones so, too
  const std::size_t begin = base_of(pmu).size() + 1;
  return begin < pmu.size() ? std::strtoull(pmu.c_str() + begin, nullptr, kSixteen) : 0;
}

bool matches(const std::string& pmu, const std::string& wanted) {
  if (wanted.find_first_of("*?[") != std::string::npos && fnmatch(wanted.c_str(), pmu.c_str(), 0) == 0) return true;
  if (!pmu.starts_with(wanted)) return false;
  std::string_view rest = std::string_view(pmu).substr(wanted.size());
  if (rest.starts_with('_')) rest.remove_prefix(1);
  return is_number(rest);
}

/// @return the PMUs that an event may be of, in perf's order
std::vector<std::string> candidates(const perf::WrittenEvent& event, const perf::PmuCatalog& catalog) {
  std::vector<std::string> names;
  for (const Entry& entry : catalog.entries()) {
    if (!event.pmu.empty() && entry.name == event.pmu) return {entry.name};
    const bool is_meant =
        event.pmu.empty() ? std::ranges::any_of(
                                entry.events, [&](const auto& known) { return known.name == event.terms.front().name; })
                          : matches(entry.name, event.pmu);
    if (is_meant) names.push_back(entry.name);
  }
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return std::pair(base_of(a), number_of(a)) < std::pair(base_of(b), number_of(b));
  });
  return names;
}

/// An event of CPUs, too, which has a row in any case, so that others of its name cannot have that name.
bool is_of_cpus(const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames{"cycles", "instructions", "branches", "bus-cycles"};
  return std::ranges::find(kNames, name) != kNames.end();
}

/// @return perf's name for one of several events that have the same
std::string with_pmu(const std::string& name, const std::string& pmu) {
  const std::size_t slash = name.find('/');
  if (name.starts_with(base_of(pmu))) return pmu + "/" + (slash == std::string::npos ? name : name.substr(slash + 1));
  if (slash != std::string::npos) return pmu + "/" + name.substr(0, slash) + "," + name.substr(slash + 1);
  const std::size_t colon = name.find(':');
  return pmu + "/" + name.substr(0, colon) + "/" + (colon == std::string::npos ? "" : name.substr(colon + 1));
}

/// Stands for a PMU where there is none.
constexpr std::string_view kNoPmu = "!";

/// @return the text, in which events without a PMU have kNoPmu: "{!/cycles/u,p_0/x/}:W" for "{cycles:u,p_0/x/}:W"
std::string with_pmus(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '}') {  // a group's modifiers follow
      const std::size_t end = std::min(text.find(',', at), text.size());
      result += text.substr(at, end - at);
      at = end;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(",{}/: \t\n", at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end;
    if (at < text.size() && text[at] == '/') {
      const std::size_t close = std::min(text.find('/', at + 1), text.size());
      const std::size_t last = std::min(text.find_first_of(",{} \t\n", close), text.size());
      result += word + text.substr(at, last - at);
      at = last;
    } else if (word.empty()) {
      result += text[at++];
    } else {
      const std::size_t last = std::min(text.find_first_of(",{} \t\n", at), text.size());
      const std::string modifiers = text.substr(at, last - at);  // ":u"
      at = last;
      result += perf::software_event(word)
                    ? word + modifiers
                    : fmt::format("{}/{}/{}", kNoPmu, word, modifiers.substr(modifiers.empty() ? 0 : 1));
    }
  }
  return result;
}

}  // namespace

std::vector<perf::WrittenGroup> parse_perf_events(const std::string& text) {
  std::vector<perf::WrittenGroup> groups = perf::parse_events(with_pmus(text));
  for (perf::WrittenGroup& group : groups) {
    for (perf::WrittenEvent& event : group.events) {
      if (event.pmu != kNoPmu) continue;
      event.pmu.clear();
      const std::string modifiers = event.text.substr(event.text.rfind('/') + 1);
      event.text = event.terms.front().name + (modifiers.empty() ? "" : ":" + modifiers);
    }
  }
  return groups;
}

bool leaves_out_modes(const std::string& modifiers) {
  const auto names_some = [&](std::string_view modes) {
    const auto named =
        std::ranges::count_if(modes, [&](char mode) { return modifiers.find(mode) != std::string::npos; });
    return named != 0 && static_cast<std::size_t>(named) != modes.size();
  };
  return names_some("ukh") || names_some("GH") || modifiers.find('I') != std::string::npos;
}

std::vector<PerfRow> perf_rows(const perf::WrittenEvent& event, const perf::PmuCatalog& catalog, bool merges) {
  const bool is_bare = event.pmu.empty();
  const auto name =
      std::ranges::find_if(event.terms, [](const auto& term) { return term.name == "name" && term.value; });
  std::vector<std::pair<std::string, PerfRow>> rows;  // with the first PMU of each
  std::optional<perf::EventError> error;
  for (const std::string& pmu : candidates(event, catalog)) {
    std::string text = is_bare ? with_pmu(event.text, pmu) : pmu + event.text.substr(event.pmu.size());
    text.resize(text.rfind('/') + 1);  // without modifiers
    try {
      static_cast<void>(catalog.resolve(text));
    } catch (const perf::EventError& reason) {
      if (!error) error = reason;  // perf takes those PMUs that have it
      continue;
    }
    const bool goes_on = merges && !rows.empty() && base_of(rows.back().first) == base_of(pmu);
    if (!goes_on) rows.push_back({pmu, {event.text, {}}});
    rows.back().second.events.push_back(text);
  }
  if (rows.empty()) {
    if (error) throw perf::EventError(*error);
    throw perf::EventError(event.text, 0,
                           is_bare ? "no PMU of the platform has it" : fmt::format("there is no PMU '{}'", event.pmu));
  }
  std::vector<PerfRow> result;
  for (auto& [pmu, row] : rows) {
    if (name != event.terms.end()) {
      row.text = *name->value;
    } else if (!merges || rows.size() > 1 || (is_bare && is_of_cpus(event.terms.front().name))) {
      row.text = with_pmu(row.text, pmu);
    }
    result.push_back(std::move(row));
  }
  return result;
}

}  // namespace pmufab::guest
