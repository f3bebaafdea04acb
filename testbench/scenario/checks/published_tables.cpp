// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/checks/published_tables.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

using perf::PmuCatalog;
using scoreboard::ConfigWords;
using scoreboard::LinuxVersion;
using scoreboard::Publication;
using scoreboard::PublishedEvent;
using scoreboard::PublishedField;
using scoreboard::PublishedFile;
using scoreboard::Shown;

constexpr std::size_t kMostNamed = 6;  // in one sentence

/// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNamed));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

const PmuCatalog::Format* find_format(const PmuCatalog::Entry& pmu, const std::string& name) {
  const auto found = std::find_if(pmu.formats.begin(), pmu.formats.end(),
                                  [&](const PmuCatalog::Format& format) { return format.name == name; });
  return found == pmu.formats.end() ? nullptr : &*found;
}

const PmuCatalog::Event* find_event(const PmuCatalog::Entry& pmu, const std::string& name) {
  const auto found = std::find_if(pmu.events.begin(), pmu.events.end(),
                                  [&](const PmuCatalog::Event& event) { return event.name == name; });
  return found == pmu.events.end() ? nullptr : &*found;
}

std::string words_text(const ConfigWords& words) {
  std::string text = fmt::format("config={:#x}", words[0]);
  if (words[1] != 0) text += fmt::format(",config1={:#x}", words[1]);
  if (words[2] != 0) text += fmt::format(",config2={:#x}", words[2]);
  return text;
}

class TableComparison {
 public:
  TableComparison(const Publication& expected, const PmuCatalog::Entry& shown) : expected_(expected), shown_(shown) {
    find_version();
  }

  std::vector<std::pair<std::string, std::string>> problems() {
    if (!expected_.left_alone.empty())
      return {{"the PMU", fmt::format("must be left alone: {}", expected_.left_alone)}};
    compare_fields();
    // Where fields are wrong, so are the numbers made of them.
    if (problems_.empty()) compare_numbers();
    compare_names();
    compare_files();
    return std::move(problems_);
  }

 private:
  void raise(LinuxVersion version) { version_ = std::max(version_, version); }

  /// The newest thing that the driver has tells its version.
  void find_version() {
    for (const PublishedField& field : expected_.fields) {
      const PmuCatalog::Format* const format = find_format(shown_, field.name);
      if (format == nullptr) continue;
      raise(field.since);
      for (const PublishedField::Place& place : field.places) {
        if (place.text == format->text) raise(place.since);
      }
    }
    std::map<std::string, LinuxVersion> first;  // of each name
    for (const PublishedEvent& event : expected_.events) {
      const auto [known, is_new] = first.emplace(event.name, event.since);
      if (!is_new) known->second = std::min(known->second, event.since);
    }
    for (const PmuCatalog::Event& event : shown_.events) {
      if (const auto known = first.find(event.name); known != first.end()) raise(known->second);
    }
  }

  [[nodiscard]] bool applies(const PublishedEvent& event) const {
    return event.since <= version_ && (event.last == 0 || version_ <= event.last);
  }

  void compare_fields() {
    constexpr const char* kFolder = "format";
    std::vector<std::string> missing;
    std::vector<std::string> wrong;
    std::vector<std::string> extra;
    for (const PublishedField& field : expected_.fields) {
      const PmuCatalog::Format* const format = find_format(shown_, field.name);
      if (format == nullptr) {
        if (field.shown == Shown::must && field.since <= version_) missing.push_back(field.name);
        continue;
      }
      if (field.shown == Shown::never) extra.push_back(field.name);
      const bool is_right = std::any_of(field.places.begin(), field.places.end(),
                                        [&](const PublishedField::Place& place) { return place.text == format->text; });
      if (!is_right)
        wrong.push_back(fmt::format("{} is '{}' and must be '{}'", field.name, format->text, field.places.back().text));
    }
    for (const PmuCatalog::Format& format : shown_.formats) {
      if (!format.bits) wrong.push_back(fmt::format("{} is '{}', which is no format", format.name, format.text));
    }
    if (!wrong.empty()) problems_.emplace_back(kFolder, some_of(wrong));
    if (!missing.empty()) problems_.emplace_back(kFolder, "lacks " + some_of(missing));
    if (!extra.empty()) problems_.emplace_back(kFolder, some_of(extra) + ": the PMU has no such filter");
  }

  void compare_numbers() {
    std::vector<std::string> wrong;
    for (const PmuCatalog::Event& event : shown_.events) {
      std::optional<ConfigWords> words;
      try {
        const perf::PerfAttributes attributes = PmuCatalog::define(shown_, event);
        words = ConfigWords{attributes.config, attributes.config1, attributes.config2};
      } catch (const perf::EventError& error) {
        wrong.push_back(error.reason());
        continue;
      }
      const PublishedEvent* meant = nullptr;
      bool is_right = false;
      for (const PublishedEvent& known : expected_.events) {
        if (known.name != event.name || !applies(known)) continue;
        meant = &known;
        is_right = is_right || known.words == *words;
      }
      if (meant != nullptr && !is_right)
        wrong.push_back(fmt::format("{} is '{}', or {}, and must be {}", event.name, event.definition,
                                    words_text(*words), words_text(meant->words)));
    }
    if (!wrong.empty()) problems_.emplace_back("events", some_of(wrong));
  }

  void compare_names() {
    std::vector<std::string> missing;
    std::map<std::string, std::vector<std::string>> extra;  // by what the PMU lacks
    std::set<std::string> possible;                         // by an entry of a name that has several
    for (const PublishedEvent& event : expected_.events) {
      if (event.shown != Shown::never && applies(event)) possible.insert(event.name);
    }
    for (const PublishedEvent& event : expected_.events) {
      const bool is_shown = find_event(shown_, event.name) != nullptr;
      if (event.shown == Shown::must && applies(event) && !is_shown) missing.push_back(event.name);
      if (event.shown == Shown::never && applies(event) && is_shown && possible.insert(event.name).second)
        extra[event.missing].push_back(event.name);
    }
    if (!missing.empty()) problems_.emplace_back("events", fmt::format("lacks {}", some_of(missing)));
    for (const auto& [why, names] : extra)
      problems_.emplace_back("events", fmt::format("has {}, but {}", some_of(names), why));
  }

  void compare_files() {
    for (const PublishedFile& file : expected_.files) {
      const auto found = std::find_if(shown_.others.begin(), shown_.others.end(),
                                      [&](const auto& other) { return other.first == file.name; });
      if (found == shown_.others.end()) {
        if (file.since <= version_) problems_.emplace_back(file.name, "is missing");
      } else if (found->second != file.text) {
        problems_.emplace_back(file.name, fmt::format("is '{}' and must be '{}'", found->second, file.text));
      }
    }
  }

  const Publication& expected_;
  const PmuCatalog::Entry& shown_;
  LinuxVersion version_ = 1;  // of the driver; 0 in a table means this one, too
  std::vector<std::pair<std::string, std::string>> problems_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> compare_published(const Publication& expected,
                                                                   const PmuCatalog::Entry& shown) {
  return TableComparison(expected, shown).problems();
}

}  // namespace pmufab::scenario
