// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/pmu_catalog.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/perf/software_events.h"
#include "tlm/spec/printable.h"

namespace pmufab::perf {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Shell-like matching with '*' and '?'.
bool glob(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    for (std::size_t skip = 0; skip <= name.size(); ++skip) {
      if (glob(pattern.substr(1), name.substr(skip))) return true;
    }
    return false;
  }
  return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
         glob(pattern.substr(1), name.substr(1));
}

std::uint64_t& word_of(PerfAttributes& attributes, TermFormat::Word word) {
  switch (word) {
    case TermFormat::Word::config:
      return attributes.config;
    case TermFormat::Word::config1:
      return attributes.config1;
    case TermFormat::Word::config2:
      return attributes.config2;
  }
  throw std::logic_error("no such word");
}

/// The whole words, as perf calls them.
std::optional<TermFormat::Word> word_called(std::string_view name) {
  if (name == "config") return TermFormat::Word::config;
  if (name == "config1") return TermFormat::Word::config1;
  if (name == "config2") return TermFormat::Word::config2;
  return std::nullopt;
}

std::vector<std::string> event_names(const PmuCatalog::Entry& pmu) {
  std::vector<std::string> names;
  for (const PmuCatalog::Event& event : pmu.events) names.push_back(event.name);
  return names;
}

const PmuCatalog::Format* find_format(const PmuCatalog::Entry& pmu, std::string_view name) {
  for (const PmuCatalog::Format& format : pmu.formats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::string publishes_wrongly(const PmuCatalog::Entry& pmu, const PmuCatalog::Format& format) {
  return fmt::format("the driver publishes {}/format/{} as '{}', which is not a format", pmu.name, format.name,
                     format.text);
}

/// perf compares the names of events, not those of terms, without regard to case: that of 6.12 writes
/// Rx_PCIe_TLP_Data_Payload where newer drivers write rx_pcie_tlp_data_payload.
const PmuCatalog::Event* find_event(const PmuCatalog::Entry& pmu, const std::string& name) {
  const PmuCatalog::Event* alike = nullptr;
  for (const PmuCatalog::Event& event : pmu.events) {
    if (event.name == name) return &event;
    if (alike == nullptr && ::strcasecmp(event.name.c_str(), name.c_str()) == 0) alike = &event;
  }
  return alike;
}

/// The definition of a named event, "event=0x119,other=1", into attributes. A term that is "?" must be among the
/// user's.
void apply_definition(const std::string& text, const WrittenEvent& written, std::size_t position,
                      const PmuCatalog::Entry& pmu, const PmuCatalog::Event& event, PerfAttributes& attributes) {
  const auto broken = [&](const std::string& why) {
    return PublicationError(
        text, position,
        fmt::format("the driver publishes {}/events/{} as '{}': {}", pmu.name, event.name, event.definition, why));
  };
  std::string_view rest = event.definition;
  if (rest.empty()) throw broken("the file is empty, or cannot be read");
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view term = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t equals = term.find('=');
    const std::string name(term.substr(0, equals));
    if (term.substr(std::min(equals, term.size())) == "=?") {
      const bool given =
          std::ranges::any_of(written.terms, [&](const WrittenTerm& own) { return own.name == name && own.value; });
      if (!given)
        throw EventError(text, position, fmt::format("the event '{}' needs the term '{}'", event.name, name),
                         fmt::format("write {}=...", name));
      continue;
    }
    const std::optional<std::uint64_t> value =
        equals == std::string_view::npos ? std::optional<std::uint64_t>(1) : parse_number(term.substr(equals + 1));
    if (!value) throw broken(fmt::format("'{}' has no number", term));
    const PmuCatalog::Format* const format = find_format(pmu, name);
    if (format == nullptr) {
      // As perf: a whole word, unless the driver gives the name a meaning of its own.
      const std::optional<TermFormat::Word> word = word_called(name);
      if (!word) throw broken(fmt::format("it has no format '{}'", name));
      word_of(attributes, *word) |= *value;
      continue;
    }
    if (!format->bits) throw broken(fmt::format("its format '{}' is '{}', which is none", name, format->text));
    if (*value > format->bits->maximum()) throw broken(fmt::format("'{}' does not fit into {}", term, format->text));
    format->bits->place(*value, word_of(attributes, format->bits->word));
  }
}

void apply_modifiers(const std::string& text, const WrittenEvent& event, PerfAttributes& attributes) {
  for (const char modifier : event.modifiers) {
    switch (modifier) {
      case 'u':
        attributes.exclude_kernel = true;
        break;
      case 'k':
        attributes.exclude_user = true;
        break;
      case 'H':
        attributes.exclude_guest = true;
        break;
      default:
        throw EventError(text, event.position, fmt::format("unknown modifier '{}' after '{}'", modifier, event.text),
                         "known modifiers are 'u', 'k' and 'H'");
    }
  }
}

ResolvedEvent resolve_software(const std::string& text, const WrittenEvent& event) {
  ResolvedEvent result;
  result.pmu = kSoftwarePmu;
  result.text = event.text;
  const std::optional<std::uint64_t> config =
      event.terms.size() == 1 ? software_event(event.terms.front().name) : std::nullopt;
  if (!config) throw EventError(text, event.position, "this is no software event", "write task-clock or cpu-clock");
  result.attributes.type = kSoftwareType;
  result.attributes.config = *config;
  apply_modifiers(text, event, result.attributes);
  return result;
}

/// A group is on one CPU, and a software event on any.
void place_software(std::vector<ResolvedEvent>& group) {
  const auto first = std::ranges::find_if(group, [](const ResolvedEvent& event) { return event.pmu != kSoftwarePmu; });
  if (first == group.end()) return;
  for (ResolvedEvent& event : group) {
    if (event.pmu == kSoftwarePmu) event.cpu = first->cpu;
  }
}

/// @return the number a term is given; 1 for a term that stands alone. @throws EventError
std::uint64_t number_of(const std::string& text, const WrittenTerm& term) {
  if (!term.value) return 1;
  const std::optional<std::uint64_t> number = parse_number(*term.value);
  if (!number) {
    throw EventError(text, term.value_position, fmt::format("'{}' is not a number", *term.value),
                     "write a decimal or 0x... number of at most 64 bits");
  }
  return *number;
}

}  // namespace

