// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/input_error.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "tlm/spec/printable.h"

namespace pmufab::scenario {
namespace {

constexpr std::size_t kMostPath = 400;  // bytes of keys in a message

std::string compose(const Source& source, const std::string& path, const std::string& reason,
                    const std::string& suggestion) {
  std::string text;
  if (source.file) text += *source.file + ":";
  if (source.line > 0) text += fmt::format("{}:", source.line);
  if (source.column > 0) text += fmt::format("{}:", source.column);
  if (!text.empty()) text += ' ';
  if (!path.empty()) text += (path.size() > kMostPath ? path.substr(0, kMostPath) + "..." : path) + ": ";
  text += reason;
  if (!suggestion.empty()) text += fmt::format(" ({})", suggestion);
  return printable_message(text);
}

/// Optimal string alignment distance: insert, delete, replace, swap neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

InputError::InputError(Source source, std::string path, std::string reason, std::string suggestion)
    : std::runtime_error(compose(source, path, reason, suggestion)),
      source_(std::move(source)),
      path_(std::move(path)),
      reason_(std::move(reason)),
      suggestion_(std::move(suggestion)) {}

bool is_output_error(const std::error_code& error) noexcept {
  return error == std::errc::no_space_on_device || error == std::errc::file_too_large ||
         error == std::errc::read_only_file_system || error == std::errc::io_error ||
         error == std::error_code(EDQUOT, std::generic_category()) ||
         error == std::error_code(EDQUOT, std::system_category());
}

std::vector<std::string> near_matches(std::string_view name, const std::vector<std::string>& candidates,
                                      std::size_t limit) {
  constexpr std::size_t kLongest = 256;  // nobody misspells a longer name, and the comparison takes its length times
  if (name.size() > kLongest) return {};
  const std::string wanted = folded(name);
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, index
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].size() > kLongest) continue;
    const std::string candidate = folded(candidates[i]);
    std::size_t distance = edit_distance(wanted, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(wanted.size(), candidate.size()) / 3);
    const bool part = wanted.size() >= 3 && candidate.size() >= 3 &&
                      (candidate.find(wanted) != std::string::npos || wanted.find(candidate) != std::string::npos);
    if (part) distance = std::min(distance, allowed);
    if (distance <= allowed) ranked.emplace_back(distance, i);
  }
  std::ranges::sort(ranked);
  std::vector<std::string> result;
  for (const auto& [distance, index] : ranked) {
    if (result.size() == limit) break;
    if (std::ranges::find(result, candidates[index]) == result.end()) result.push_back(candidates[index]);
  }
  return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string> matches = near_matches(name, candidates);
  if (matches.empty()) return {};
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (i > 0) text += i + 1 == matches.size() ? " or " : ", ";
    text += fmt::format("'{}'", matches[i]);
  }
  return text + "?";
}

std::string suggest(std::string_view name, const std::vector<std::string>& names) {
  const std::string suggestion = did_you_mean(name, names);
  return suggestion.empty() ? "there are " + quoted_list(names) : suggestion;
}

std::string quoted_list(const std::vector<std::string>& names, std::size_t limit) {
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < limit; ++i)
    text += fmt::format("{}'{}'", i > 0 ? ", " : "", names[i]);
  if (names.size() > limit) text += fmt::format(" and {} more", names.size() - limit);
  return text;
}

}  // namespace pmufab::scenario
