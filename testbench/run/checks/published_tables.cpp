// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/published_tables.h"

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

const PmuCatalog::Format* find_format(const PmuCatalog::Entry& pmu, const std::string& name) {
  const auto found =
      std::ranges::find_if(pmu.formats, [&](const PmuCatalog::Format& format) { return format.name == name; });
  return found == pmu.formats.end() ? nullptr : &*found;
}

const PmuCatalog::Event* find_event(const PmuCatalog::Entry& pmu, const std::string& name) {
  const auto found =
      std::ranges::find_if(pmu.events, [&](const PmuCatalog::Event& event) { return event.name == name; });
  return found == pmu.events.end() ? nullptr : &*found;
}

std::string words_text(const ConfigWords& words) {
  std::string text = fmt::format("config={:#x}", words[0]);
  if (words[1] != 0) text += fmt::format(",config1={:#x}", words[1]);
  if (words[2] != 0) text += fmt::format(",config2={:#x}", words[2]);
  return text;
}

/// @return what a driver shows of an event, and the words that it stands for, if those are not shown themselves
std::string shown_text(const PmuCatalog::Event& event, const ConfigWords& words) {
  const std::string text = words_text(words);
  return event.definition == text ? fmt::format("'{}'", text) : fmt::format("'{}', or {},", event.definition, text);
}

class TableComparison {
 public:
  TableComparison(const Publication& expected, const PmuCatalog::Entry& shown, LinuxVersion kernel)
      : expected_(expected), shown_(shown) {
    find_version();
    if (kernel != 0) version_ = std::min(version_, kernel);
  }

  std::vector<std::pair<std::string, std::string>> problems() {
    if (!expected_.left_alone.empty())
      return {{"the PMU", fmt::format("must be left alone: {}", expected_.left_alone)}};
    compare_fields();
    // Where fields are wrong, so are the numbers made of them.
    if (problems_.empty()) {
      compare_numbers();
      compare_others();
    }
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

  [[nodiscard]] bool applies(const PublishedEvent& event) const { return event.since <= version_ && may_be(event); }

  /// A driver may have what came after its version.
  [[nodiscard]] bool may_be(const PublishedEvent& event) const { return event.last == 0 || version_ <= event.last; }

  /// @return whether the driver has the name that a later version gave an event
  [[nodiscard]] bool is_renamed(const PublishedEvent& event) const {
    return event.last != 0 && std::ranges::any_of(expected_.events, [&](const PublishedEvent& later) {
             return later.since > event.last && later.words == event.words && find_event(shown_, later.name) != nullptr;
           });
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
      const bool is_right = std::ranges::any_of(
          field.places, [&](const PublishedField::Place& place) { return place.text == format->text; });
      if (!is_right)
        wrong.push_back(fmt::format("{} is '{}' and must be '{}'", field.name, format->text, field.places.back().text));
    }
    for (const PmuCatalog::Format& format : shown_.formats) {
      if (!format.bits) wrong.push_back(fmt::format("{} is '{}', which is no format", format.name, format.text));
    }
    if (!wrong.empty()) problems_.emplace_back(kFolder, some_of(wrong));
    if (!missing.empty()) problems_.emplace_back(kFolder, "lacks " + some_of(missing));
    if (!extra.empty()) problems_.emplace_back(kFolder, some_of(extra) + ": the PMU has no such filter");
    const std::vector<std::string> made_up = made_up_fields();
    if (!made_up.empty())
      problems_.emplace_back(kFolder, fmt::format("has {}, where the PMU has no field", some_of(made_up)));
  }

  /// A name that no table has stands for a field of the tables, or for a part of one that the driver does not show itself.
  [[nodiscard]] bool is_part_of_known(const PmuCatalog::Format& format) const {
    return std::ranges::any_of(expected_.fields, [&](const PublishedField& field) {
      if (field.shown == Shown::never) return false;
      const bool is_replaced = find_format(shown_, field.name) == nullptr;
      return std::ranges::any_of(field.places, [&](const PublishedField::Place& place) {
        const std::optional<perf::TermFormat> known = perf::parse_format(place.text);
        if (!known || known->word != format.bits->word) return false;
        return is_replaced ? std::ranges::all_of(
                                 format.bits->bits,
                                 [&](unsigned bit) { return std::ranges::find(known->bits, bit) != known->bits.end(); })
                           : known->bits == format.bits->bits;
      });
    });
  }

