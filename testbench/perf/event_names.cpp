// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/event_names.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace pmufab::perf {
namespace {

/// The three words of struct perf_event_attr that drivers give a meaning to.
using Words = std::array<std::uint64_t, 3>;
constexpr std::array<std::string_view, 3> kWords{"config", "config1", "config2"};

Words bits_of(const TermFormat& format, std::uint64_t value) {
  Words words{};
  format.place(value, words.at(static_cast<std::size_t>(format.word)));
  return words;
}

std::uint64_t value_of(const TermFormat& format, const Words& words) {
  const std::uint64_t word = words.at(static_cast<std::size_t>(format.word));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < format.bits.size() && i < 64; ++i) value |= (word >> format.bits[i] & 1U) << i;
  return value;
}

Words operator&(const Words& a, const Words& b) { return {a[0] & b[0], a[1] & b[1], a[2] & b[2]}; }
Words operator|(const Words& a, const Words& b) { return {a[0] | b[0], a[1] | b[1], a[2] | b[2]}; }
bool is_zero(const Words& words) { return (words[0] | words[1] | words[2]) == 0; }
int bits_in(const Words& words) { return std::popcount(words[0]) + std::popcount(words[1]) + std::popcount(words[2]); }

std::optional<std::uint64_t> number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Which bits an event's definition ("type=0x5,eventid=0x1") sets, and how.
struct Definition {
  Words mask{};
  Words value{};
};

std::optional<Definition> read_definition(const PmuCatalog::Entry& pmu, std::string_view text) {
  Definition result;
  while (!text.empty()) {
    const std::string_view term = text.substr(0, text.find(','));
    text.remove_prefix(std::min(term.size() + 1, text.size()));
    const std::size_t equals = term.find('=');
    const std::string_view name = term.substr(0, equals);
    if (term.ends_with("=?")) continue;  // the user's own
    const std::optional<std::uint64_t> value =
        equals == std::string_view::npos ? std::optional<std::uint64_t>(1) : number(term.substr(equals + 1));
    if (!value) return std::nullopt;
    const auto format =
        std::find_if(pmu.formats.begin(), pmu.formats.end(), [&](const auto& known) { return known.name == name; });
    if (format != pmu.formats.end()) {
      if (!format->bits) return std::nullopt;
      result.mask = result.mask | bits_of(*format->bits, ~std::uint64_t{0});
      result.value = result.value | bits_of(*format->bits, *value);
      continue;
    }
    const auto* const word = std::find(kWords.begin(), kWords.end(), name);
    if (word == kWords.end()) return std::nullopt;
    // A whole word leaves room for terms beside it: only what it sets tells it from others.
    const auto index = static_cast<std::size_t>(word - kWords.begin());
    result.mask.at(index) |= *value;
    result.value.at(index) |= *value;
  }
  return result;
}

}  // namespace

std::optional<ResolvedEvent> EventNames::name(const PerfAttributes& attributes) const {
  const auto& entries = catalog_.entries();
  const auto pmu = std::find_if(entries.begin(), entries.end(),
                                [&](const PmuCatalog::Entry& entry) { return entry.type == attributes.type; });
  if (pmu == entries.end()) return std::nullopt;

  ResolvedEvent event;
  event.pmu = pmu->name;
  event.attributes = attributes;
  if (!pmu->cpus.empty()) event.cpu = pmu->cpus.front();
  Words rest{attributes.config, attributes.config1, attributes.config2};
  Words told{};
  std::string words;

  const PmuCatalog::Event* best = nullptr;
  Definition best_definition;
  for (const PmuCatalog::Event& candidate : pmu->events) {
    const std::optional<Definition> definition = read_definition(*pmu, candidate.definition);
    if (!definition || (rest & definition->mask) != definition->value) continue;
    // An event that sets nothing by its definition is no other's name.
    if (is_zero(definition->mask)) continue;
    if (best != nullptr && bits_in(definition->mask) <= bits_in(best_definition.mask)) continue;
    best = &candidate;
    best_definition = *definition;
  }
  if (best != nullptr) {
    event.terms.push_back({best->name, std::nullopt});
    words = best->name;
    told = best_definition.mask;
  }

  const auto untold = [&] { return Words{rest[0] & ~told[0], rest[1] & ~told[1], rest[2] & ~told[2]}; };
  const auto add = [&](std::string_view name, std::uint64_t value) {
    event.terms.push_back({std::string(name), value});
    words += fmt::format("{}{}={:#x}", words.empty() ? "" : ",", name, value);
  };
  for (const PmuCatalog::Format& format : pmu->formats) {
    if (!format.bits) continue;
    const std::uint64_t value = value_of(*format.bits, untold());
    // Without an event's name, the term that numbers events is told even if it is 0.
    const bool numbers_events =
        best == nullptr && (format.name == "event" || format.name == "type" || format.name == "eventid");
    if (value == 0 && !numbers_events) continue;
    add(format.name, value);
    told = told | bits_of(*format.bits, ~std::uint64_t{0});
  }
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (untold()[i] != 0) add(kWords.at(i), untold()[i]);
  }
  event.text = fmt::format("{}/{}/", event.pmu, words);
  return event;
}

}  // namespace pmufab::perf
