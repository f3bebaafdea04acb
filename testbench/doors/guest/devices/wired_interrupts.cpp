// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/devices/wired_interrupts.h"

#include <algorithm>
#include <array>

#include "testbench/doors/guest/devices/register_access.h"

namespace pmufab::guest {

WiredInterrupts::WiredInterrupts(const platform::FirmwareDescription& firmware, std::uint64_t doorbell,
                                 const std::map<std::uint32_t, std::uint32_t>& numbers)
    : doorbell_(doorbell) {
  for (const platform::ApmtNode& node : firmware.apmt) {
    if (node.overflow_interrupt) connect(*node.overflow_interrupt, numbers.at(node.overflow_interrupt->number));
  }
  for (const platform::AcpiDevice& device : firmware.devices) {
    for (const platform::InterruptResource& interrupt : device.interrupts)
      connect(interrupt, numbers.at(interrupt.number));
  }
}

WiredInterrupts::~WiredInterrupts() {
  for (InterruptLine* const wire : wires_) wire->listen({});
}

void WiredInterrupts::connect(const platform::InterruptResource& interrupt, std::uint32_t number) {
  if (interrupt.line == nullptr) return;
  Line& line = lines_[number];
  wires_.push_back(interrupt.line);
  line.level = line.level || interrupt.line->trigger() == InterruptTrigger::level;
  interrupt.line->listen([this, &line](bool high) {
    if (high) raised_.notify(sc_core::SC_ZERO_TIME);
    line.due = line.due || high;
    line.high = high ? line.high + 1 : line.high - std::min(line.high, 1U);
  });
}

void WiredInterrupts::deliver(vfio_user::Client* bus_master, std::uint64_t now) {
  if (bus_master == nullptr) return;
  for (auto& [guest_number, line] : lines_) {
    const bool again = line.level && line.high > 0 && now - line.at >= kAgain;
    if (!line.due && !again) continue;
    line.due = false;
    line.at = now;
    std::array<std::uint8_t, 4> number{};
    to_bytes(guest_number, number);
    bus_master->write_memory(doorbell_, number);
    ++delivered_;
  }
}

bool WiredInterrupts::any_high() const {
  return std::ranges::any_of(lines_, [](const auto& entry) { return entry.second.high > 0 || entry.second.due; });
}

}  // namespace pmufab::guest
