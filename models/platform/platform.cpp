// SPDX-License-Identifier: Apache-2.0
#include "models/platform/platform.h"

#include <algorithm>

#include "models/platform/platform_part.h"

namespace pmufab::platform {

namespace {

PlatformSpec checked(PlatformSpec spec) {
  validate(spec);
  return spec;
}

void describe_cpus(const PlatformSpec& spec, FirmwareDescription& firmware) {
  for (unsigned socket = 0; socket < spec.sockets; ++socket) {
    for (unsigned cpu = 0; cpu < spec.cpus_per_socket; ++cpu) {
      firmware.cpus.push_back({.uid = socket * spec.cpus_per_socket + cpu, .container_uid = socket, .node = socket});
    }
    firmware.memory_of_nodes[socket] = default_map::kSocketMemory;
  }
}

}  // namespace

NamedRegisters registers_of(std::string name, std::vector<std::uint64_t> bases, const coresight::CoreSightPmu& pmu) {
  return {std::move(name), std::move(bases), pmu.pages()};
}

Platform::Platform(const sc_core::sc_module_name& name, const PlatformSpec& spec)
    : sc_core::sc_module(name), spec_(checked(spec)), bus_("bus") {
  for (const auto& part : spec_.parts) part->make(spec_, parts_);
  describe_cpus(spec_, firmware_);
  for (const auto& part : parts_) {
    part->map(bus_);
    part->describe(firmware_);
  }
}

/// Described PMUs listen to the fabrics, which were made before them.
Platform::~Platform() {
  while (!parts_.empty()) parts_.pop_back();
}

void Platform::reset() {
  for (const auto& part : parts_) part->reset();
  bus_.reset();
  if (on_reset_) on_reset_(std::nullopt);
}

bool Platform::can_reset(const std::string& window) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->can_reset(window); });
}

void Platform::reset_window(const std::string& window) {
  for (const auto& part : parts_) {
    if (part->can_reset(window)) part->reset_window(window);
  }
  for (const MmioBus::Window& its : bus_.windows()) {
    if (on_reset_ && its.name == window && can_reset(window)) on_reset_(its.base);
  }
}

std::vector<NamedRegisters> Platform::registers() const {
  std::vector<NamedRegisters> all;
  for (const auto& part : parts_) part->add_registers(all);
  return all;
}

}  // namespace pmufab::platform
