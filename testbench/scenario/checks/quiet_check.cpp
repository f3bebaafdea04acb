// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/checks/quiet_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

/// A kind of switch: registers whose name contains `registers`, fields whose name begins with `field` and ends with
/// `ending`.
struct Kind {
  std::string_view registers;
  std::string_view field;
  std::string_view ending;
  std::string_view what;
  bool is_comparison = false;
};
constexpr std::array<Kind, 12> kSwitchKinds{{
    {"PMCNTENSET", "P", "", "a counter is enabled"},
    {"PMINTENSET", "P", "", "an overflow interrupt is enabled"},
    {"ADDR_CTRL", "ENABLE", "", "an address filter is enabled"},
    {"CG_CTRL", "ENABLE", "", "the clock is not gated"},
    {"CTRL", "ENABLE", "", "the counters run"},
    {"pmu_event_sel", "pmu_event", "_id", "an event is selected"},
    {"por_dtm_pmu_config", "pmevcnt_paired", "", "a counter is paired with one of a DTC"},
    {"por_dt_dtc_ctl", "cg_disable", "", "the clock is not gated"},
    {"por_dtm_wp_val", "val", "", "a watchpoint is set", true},
    {"por_dtm_wp_mask", "mask", "", "a watchpoint is set", true},
    {"Counter Unit Configuration", "Counter Enable", "", "a counter is enabled"},
    {"Counter Unit Configuration", "Interrupt on Overflow", "", "an overflow interrupt is enabled"},
}};
/// What is off when the drivers have been unloaded. Linux leaves on all DTCs but the first, which starts and stops the
/// counting of all (docs/cmn-drivers.md): so that one must be off.
constexpr Kind kOffWhenUnloaded{"por_dt_dtc_ctl", "dt_en", "", "the DTC is on"};
constexpr std::string_view kFirstDtc = ".dtc0";
constexpr std::array<std::string_view, 3> kWholeNames{"CTRL", "CG_CTRL", "ADDR_CTRL"};
constexpr std::size_t kMostTold = 8;

const Kind* kind_of(std::string_view name, std::string_view field) {
  const auto* const found = std::find_if(kSwitchKinds.begin(), kSwitchKinds.end(), [&](const Kind& kind) {
    const bool is_whole = std::find(kWholeNames.begin(), kWholeNames.end(), kind.registers) != kWholeNames.end();
    const bool is_named = is_whole ? name == kind.registers : name.find(kind.registers) != std::string_view::npos;
    return is_named && field.starts_with(kind.field) && field.ends_with(kind.ending);
  });
  return found == kSwitchKinds.end() ? nullptr : found;
}

std::uint64_t number_of(const nlohmann::json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 16) : value.get<std::uint64_t>();
}

}  // namespace

QuietCheck::Switches QuietCheck::switches(bool unloaded) const {
  Switches switches;
  for (const platform::NamedRegisters& bank : machine_.platform().registers()) {
    if (broken_.has_registers(bank.name)) continue;
    if (unloaded && !bank.name.ends_with(kFirstDtc)) continue;
    for (const nlohmann::json& page : bank.dump_json(simulated_time())) {
      for (const nlohmann::json& entry : page.at("registers")) {
        const std::string name = entry.at("name");
        for (const nlohmann::json& field : entry.at("fields")) {
          const std::string field_name = field.at("name");
          const bool is_for_unloaded = name == kOffWhenUnloaded.registers && field_name == kOffWhenUnloaded.field;
          const Kind* const kind = !unloaded         ? kind_of(name, field_name)
                                   : is_for_unloaded ? &kOffWhenUnloaded
                                                     : nullptr;
          if (kind == nullptr) continue;
          const auto first = field.at("lsb").get<unsigned>();
          const auto width = field.at("width").get<unsigned>();
          const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
          const nlohmann::json& values = entry.at("values");
          for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string place =
                fmt::format("{} {}{} {}", bank.name, name, values.size() > 1 ? fmt::format("[{}]", i) : "", field_name);
            switches[place] = {std::string(kind->what), number_of(values[i]) >> first & mask, kind->is_comparison};
          }
        }
      }
    }
  }
  return switches;
}

CheckResult QuietCheck::result() const {
  for (const auto& [place, left] : unloaded_) {
    if (left.value != 0)
      return {"quiet", false, fmt::format("the drivers were unloaded, but {}: {}", place, left.what)};
  }
  if (!fresh_)
    return {"quiet", true,
            broken_.added_to("not looked at: no event was opened, or the drivers were not loaded again")};
  std::vector<std::string> left;
  std::size_t more = 0;
  for (const auto& [place, used] : used_) {
    // What firmware has left selected may stay until a node has an event. Its watchpoints must not.
    const Switches& expected = used.is_comparison && clean_ ? *clean_ : *fresh_;
    const auto found = expected.find(place);
    const std::uint64_t fresh = found == expected.end() ? 0 : found->second.value;
    const bool is_on = used.is_comparison ? used.value != fresh : (used.value & ~fresh) != 0;
    if (!is_on) continue;
    if (left.size() == kMostTold) {
      ++more;
      continue;
    }
    left.push_back(fmt::format("{} is {:#x}, and {:#x} after loading: {}", place, used.value, fresh, used.what));
  }
  if (left.empty())
    return {"quiet", true, broken_.added_to("after the last event nothing was on that is off after loading")};
  return {"quiet", false,
          fmt::format("the last event was closed, but {}{}", fmt::join(left, " | "),
                      more > 0 ? fmt::format(" | and {} more", more) : "")};
}

}  // namespace pmufab::scenario
