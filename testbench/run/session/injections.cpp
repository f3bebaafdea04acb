// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/injections.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/event_syntax.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

/// @return the model's side of an event. @throws std::invalid_argument if no model can let it happen
scoreboard::Injection model_injection(const Machine& machine, const perf::ResolvedEvent& event, unsigned unit) {
  for (const auto& fabric : machine.fabrics()) {
    if (scoreboard::Injection injection = fabric->injection(event, unit)) return injection;
  }
  throw std::invalid_argument("events of this PMU only happen one by one");
}

}  // namespace

void Injections::prepare(const std::vector<InjectionSpec>& specs, Machine& machine, const perf::PmuCatalog& catalog) {
  // One that happens many times means the same each time.
  std::map<std::pair<std::string, unsigned>, std::optional<Planned>> known;
  for (const InjectionSpec& spec : specs) {
    const auto [place, is_new] = known.try_emplace({spec.source, spec.unit});
    std::optional<Planned>& meaning = place->second;
    if (is_new) meaning = meaning_of(spec, machine, catalog);
    if (is_new && !meaning) left_out_.push_back(spec.source);
    if (meaning) planned_.push_back({&spec, meaning->judge, meaning->model});
  }
}

std::optional<Injections::Planned> Injections::meaning_of(const InjectionSpec& spec, Machine& machine,
                                                          const perf::PmuCatalog& catalog) {
  const std::string pmu = perf::parse_events(spec.source).at(0).events.at(0).pmu;
  if (!catalog.has(pmu) && machine.scoreboard().judges(pmu)) return std::nullopt;
  try {
    const perf::ResolvedEvent event = catalog.resolve(spec.source).at(0).events.at(0);
    for (const auto& fabric : machine.fabrics()) fabric->check_event(event);
    return injection_of(spec, machine, event);
  } catch (const perf::PublicationError&) {
    throw;
  } catch (const perf::EventError& error) {
    throw InputError(spec.place, spec.path, "\n" + error.picture());
  }
}

Injections::Planned Injections::injection_of(const InjectionSpec& spec, Machine& machine,
                                             const perf::ResolvedEvent& event) {
  try {
    return {&spec, machine.scoreboard().injection(event.pmu, event.terms, spec.unit),
            model_injection(machine, event, spec.unit)};
  } catch (const std::invalid_argument& error) {
    std::string hint;
    for (const auto& fabric : machine.fabrics()) hint += fabric->hint(event);
    throw InputError(spec.place, spec.path, fmt::format("'{}': {}", spec.source, error.what()), hint);
  }
}

void Injections::plan(Triggers& triggers, Picoseconds zero, const std::function<void(const InjectionSpec&)>& done) {
  for (const Planned& planned : planned_) {
    triggers.arm(planned.spec->at, zero, [&planned, done] {
      const Picoseconds now = simulated_time();
      planned.judge(planned.spec->count, now);
      planned.model(planned.spec->count, now);
      done(*planned.spec);
    });
  }
}

}  // namespace pmufab::scenario
