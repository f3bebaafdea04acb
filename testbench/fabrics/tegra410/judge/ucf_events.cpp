// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/ucf_events.h"

namespace pmufab::scoreboard {
namespace {

struct EventName {
  UcfEvent event;
  std::uint32_t number;
  std::string_view name;
};

// Numbers: the event list that NVIDIA's driver publishes in sysfs. Names and meaning: nvidia-tegra410-pmu.rst.
constexpr std::array<EventName, kUcfEvents> kUcfNames{{
    {UcfEvent::slc_allocate, 0x0f0, "slc_allocate"},
    {UcfEvent::slc_wb, 0x0f3, "slc_wb"},
    {UcfEvent::slc_refill_rd, 0x109, "slc_refill_rd"},
    {UcfEvent::slc_refill_wr, 0x10a, "slc_refill_wr"},
    {UcfEvent::slc_access_rd, 0x111, "slc_access_rd"},
    {UcfEvent::slc_access_wr, 0x112, "slc_access_wr"},
    {UcfEvent::slc_bytes_rd, 0x113, "slc_bytes_rd"},
    {UcfEvent::slc_bytes_wr, 0x114, "slc_bytes_wr"},
    {UcfEvent::slc_hit_rd, 0x119, "slc_hit_rd"},
    {UcfEvent::mem_access_rd, 0x121, "mem_access_rd"},
    {UcfEvent::mem_access_wr, 0x122, "mem_access_wr"},
    {UcfEvent::mem_bytes_rd, 0x123, "mem_bytes_rd"},
    {UcfEvent::mem_bytes_wr, 0x124, "mem_bytes_wr"},
    {UcfEvent::local_snoop, 0x180, "local_snoop"},
    {UcfEvent::ext_snp_access, 0x181, "ext_snp_access"},
    {UcfEvent::ext_snp_evict, 0x182, "ext_snp_evict"},
    {UcfEvent::slc_access_dataless, 0x183, "slc_access_dataless"},
    {UcfEvent::slc_access_atomic, 0x184, "slc_access_atomic"},
}};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < kUcfNames.size(); ++i) {
    if (static_cast<std::size_t>(kUcfNames[i].event) != i) return false;
  }
  return true;
}
static_assert(table_is_in_order(), "kUcfNames is indexed by the enumerator");

}  // namespace

std::string_view to_string(UcfEvent event) noexcept { return kUcfNames[static_cast<std::size_t>(event)].name; }

std::uint32_t event_number(UcfEvent event) noexcept { return kUcfNames[static_cast<std::size_t>(event)].number; }

std::optional<UcfEvent> event_of_number(std::uint64_t number) noexcept {
  for (const EventName& entry : kUcfNames) {
    if (entry.number == number) return entry.event;
  }
  return std::nullopt;
}

std::optional<UcfEvent> event_of_name(std::string_view name) noexcept {
  for (const EventName& entry : kUcfNames) {
    if (entry.name == name) return entry.event;
  }
  return std::nullopt;
}

std::string_view to_string(Source source) noexcept {
  constexpr std::array<std::string_view, kSources> kSourceNames{"loc_noncpu", "loc_cpu", "rem"};
  return kSourceNames[static_cast<std::size_t>(source)];
}

std::string_view to_string(Destination destination) noexcept {
  constexpr std::array<std::string_view, kDestinations> kDestinationNames{"loc_cmem", "loc_gmem", "loc_other", "rem"};
  return kDestinationNames[static_cast<std::size_t>(destination)];
}

std::uint64_t& EventMatrix::at(Source source, Destination destination) noexcept {
  return amount[static_cast<std::size_t>(source)][static_cast<std::size_t>(destination)];
}

std::uint64_t EventMatrix::at(Source source, Destination destination) const noexcept {
  return amount[static_cast<std::size_t>(source)][static_cast<std::size_t>(destination)];
}

std::uint64_t EventMatrix::sum(std::uint32_t sources, std::uint32_t destinations) const noexcept {
  std::uint64_t total = 0;
  for (std::size_t source = 0; source < kSources; ++source) {
    if ((sources >> source & 1U) == 0) continue;
    for (std::size_t destination = 0; destination < kDestinations; ++destination) {
      if ((destinations >> destination & 1U) != 0) total += amount[source][destination];
    }
  }
  return total;
}

EventMatrix& EventMatrix::operator+=(const EventMatrix& other) noexcept {
  for (std::size_t source = 0; source < kSources; ++source) {
    for (std::size_t destination = 0; destination < kDestinations; ++destination)
      amount[source][destination] += other.amount[source][destination];
  }
  return *this;
}

EventMatrix& EventMatrix::operator-=(const EventMatrix& other) noexcept {
  for (std::size_t source = 0; source < kSources; ++source) {
    for (std::size_t destination = 0; destination < kDestinations; ++destination)
      amount[source][destination] -= other.amount[source][destination];
  }
  return *this;
}

UcfTally& UcfTally::operator+=(const UcfTally& other) noexcept {
  for (std::size_t e = 0; e < kUcfEvents; ++e) event[e] += other.event[e];
  return *this;
}

UcfTally& UcfTally::operator-=(const UcfTally& other) noexcept {
  for (std::size_t e = 0; e < kUcfEvents; ++e) event[e] -= other.event[e];
  return *this;
}

}  // namespace pmufab::scoreboard
