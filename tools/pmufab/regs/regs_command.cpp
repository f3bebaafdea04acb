// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include "models/plugin/part/plugin_spec.h"
#include "testbench/run/process/crash_report.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/regs/register_print.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

using platform::NamedRegisters;
using scenario::InputError;

/// Binds the bus if no software runs.
struct IdleMaster : sc_core::sc_module {
  explicit IdleMaster(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<IdleMaster, 64> socket;
};

int run_regs(const Request& request) {
  const std::vector<std::string>& words = request.words;
  if (words.empty() || words.size() > 2)
    throw InputError(words.empty() ? "no platform is given" : "there are too many words",
                     "pmufab regs PLATFORM [BANK]");
  if (!request.options["at"].defaulted() || !request.options["diff"].defaulted()) return show_registers_at(request);
  const Form form = wanted_form(request.options);
  const std::string bank = words.size() > 1 ? words[1] : "";
  const scenario::PlatformDocument document =
      scenario::load_platform(find_platform(words[0]), values_of(request.options, "set"));

  if (request.options["reset"].as<bool>() || is_export(form)) {
    const auto show = [&] {
      platform::Platform platform("platform", document.spec);
      IdleMaster master("master");
      master.socket.bind(platform.bus().socket);
      const std::vector<NamedRegisters> banks = chosen_banks(platform.registers(), bank);
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
      print_registers(banks, form, document.name);
      return kPassed;
    };
    const auto* const plugin = document.spec.part<platform::PluginSpec>();
    if (plugin == nullptr) return show();
    return guarded(false, [&] {  // its registers are looked at by its code
      process::report_crashes_in(plugin->path, "the plug-in " + plugin->file);
      return show();
    });
  }
  const driver_host::DriverSet drivers = find_newest_driver(request.options, document.spec);
  return guarded(false, [&] {
    scenario::Machine machine(document.spec, {}, {}, drivers, {.echo_log = true});
    const std::vector<NamedRegisters> banks = chosen_banks(machine.platform().registers(), bank);
    int loaded = 0;
    machine.run([&] {
      loaded = machine.host().load();
      print_registers(banks, form, document.name);
    });
    if (loaded < 0) complain("pmufab: loading the drivers failed; the registers are shown as it left them\n");
    return loaded < 0 ? kCheckFailed : kPassed;
  });
}

}  // namespace

Command regs_command() {
  return {
      .name = "regs",
      .arguments = "[options] PLATFORM|SCENARIO [BANK]",
      .summary = "show the registers of a platform, with their fields",
      .description =
          R"(Shows the registers of each device, with their addresses, their fields and their values after the drivers have been
loaded. With --reset, and in the forms --systemrdl, --svd and --c-header, it shows the reset values and needs no
drivers. BANK is the name of a register bank. The beginning of a name selects every bank whose name begins so.

With --at TIME, SCENARIO runs up to that instant, counted from when its drivers are loaded. With --diff it runs up to the
second of two instants, and what has changed since the first is shown.)",
      .options = Options{list("set", "PATH=VALUE", "change a value of the platform, or of the scenario"),
                         text("at", "TIME", "show the registers at an instant of a scenario"),
                         text("diff", "TIME,TIME", "show what changes between two instants of a scenario"),
                         flag("markdown", "print the register map as Markdown tables"),
                         flag("json", "print map and values as JSON"),
                         flag("dump", "print a line 'R ADDRESS VALUE' for each register"),
                         flag("systemrdl", "print the register map as SystemRDL"),
                         flag("svd", "print the register map as CMSIS-SVD"),
                         flag("c-header", "print addresses, offsets and fields as a C header"),
                         flag("reset", "reset values, without drivers")} +
                 driver_options("newest"),
      .words = Words::platforms,
      .examples = {{"pmufab regs scenarios/platforms/tegra410-1s-small.yaml"},
                   {"pmufab regs scenarios/platforms/tegra410-1s-small.yaml socket0.ucf_pmu --markdown --reset"},
                   {"pmufab regs scenarios/platforms/tegra410-2s.yaml socket1 --json"},
                   {"pmufab regs ucf-basic socket0.ucf_pmu --at 2ms"},
                   {"pmufab regs cmn-flits cmn0.dtc0 --diff 10us,20us"}},
      .exit_codes = usual_exit_codes(),
      .run = run_regs,
  };
}

}  // namespace pmufab::cli
