// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/judge/cxl_event_names.h"

namespace pmufab::scoreboard {
namespace {

void check(bool right, const std::string& what) {
  if (!right) throw std::invalid_argument("cxl judge: " + what);
}

void check(const CxlDdrSpec& ddr, const std::string& where) {
  for (const std::uint64_t number : {std::uint64_t{ddr.channels}, std::uint64_t{ddr.ranks},
                                     std::uint64_t{ddr.bank_groups}, std::uint64_t{ddr.banks}, ddr.row_bytes / 64})
    check(std::has_single_bit(number), where + ".ddr: counts are powers of two");
  check(ddr.clock_period != 0, where + ".ddr.clock_period: not 0");
}

}  // namespace

std::uint32_t CxlPmuSpec::supported(std::uint16_t vendor, std::uint16_t group) const {
  if (std::none_of(groups.begin(), groups.end(),
                   [&](const CxlGroupSpec& one) { return one.vendor == vendor && one.group == group; }))
    return 0;
  if (vendor == kCxlVendor && group == kQueueOccupancyGroup)
    return cxl_supported_events(group) & (separate_queues ? ~std::uint32_t{4} : ~std::uint32_t{3});
  if (vendor == kCxlVendor) return cxl_supported_events(group);
  std::uint32_t mask = 0;
  for (const CxlVendorEvent& event : vendor_events) {
    if (event.vendor == vendor && event.group == group) mask |= 1U << event.bit;
  }
  return mask;
}

void CxlJudgeSpec::validate() const {
  for (const CxlComponentSpec& component : components) {
    for (const CxlDecoder& decoder : component.decoders)
      check(decoder.ways != 0 && decoder.granularity != 0 && decoder.position < decoder.ways,
            component.name + ".decoders: ways, granularity and position");
    if (component.ddr) check(*component.ddr, component.name);
  }
  for (const CxlLinkSpec& link : links) {
    check(link.upper < components.size() && link.lower < components.size(), link.name + ": no such component");
    check(link.period != 0, link.name + ".period: not 0");
  }
  for (const CxlPmuSpec& pmu : pmus) {
    check(pmu.component < components.size(), pmu.name + ": no such component");
    check(pmu.width >= 1 && pmu.width <= 64, pmu.name + ".width: 1 to 64");
    check(pmu.clock_hz != 0, pmu.name + ".clock_hz: not 0");
    for (const CxlGroupSpec& group : pmu.groups)
      check(group.vendor != kCxlVendor || group.group <= kThrottleGroup,
            fmt::format("{}.groups: no reference for group {:#x}", pmu.name, group.group));
    for (const CxlVendorEvent& event : pmu.vendor_events)
      check(event.bit < 32, fmt::format("{}.vendor_events: no bit {}", pmu.name, event.bit));
    for (const CxlFixedCounter& fixed : pmu.fixed)
      check(fixed.group_index < pmu.groups.size(), fmt::format("{}.fixed: no group {}", pmu.name, fixed.group_index));
  }
}

std::optional<unsigned> decoder_of(const std::vector<CxlDecoder>& decoders, std::uint64_t address) {
  for (unsigned number = 0; number < decoders.size(); ++number) {
    const CxlDecoder& decoder = decoders[number];
    if (address >= decoder.base && address - decoder.base < decoder.size) return number;
  }
  return std::nullopt;
}

bool owns(const std::vector<CxlDecoder>& decoders, std::uint64_t address) {
  const std::optional<unsigned> number = decoder_of(decoders, address);
  if (!number) return false;
  const CxlDecoder& decoder = decoders[*number];
  return (address - decoder.base) / decoder.granularity % decoder.ways == decoder.position;
}

std::uint64_t device_address(const std::vector<CxlDecoder>& decoders, unsigned decoder, std::uint64_t address) {
  std::uint64_t below = 0;
  for (unsigned number = 0; number < decoder; ++number) below += decoders[number].size / decoders[number].ways;
  const CxlDecoder& own = decoders[decoder];
  const std::uint64_t offset = address - own.base;
  const std::uint64_t stripe = own.granularity * own.ways;
  return below + offset / stripe * own.granularity + offset % own.granularity;
}

}  // namespace pmufab::scoreboard
