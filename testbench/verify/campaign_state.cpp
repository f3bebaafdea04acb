// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/campaign_state.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/scenario/yaml/input_error.h"

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

/// Under a name that nobody else can have taken; a failure leaves the old file and no other.
void replace_file(const std::filesystem::path& file, const std::string& content) {
  std::string fresh = file.string() + ".new-XXXXXX";
  const int descriptor = mkstemp(fresh.data());
  std::error_code error(errno, std::generic_category());
  if (descriptor >= 0) {
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    close(descriptor);
    errno = 0;
    std::ofstream stream(fresh, std::ios::binary);
    stream << content;
    stream.close();
    error = stream ? std::error_code() : std::error_code(errno != 0 ? errno : EIO, std::generic_category());
    if (!error) std::filesystem::rename(fresh, file, error);
    std::error_code ignored;
    if (error) std::filesystem::remove(fresh, ignored);
  }
  if (error)
    throw scenario::InputError(fmt::format("cannot write '{}': {}", file.generic_string(), error.message()),
                               "is the disk full?");
}

}  // namespace

void CampaignState::save(const std::filesystem::path& file) const {
  Json json;
  json["campaign"] = identity;
  json["next"] = next;
  json["passed"] = passed;
  json["not_judged"] = not_judged;
  json["failed"] = failed;
  json["counters"] = counters;
  json["failures"] = Json::array();
  for (const FailureGroup& group : groups) json["failures"].push_back(to_json(group));
  // Kernel logs and names of drivers may hold any bytes.
  replace_file(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<CampaignState> CampaignState::load(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    std::ifstream stream(file, std::ios::binary);
    const Json json = Json::parse(stream);
    CampaignState state;
    json.at("campaign").get_to(state.identity);
    json.at("next").get_to(state.next);
    json.at("passed").get_to(state.passed);
    json.at("not_judged").get_to(state.not_judged);
    json.at("failed").get_to(state.failed);
    json.at("counters").get_to(state.counters);
    for (const Json& group : json.at("failures")) state.groups.push_back(group_from(group));
    return state;
  } catch (const Json::exception&) {
    throw scenario::InputError(fmt::format("'{}' is not the state of a campaign", file.generic_string()),
                               "remove it, or name another folder");
  }
}

}  // namespace pmufab::verify
