// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/fabric.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "testbench/perf/event_syntax.h"
#include "testbench/perf/verdict.h"

namespace pmufab::scenario {

std::string expect_event(scoreboard::Scoreboard& judge, const std::vector<std::unique_ptr<Fabric>>& fabrics,
                         perf::EventHandle handle, const perf::ResolvedEvent& event,
                         const scoreboard::EventTerms* leader) {
  try {
    for (const auto& fabric : fabrics) fabric->check_event(event);
    if (!judge.judges(event.pmu)) return perf::kNobodyJudges;
    judge.expect(handle, event.pmu, event.terms, leader);
    return {};
  } catch (const perf::EventError& error) {
    return error.reason();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

void add_hints(MeasureResult& result, const perf::PmuService& pmus,
               const std::vector<std::unique_ptr<Fabric>>& fabrics) {
  std::optional<perf::PmuCatalog> catalog;
  for (CounterResult& counter : result.counters) {
    if (counter.check != CounterResult::Check::not_opened) continue;
    if (!catalog) catalog.emplace(pmus.pmus());
    try {
      const std::vector<perf::ResolvedGroup> groups = catalog->resolve(counter.event);
      for (const auto& fabric : fabrics) {
        const std::string hint = fabric->hint(groups.at(0).events.at(0));
        if (!hint.empty()) counter.note += "; " + hint;
      }
    } catch (const perf::EventError&) {
      // it was given another name
    }
  }
}

}  // namespace pmufab::scenario
