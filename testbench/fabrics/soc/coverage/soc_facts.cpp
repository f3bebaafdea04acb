// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/soc_kind.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/soc/part/soc_rows.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::coverage {
namespace {

using platform::PlatformSpec;
using platform::SocPmuRow;

constexpr std::uint64_t kSocEnableSet = 0xc00;     // PMCNTENSET
constexpr std::uint64_t kSocEnableSetSize = 0x10;  // 64 bits, twice
constexpr unsigned kSocCycleCounter = 31;

/// @param offset  from PMCNTENSET
std::optional<unsigned> counter_enabled(std::uint64_t offset, std::uint64_t data) {
  if (offset >= kSocEnableSetSize || data == 0) return std::nullopt;
  return static_cast<unsigned>(offset * 8) + static_cast<unsigned>(std::countr_zero(data));
}

/// Finds the counter that a write programs, of a PMU with a register map. A register may hold bits of many counters: those
/// that change tell which is meant.
class ProgrammedCounter {
 public:
  ProgrammedCounter(const soc::RegisterMap& map, const SocPmuRow& row) : map_(&map) {
    for (const platform::PmuWindow& window : row.windows) bases_.push_back(window.base);
  }

  std::optional<unsigned> operator()(std::uint64_t address, std::uint64_t data) {
    const std::uint64_t before = std::exchange(held_[address], data);
    for (const soc::RegisterDescription& reg : map_->registers) {
      const std::uint64_t begin = bases_.at(reg.window) + reg.offset;
      const std::uint64_t stride = std::max(1U, reg.stride);
      if (address < begin || (address - begin) % stride != 0 || (address - begin) / stride >= reg.count) continue;
      const auto element = static_cast<unsigned>((address - begin) / stride);
      for (const soc::FieldDescription& field : reg.fields) {
        if (reg.is_for_all(field)) continue;
        for (unsigned index = 0; index < field.counters_in(); ++index) {
          const soc::BitRange bits = field.bits_of(index);
          if (programs(field.role, before >> bits.first & low_bits(bits.width),
                       data >> bits.first & low_bits(bits.width)))
            return reg.counter_of(field, element, index);
        }
      }
    }
    return std::nullopt;
  }

 private:
  static bool programs(soc::Role role, std::uint64_t before, std::uint64_t now) {
    switch (role) {
      case soc::Role::counter:
        return true;
      case soc::Role::event:
        return now != before;
      case soc::Role::enable:
      case soc::Role::run:
        return now > before;
      case soc::Role::disable:
        return now < before;
      case soc::Role::enable_set:
        return now != 0;
      default:
        return false;
    }
  }

