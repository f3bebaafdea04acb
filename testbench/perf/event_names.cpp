// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/event_names.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/judge/scoreboard.h"

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
    const auto format = std::ranges::find_if(pmu.formats, [&](const auto& known) { return known.name == name; });
    if (format != pmu.formats.end()) {
      if (!format->bits) return std::nullopt;
      result.mask = result.mask | bits_of(*format->bits, ~std::uint64_t{0});
      result.value = result.value | bits_of(*format->bits, *value);
      continue;
    }
    const auto* const word = std::ranges::find(kWords, name);
    if (word == kWords.end()) return std::nullopt;
    // A whole word leaves room for terms beside it: only what it sets tells it from others. A word of 0 is 0.
    const auto index = static_cast<std::size_t>(word - kWords.begin());
    result.mask.at(index) |= *value == 0 ? ~std::uint64_t{0} : *value;
    result.value.at(index) |= *value;
  }
  return result;
}

/// A field of the attributes that the driver publishes.
struct Field {
  std::string_view name;
  TermFormat format;
  Words mask{};
};

/// The fields that an event has.
std::vector<Field> fields_of(const PmuCatalog::Entry& pmu, const Words& words, const EventNames::HasTerm& has_term) {
  std::vector<Field> all;
  for (const PmuCatalog::Format& format : pmu.formats) {
    if (format.bits) all.push_back({format.name, *format.bits, bits_of(*format.bits, ~std::uint64_t{0})});
  }
  if (!has_term) return all;
  const auto shares_bits = [&](const Field& field) {
    return std::ranges::any_of(
        all, [&](const Field& other) { return &other != &field && !is_zero(other.mask & field.mask); });
  };
  scoreboard::EventTerms certain;
  for (const Field& field : all) {
    if (!shares_bits(field)) certain.push_back({std::string(field.name), value_of(field.format, words)});
  }
  std::vector<Field> had;
  for (const Field& field : all) {
    if (!shares_bits(field) || has_term(pmu.name, field.name, certain)) had.push_back(field);
  }
  return had;
}

/// Bits of the attributes that nothing has told yet.
class Untold {
 public:
  explicit Untold(const Words& words) : words_(words) {}
  void tell(const Words& mask) { words_ = {words_[0] & ~mask[0], words_[1] & ~mask[1], words_[2] & ~mask[2]}; }
  [[nodiscard]] const Words& words() const { return words_; }

 private:
  Words words_;
};

/// Tell the fields, by name, then whole words of what is left.
/// @param selects  whether fields that select the event are told even if they are 0
scoreboard::EventTerms tell(const std::vector<Field>& fields, Untold untold, bool selects) {
  constexpr std::array<std::string_view, 4> kSelecting{"event", "eventid", "mask", "type"};
  scoreboard::EventTerms terms;
  for (const Field& field : fields) {
    const std::uint64_t value = value_of(field.format, untold.words());
    const bool is_told = value != 0 || (selects && std::ranges::find(kSelecting, field.name) != kSelecting.end());
    if (!is_told) continue;
    terms.push_back({std::string(field.name), value});
    untold.tell(field.mask);
  }
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (untold.words()[i] != 0) terms.push_back({std::string(kWords.at(i)), untold.words()[i]});
  }
  return terms;
}

}  // namespace

EventNames::EventNames(const PmuCatalog& catalog, HasTerm has_term)
    : catalog_(catalog), has_term_(std::move(has_term)) {
  for (const PmuCatalog::Entry& pmu : catalog.entries()) {
    const auto [place, is_first] = defined_.try_emplace(pmu.type);
    if (!is_first) continue;  // name() takes the first
    for (const PmuCatalog::Event& event : pmu.events) {
      const std::optional<Definition> bits = read_definition(pmu, event.definition);
      // An event that sets nothing by its definition is no other's name.
      if (bits && !is_zero(bits->mask)) place->second.push_back({&event, bits->mask, bits->value});
    }
  }
}

EventNames::EventNames(const PmuCatalog& catalog, const scoreboard::Scoreboard& judge)
    : EventNames(catalog,
                 [&judge](const std::string& pmu, std::string_view term, const scoreboard::EventTerms& numbers) {
                   return judge.has_term(pmu, term, numbers);
                 }) {}

std::optional<ResolvedEvent> EventNames::name(const PerfAttributes& attributes) const {
  const auto& entries = catalog_.entries();
  const auto pmu =
      std::ranges::find_if(entries, [&](const PmuCatalog::Entry& entry) { return entry.type == attributes.type; });
  if (pmu == entries.end()) return std::nullopt;

  ResolvedEvent event;
  event.pmu = pmu->name;
  event.attributes = attributes;
  if (!pmu->cpus.empty()) event.cpu = pmu->cpus.front();
  const Words words{attributes.config, attributes.config1, attributes.config2};
  const std::vector<Field> fields = fields_of(*pmu, words, has_term_);
  event.terms = tell(fields, Untold(words), true);

  const Defined* best = nullptr;
  for (const Defined& candidate : defined_.at(pmu->type)) {
    if ((words & candidate.mask) != candidate.value) continue;
    if (best == nullptr || bits_in(candidate.mask) > bits_in(best->mask)) best = &candidate;
  }
  Untold untold(words);
  if (best != nullptr) untold.tell(best->mask);
  event.text = best == nullptr ? "" : best->event->name;
  for (const scoreboard::EventTerm& term : tell(fields, untold, best == nullptr))
    event.text += fmt::format("{}{}={:#x}", event.text.empty() ? "" : ",", term.name, *term.value);
  event.text = fmt::format("{}/{}/", event.pmu, event.text);
  return event;
}

}  // namespace pmufab::perf
