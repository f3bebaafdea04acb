// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"

/// What is judged of a run besides its counts. Scenarios, shells and virtual machines use the same checks and the same
/// sentences: what fails one fails all three.
namespace pmufab::scenario {

/// @return lines of a kernel's log that say that a driver could not serve a device. @param log  DriverHost::log()
[[nodiscard]] std::vector<std::string> failed_probes(const std::vector<std::string>& log);

/// @return one object per generator of traffic, with what it has sent
[[nodiscard]] Json traffic_report(const Machine& machine);
/// @param traffic  result of traffic_report()
/// @return "traffic": failed if the platform refused a request
[[nodiscard]] CheckResult check_traffic(const Json& traffic);

/// @return what became of interrupts, and how long their handlers took
[[nodiscard]] Json interrupt_report(const Machine& machine);
/// @return "interrupts": failed if one was disabled because no handler cleared it, or if handlers kept the CPU from
/// everything else
[[nodiscard]] CheckResult check_interrupts(const Machine& machine);

/// The kernel whose drivers program the PMUs.
enum class Kernel : std::uint8_t {
  here,   ///< the machine's own driver host
  guest,  ///< a virtual machine's: its probes, its log and its interrupt handlers are not seen
};

/// The checks of a run as a whole, at its end: the drivers are unloaded, and the scoreboard has been told the end if
/// there is one.
///
/// - drivers: every driver of the user's bound a device, or helped another driver to
/// - probe: no driver failed to serve a device
/// - kernel_warnings: no WARN(), no broken rule of the kernel, and no register access that was aborted
/// - interrupts: none was disabled because no handler cleared it, and handlers did not keep the CPU from everything else
/// - register_accesses: no access was refused, and no write was without effect: where no register is, or to bits that
///   cannot be set
/// - scoreboard: neither drivers nor hardware broke a rule
/// - traffic: every request was answered
///
/// The first four are left out for a guest's kernel. PublicationCheck and ReleaseCheck make one more each.
[[nodiscard]] std::vector<CheckResult> run_checks(const Machine& machine, Kernel kernel);

/// @return a finding of the scoreboard as reports show it: its kind, when, and its text
[[nodiscard]] std::string describe(const scoreboard::Finding& finding);

/// @return what run_checks() found wrong, one sentence each as reports show them ("register_accesses: ..."), and then the
/// rules that the scoreboard saw broken. Empty: nothing is wrong.
[[nodiscard]] std::vector<std::string> run_failures(const Machine& machine, Kernel kernel);

}  // namespace pmufab::scenario
