// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/kernel_selection.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;
using driver_host::compare_versions;
using driver_host::DriverSet;

constexpr std::array<std::string_view, 6> kOperators = {">=", "<=", "!=", "==", ">", "<"};

bool is_version(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.+~-") == std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string_view operator_of(std::string_view word) {
  for (const std::string_view op : kOperators) {
    if (word.starts_with(op)) return op;
  }
  return {};
}

bool begins_with_version(std::string_view version, std::string_view beginning) {
  if (!version.starts_with(beginning)) return false;
  return version.size() == beginning.size() || std::isdigit(static_cast<unsigned char>(version[beginning.size()])) == 0;
}

}  // namespace

bool is_selector(std::string_view text) {
  if (text == "all" || text == "newest" || is_version(text)) return true;
  const std::vector<std::string_view> words = words_of(text);
  return !words.empty() && std::ranges::all_of(words, [](std::string_view word) {
    const std::string_view op = operator_of(word);
    return !op.empty() && is_version(word.substr(op.size()));
  });
}

bool selects(std::string_view selector, std::string_view version) {
  if (selector == "all" || selector == "newest") return true;
  if (is_version(selector)) return begins_with_version(version, selector);
  for (const std::string_view word : words_of(selector)) {
    const std::string_view op = operator_of(word);
    const std::string_view bound = word.substr(op.size());
    // "<=7.3" and "==7.3" mean every 7.3.x: the version is compared as far as the bound goes.
    const int order = begins_with_version(version, bound) ? 0 : compare_versions(version, bound);
    const bool holds = op == ">="   ? order >= 0
                       : op == "<=" ? order <= 0
                       : op == "!=" ? order != 0
                       : op == "==" ? order == 0
                       : op == ">"  ? order > 0
                                    : order < 0;
    if (!holds) return false;
  }
  return true;
}

std::vector<DriverSet> select(const std::vector<DriverSet>& sets, const std::vector<std::string>& selectors) {
  std::vector<DriverSet> chosen;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const bool wanted = std::ranges::any_of(selectors, [&](const std::string& selector) {
      return selector == "newest" ? i + 1 == sets.size() : selects(selector, sets[i].kernel_version);
    });
    if (wanted) chosen.push_back(sets[i]);
  }
  return chosen;
}

std::vector<DriverSet> sets_for(const std::vector<DriverSet>& sets, const platform::PlatformSpec& platform) {
  return driver_host::sets_that_hold(sets, driver_modules(platform));
}

DriverFolder read_driver_folder(const fs::path& folder) {
  DriverFolder found;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      std::ifstream reason(entry.path() / "FAILED");
      std::string line;
      if (reason && std::getline(reason, line)) found.left_out.emplace_back(entry.path().filename().string(), line);
    }
  } catch (const fs::filesystem_error& error) {
    throw InputError(
        fmt::format("cannot look for drivers in '{}': {}", folder.generic_string(), error.code().message()),
        "pmufab driver fetch makes some; --driver-dir names another folder");
  }
  std::ranges::sort(found.left_out,
                    [](const auto& a, const auto& b) { return compare_versions(a.first, b.first) < 0; });
  try {
    found.sets = driver_host::find_driver_sets(folder);
  } catch (const std::runtime_error& error) {
    if (found.left_out.empty()) throw InputError(error.what());
  }
  return found;
}

}  // namespace pmufab::scenario
