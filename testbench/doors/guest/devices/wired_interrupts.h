// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <systemc>

#include "testbench/doors/vfio_user/function.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::guest {

/// Turns the platform's interrupt lines into messages, because a virtual machine accepts only messages: writing an
/// interrupt's number to the doorbell of a GICv2m frame raises the interrupt in the GIC, as an edge.
///
/// While a level line stays high, its message is repeated every kAgain. So no interrupt is lost if its cause came while
/// the handler of the previous one was running.
class WiredInterrupts {
 public:
  /// Nanoseconds. Longer than a handler takes on a busy machine: otherwise its kernel would be interrupted again for
  /// the same cause. Shorter than the time the simulator waits for a handler.
  static constexpr std::uint64_t kAgain = 500'000'000;

  /// Listens to the lines.
  /// @param doorbell  address of the frame's register MSI_SETSPI_NS in the virtual machine
  /// @param numbers   from firmware's interrupt numbers to the virtual machine's
  WiredInterrupts(const platform::FirmwareDescription& firmware, std::uint64_t doorbell,
                  const std::map<std::uint32_t, std::uint32_t>& numbers);
  ~WiredInterrupts();
  WiredInterrupts& operator=(WiredInterrupts&&) = delete;

  /// Sends all messages that are due. @param now  nanoseconds of any clock; measures kAgain
  void deliver(vfio_user::Client* bus_master, std::uint64_t now);
  /// Notified when a line rises.
  [[nodiscard]] const sc_core::sc_event& raised() const noexcept { return raised_; }
  /// @return true if a line of whatever trigger is high: its interrupt has not been handled
  [[nodiscard]] bool any_high() const;
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }

 private:
  struct Line {
    bool level = false;    // one of the lines wired to this number is a level line
    unsigned high = 0;     // number of these lines that are high
    bool due = false;      // an edge that has not been sent
    std::uint64_t at = 0;  // time of the last message
  };
  void connect(const platform::InterruptResource& interrupt, std::uint32_t number);

  std::uint64_t doorbell_;
  sc_core::sc_event raised_;
  std::map<std::uint32_t, Line> lines_;  // by the virtual machine's number
  std::vector<InterruptLine*> wires_;
  std::uint64_t delivered_ = 0;
};

}  // namespace pmufab::guest
