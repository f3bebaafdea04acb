// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/campaign_state.h"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::verify {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const FailureGroup& group) {
  Json json;
  json["kind"] = group.kind;
  json["text"] = group.text;
  json["first"] = group.first;
  json["name"] = group.name;
  json["drivers"] = group.drivers;
  json["cases"] = group.cases;
  json["file"] = group.file;
  json["lines"] = group.lines;
  return json;
}

FailureGroup group_from(const Json& json) {
  FailureGroup group;
  json.at("kind").get_to(group.kind);
  json.at("text").get_to(group.text);
  json.at("first").get_to(group.first);
  json.at("name").get_to(group.name);
  json.at("drivers").get_to(group.drivers);
  json.at("cases").get_to(group.cases);
  json.at("file").get_to(group.file);
  json.at("lines").get_to(group.lines);
  return group;
}

}  // namespace

std::string CampaignState::to_text() const {
  Json json;
  json["campaign"] = identity;
  json["made_with"] = Json(made_with);
  json["next"] = next;
  json["passed"] = passed;
  json["not_judged"] = not_judged;
  json["failed"] = failed;
  json["counters"] = counters;
  json["failures"] = Json::array();
  for (const FailureGroup& group : groups) json["failures"].push_back(to_json(group));
  if (coverage) json["coverage"] = coverage->to_json();
  json["wishes"] = Json(wishes);
  // Kernel logs and names of drivers may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<CampaignState> CampaignState::load(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    std::ifstream stream(file, std::ios::binary);
    const Json json = Json::parse(stream);
    CampaignState state;
    json.at("campaign").get_to(state.identity);
    json.at("made_with").get_to(state.made_with);
    json.at("next").get_to(state.next);
    json.at("passed").get_to(state.passed);
    json.at("not_judged").get_to(state.not_judged);
    json.at("failed").get_to(state.failed);
    json.at("counters").get_to(state.counters);
    for (const Json& group : json.at("failures")) state.groups.push_back(group_from(group));
    if (json.contains("coverage"))
      state.coverage = coverage::Coverage::from_json(json.at("coverage"), file.generic_string());
    json.at("wishes").get_to(state.wishes);
    return state;
  } catch (const Json::exception&) {
    throw scenario::InputError(fmt::format("'{}' is not the state of a campaign", file.generic_string()),
                               "remove it, or name another folder");
  }
}

}  // namespace pmufab::verify
