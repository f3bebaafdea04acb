// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/pcie/pcie_target.h"

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::tegra410 {

PcieTarget::PcieTarget(const std::string& name) : name_(name) {
  probes_.reserve(kPcieTargetEvents);
  for (const std::string_view event : kPcieTargetEventNames)
    probes_.emplace_back(fmt::format("{}.tgt.{}", name, event));
}

void PcieTarget::accept(const Access& access) {
  const PcieTargetEvent bytes = access.is_write ? PcieTargetEvent::wr_bytes : PcieTargetEvent::rd_bytes;
  const PcieTargetEvent requests = access.is_write ? PcieTargetEvent::wr_req : PcieTargetEvent::rd_req;
  probe(bytes).publish(access.bytes, access.qualifier, access.when);
  probe(requests).publish(1, access.qualifier, access.when);
  if (listener_ != nullptr) [[unlikely]]
    listener_(listener_context_, access);
  for (const auto& monitor : monitors_) {
    if (!monitor->probe.is_watched() || (monitor->event != bytes && monitor->event != requests)) continue;
    if (passes(*monitor, access)) monitor->probe.publish(monitor->event == bytes ? access.bytes : 1, 0, access.when);
  }
}

void PcieTarget::add_at_once(PcieTargetEvent event, unsigned root_port, std::uint64_t amount, Picoseconds when) {
  probe(event).publish(amount, root_port, when);
  for (const auto& monitor : monitors_) {
    if (monitor->event == event && (monitor->qualifiers >> root_port & 1U) != 0)
      monitor->probe.publish(amount, 0, when);
  }
}

bool PcieTarget::passes(const Monitor& monitor, const Access& access) const noexcept {
  if ((monitor.qualifiers >> access.qualifier & 1U) != 0) return true;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    if ((monitor.slots >> slot & 1U) != 0 && slots_[slot].matches(access.address)) return true;
  }
  return false;
}

Probe& PcieTarget::monitor(unsigned counter, PcieTargetEvent event, std::uint8_t ports, std::uint8_t slots) {
  auto found = std::find_if(monitors_.begin(), monitors_.end(),
                            [counter](const auto& monitor) { return monitor->counter == counter; });
  if (found == monitors_.end()) {
    monitors_.push_back(std::make_unique<Monitor>(fmt::format("{}.tgt.counter{}", name_, counter), counter));
    found = monitors_.end() - 1;
  }
  Monitor& monitor = **found;
  monitor.event = event;
  monitor.qualifiers = ports;
  monitor.slots = slots;
  return monitor.probe;
}

}  // namespace pmufab::tegra410