std::uint64_t TermFormat::maximum() const noexcept {
  return bits.size() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits.size()) - 1;
}

void TermFormat::place(std::uint64_t value, std::uint64_t& target) const noexcept {
  for (std::size_t i = 0; i < bits.size() && i < 64; ++i) target |= (value >> i & 1U) << bits[i];
}

std::uint64_t TermFormat::value_in(const PerfAttributes& attributes) const noexcept {
  const std::uint64_t from = word == Word::config    ? attributes.config
                             : word == Word::config1 ? attributes.config1
                                                     : attributes.config2;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits.size() && i < 64; ++i) value |= (from >> bits[i] & 1U) << i;
  return value;
}

std::optional<TermFormat> parse_format(std::string_view text) {
  TermFormat format;
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  if (word == "config") {
    format.word = TermFormat::Word::config;
  } else if (word == "config1") {
    format.word = TermFormat::Word::config1;
  } else if (word == "config2") {
    format.word = TermFormat::Word::config2;
  } else {
    return std::nullopt;
  }
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (rest.empty() || rest.back() == ',') return std::nullopt;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view range = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t dash = range.find('-');
    const auto first = parse_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
    if (!first || !last || *last > 63 || *first > *last) return std::nullopt;
    for (std::uint64_t bit = *first; bit <= *last; ++bit) format.bits.push_back(static_cast<unsigned>(bit));
  }
  return format;
}

std::vector<unsigned> parse_cpu_list(std::string_view text) {
  std::vector<unsigned> cpus;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = range.find('-');
    const auto first = parse_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
    if (!first || !last || *last > 65535) return {};
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<unsigned>(cpu));
  }
  return cpus;
}

PmuCatalog::PmuCatalog(const std::vector<Pmu>& pmus) {
  for (const Pmu& pmu : pmus) {
    Entry entry;
    // What a driver publishes is printed in lists, messages and reports.
    entry.name = printable(pmu.name);
    entry.type = pmu.type;
    for (const auto& [published, content] : pmu.files) {
      const std::string path = printable(published);
      const std::string line = printable(first_line(content));
      if (path.starts_with("events/")) {
        // Scale and unit files stand beside the events they are for.
        if (!path.ends_with(".scale") && !path.ends_with(".unit")) entry.events.push_back({path.substr(7), line});
      } else if (path.starts_with("format/")) {
        entry.formats.push_back({path.substr(7), line, parse_format(line)});
      } else {
        entry.others.emplace_back(path, line);
        if (path == "cpumask") entry.cpus = parse_cpu_list(line);
      }
    }
    std::ranges::sort(entry.events, [](const Event& a, const Event& b) { return a.name < b.name; });
    std::ranges::sort(entry.formats, [](const Format& a, const Format& b) { return a.name < b.name; });
    std::ranges::sort(entry.others);
    entries_.push_back(std::move(entry));
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) { return a.name < b.name; });
}

std::vector<std::string_view> PmuCatalog::open_terms(const Event& event) {
  constexpr std::string_view kOpen = "=?";
  std::vector<std::string_view> names;
  std::string_view rest = event.definition;
  while (!rest.empty()) {
    const std::string_view term = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(term.size() + 1, rest.size()));
    if (term.ends_with(kOpen)) names.push_back(term.substr(0, term.size() - kOpen.size()));
  }
  return names;
}

PerfAttributes PmuCatalog::define(const Entry& pmu, const Event& event) {
  WrittenEvent written;
  for (const std::string_view name : open_terms(event)) {
    WrittenTerm& open = written.terms.emplace_back();
    open.name = name;
    open.value = "0";
  }
  PerfAttributes attributes;
  attributes.type = pmu.type;
  apply_definition(event.name, written, 0, pmu, event, attributes);
  return attributes;
}

std::vector<std::string> PmuCatalog::warnings() const {
  std::vector<std::string> warnings;
  for (const Entry& entry : entries_) {
    for (const Format& format : entry.formats) {
      if (!format.bits) warnings.push_back(publishes_wrongly(entry, format));
    }
  }
  return warnings;
}

