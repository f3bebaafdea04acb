// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/checks/quiet_check.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "testbench/scenario/fabrics/fabric_kind.h"

namespace pmufab::scenario {
namespace {

constexpr std::size_t kMostTold = 8;

bool fits(const RegisterSwitch& one, std::string_view name, std::string_view field) {
  const bool is_named = one.name == RegisterSwitch::Name::whole ? name == one.registers
                                                                : name.find(one.registers) != std::string_view::npos;
  return is_named && field.starts_with(one.field) && field.ends_with(one.ending);
}

/// @return those that a bank may have
std::vector<RegisterSwitch> of_bank(std::vector<RegisterSwitch> all, std::string_view bank, bool unloaded) {
  std::erase_if(
      all, [&](const RegisterSwitch& one) { return one.is_for_unloaded != unloaded || !bank.ends_with(one.banks); });
  return all;
}

std::uint64_t number_of(const nlohmann::json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 16) : value.get<std::uint64_t>();
}

}  // namespace

QuietCheck::Switches QuietCheck::switches(bool unloaded) const {
  Switches switches;
  const std::vector<RegisterSwitch> all = register_switches(machine_.platform().spec());
  for (const platform::NamedRegisters& bank : machine_.platform().registers()) {
    if (broken_.has_registers(bank.name) || is_left_alone(machine_.platform().spec(), bank.name)) continue;
    const std::vector<RegisterSwitch> possible = of_bank(all, bank.name, unloaded);
    if (possible.empty()) continue;
    for (const nlohmann::json& page : bank.dump_json(simulated_time())) {
      for (const nlohmann::json& entry : page.at("registers")) {
        const std::string name = entry.at("name");
        for (const nlohmann::json& field : entry.at("fields")) {
          const std::string field_name = field.at("name");
          const auto found = std::find_if(possible.begin(), possible.end(),
                                          [&](const RegisterSwitch& one) { return fits(one, name, field_name); });
          if (found == possible.end()) continue;
          const auto first = field.at("lsb").get<unsigned>();
          const auto width = field.at("width").get<unsigned>();
          const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
          const nlohmann::json& values = entry.at("values");
          for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string place =
                fmt::format("{} {}{} {}", bank.name, name, values.size() > 1 ? fmt::format("[{}]", i) : "", field_name);
            switches[place] = {std::string(found->what), number_of(values[i]) >> first & mask, found->is_comparison};
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
