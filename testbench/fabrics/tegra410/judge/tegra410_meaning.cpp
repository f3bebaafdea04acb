// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "testbench/judge/term_values.h"

namespace pmufab::scoreboard {
namespace {

constexpr std::uint64_t kUcfCycles = 0x1'0000'0000;  // value of the sysfs name "cycles"
constexpr std::uint64_t kUcfBusCycles = 0x1d;

struct FilterTerm {
  std::string_view name;
  unsigned bit;  // bit of config1, which is also that of the hardware's filter
};
constexpr std::array<FilterTerm, kSources + kDestinations> kFilterTerms{{
    {"src_loc_noncpu", 0},
    {"src_loc_cpu", 1},
    {"src_rem", 2},
    {"dst_loc_cmem", 8},
    {"dst_loc_gmem", 9},
    {"dst_loc_other", 10},
    {"dst_rem", 11},
}};

std::string names_of(std::uint32_t bits, std::uint32_t all, unsigned first_bit) {
  if (bits == all) return "all";
  std::string text;
  for (const FilterTerm& term : kFilterTerms) {
    if (term.bit < first_bit || term.bit >= first_bit + 8) continue;
    if ((bits >> (term.bit - first_bit) & 1U) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "+", term.name.substr(4));
  }
  return text;
}

}  // namespace

UcfMeaning ucf_meaning(const EventTerms& terms) {
  std::optional<std::uint64_t> event;
  std::uint64_t filter = 0;
  for (const EventTerm& term : terms) {
    const auto* const filter_term = std::find_if(kFilterTerms.begin(), kFilterTerms.end(),
                                                 [&](const FilterTerm& known) { return known.name == term.name; });
    if (filter_term != kFilterTerms.end()) {
      const std::uint64_t mask = std::uint64_t{1} << filter_term->bit;
      filter = number_of(term, 1) != 0 ? filter | mask : filter & ~mask;
    } else if (term.name == "event") {
      set_event(event, number_of(term, 0x1'ffff'ffff), term);
    } else if (term.name == "config") {
      set_event(event, number_of(term, ~std::uint64_t{0}), term);
    } else if (term.name == "config1") {
      filter |= number_of(term, ~std::uint64_t{0});
    } else if (term.name == "cycles" && !term.value) {
      set_event(event, kUcfCycles, term);
    } else if (term.name == "bus_cycles" && !term.value) {
      set_event(event, kUcfBusCycles, term);
    } else if (const auto known = event_of_name(term.name); known && !term.value) {
      set_event(event, event_number(*known), term);
    } else {
      throw std::invalid_argument(fmt::format("the UCF PMU has no term '{}'", term.name));
    }
  }
  if (!event) throw std::invalid_argument("no event");

  UcfMeaning meaning;
  const auto sources = static_cast<std::uint32_t>(filter) & kAllSources;
  const auto destinations = static_cast<std::uint32_t>(filter >> 8) & kAllDestinations;
  if (sources != 0) meaning.sources = sources;
  if (destinations != 0) meaning.destinations = destinations;
  if (*event == kUcfCycles || *event == kUcfBusCycles) {
    meaning.kind = UcfMeaning::Kind::cycles;
    meaning.on_cycle_counter = *event == kUcfCycles;
    meaning.text = meaning.on_cycle_counter ? "cycles" : "bus_cycles";
    return meaning;
  }
  const auto known = event_of_number(*event);
  if (known) {
    meaning.kind = UcfMeaning::Kind::traffic;
    meaning.event = *known;
  }
  meaning.text =
      fmt::format("{}, {} -> {}", known ? std::string(to_string(*known)) : fmt::format("event {:#x}", *event),
                  names_of(meaning.sources, kAllSources, 0), names_of(meaning.destinations, kAllDestinations, 8));
  return meaning;
}

CmemMeaning cmem_meaning(const EventTerms& terms) {
  constexpr std::array<std::string_view, 3> kNames{"cycles", "rd_req", "rd_cum_outs"};
  std::optional<std::uint64_t> event;
  for (const EventTerm& term : terms) {
    const auto* const name = std::find(kNames.begin(), kNames.end(), term.name);
    if (name != kNames.end() && !term.value) {
      set_event(event, static_cast<std::uint64_t>(name - kNames.begin()), term);
    } else if (term.name == "event" || term.name == "config") {
      set_event(event, number_of(term, 3), term);
    } else {
      throw std::invalid_argument(fmt::format("the CMEM latency PMU has no term '{}'", term.name));
    }
  }
  if (!event) throw std::invalid_argument("no event");
  if (*event >= kNames.size()) throw std::invalid_argument("the CMEM latency PMU has no event 3");
  return static_cast<CmemMeaning>(*event);
}

std::string_view c2c_event_name(unsigned event) {
  constexpr std::array<std::string_view, kC2cEvents> kNames{"cycles",         "in_rd_cum_outs",  "in_rd_req",
                                                            "in_wr_cum_outs", "in_wr_req",       "out_rd_cum_outs",
                                                            "out_rd_req",     "out_wr_cum_outs", "out_wr_req"};
  return kNames.at(event);
}

C2cMeaning c2c_meaning(const EventTerms& terms, bool has_gpus) {
  std::optional<std::uint64_t> event;
  C2cMeaning meaning;
  for (const EventTerm& term : terms) {
    std::optional<unsigned> named;
    for (unsigned number = 0; number < kC2cEvents; ++number) {
      if (!term.value && c2c_event_name(number) == term.name) named = number;
    }
    if (named) {
      set_event(event, *named, term);
    } else if (term.name == "event" || term.name == "config") {
      set_event(event, number_of(term, 15), term);
    } else if (has_gpus && (term.name == "gpu_mask" || term.name == "config1")) {
      meaning.gpus |= static_cast<std::uint32_t>(number_of(term, 3));
    } else {
      throw std::invalid_argument(fmt::format("the PMU of this interface has no term '{}'", term.name));
    }
  }
  if (!event) throw std::invalid_argument("no event");
  if (*event >= kC2cEvents) throw std::invalid_argument(fmt::format("the PMU has no event {}", *event));
  meaning.event = static_cast<unsigned>(*event);
  return meaning;
}

}  // namespace pmufab::scoreboard
