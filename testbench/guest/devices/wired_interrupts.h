// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <systemc>

#include "testbench/vfio_user/function.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::guest {

/// The platform's interrupt lines, for a virtual machine to which only messages can be sent: a write of its number to
/// the doorbell of a GICv2m frame raises an interrupt of the GIC, as an edge.
///
/// A level line that is still high kAgain after its message gets another one, as long as it is: so no interrupt is lost
/// whose cause came while the handler of the one before was at work.
class WiredInterrupts {
 public:
  /// Nanoseconds. Longer than a handler takes on a busy machine, whose kernel would otherwise be interrupted again for
  /// the same cause; less than the simulator waits for a handler.
  static constexpr std::uint64_t kAgain = 500'000'000;

  /// Listens to the lines.
  /// @param doorbell  address of the frame's register MSI_SETSPI_NS in the virtual machine
  /// @param numbers   the virtual machine's number of each that firmware knows
  WiredInterrupts(const platform::FirmwareDescription& firmware, std::uint64_t doorbell,
                  const std::map<std::uint32_t, std::uint32_t>& numbers);
  ~WiredInterrupts();
  WiredInterrupts(const WiredInterrupts&) = delete;
  WiredInterrupts& operator=(const WiredInterrupts&) = delete;

  /// Send what is to be sent. @param now  any clock, in nanoseconds; lines that stay high are told again after kAgain
  void deliver(vfio_user::Client* bus_master, std::uint64_t now);
  /// Notified when a line rises.
  [[nodiscard]] const sc_core::sc_event& raised() const noexcept { return raised_; }
  /// @return true if a line is high, of whatever trigger: nobody has handled its interrupt
  [[nodiscard]] bool any_high() const;
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }

 private:
  struct Line {
    bool level = false;    // one of the lines wired to this number is told by its level
    unsigned high = 0;     // of these lines
    bool due = false;      // an edge that has not been told
    std::uint64_t at = 0;  // it was told last
  };
  void connect(const platform::InterruptResource& interrupt, std::uint32_t number);

  std::uint64_t doorbell_;
  sc_core::sc_event raised_;
  std::map<std::uint32_t, Line> lines_;  // by the virtual machine's number
  std::vector<InterruptLine*> wires_;
  std::uint64_t delivered_ = 0;
};

}  // namespace pmufab::guest
