// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/tracing/known_defects.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/scenario_spec.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::Value;

/// A line of known-defect-signs.txt.
struct Sign {
  std::string scenario;
  std::string event;
  std::string note;
};

std::optional<Sign> sign_of(const std::string& line) {
  constexpr std::string_view kBetween = " | ";
  const std::size_t first = line.find(kBetween);
  const std::size_t second = first == std::string::npos ? first : line.find(kBetween, first + kBetween.size());
  if (line.starts_with('#') || second == std::string::npos) return std::nullopt;
  const std::size_t event = first + kBetween.size();
  return Sign{line.substr(0, first), line.substr(event, second - event), line.substr(second + kBetween.size())};
}

std::vector<Sign> signs() {
  std::vector<Sign> all;
  for (const fs::path& place : {fs::path("scenarios"), data_folder() / "scenarios"}) {
    std::ifstream file(place / "known-defect-signs.txt");
    for (std::string line; std::getline(file, line);) {
      if (auto sign = sign_of(line)) all.push_back(*std::move(sign));
    }
    if (!all.empty()) break;
  }
  return all;
}

bool fits(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE | FNM_EXTMATCH) == 0;
}

std::vector<std::string> texts_of(const Value* value) {
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  if (value->kind == Value::Kind::scalar) texts.push_back(value->scalar);
  for (const Value& item : value->items) texts.push_back(item.scalar);
  return texts;
}

/// @return why drivers of that version fail in the scenario; empty: they do not
std::string reason_in(const std::string& name, const std::string& kernel) {
  const Value document = scenario::load_file(find_scenario(name));
  const Value* const failure = document.find("expected_failure");
  if (failure == nullptr) return {};
  for (const Value* const holder : {&document, failure}) {
    const std::vector<std::string> selectors = texts_of(holder->find("drivers"));
    const bool is_meant = selectors.empty() || std::ranges::any_of(selectors, [&](const std::string& selector) {
                            return scenario::selects(selector, kernel);
                          });
    if (!is_meant) return {};
  }
  const std::vector<std::string> reason = texts_of(failure->find("reason"));
  return reason.empty() ? std::string() : reason.front();
}

}  // namespace

std::string known_defect_like(const std::string& event, const std::string& note, const std::string& kernel) {
  for (const Sign& sign : signs()) {
    if (!fits(sign.event, event) || !fits(sign.note, note)) continue;
    try {
      const std::string reason = reason_in(sign.scenario, kernel);
      if (!reason.empty())
        return fmt::format("the scenario {} shows a known defect that looks the same: {}", sign.scenario, reason);
    } catch (const scenario::InputError&) {  // a user's own scenario of that name, say
    }
  }
  return {};
}

}  // namespace pmufab::cli
