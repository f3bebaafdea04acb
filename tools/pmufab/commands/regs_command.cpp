// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <nlohmann/json.hpp>

#include "testbench/scenario/run/machine.h"
#include "testbench/scenario/yaml/input_error.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

using platform::NamedRegisters;
using scenario::InputError;

/// Binds the bus if no software runs.
struct IdleMaster : sc_core::sc_module {
  explicit IdleMaster(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<IdleMaster, 64> socket;
};

std::vector<NamedRegisters> chosen_banks(std::vector<NamedRegisters> banks, const std::string& name) {
  if (name.empty()) return banks;
  std::vector<std::string> names;
  for (const NamedRegisters& bank : banks) names.push_back(bank.name);
  std::erase_if(banks, [&](const NamedRegisters& bank) { return !bank.name.starts_with(name); });
  if (banks.empty()) {
    std::string suggestion = scenario::did_you_mean(name, names);
    if (suggestion.empty()) suggestion = "there are " + scenario::quoted_list(names);
    throw InputError(fmt::format("there are no registers '{}'", name), suggestion);
  }
  return banks;
}

void print(const std::vector<NamedRegisters>& banks, bool markdown, bool json) {
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  nlohmann::ordered_json document;
  for (const NamedRegisters& bank : banks) {
    if (json) {
      document[bank.name] = bank.dump_json(now);
    } else if (markdown) {
      std::cout << "## " << bank.name << "\n\n";
      bank.dump_markdown(std::cout);
      std::cout << '\n';
    } else {
      std::cout << bank.name << '\n';
      bank.dump_text(std::cout, now);
      std::cout << '\n';
    }
  }
  if (json) std::cout << document.dump(2) << '\n';
  std::cout.flush();
}

int run_regs(const Request& request) {
  const std::vector<std::string>& words = request.words;
  if (words.empty() || words.size() > 2)
    throw InputError(words.empty() ? "no platform is given" : "there are too many words",
                     "pmufab regs PLATFORM [BANK]");
  const bool markdown = request.options["markdown"].as<bool>();
  const bool json = request.options["json"].as<bool>();
  if (markdown && json) throw InputError("--markdown and --json exclude each other");
  const std::string bank = words.size() > 1 ? words[1] : "";
  const scenario::PlatformDocument document = scenario::load_platform(words[0], values_of(request.options, "set"));

  if (request.options["reset"].as<bool>()) {
    platform::Platform platform("platform", document.spec);
    IdleMaster master("master");
    master.socket.bind(platform.bus().socket);
    const std::vector<NamedRegisters> banks = chosen_banks(platform.registers(), bank);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    print(banks, markdown, json);
    return kPassed;
  }
  const driver_host::DriverSet drivers = find_newest_driver(request.options, document.spec);
  return guarded(false, [&] {
    scenario::Machine machine(document.spec, {}, {}, drivers, {.echo_log = true});
    const std::vector<NamedRegisters> banks = chosen_banks(machine.platform().registers(), bank);
    int loaded = 0;
    machine.run([&] {
      loaded = machine.host().load();
      print(banks, markdown, json);
    });
    if (loaded < 0) complain("pmufab: loading the drivers failed; the registers are shown as it left them\n");
    return loaded < 0 ? kCheckFailed : kPassed;
  });
}

}  // namespace

Command regs_command() {
  return {
      .name = "regs",
      .arguments = "[options] PLATFORM [BANK]",
      .summary = "show the registers of a platform, with their fields",
      .description =
          R"(Shows the registers of each device, with their fields and their values after the drivers have been loaded. With
--reset it shows the reset values and needs no drivers. BANK is the name of a register bank. The beginning of a name
selects every bank whose name begins so.)",
      .options = Options{list("set", "PATH=VALUE", "change a value of the platform"),
                         flag("markdown", "print the register map as Markdown tables"),
                         flag("json", "print map and values as JSON"), flag("reset", "reset values, without drivers")} +
                 driver_options("newest"),
      .words = Words::platforms,
      .examples = {{"pmufab regs scenarios/platforms/tegra410-1s-small.yaml"},
                   {"pmufab regs scenarios/platforms/tegra410-1s-small.yaml socket0.ucf_pmu --markdown --reset"},
                   {"pmufab regs scenarios/platforms/tegra410-2s.yaml socket1 --json"}},
      .exit_codes = usual_exit_codes(),
      .run = run_regs,
  };
}

}  // namespace pmufab::cli
