// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/soc_kind.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "models/soc/part/soc_rows.h"

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

/// Of a PMU with a register map: which write programs a counter, only the map knows.
PmuFacts facts_of_map(const soc::PmuDescription& pmu, const SocPmuRow& row) {
  PmuFacts facts;
  facts.places = {fmt::format("platform.socket{}_{}", row.socket, pmu.name)};
  facts.widths = width_classes();
  facts.event_width = facts.cycles_width = width_class(pmu.width);
  facts.wirings = {"a line of its own", "a line that others share", kNoInterrupt};
  facts.wiring = facts.wirings[!pmu.interrupt ? 2 : pmu.interrupt->shared ? 1 : 0];
  return facts;
}

PmuFacts facts_of_pmu(const soc::PmuDescription& pmu, const SocPmuRow& row) {
  if (pmu.map) return facts_of_map(pmu, row);
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
  PmuFacts facts = facts_of_pmu(platform.of<platform::SocSpec>().pmus[row->pmu], *row);
  facts.kind = general_name(pmu);
  return facts;
}

}  // namespace

const FactsRoom& soc_facts() {
  static const FactsRoom room = {facts_of_soc_row, {"event"}, {}};
  return room;
}

}  // namespace pmufab::coverage
