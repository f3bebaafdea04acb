// SPDX-License-Identifier: Apache-2.0
#include "testbench/shell/verdict.h"

namespace pmufab::shell {

void to_json(scenario::Json& json, const Verdict& verdict) {
  json["event"] = verdict.event;
  json["pmu"] = verdict.pmu;
  json["cpu"] = verdict.cpu;
  json["driver"] = verdict.driver;
  if (verdict.expected) json["expected"] = *verdict.expected;
  json["check"] = verdict.check;
  json["note"] = verdict.note;
  json["opened_ps"] = verdict.opened;
  json["closed_ps"] = verdict.closed;
  json["time_enabled_ps"] = verdict.time_enabled;
  json["time_running_ps"] = verdict.time_running;
  json["reads"] = verdict.reads;
}

void from_json(const scenario::Json& json, Verdict& verdict) {
  verdict.event = json.at("event");
  verdict.pmu = json.at("pmu");
  verdict.cpu = json.at("cpu");
  verdict.driver = json.at("driver");
  if (json.contains("expected")) verdict.expected = json.at("expected").get<std::uint64_t>();
  verdict.check = json.at("check");
  verdict.note = json.at("note");
  verdict.opened = json.at("opened_ps");
  verdict.closed = json.at("closed_ps");
  verdict.time_enabled = json.at("time_enabled_ps");
  verdict.time_running = json.at("time_running_ps");
  verdict.reads = json.at("reads");
}

}  // namespace pmufab::shell
