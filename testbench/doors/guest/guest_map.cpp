// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/guest_map.h"

#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/doors/guest/qemu_virt.h"

namespace pmufab::guest {
namespace {

using platform::ApmtNode;
using platform::FirmwareDescription;

/// The platform's GSIVs, in ascending order.
std::set<std::uint32_t> interrupts_of(const FirmwareDescription& firmware) {
  std::set<std::uint32_t> numbers;
  for (const ApmtNode& node : firmware.apmt) {
    if (node.overflow_interrupt) numbers.insert(node.overflow_interrupt->number);
  }
  for (const platform::AcpiDevice& device : firmware.devices) {
    for (const platform::InterruptResource& interrupt : device.interrupts) numbers.insert(interrupt.number);
  }
  return numbers;
}

}  // namespace

std::map<std::uint32_t, std::uint32_t> assign_interrupts(const FirmwareDescription& firmware) {
  // The guest has functions of its own: consoles, root ports.
  constexpr std::size_t kLeftToPci = 8;
  const std::set<std::uint32_t> numbers = interrupts_of(firmware);
  if (numbers.size() > qemu_virt::kMessageInterrupts - kLeftToPci) {
    throw std::invalid_argument(
        fmt::format("the platform has {} wired interrupts, and a guest has room for {}; leave out interrupts of PMUs",
                    numbers.size(), qemu_virt::kMessageInterrupts - kLeftToPci));
  }
  std::uint32_t next = qemu_virt::kMessageInterruptsEnd - static_cast<std::uint32_t>(numbers.size());
  std::map<std::uint32_t, std::uint32_t> assigned;
  for (const std::uint32_t number : numbers) assigned.emplace(number, next++);
  return assigned;
}

void check_interrupts(const FirmwareDescription& firmware, const GuestMap& map) {
  for (const std::uint32_t number : interrupts_of(firmware)) {
    if (!map.interrupts.contains(number))
      throw std::invalid_argument(fmt::format("interrupt {} of the platform has no number in the guest", number));
  }
  std::map<std::uint32_t, std::uint32_t> users;
  for (const auto& [number, in_guest] : map.interrupts) {
    if (in_guest < qemu_virt::kFirstMessageInterrupt || in_guest >= qemu_virt::kMessageInterruptsEnd) {
      throw std::invalid_argument(
          fmt::format("interrupt {} of the platform would be {} in the guest; messages can raise only {} ... {}",
                      number, in_guest, qemu_virt::kFirstMessageInterrupt, qemu_virt::kMessageInterruptsEnd - 1));
    }
    const auto [other, is_first] = users.emplace(in_guest, number);
    if (!is_first) {
      throw std::invalid_argument(fmt::format(
          "interrupts {} and {} of the platform would both be {} in the guest, and drivers do not share interrupts",
          other->second, number, in_guest));
    }
  }
}

}  // namespace pmufab::guest
