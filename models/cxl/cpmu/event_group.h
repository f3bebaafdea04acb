// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/probe/probe.h"

namespace pmufab::cxl {

/// Vendor id of the events the CXL specification defines (CXL 3.1, 13.2).
inline constexpr std::uint16_t kCxlVendor = 0x1e98;

/// How events of a group can be filtered (CXL 3.1, 8.2.7.2.2).
enum class EventFilter : std::uint8_t {
  none,         ///< not at all
  hdm_decoder,  ///< filter 0: by the HDM decoder that claimed the address
  ddr_location  ///< filter 1: by channel, rank, bank group and bank
};

/// The meaning of a DDR group's qualifiers. ranks * bank_groups * banks is at most 64.
struct DdrShape {
  unsigned channels = 1;
  unsigned ranks = 1;        ///< per channel
  unsigned bank_groups = 1;  ///< per rank
  unsigned banks = 1;        ///< per bank group

  /// @return the qualifier of an event at this place.
  [[nodiscard]] constexpr unsigned qualifier(unsigned rank, unsigned bank_group, unsigned bank) const noexcept {
    return (rank * bank_groups + bank_group) * banks + bank;
  }
  bool operator==(const DdrShape&) const = default;
};

/// Qualifier of an event of an hdm_decoder group that no HDM decoder claimed. 0 ... 9 is the number of the decoder.
inline constexpr unsigned kNoHdmDecoder = 63;

/// The source of an event of a group. An event has one or several probes (in DDR groups one per channel), and consists
/// of all their publications.
struct EventSource {
  unsigned bit;              ///< event id: bit of the group's mask, 0 ... 31
  Probe* probe;              ///< must outlive the counters
  std::uint8_t channel = 0;  ///< for ddr_location groups
  /// For ddr_location groups: the commands concern all banks of their rank, and are published with bank group 0 and
  /// bank 0. Filters of bank and bank group do not exclude them.
  bool any_bank = false;
  /// For ddr_location groups, with any_bank: the events concern all ranks of their channel, and only the channel filter
  /// can exclude them.
  bool any_rank = false;
};

/// A set of up to 32 events that share vendor and group id (CXL 3.1, 13.2).
///
/// clock_ticks (group 0x0000 bit 0 of kCxlVendor) has no source: a CPMU counts its own clock.
struct EventGroup {
  std::uint16_t vendor = kCxlVendor;
  std::uint16_t group = 0;
  EventFilter filter = EventFilter::none;
  std::uint32_t supported = 0;         ///< event ids that can be counted; an id without a source never happens
  std::vector<EventSource> sources{};  ///< in any order
  DdrShape shape{};                    ///< for ddr_location groups
  /// Its events have instants of their own: software's access at the same instant comes before them, as it does before
  /// clock edges. So what software does because of one is later. Other events come in the order of calls.
  bool timed = false;
};

}  // namespace pmufab::cxl
