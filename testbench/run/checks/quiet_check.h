// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/common/register_switch.h"
#include "testbench/run/checks/broken_parts.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::scenario {

/// Whether the PMUs are at rest after the last event was closed: no counter, interrupt, event, watchpoint or address
/// filter is on that is not on when drivers have just been loaded into hardware that was reset. So a driver that lets
/// counters run all the time is right, too. When the drivers have been unloaded, what starts and stops all is off. It only
/// looks at the registers, and takes no simulated time.
class QuietCheck {
 public:
  explicit QuietCheck(const Machine& machine) : machine_(machine) {}

  /// Before the drivers are unloaded, when no event is open.
  /// @param broken  registers of which nothing can be said, with the reason
  void look_at_used(const BrokenParts& broken) {
    broken_ = broken;
    used_ = switches(false);
  }
  /// When the drivers have been unloaded.
  void look_at_unloaded() { unloaded_ = switches(true); }
  /// After a reset, when the drivers have been loaded and no event was opened.
  void look_at_fresh() { fresh_ = switches(false); }
  /// The same without what firmware has left set.
  void look_at_clean() { clean_ = switches(false); }
  /// @return "quiet": failed if something is on after the run
  [[nodiscard]] CheckResult result() const;

 private:
  /// What a part of a register turns on.
  struct Switch {
    std::string what;
    std::uint64_t value = 0;
    bool is_comparison = false;  ///< any other value, and not only another bit, means that it is on
  };
  using Switches = std::map<std::string, Switch>;  // by "socket0.ucf_pmu PMCNTENSET[0]"
  [[nodiscard]] Switches switches(bool unloaded) const;
  /// Those of a page of a bank's registers.
  static void add_switches(const std::string& bank, const RegisterBank& page,
                           const std::vector<RegisterSwitch>& possible, Switches& switches);

  const Machine& machine_;
  BrokenParts broken_;
  Switches used_;
  Switches unloaded_;
  std::optional<Switches> clean_;  ///< nothing: firmware has left nothing set
  std::optional<Switches> fresh_;  ///< nothing: the drivers were not loaded again
};

}  // namespace pmufab::scenario
