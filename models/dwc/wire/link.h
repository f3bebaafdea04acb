// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab::dwc {

/// The state of a link. It is in one of them at any time.
enum class LinkState : std::uint8_t {
  l0,
  tx_l0s,     ///< the transmitter alone is in L0s
  rx_l0s,     ///< the receiver alone
  tx_rx_l0s,  ///< both
  l1,
  l1_1,
  l1_2,
  l1_aux,     ///< L1, on the auxiliary clock
  cfg_rcvry,  ///< configuration or recovery
};
inline constexpr unsigned kLinkStates = 9;

/// Something that a port sends or receives on a lane.
struct LinkEvent {
  unsigned id = 0;  ///< group << 8 | number, as drivers write it: 0x70c for rx_memory_read. 0x20 to 0x23: data alone
  unsigned lane = 0;
  std::uint64_t bytes = 0;   ///< payload, of events that carry data
  std::uint64_t repeat = 1;  ///< it happens so many times at once
};

/// Hears what happens on the links of root ports, before their counters count it.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  /// @param port  index in the platform's list of root ports
  virtual void on_event(unsigned port, const LinkEvent& event, Picoseconds when) = 0;
  /// From now on the link is in another state.
  virtual void on_state(unsigned port, LinkState state, Picoseconds when) = 0;
};

}  // namespace pmufab::dwc