  /// Fields of the hardware are known from the tables. There is none where they have none.
  [[nodiscard]] std::vector<std::string> made_up_fields() const {
    std::vector<std::string> made_up;
    if (!expected_.is_complete || expected_.fields.empty()) return made_up;
    for (const PmuCatalog::Format& format : shown_.formats) {
      const bool is_named =
          std::ranges::any_of(expected_.fields, [&](const PublishedField& field) { return field.name == format.name; });
      if (!is_named && format.bits && !is_part_of_known(format))
        made_up.push_back(fmt::format("{} ('{}')", format.name, format.text));
    }
    return made_up;
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
      const ConfigWords open = open_bits(shown_, event);
      for (const PublishedEvent& known : expected_.events) {
        if (known.name != event.name || !may_be(known)) continue;
        if (meant == nullptr || applies(known)) meant = &known;
        bool is_same = true;
        for (std::size_t word = 0; word < words->size(); ++word)
          is_same = is_same && ((known.words[word] ^ (*words)[word]) & ~open[word]) == 0;
        is_right = is_right || is_same;
      }
      if (meant != nullptr && !is_right)
        wrong.push_back(
            fmt::format("{} is {} and must be {}", event.name, shown_text(event, *words), words_text(meant->words)));
    }
    if (!wrong.empty()) problems_.emplace_back("events", some_of(wrong));
  }

  /// @return all bits of the fields of the tables in which some of `bits` are
  [[nodiscard]] std::uint64_t bits_of_fields(std::size_t word, std::uint64_t bits) const {
    std::uint64_t all = bits;
    for (const PublishedField& field : expected_.fields) {
      const std::optional<perf::TermFormat> format = perf::parse_format(field.places.back().text);
      if (!format || static_cast<std::size_t>(format->word) != word) continue;
      std::uint64_t mask = 0;
      for (const unsigned bit : format->bits) mask |= std::uint64_t{1} << bit;
      if ((mask & bits) != 0) all |= mask;
    }
    return all;
  }

  /// @return the bits by which the events of the tables differ. Filters are not among them
  [[nodiscard]] ConfigWords number_bits() const {
    ConfigWords number{};
    for (std::size_t word = 0; word < number.size(); ++word) {
      for (const PublishedEvent& known : expected_.events) number[word] |= known.words[word];
      number[word] = bits_of_fields(word, number[word]);
    }
    return number;
  }

  /// @return whether these words are those of an event that the PMU has, or of several that can be counted together
  [[nodiscard]] bool is_number_of_any(const ConfigWords& words, const ConfigWords& number) const {
    bool is_known = false;
    std::uint64_t together = 0;
    for (const PublishedEvent& known : expected_.events) {
      if (known.shown == Shown::never) continue;
      bool same = ((known.words[0] ^ words[0]) & number[0] & ~expected_.combined) == 0;
      for (std::size_t word = 1; word < number.size(); ++word)
        same = same && ((known.words[word] ^ words[word]) & number[word]) == 0;
      if (!same) continue;
      is_known = true;
      together |= known.words[0];
    }
    const std::uint64_t combined = words[0] & expected_.combined;
    return is_known && (expected_.combined == 0 || (combined != 0 && (combined & ~together) == 0));
  }

  /// Events whose names no table has: their numbers are those of events that the PMU has.
  void compare_others() {
    if (!expected_.is_complete || expected_.events.empty()) return;
    std::vector<std::string> made_up;
    const ConfigWords number = number_bits();
    for (const PmuCatalog::Event& event : shown_.events) {
      const bool is_named =
          std::ranges::any_of(expected_.events, [&](const PublishedEvent& known) { return known.name == event.name; });
      if (is_named) continue;
      try {
        const perf::PerfAttributes attributes = PmuCatalog::define(shown_, event);
        const ConfigWords words{attributes.config, attributes.config1, attributes.config2};
        if (!is_number_of_any(words, number)) made_up.push_back(fmt::format("{} ({})", event.name, words_text(words)));
      } catch (const perf::EventError&) {
        continue;  // compare_numbers() tells
      }
    }
    if (!made_up.empty())
      problems_.emplace_back("events",
                             fmt::format("has {}, but the PMU has no event of that number", some_of(made_up)));
  }

  void compare_names() {
    std::vector<std::string> missing;
    std::map<std::string, std::vector<std::string>> extra;  // by what the PMU lacks
    std::set<std::string> possible;                         // by an entry of a name that has several
    for (const PublishedEvent& event : expected_.events) {
      if (event.shown != Shown::never && may_be(event)) possible.insert(event.name);
    }
    for (const PublishedEvent& event : expected_.events) {
      const bool is_shown = find_event(shown_, event.name) != nullptr;
      if (event.shown == Shown::must && applies(event) && !is_shown && !is_renamed(event))
        missing.push_back(event.name);
      if (event.shown == Shown::never && may_be(event) && is_shown && possible.insert(event.name).second)
        extra[event.missing].push_back(event.name);
    }
    if (!missing.empty()) problems_.emplace_back("events", fmt::format("lacks {}", some_of(missing)));
    for (const auto& [why, names] : extra)
      problems_.emplace_back("events", fmt::format("has {}, but {}", some_of(names), why));
  }

  void compare_files() {
    for (const PublishedFile& file : expected_.files) {
      const auto found =
          std::ranges::find_if(shown_.others, [&](const auto& other) { return other.first == file.name; });
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

ConfigWords open_bits(const PmuCatalog::Entry& pmu, const PmuCatalog::Event& event) {
  ConfigWords open{};
  for (const std::string_view name : PmuCatalog::open_terms(event)) {
    const PmuCatalog::Format* const format = find_format(pmu, std::string(name));
    if (format == nullptr || !format->bits) continue;
    for (const unsigned bit : format->bits->bits)
      open.at(static_cast<std::size_t>(format->bits->word)) |= std::uint64_t{1} << bit;
  }
  return open;
}

std::string some_of(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNamed));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

std::vector<std::pair<std::string, std::string>> compare_published(const Publication& expected,
                                                                   const PmuCatalog::Entry& shown,
                                                                   LinuxVersion kernel) {
  return TableComparison(expected, shown, kernel).problems();
}

}  // namespace pmufab::scenario
