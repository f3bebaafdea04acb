// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/campaign_state.h"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::verify {
namespace {

using Json = nlohmann::ordered_json;

// Coverage is there only if it is wanted.
constexpr auto kBeforeCoverage =
    std::tuple(NamedField{"campaign", &CampaignState::identity}, NamedField{"made_with", &CampaignState::made_with},
               NamedField{"next", &CampaignState::next}, NamedField{"passed", &CampaignState::passed},
               NamedField{"not_judged", &CampaignState::not_judged}, NamedField{"failed", &CampaignState::failed},
               NamedField{"counters", &CampaignState::counters}, NamedField{"failures", &CampaignState::groups});
constexpr auto kBehindCoverage = std::tuple(NamedField{"wishes", &CampaignState::wishes});

}  // namespace

std::string CampaignState::to_text() const {
  Json json;
  write_fields(json, *this, kBeforeCoverage);
  if (coverage) json["coverage"] = coverage->to_json();
  write_fields(json, *this, kBehindCoverage);
  // Kernel logs and names of drivers may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<CampaignState> CampaignState::load(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    std::ifstream stream(file, std::ios::binary);
    const Json json = Json::parse(stream);
    CampaignState state;
    read_fields(json, state, kBeforeCoverage);
    if (json.contains("coverage"))
      state.coverage = coverage::Coverage::from_json(json.at("coverage"), file.generic_string());
    read_fields(json, state, kBehindCoverage);
    return state;
  } catch (const Json::exception&) {
    throw scenario::InputError(fmt::format("'{}' is not the state of a campaign", file.generic_string()),
                               "remove it, or name another folder");
  }
}

}  // namespace pmufab::verify