  const soc::RegisterMap* map_;
  std::vector<std::uint64_t> bases_;             // of windows
  std::map<std::uint64_t, std::uint64_t> held_;  // by address
};

/// Terms of a driver that choose occurrences, each with the attribute by which it does. Those of clocks have none.
std::map<std::string, std::string, std::less<>> filter_terms(const soc::PmuDescription& pmu) {
  std::map<std::string, std::string, std::less<>> terms;
  for (const soc::FilterDescription& filter : pmu.filters) {
    for (const std::string& term : {filter.name, filter.care_term, filter.invert_term}) {
      if (!term.empty() && !filter.format.empty()) terms.emplace(term, filter.attribute);
    }
    for (const auto& [term, bit] : filter.terms) terms.emplace(term, filter.attribute);
  }
  return terms;
}

PmuFacts facts_of_map(const soc::Description& description, const soc::PmuDescription& pmu, const SocPmuRow& row) {
  PmuFacts facts;
  facts.counter_at = ProgrammedCounter(*pmu.map, row);
  facts.counters = pmu.counters;
  facts.places = {fmt::format("platform.socket{}_{}", row.socket, pmu.name)};
  facts.registers = {0};
  facts.event_width = width_class(soc::width_of(pmu, 0));
  std::set<std::string> widths = {facts.event_width};
  const bool has_selectors = std::ranges::any_of(pmu.map->registers, [](const soc::RegisterDescription& reg) {
    return std::ranges::any_of(reg.fields, [](const auto& field) { return field.role == soc::Role::event; });
  });
  for (const soc::EventDescription& event : pmu.events) {
    const soc::BitRange counters = event.counters.value_or(soc::BitRange{0, pmu.counters});
    facts.ranges[event.name] = {counters.first, has_selectors ? counters.width : 1};
    facts.other_widths[event.name] = width_class(soc::width_of(pmu, counters.first));
    widths.insert(facts.other_widths[event.name]);
  }
  facts.widths = {widths.begin(), widths.end()};
  facts.wiring = !pmu.interrupt               ? kNoInterrupt
                 : !pmu.interrupt->is_wired() ? "a message"
                 : pmu.interrupt->shared      ? "a line that others share"
                                              : "a line of its own";
  facts.wirings = {facts.wiring};
  facts.filters = [&description, &pmu, terms = filter_terms(pmu)](const perf::PmuCatalog::Event& event,
                                                                  std::string_view format) {
    const auto term = terms.find(format);
    const auto its = std::ranges::find(pmu.events, event.name, &soc::EventDescription::name);
    if (term == terms.end() || its == pmu.events.end() || its->counts == soc::EventDescription::Counts::cycles)
      return false;
    const std::vector<std::string>& attributes = description.sources.at(its->source).attributes;
    return term->second.empty() || std::ranges::find(attributes, term->second) != attributes.end();
  };
  return facts;
}

PmuFacts facts_of_pmu(const soc::Description& description, const SocPmuRow& row) {
  const soc::PmuDescription& pmu = description.pmus[row.pmu];
  if (pmu.map) return facts_of_map(description, pmu, row);
  PmuFacts facts;
  facts.counter_at = counter_enabled;
  facts.counters = pmu.counters - (pmu.cycle_counter ? 1 : 0);
  if (pmu.cycle_counter && facts.counters <= kSocCycleCounter) facts.cycle_counter = kSocCycleCounter;
  if (!pmu.is_64bit) facts.cycles_event = "cycles";
  facts.places = {fmt::format("platform.socket{}_{}", row.socket, pmu.name)};
  facts.registers = {row.apmt.base0 + kSocEnableSet};
  facts.widths = width_classes();
  facts.event_width = facts.cycles_width = width_class(pmu.width);
  facts.wirings = {"a line of its own", "a line that others share", kNoInterrupt};
  facts.wiring = facts.wirings[!pmu.interrupt ? 2 : pmu.interrupt->shared ? 1 : 0];
  PmuClasses classes(facts);
  classes.add("32-bit layout", !pmu.is_64bit);
  classes.add("64-bit layout", pmu.is_64bit);
  classes.add("one page", !pmu.page1);
  classes.add("two pages", pmu.page1.has_value());
  constexpr unsigned kHalf = 32;
  const bool is_halves = pmu.width > kHalf && !pmu.atomic_64bit;
  classes.add("counters read in two halves", is_halves);
  classes.add("counters read at once", !is_halves);
  classes.add("with a cycle counter", pmu.cycle_counter);
  classes.add("without a cycle counter", !pmu.cycle_counter);
  return facts;
}

std::optional<PmuFacts> facts_of_soc_row(const PlatformSpec& platform, const std::string& pmu) {
  const std::vector<SocPmuRow> rows = platform::soc_pmus(platform);
  const auto named = [&](std::string SocPmuRow::*name) {
    return std::ranges::find_if(rows, [&](const SocPmuRow& row) { return row.*name == pmu; });
  };
  auto row = named(&SocPmuRow::perf_name);
  if (row == rows.end()) row = named(&SocPmuRow::old_perf_name);
  if (row == rows.end()) return std::nullopt;
  PmuFacts facts = facts_of_pmu(platform.of<platform::SocSpec>(), *row);
  facts.kind = general_name(pmu);
  return facts;
}

}  // namespace

const FactsRoom& soc_facts() {
  static const FactsRoom room = {facts_of_soc_row, {"event"}, {}};
  return room;
}

}  // namespace pmufab::coverage
