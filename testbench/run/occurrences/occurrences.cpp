// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/occurrences.h"

#include <fnmatch.h>

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::perf {

// Where nlohmann_json looks for them.
static void to_json(scenario::Json& json, PerfCallObserver::Call call) { json = scenario::to_string(call); }

static void from_json(const scenario::Json& json, PerfCallObserver::Call& call) {
  if (const auto named = scenario::call_called(json.get<std::string>())) call = *named;
}

}  // namespace pmufab::perf

namespace pmufab::scenario {
namespace {

bool waits_for_access(const ScenarioSpec& spec) {
  const auto waits = [](const auto& item) { return item.at.is_access(); };
  return std::ranges::any_of(spec.actions, waits) || std::ranges::any_of(spec.injections, waits);
}

}  // namespace

bool needs_gate(const ScenarioSpec& spec) {
  return spec.records_accesses || !spec.faults.empty() || waits_for_access(spec);
}

void Occurrences::excuse(MeasureResult& result) const {
  for (const FaultSpec& fault : spec_.faults) {
    if (!machine_.gate()->faults().lasted_within(fault, result.start, result.stop)) continue;
    for (const std::string& event : fault.not_judged_events) {
      for (CounterResult& counter : result.counters) {
        if (fnmatch(event.c_str(), counter.event.c_str(), FNM_NOESCAPE) != 0) continue;
        if (counter.check == CounterResult::Check::not_opened) continue;  // no fault makes a driver refuse an event
        counter.check = CounterResult::Check::unchecked;
        counter.note = fmt::format("not judged: {}", fault.not_judged_reason);
      }
    }
  }
}

void Occurrences::plan(Picoseconds zero, const std::function<void(const std::string&)>& note) {
  HardwareGate* const gate = machine_.gate();
  if (gate == nullptr) return;
  if (spec_.records_accesses) {
    gate->record([this, zero](const AccessRecord& access) {
      if (access.place.pmu.empty()) return;
      AccessRecord told = access;
      told.when -= zero;
      journal_.write("access", to_json(told));
    });
  }
  gate->faults().plan(spec_.faults, spec_.seed, machine_.triggers(), zero, note);
}

std::vector<Broken> Occurrences::broken() const {
  return machine_.gate() == nullptr ? std::vector<Broken>() : machine_.gate()->faults().broken();
}

void Occurrences::mend() {
  if (machine_.gate() != nullptr) machine_.gate()->faults().mend();
}

std::optional<CheckResult> Occurrences::check(std::vector<std::string> missed) const {
  if (spec_.faults.empty() && !waits_for_access(spec_)) return {};
  for (const std::string& trigger : machine_.triggers().missed())
    missed.push_back(fmt::format("nothing came {}", trigger));
  for (const std::string& fault : machine_.gate()->faults().without_effect()) missed.push_back(fault);
  const bool ok = missed.empty();
  return CheckResult{kOccurrences, ok, ok ? "all came" : fmt::format("{}", fmt::join(missed, " | "))};
}

namespace {

template <auto Member>
constexpr auto kOfPlace = [](auto& access) -> auto& {
  return access.place.*Member;
};

constexpr auto kAccessFields = std::tuple(
    NamedField{"when_ps", &AccessRecord::when}, NamedField{"pmu", kOfPlace<&Triggers::Place::pmu>},
    NamedField{"call", kOfPlace<&Triggers::Place::call>}, NamedField{"nth_call", kOfPlace<&Triggers::Place::nth_call>},
    NamedField{"access", kOfPlace<&Triggers::Place::access>}, NamedField{"address", &AccessRecord::address},
    NamedField{"size", &AccessRecord::size}, NamedField{"is_write", &AccessRecord::is_write},
    NamedField{"ok", &AccessRecord::ok}, NamedField{"value", &AccessRecord::value},
    NamedField{"bank", &AccessRecord::bank}, NamedField{"name", &AccessRecord::name},
    NamedField{"function", &AccessRecord::function});

}  // namespace

Json to_json(const AccessRecord& access) {
  Json json;
  write_fields(json, access, kAccessFields);
  return json;
}

AccessRecord access_from_json(const Json& json) {
  AccessRecord access;
  read_fields(json, access, kAccessFields);
  return access;
}

}  // namespace pmufab::scenario
