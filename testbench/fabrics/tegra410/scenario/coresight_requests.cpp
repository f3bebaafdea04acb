// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_fabric.h"

#include <cerrno>
#include <cstdint>

#include "models/tegra410/part/pmu_row.h"

namespace pmufab::scenario {
namespace {

using perf::PerfAttributes;

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t or_all(std::uint32_t value, std::uint32_t all) { return value == 0 ? all : value; }

EventRequest ucf_request(const PerfAttributes& attributes) {
  constexpr std::uint32_t kSources = 0x7;
  constexpr std::uint32_t kDestinations = 0xf00;
  EventRequest asked;
  asked.request.cycles = attributes.config == kCspmuCycles;
  asked.request.event = low(attributes.config);
  // Sources or destinations of which none is named are all meant.
  asked.request.filter = or_all(low(attributes.config1) & kSources, kSources) |
                         or_all(low(attributes.config1) & kDestinations, kDestinations);
  return asked;
}

// PCIE: root ports, or one requester; destinations in the second filter.
constexpr std::uint32_t kRootPorts = 0xff;
constexpr std::uint32_t kRequester = 0x1ff'ff00;  // its number, and the bit that compares it
constexpr std::uint32_t kRequesterEnable = 1U << 24;

std::uint32_t requester_of(const PerfAttributes& attributes) {
  return (attributes.config1 & kRequesterEnable) != 0 ? low(attributes.config1) & kRequester : 0;
}

EventRequest pcie_request(const PerfAttributes& attributes) {
  constexpr std::uint32_t kDestinations = 0x1f;
  EventRequest asked;
  asked.request.cycles = attributes.config == kCspmuCycles;
  asked.request.event = low(attributes.config);
  const std::uint32_t filter = low(attributes.config1) & (kRootPorts | kRequester);
  if ((filter & kRootPorts) != 0 && requester_of(attributes) != 0 && !asked.request.cycles) asked.error = -EINVAL;
  asked.request.filter = or_all(filter, kRootPorts);
  asked.request.filter2 = or_all(low(attributes.config2) & kDestinations, kDestinations);
  return asked;
}

/// A member that names no source has that of its leader, if the leader names a requester.
PerfAttributes in_pcie_group(PerfAttributes member, const PerfAttributes& leader) {
  if ((member.config1 & (kRootPorts | kRequester)) == 0 && requester_of(leader) != 0) member.config1 = leader.config1;
  return member;
}

/// A PMU compares one requester for all of its counters, or none.
bool have_one_requester(const PerfAttributes& one, const PerfAttributes& other) {
  return one.config == kCspmuCycles || other.config == kCspmuCycles || requester_of(one) == requester_of(other);
}

EventRequest pcie_tgt_request(const PerfAttributes& attributes) {
  constexpr std::uint64_t kEvents = 0x7;
  constexpr unsigned kPortShift = 3;
  constexpr std::uint64_t kAddressEnable = 1U << 11;
  constexpr std::uint32_t kPorts = 0xff;
  EventRequest asked;
  // Cycles are an event like others.
  asked.request.event = low(attributes.config & kEvents);
  if ((attributes.config & kAddressEnable) != 0) asked.error = -EOPNOTSUPP;
  asked.request.filter2 = or_all(low(attributes.config >> kPortShift) & kPorts, kPorts);
  return asked;
}

}  // namespace

std::vector<ServedCoreSightPmu> tegra410_served_pmus(const platform::PlatformSpec& platform) {
  std::vector<ServedCoreSightPmu> pmus;
  for (const platform::PmuRow& row : platform::tegra410_pmus(platform)) {
    if (!row.apmt) continue;
    switch (row.type) {
      case platform::PmuType::ucf:
        pmus.push_back({.name = row.perf_name, .node = *row.apmt, .request_of = ucf_request});
        break;
      case platform::PmuType::pcie:
        pmus.push_back({.name = row.perf_name,
                        .node = *row.apmt,
                        .request_of = pcie_request,
                        .in_group = in_pcie_group,
                        .go_together = have_one_requester});
        break;
      case platform::PmuType::pcie_tgt:
        pmus.push_back({.name = row.perf_name, .node = *row.apmt, .request_of = pcie_tgt_request});
        break;
      default:
        break;
    }
  }
  return pmus;
}

}  // namespace pmufab::scenario
