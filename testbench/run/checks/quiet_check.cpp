// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/checks/checks.h"

namespace pmufab::scenario {
namespace {

constexpr std::size_t kMostTold = 8;

bool is_named(const RegisterSwitch& one, std::string_view name) {
  return one.name == RegisterSwitch::Name::whole ? name == one.registers
                                                 : name.find(one.registers) != std::string_view::npos;
}

/// @return those that a bank may have
std::vector<RegisterSwitch> of_bank(std::vector<RegisterSwitch> all, std::string_view bank, bool unloaded) {
  std::erase_if(
      all, [&](const RegisterSwitch& one) { return one.is_for_unloaded != unloaded || !bank.ends_with(one.banks); });
  return all;
}

}  // namespace

QuietCheck::Switches QuietCheck::switches(bool unloaded) const {
  Switches switches;
  const std::vector<RegisterSwitch> all = register_switches(machine_.platform().spec());
  for (const platform::NamedRegisters& bank : machine_.platform().registers()) {
    if (broken_.has_registers(bank.name) || is_left_alone(machine_.platform().spec(), bank.name)) continue;
    const std::vector<RegisterSwitch> possible = of_bank(all, bank.name, unloaded);
    if (possible.empty()) continue;
    for (const RegisterBank* page : bank.pages) add_switches(bank.name, *page, possible, switches);
  }
  return switches;
}

void QuietCheck::add_switches(const std::string& bank, const RegisterBank& page,
                              const std::vector<RegisterSwitch>& possible, Switches& switches) {
  const Picoseconds now = simulated_time();
  for (std::size_t index = 0; index < page.registers(); ++index) {
    const RegisterId reg{static_cast<std::uint16_t>(index)};
    const RegisterSpec& spec = page.spec(reg);
    const auto is_of_register = [&](const RegisterSwitch& one) { return is_named(one, spec.name); };
    if (std::ranges::none_of(possible, is_of_register)) continue;
    for (const FieldSpec& field : spec.fields) {
      const auto found = std::ranges::find_if(possible, [&](const RegisterSwitch& one) {
        return is_of_register(one) && field.name.starts_with(one.field) && field.name.ends_with(one.ending);
      });
      if (found == possible.end()) continue;
      for (unsigned i = 0; i < spec.count; ++i) {
        const std::string place =
            fmt::format("{} {}{} {}{}", bank, spec.name, spec.count > 1 ? fmt::format("[{}]", i) : "",
                        found->is_inverted ? "~" : "", field.name);
        const std::uint64_t inverted = found->is_inverted ? ~std::uint64_t{0} : 0;
        const std::uint64_t value = (page.read(reg, i, now) ^ inverted) >> field.lsb & low_bits(field.width);
        switches[place] = {std::string(found->what), value, found->is_comparison};
      }
    }
  }
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

bool BrokenParts::has_registers(std::string_view bank) const {
  return std::ranges::any_of(windows, [&](const std::string& window) {
    return bank.starts_with(window) && (bank.size() == window.size() || bank[window.size()] == '.');
  });
}

std::string BrokenParts::added_to(std::string_view text) const {
  if (reasons.empty()) return std::string(text);
  return fmt::format("{}; not judged: {}", text, fmt::join(reasons, " | "));
}

}  // namespace pmufab::scenario
