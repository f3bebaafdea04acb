// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/coverage/coverpoints.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"

namespace pmufab::coverage {
namespace {

constexpr std::string_view kCross = " x ";

constexpr std::array<const char*, 4> kCounts{"below 2^16", "2^16 to 2^32", "2^32 to 2^48", "2^48 and more"};
constexpr std::array<unsigned, 3> kCountBits{16, 32, 48};
constexpr std::array<const char*, 2> kReadings{"once", "several times"};
constexpr std::array<const char*, 3> kPositions{"first", "middle", "last"};
constexpr std::array<const char*, 4> kValues{"0", "1", "some", "all ones"};

void declare_event(Coverage& coverage, const PmuFacts& facts, const perf::PmuCatalog::Entry& pmu,
                   const perf::PmuCatalog::Event& event, const std::string& name) {
  coverage.declare(facts.kind, kEvent, name);
  for (const char* const use : kUses) coverage.declare(facts.kind, kEventByUse, cross(name, use));
  if (facts.counter_at && !facts.is_cycles(name)) {
    const auto range = facts.ranges.find(name);
    for (const char* const position : kPositions) {
      // Of a single counter, nothing is to be told; of two, none is in the middle.
      const bool is_middle = position == kPositions[1];
      if (range == facts.ranges.end() || range->second.count > (is_middle ? 2U : 1U))
        coverage.declare(facts.kind, kEventByCounter, cross(name, position));
    }
  }
  for (const perf::PmuCatalog::Format& format : pmu.formats) {
    if (format.bits && is_filter_of(facts, event, format.name))
      coverage.declare(facts.kind, kEventByFilter, cross(name, format.name));
  }
}

void declare_filters(Coverage& coverage, const PmuFacts& facts, const perf::PmuCatalog::Entry& pmu) {
  for (const perf::PmuCatalog::Format& format : pmu.formats) {
    if (!format.bits || selects_event(format.name) || is_other_name(pmu, format)) continue;
    const std::uint64_t most = format.bits->maximum();
    for (const char* const value : kValues) {
      const bool is_possible = most > 1 || value == value_class(0, most) || value == value_class(1, most);
      if (is_possible) coverage.declare(facts.kind, filter_point(format.name), value);
    }
  }
}

template <typename Names>
void declare_all(Coverage& coverage, const std::string& kind, const char* point, const Names& names) {
  for (const auto& name : names) coverage.declare(kind, point, name);
}

}  // namespace

void declare(Coverage& coverage, const PmuFacts& facts, const perf::PmuCatalog::Entry& pmu,
             const PublishedEvents& events) {
  for (const perf::PmuCatalog::Event& event : pmu.events) {
    const auto named = events.names.find(event.name);
    const std::string& name = named == events.names.end() ? event.name : named->second;
    const auto reason = events.uncaused.find(name);
    if (reason == events.uncaused.end()) {
      declare_event(coverage, facts, pmu, event, name);
    } else {
      coverage.declare_uncaused(facts.kind, name, reason->second);
    }
  }
  declare_filters(coverage, facts, pmu);
  declare_all(coverage, facts.kind, kCount, kCounts);
  declare_all(coverage, facts.kind, kReading, kReadings);
  declare_all(coverage, facts.kind, kTopology, facts.topologies);
  const bool has_filters =
      std::ranges::any_of(pmu.formats, [](const auto& format) { return format.bits && !selects_event(format.name); });
  for (const char* const step : kSteps) {
    const bool is_reopen = step == kSteps.at(static_cast<std::size_t>(Step::reopen));
    if (has_filters || !is_reopen) coverage.declare(facts.kind, kLifeCycle, step);
  }
  declare_all(coverage, facts.kind, kInterrupt, facts.wirings);
  for (const std::string& width : facts.widths) {
    for (const char* const wraps : kWraps) coverage.declare(facts.kind, kWrap, cross(width, wraps));
  }
}

bool is_of_events(std::string_view coverpoint) noexcept {
  return coverpoint == kEvent || coverpoint == kEventByUse || coverpoint == kEventByCounter ||
         coverpoint == kEventByFilter;
}

std::string event_of(std::string_view bin) { return std::string(bin.substr(0, bin.find(kCross))); }

std::string cross(std::string_view first, std::string_view second) {
  return fmt::format("{}{}{}", first, kCross, second);
}

std::string filter_point(std::string_view format) { return fmt::format("filter {}", format); }

std::string value_class(std::uint64_t value, std::uint64_t maximum) {
  if (value <= 1) return kValues.at(value);
  return value == maximum ? kValues[3] : kValues[2];
}

std::string count_class(std::uint64_t count) {
  const auto bits = std::ranges::find_if(kCountBits, [&](unsigned candidate) { return count >> candidate == 0; });
  return kCounts.at(static_cast<std::size_t>(bits - kCountBits.begin()));
}

bool is_other_name(const perf::PmuCatalog::Entry& pmu, const perf::PmuCatalog::Format& format) {
  return std::ranges::any_of(pmu.formats, [&](const perf::PmuCatalog::Format& other) {
    return other.text == format.text && other.name < format.name;
  });
}

bool is_filter_of(const PmuFacts& facts, const perf::PmuCatalog::Event& event, std::string_view format) {
  return !selects_event(format) && (!facts.filters || facts.filters(event, format));
}

}  // namespace pmufab::coverage
