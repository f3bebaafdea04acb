// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pmufab::tegra410 {

/// The events the UCF publishes. bus_cycles is not traffic, so it is not among them.
enum class UcfEvent : std::uint8_t {
  slc_allocate,
  slc_wb,
  slc_refill_rd,
  slc_refill_wr,
  slc_access_rd,
  slc_access_wr,
  slc_bytes_rd,
  slc_bytes_wr,
  slc_hit_rd,
  mem_access_rd,
  mem_access_wr,
  mem_bytes_rd,
  mem_bytes_wr,
  local_snoop,
  ext_snp_access,
  ext_snp_evict,
  slc_access_dataless,
  slc_access_atomic,
};
inline constexpr unsigned kUcfEventCount = 18;

/// An event as software names it (nvidia_cspmu.c, ucf_pmu_event_attrs).
struct UcfEventCode {
  std::uint32_t id;  ///< value of PMEVTYPER
  std::string_view name;
};

/// Indexed by UcfEvent.
inline constexpr std::array<UcfEventCode, kUcfEventCount> kUcfEvents = {{
    {0x0f0, "slc_allocate"},
    {0x0f3, "slc_wb"},
    {0x109, "slc_refill_rd"},
    {0x10a, "slc_refill_wr"},
    {0x111, "slc_access_rd"},
    {0x112, "slc_access_wr"},
    {0x113, "slc_bytes_rd"},
    {0x114, "slc_bytes_wr"},
    {0x119, "slc_hit_rd"},
    {0x121, "mem_access_rd"},
    {0x122, "mem_access_wr"},
    {0x123, "mem_bytes_rd"},
    {0x124, "mem_bytes_wr"},
    {0x180, "local_snoop"},
    {0x181, "ext_snp_access"},
    {0x182, "ext_snp_evict"},
    {0x183, "slc_access_dataless"},
    {0x184, "slc_access_atomic"},
}};
inline constexpr std::uint32_t kBusCyclesEvent = 0x1d;

/// The source of a request, as a UCF sees it; the bits of PMEVFILTR[2:0].
enum class Source : std::uint8_t { loc_noncpu, loc_cpu, rem };
/// Its destination; the bits of PMEVFILTR[11:8].
enum class Destination : std::uint8_t { loc_cmem, loc_gmem, loc_other, rem };
inline constexpr unsigned kSources = 3;
inline constexpr unsigned kDestinations = 4;

/// The qualifier under which an event is published: source * 4 + destination, twelve values.
constexpr unsigned qualifier(Source source, Destination destination) noexcept {
  return static_cast<unsigned>(source) * kDestinations + static_cast<unsigned>(destination);
}

/// @return the qualifiers a PMEVFILTR value lets through, as a mask
constexpr std::uint64_t qualifiers_of_filter(std::uint32_t filter) noexcept {
  std::uint64_t mask = 0;
  for (unsigned source = 0; source < kSources; ++source) {
    if ((filter >> source & 1U) != 0) mask |= std::uint64_t{filter >> 8 & 0xfU} << (source * kDestinations);
  }
  return mask;
}

}  // namespace pmufab::tegra410
