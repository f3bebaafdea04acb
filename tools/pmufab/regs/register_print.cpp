// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/regs/register_print.h"

#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "testbench/run/yaml/input_error.h"
#include "tlm/clock/clock_domain.h"
#include "tools/pmufab/regs/register_map.h"

namespace pmufab::cli {

using platform::NamedRegisters;
using scenario::InputError;

namespace {

/// "R ADDRESS VALUE" for each register, as scripts for debuggers exchange them.
void print_dump(const NamedRegisters& bank, Picoseconds now) {
  const nlohmann::json pages = bank.dump_json(now);
  for (std::size_t page = 0; page < pages.size(); ++page) {
    for (const nlohmann::json& entry : pages[page].at("registers")) {
      const std::uint64_t first = bank.bases.at(page) + entry.at("offset").get<std::uint64_t>();
      for (std::size_t i = 0; i < entry.at("implemented").get<std::size_t>(); ++i)
        fmt::print(std::cout, "R {:#x} {}\n", first + i * entry.at("stride").get<std::uint64_t>(),
                   entry.at("values")[i].get<std::string>());
    }
  }
}

}  // namespace

Form wanted_form(const boost::program_options::variables_map& options) {
  std::vector<std::pair<std::string, Form>> chosen;
  for (const auto& [name, form] :
       {std::pair{"markdown", Form::markdown}, std::pair{"json", Form::json}, std::pair{"dump", Form::dump},
        std::pair{"systemrdl", Form::systemrdl}, std::pair{"svd", Form::svd}, std::pair{"c-header", Form::c_header}}) {
    if (options[name].as<bool>()) chosen.emplace_back(name, form);
  }
  if (chosen.size() > 1)
    throw InputError(fmt::format("--{} and --{} exclude each other", chosen[0].first, chosen[1].first));
  return chosen.empty() ? Form::text : chosen.front().second;
}

std::vector<NamedRegisters> chosen_banks(std::vector<NamedRegisters> banks, const std::string& name) {
  if (name.empty()) return banks;
  std::vector<std::string> names;
  for (const NamedRegisters& bank : banks) names.push_back(bank.name);
  std::erase_if(banks, [&](const NamedRegisters& bank) { return !is_named(bank, name); });
  if (banks.empty()) throw InputError(fmt::format("there are no registers '{}'", name), scenario::suggest(name, names));
  return banks;
}

nlohmann::ordered_json to_json(const std::vector<NamedRegisters>& banks) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  for (const NamedRegisters& bank : banks) {
    nlohmann::ordered_json pages = bank.dump_json(simulated_time());
    for (std::size_t page = 0; page < pages.size(); ++page)
      pages[page]["base"] = fmt::format("{:#x}", bank.bases.at(page));
    document[bank.name] = std::move(pages);
  }
  return document;
}

bool is_export(Form form) noexcept { return form == Form::systemrdl || form == Form::svd || form == Form::c_header; }

void print_registers(const std::vector<NamedRegisters>& banks, Form form, const std::string& platform) {
  const Picoseconds now = simulated_time();
  if (form == Form::json) {
    std::cout << to_json(banks).dump(2) << '\n';
  } else if (is_export(form)) {
    const RegisterMap map = register_map(banks);
    std::cout << (form == Form::systemrdl ? to_systemrdl(map, platform)
                  : form == Form::svd     ? to_svd(map, platform)
                                          : to_c_header(map, platform));
  }
  for (const NamedRegisters& bank : banks) {
    switch (form) {
      case Form::markdown:
        fmt::print(std::cout, "## {}\n\nAt {:#x}.\n\n", bank.name, fmt::join(bank.bases, ", "));
        bank.dump_markdown(std::cout);
        std::cout << '\n';
        break;
      case Form::dump:
        print_dump(bank, now);
        break;
      case Form::text:
        fmt::print(std::cout, "{} at {:#x}\n", bank.name, fmt::join(bank.bases, ", "));
        bank.dump_text(std::cout, now);
        std::cout << '\n';
        break;
      default:
        break;
    }
  }
  std::cout.flush();
}

}  // namespace pmufab::cli
