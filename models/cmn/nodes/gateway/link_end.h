// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/cmn/nodes/fifo.h"
#include "models/cmn/nodes/gateway/gateway_port.h"

namespace pmufab::cmn {

/// Parameters of a link between two meshes, the same in both directions. docs/cmn-nodes.md, section 5.
struct LinkParameters {
  Picoseconds latency = 20'000;  ///< from when a CXS flit is sent until it arrives, at least 1
  unsigned cycles_per_flit = 1;  ///< of the sending mesh, from one CXS flit to the next
  unsigned flit_bytes = 32;      ///< of a CXS flit: 16, 32 or 64
  unsigned link_credits = 64;    ///< CXS flits the other end has room for
  unsigned rht_entries = 32;     ///< requests an RA holds, 1 ... 256
  unsigned reqtrk_entries = 16;  ///< requests an HA holds, 1 ... 256: REQ credits of the RA
  unsigned node_latency = 12;    ///< cycles from a decision of a gateway to the flit it leads to, at least 1
  unsigned write_buffers = 8;    ///< of an HA, 1 ... 256: DAT credits of the RA
};

/// What a link cannot be.
struct LinkFault {
  std::string field;   ///< of LinkParameters
  std::string reason;  ///< what it is, and what it may be
};
/// @return the first thing that makes the parameters impossible.
[[nodiscard]] std::optional<LinkFault> fault_of(const LinkParameters& parameters);

/// What crosses a link.
struct LinkMessage {
  using Kind = LinkFlit::Kind;
  FlitFields request{};        ///< as the RA got it, for requests
  std::uint16_t ra_entry = 0;  ///< RHT entry of the request
  std::uint16_t ha_entry = 0;  ///< request tracker entry, of answers
  std::uint8_t data_bytes = 0;
  Kind kind = Kind::read;
  bool bypass = false;  ///< a read's data took the bypass
  [[nodiscard]] bool is_request() const noexcept { return kind == Kind::read || kind == Kind::write; }
};

/// One end of a link (CCLA, CXLA): sends messages as CXS flits, one after the other, and receives.
///
/// The two ends belong to meshes with clocks of their own. Whatever one end tells the other takes the link's latency,
/// so neither sees what the other does in the same instant, and it does not matter whose mesh runs first.
class LinkEnd {
 public:
  LinkEnd(GatewayPort& port, const LinkParameters& parameters);

  /// Whom to send to. Both ends must have been told before anything is handed over.
  void connect(LinkEnd& other) noexcept { other_ = &other; }
  /// Put a message behind all others.
  void hand_over(const LinkMessage& message, Cycle now);
  /// @return true if no message waits or is being sent.
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }

  /// Take a CXS flit that has arrived. @return false if there was none
  /// @param last  the message it completes; nullptr if it completes none. Valid until the next call.
  bool take(Cycle now, const LinkMessage*& last);
  /// Send a CXS flit if one may go.
  /// @return true if `left` has left with it
  bool send(Cycle now, LinkMessage& left);
  /// @return the cycle after `now` in which send() has something to do next; kNoCycle if nothing waits.
  [[nodiscard]] Cycle next_send(Cycle now) const noexcept;

 private:
  struct Waiting {
    LinkMessage message;
    Cycle ready = 0;
    unsigned units_left = 0;
  };
  struct CxsFlit {
    Picoseconds arrival = 0;
    unsigned units = 0;
    bool last = false;
  };
  struct Average {
    unsigned sum = 0;
  };

  void count_size(Average& average, unsigned id, unsigned units, Cycle now);
  void receive(const CxsFlit& flit, const LinkMessage& message);
  /// Let the mesh's observer see a flit. @param last  the message it completes; nullptr if it completes none
  void show(bool sent, unsigned units, const LinkMessage* last);

  GatewayPort& port_;
  LinkParameters parameters_;
  LinkEnd* other_ = nullptr;
  Fifo<Waiting> buffer_;
  Occupancy occupancy_;  // of buffer_
  Level lacks_credit_;
  unsigned credits_;
  Fifo<Picoseconds> credits_back_;  // from when each may be used again
  Cycle next_flit_ = 0;
  Fifo<CxsFlit> arriving_;
  Fifo<LinkMessage> arriving_messages_;  // one for each flit that is its message's last
  LinkMessage taken_;
  Average tx_size_;
  Average rx_size_;
};

}  // namespace pmufab::cmn
