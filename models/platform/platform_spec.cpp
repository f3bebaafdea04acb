// SPDX-License-Identifier: Apache-2.0
#include "models/platform/platform_spec.h"

#include <algorithm>
#include <map>
#include <set>
#include <typeindex>
#include <typeinfo>
#include <utility>

#include <fmt/format.h>

#include "tlm/firmware/firmware_description.h"

namespace pmufab::platform {
namespace {

using Window = PartClaims::Window;

constexpr unsigned kMaximumCpus = 512;  // CONFIG_NR_CPUS of Debian's arm64 kernels

/// Each wired interrupt has a number of its own, below those of messages.
void check_interrupts(const std::vector<PartClaims>& claims) {
  std::map<std::uint32_t, std::string> owners;
  for (const PartClaims& part : claims) {
    for (const auto& [number, owner, field] : part.interrupts) {
      if (number >= MessageInterruptDoorbell().first_number)
        throw SpecError(field, fmt::format("interrupt {} of {} is too high; numbers from {} on are those of messages",
                                           number, owner, MessageInterruptDoorbell().first_number));
      const auto [other, fresh] = owners.emplace(number, owner);
      if (!fresh && other->second != owner)
        throw SpecError(field, fmt::format("interrupt {} of {} is that of {} already", number, owner, other->second));
    }
  }
}

/// Firmware tells devices in the ACPI namespace, and CoreSight nodes among them, by hardware id and instance.
void check_devices(const std::vector<PartClaims>& claims) {
  std::map<std::pair<std::string, std::string>, std::string> owners;
  for (const PartClaims& part : claims) {
    for (const PartClaims::Device& device : part.devices) {
      const auto [other, fresh] = owners.emplace(std::pair(device.hid, device.uid), device.what);
      if (!fresh)
        throw SpecError(device.field, fmt::format("{} and {} have the same hid and instance ({}, {})", other->second,
                                                  device.what, device.hid, device.uid));
    }
  }
}

void check_segments(const std::vector<PartClaims>& claims) {
  std::map<unsigned, const PartClaims::Segment*> owners;
  for (const bool fixed : {true, false}) {
    for (const PartClaims& part : claims) {
      for (const PartClaims::Segment& segment : part.segments) {
        if (segment.field.empty() != fixed) continue;
        const auto [other, fresh] = owners.emplace(segment.number, &segment);
        if (!fresh)
          throw SpecError(segment.field,
                          fmt::format("has segment {}, which is that of {}", segment.number, other->second->owner),
                          other->second->suggestion);
      }
    }
  }
}

bool may_overlap(const Window& a, const Window& b) {
  using Kind = Window::Kind;
  const bool has_memory = a.kind == Kind::memory || b.kind == Kind::memory;
  const bool has_reserve = a.kind == Kind::reserve || b.kind == Kind::reserve;
  return a.kind == b.kind ? a.kind == Kind::memory : has_reserve && !has_memory;
}

/// Registers, PCI Express and memory share one address space.
void check_windows(const std::vector<PartClaims>& claims) {
  const Window doorbell{"doorbell of interrupt messages", default_map::kMessageDoorbell / 0x1000 * 0x1000, 0x1000};
  std::vector<const Window*> taken{&doorbell};
  for (const bool fixed : {true, false}) {
    for (const PartClaims& part : claims) {
      for (const Window& window : part.windows) {
        if (window.field.empty() != fixed) continue;
        for (const Window* const other : taken) {
          // Messages are written to the doorbell's address, but memory is not on the bus.
          const bool is_beside = other == &doorbell && window.kind == Window::Kind::memory;
          if (fixed || is_beside || may_overlap(window, *other)) continue;
          if (window.base < other->base + other->size && other->base < window.base + window.size)
            throw SpecError(window.field, fmt::format("[{:#x}, {:#x}] covers the {} at [{:#x}, {:#x}]", window.base,
                                                      window.base + window.size - 1, other->name, other->base,
                                                      other->base + other->size - 1));
        }
        taken.push_back(&window);
      }
    }
  }
}

}  // namespace

void check_between(const std::string& field, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                   const std::string& hint) {
  if (value >= low && value <= high) return;
  throw SpecError(field, fmt::format("is {}, must be {} ... {}", value, low, high), hint);
}

void validate(const PlatformSpec& spec) {
  check_between("sockets", spec.sockets, 1, kMaximumSockets);
  check_between("cpus_per_socket", spec.cpus_per_socket, 1, kMaximumCpus / spec.sockets,
                "use 512 CPUs or fewer in all");
  if (spec.parts.empty()) throw SpecError("platform", "has no fabric");
  std::vector<PartClaims> claims;
  std::set<std::type_index> kinds;
  for (const auto& part : spec.parts) {
    const PartSpec& described = *part;
    if (!kinds.insert(typeid(described)).second) throw SpecError("platform", "has two parts of one kind");
    part->check(spec);
  }
  for (const auto& part : spec.parts) claims.push_back(part->claims(spec));
  std::stable_partition(claims.begin(), claims.end(), [](const PartClaims& part) { return !part.gives_way; });
  check_interrupts(claims);
  check_devices(claims);
  check_segments(claims);
  check_windows(claims);
}

}  // namespace pmufab::platform