bool PmuCatalog::has(std::string_view pmu) const {
  if (pmu == kSoftwarePmu) return true;
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return glob(pmu, entry.name); });
}

std::vector<const PmuCatalog::Entry*> PmuCatalog::matching(const std::string& text, const WrittenEvent& event) const {
  std::vector<const Entry*> result;
  if (event.pmu.find_first_of("*?") == std::string::npos) {
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), event.pmu,
                                        [](const Entry& entry, const std::string& name) { return entry.name < name; });
    if (found != entries_.end() && found->name == event.pmu) result.push_back(&*found);
  } else {
    for (const Entry& entry : entries_) {
      if (glob(event.pmu, entry.name)) result.push_back(&entry);
    }
  }
  if (result.empty()) {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    std::string suggestion = scenario::did_you_mean(event.pmu, names);
    if (suggestion.empty())
      suggestion = names.empty() ? "no driver registered a PMU" : "the PMUs are " + scenario::quoted_list(names);
    throw EventError(text, event.position, fmt::format("there is no PMU '{}'", event.pmu), suggestion);
  }
  return result;
}

ResolvedEvent PmuCatalog::resolve(const std::string& text, const WrittenEvent& event, const Entry& pmu) const {
  ResolvedEvent result;
  result.pmu = pmu.name;
  result.text = pmu.name + event.text.substr(event.pmu.size());
  result.attributes.type = pmu.type;
  if (!pmu.cpus.empty()) result.cpu = pmu.cpus.front();

  for (const WrittenTerm& term : event.terms) {
    if (term.name == "name" && term.value) {  // only a label in perf's output
      result.text = *term.value;
      continue;
    }
    const Event* named = term.value ? nullptr : find_event(pmu, term.name);
    if (named != nullptr) {
      apply_definition(text, event, term.position, pmu, *named, result.attributes);
      result.terms.push_back({named->name, std::nullopt});
      continue;
    }

    const std::uint64_t value = number_of(text, term);
    if (const Format* const published = find_format(pmu, term.name)) {
      if (!published->bits) throw PublicationError(text, term.position, publishes_wrongly(pmu, *published));
      const TermFormat& format = *published->bits;
      if (!term.value && format.bits.size() > 1)
        throw EventError(text, term.position, fmt::format("no value assigned for term '{}'", term.name),
                         fmt::format("write {}=..., up to {}", term.name, format.maximum()));
      if (value > format.maximum()) {
        throw EventError(text, term.value ? term.value_position : term.position,
                         fmt::format("value too big for format ({}={}), maximum is {:#x}", term.name, published->text,
                                     format.maximum()));
      }
      format.place(value, word_of(result.attributes, format.word));
    } else if (const auto word = word_called(term.name); term.value && word) {
      word_of(result.attributes, *word) = value;
    } else {
      std::vector<std::string> candidates = term.value ? std::vector<std::string>{} : event_names(pmu);
      for (const Format& known : pmu.formats) candidates.push_back(known.name);
      for (const char* name : {"config", "config1", "config2", "name"}) candidates.emplace_back(name);
      std::string suggestion = scenario::did_you_mean(term.name, candidates);
      if (suggestion.empty()) suggestion = "valid here are " + scenario::quoted_list(candidates, 40);
      throw EventError(
          text, term.position,
          fmt::format("unknown {} '{}' for PMU '{}'", term.value ? "term" : "event or term", term.name, pmu.name),
          suggestion);
    }
    result.terms.push_back({term.name, value});
  }
  apply_modifiers(text, event, result.attributes);
  return result;
}

std::vector<ResolvedGroup> PmuCatalog::resolve(const std::string& text) const {
  std::vector<ResolvedGroup> result;
  for (const WrittenGroup& group : parse_events(text)) {
    // A wildcard: one group per PMU of the first event's matches, members with wildcards follow it. A group without a PMU of
    // a driver is one.
    const auto first =
        std::ranges::find_if(group.events, [](const WrittenEvent& event) { return event.pmu != kSoftwarePmu; });
    const std::vector<const Entry*> leaders =
        first == group.events.end() ? std::vector<const Entry*>{nullptr} : matching(text, *first);
    for (const Entry* leader : leaders) {
      ResolvedGroup resolved;
      resolved.braces = group.braces;
      for (const WrittenEvent& event : group.events) {
        if (event.pmu == kSoftwarePmu) {
          resolved.events.push_back(resolve_software(text, event));
          continue;
        }
        const std::vector<const Entry*> candidates = matching(text, event);
        const auto same = std::ranges::find(candidates, leader);
        if (same == candidates.end() && candidates.size() > 1)
          throw EventError(text, event.position, fmt::format("'{}' stands for several PMUs here", event.pmu),
                           fmt::format("one of them is '{}'", candidates.front()->name));
        resolved.events.push_back(resolve(text, event, same != candidates.end() ? *leader : *candidates.front()));
      }
      place_software(resolved.events);
      result.push_back(std::move(resolved));
    }
  }
  return result;
}

}  // namespace pmufab::perf
