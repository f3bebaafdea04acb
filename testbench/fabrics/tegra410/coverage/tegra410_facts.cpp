// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_kind.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_spec.h"

namespace pmufab::coverage {
namespace {

using platform::PlatformSpec;
using platform::PmuType;

constexpr std::uint64_t kEnableSet = 0xc00;     // PMCNTENSET
constexpr std::uint64_t kEnableSetSize = 0x20;  // as many bits as counters are possible
constexpr unsigned kCoreSightCycles = 31;       // number of the cycle counter

/// @param offset  from PMCNTENSET
std::optional<unsigned> enabled_counter(std::uint64_t offset, std::uint64_t data) {
  if (offset >= kEnableSetSize || data == 0) return std::nullopt;
  return static_cast<unsigned>(offset * 8) + static_cast<unsigned>(std::countr_zero(data));
}

void add_sockets(PmuClasses classes, const PlatformSpec& platform) {
  for (unsigned sockets = 1; sockets <= platform::kMaximumSockets; ++sockets)
    classes.add(fmt::format("{} socket{}", sockets, sockets == 1 ? "" : "s"), platform.sockets == sockets);
}

/// @return the name of the PMU's model, which is not that of dumps
std::string model_of(const platform::PmuRow& row) {
  switch (row.type) {
    case PmuType::pcie:
      return fmt::format("platform.socket{}.rc{}_pcie_pmu", row.socket, row.root_complex);
    case PmuType::pcie_tgt:
      return fmt::format("platform.socket{}.rc{}_tgt_pmu.pmu", row.socket, row.root_complex);
    default:
      return "platform." + row.name;
  }
}

void add_coresight(PmuFacts& facts, const platform::PmuRow& row, const tegra410::CoreSightPmuParameters& parameters) {
  facts.counter_at = enabled_counter;
  facts.counters = parameters.counters - (parameters.cycle_counter ? 1 : 0);
  if (parameters.cycle_counter && facts.counters <= kCoreSightCycles) facts.cycle_counter = kCoreSightCycles;
  facts.cycles_event = "cycles";
  facts.places = {model_of(row)};
  facts.registers = {row.apmt ? row.apmt->base0 + kEnableSet : 0};
  facts.widths = width_classes();
  facts.event_width = facts.cycles_width = width_class(parameters.width);
  facts.wirings = {"a line of its own", kNoInterrupt};
  facts.wiring = parameters.interrupt ? "a line of its own" : kNoInterrupt;
  PmuClasses classes(facts);
  classes.add("one page", !parameters.dual_page);
  classes.add("two pages", parameters.dual_page);
  constexpr unsigned kHalf = 32;
  classes.add("counters read in two halves", parameters.width > kHalf && !parameters.atomic_64bit);
  classes.add("counters read at once", parameters.width <= kHalf || parameters.atomic_64bit);
  classes.add("with a cycle counter", parameters.cycle_counter);
  if (row.type != PmuType::pcie_tgt) classes.add("without a cycle counter", !parameters.cycle_counter);
  constexpr unsigned kFew = 8;
  classes.add(fmt::format("up to {} counters", kFew), parameters.counters <= kFew);
  classes.add(fmt::format("more than {} counters", kFew), parameters.counters > kFew);
}

void add_tegra410(PmuFacts& facts, const PlatformSpec& platform, const platform::PmuRow& row) {
  const tegra410::Parameters& parameters = platform.of<platform::Tegra410Spec>();
  PmuClasses classes(facts);
  add_sockets(classes, platform);
  if (row.type == PmuType::ucf) {
    add_coresight(facts, row, parameters.ucf_pmu);
  } else if (row.type == PmuType::pcie) {
    add_coresight(facts, row, parameters.pcie_pmu);
  } else if (row.type == PmuType::pcie_tgt) {
    add_coresight(facts, row, parameters.pcie_tgt_pmu);
  }
  if (row.type == PmuType::pcie || row.type == PmuType::pcie_tgt) {
    classes.add("root complex 0", row.root_complex == 0);
    classes.add("another root complex", row.root_complex != 0);
  }
}

std::optional<PmuFacts> facts_of_row(const PlatformSpec& platform, const std::string& pmu) {
  const std::vector<platform::PmuRow> rows = platform::tegra410_pmus(platform);
  const auto row = std::ranges::find_if(rows, [&](const auto& one) { return one.perf_name == pmu; });
  if (row == rows.end()) return std::nullopt;
  PmuFacts facts;
  facts.kind = general_name(pmu);
  add_tegra410(facts, platform, *row);
  return facts;
}

}  // namespace

const FactsRoom& tegra410_facts() {
  static const FactsRoom room = {facts_of_row, {"event"}, {}};
  return room;
}

}  // namespace pmufab::coverage
