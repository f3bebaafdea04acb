// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <systemc>

#include "models/dwc/ras_des.h"
#include "models/dwc/wire/description.h"
#include "models/dwc/wire/link.h"
#include "models/pcie/configuration_registers.h"
#include "models/pcie/function.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::dwc {

/// A root port with a DesignWare controller: its function, whose configuration space has a RAS DES capability, and its
/// link. It moves no packets: whoever drives it says what happens on the link.
class RootPort : public sc_core::sc_module {
 public:
  /// @param number  of the port, as LinkObserver has it
  /// @throws SpecError for impossible lanes
  RootPort(const sc_core::sc_module_name& name, const RootPortDescription& description, unsigned number);

  /// Something is sent or received.
  void happen(const LinkEvent& event, Picoseconds when) {
    if (observer_ != nullptr) observer_->on_event(number_, event, when);
    statistics_.happen(event, when);
  }
  /// The link is in another state from now on. It begins in L0.
  void enter(LinkState state, Picoseconds when) {
    if (observer_ != nullptr) observer_->on_state(number_, state, when);
    statistics_.enter(state, when);
  }

  [[nodiscard]] pcie::Function& function() noexcept { return function_; }
  [[nodiscard]] RasDes& statistics() noexcept { return statistics_; }
  [[nodiscard]] const RegisterBank& registers() const noexcept { return registers_.bank(); }
  /// @param observer  not owned; null: none
  void set_observer(LinkObserver* observer) noexcept { observer_ = observer; }

 private:
  unsigned number_;
  ClockDomain clock_;
  pcie::Function function_;
  RasDes statistics_;
  pcie::ConfigurationRegisters registers_;
  LinkObserver* observer_ = nullptr;
};

}  // namespace pmufab::dwc
