// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/occurrences.h"

#include <fnmatch.h>

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

bool waits_for_access(const ScenarioSpec& spec) {
  const auto waits = [](const auto& item) { return item.at.is_access(); };
  return std::any_of(spec.actions.begin(), spec.actions.end(), waits) ||
         std::any_of(spec.injections.begin(), spec.injections.end(), waits);
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

Json to_json(const AccessRecord& access) {
  Json json;
  json["when_ps"] = access.when;
  json["pmu"] = access.place.pmu;
  json["call"] = to_string(access.place.call);
  json["nth_call"] = access.place.nth_call;
  json["access"] = access.place.access;
  json["address"] = access.address;
  json["size"] = access.size;
  json["is_write"] = access.is_write;
  json["ok"] = access.ok;
  json["value"] = access.value;
  json["bank"] = access.bank;
  json["name"] = access.name;
  json["function"] = access.function;
  return json;
}

AccessRecord access_from_json(const Json& json) {
  AccessRecord access;
  json.at("when_ps").get_to(access.when);
  json.at("pmu").get_to(access.place.pmu);
  if (const auto call = call_called(json.at("call").get<std::string>())) access.place.call = *call;
  json.at("nth_call").get_to(access.place.nth_call);
  json.at("access").get_to(access.place.access);
  json.at("address").get_to(access.address);
  json.at("size").get_to(access.size);
  json.at("is_write").get_to(access.is_write);
  json.at("ok").get_to(access.ok);
  json.at("value").get_to(access.value);
  json.at("bank").get_to(access.bank);
  json.at("name").get_to(access.name);
  json.at("function").get_to(access.function);
  return access;
}

}  // namespace pmufab::scenario
