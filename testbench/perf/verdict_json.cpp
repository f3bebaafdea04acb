// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/verdict_json.h"

#include "testbench/perf/account.h"

namespace pmufab::perf {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::uint64_t> number(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return json.at(key).get<std::uint64_t>();
}

}  // namespace

Json to_json(const Verdict& verdict, const char* counter) {
  Json json;
  const auto& opening = verdict.opening;
  json["event"] = verdict.event;
  if (opening) {
    json["pmu"] = opening->pmu;
    json["cpu"] = opening->cpu;
  }
  if (verdict.count) json[counter] = *verdict.count;
  if (opening) {
    if (verdict.low) json["expected"] = *verdict.low;
  } else {
    if (verdict.low) json["low"] = *verdict.low;
    if (verdict.high) json["high"] = *verdict.high;
  }
  json["check"] = verdict.check;
  json["note"] = verdict.note;
  if (opening) {
    json["opened_ps"] = opening->opened;
    json["closed_ps"] = opening->closed;
    json["time_enabled_ps"] = opening->turns.enabled;
    json["time_running_ps"] = opening->turns.running;
    json["reads"] = opening->reads;
  }
  if (verdict.account) {
    const std::uint64_t count = verdict.count.value_or(0);
    add_account(json, verdict.account, count, opening ? opening->turns : Turns{});
  }
  return json;
}

void to_json(Json& json, Check check) { json = to_string(check); }

void from_json(const Json& json, Check& check) { check = check_called(json.get<std::string>()); }

Verdict verdict_from_json(const Json& json, const char* counter) {
  Verdict verdict;
  verdict.event = json.at("event");
  verdict.count = number(json, counter);
  verdict.low = number(json, json.contains("expected") ? "expected" : "low");
  verdict.high = number(json, json.contains("expected") ? "expected" : "high");
  json.at("check").get_to(verdict.check);
  verdict.note = json.at("note");
  if (json.contains("opened_ps")) {
    verdict.opening = {json.at("pmu"),
                       json.at("cpu"),
                       json.at("opened_ps"),
                       json.at("closed_ps"),
                       {json.at("time_enabled_ps"), json.at("time_running_ps")},
                       json.at("reads")};
  }
  verdict.account = account_from_json(json);
  return verdict;
}

}  // namespace pmufab::perf
