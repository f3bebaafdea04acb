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
  Picoseconds latency = 20'000;  ///< from the sending of a CXS flit to its arrival, at least 1
  unsigned cycles_per_flit = 1;  ///< cycles of the sending mesh, between CXS flits
  unsigned flit_bytes = 32;      ///< bytes of a CXS flit: 16, 32 or 64
  unsigned link_credits = 64;    ///< CXS flits that the other end has room for
  unsigned rht_entries = 32;     ///< requests an RA holds, 1 ... 256
  unsigned reqtrk_entries = 16;  ///< requests an HA holds, 1 ... 256: REQ credits of the RA
  unsigned node_latency = 12;    ///< cycles from a gateway's decision to the resulting flit, at least 1
  unsigned write_buffers = 8;    ///< per HA, 1 ... 256: DAT credits of the RA
};

/// An impossible parameter of a link.
struct LinkFault {
  std::string field;   ///< name in LinkParameters
  std::string reason;  ///< its value, and the allowed values
};
/// @return the first impossible parameter, if any.
[[nodiscard]] std::optional<LinkFault> fault_of(const LinkParameters& parameters);

/// A message on a link.
struct LinkMessage {
  using Kind = LinkFlit::Kind;
  FlitFields request{};        ///< for requests: as the RA received it
  std::uint16_t ra_entry = 0;  ///< RHT entry of the request
  std::uint16_t ha_entry = 0;  ///< for answers: request tracker entry
  std::uint8_t data_bytes = 0;
  Kind kind = Kind::read;
  bool bypass = false;  ///< a read's data took the bypass
  [[nodiscard]] bool is_request() const noexcept { return kind == Kind::read || kind == Kind::write; }
};

/// One end of a link (CCLA, CXLA): sends messages as CXS flits, one after the other, and receives them.
///
/// The two ends belong to meshes with different clocks. Everything one end passes to the other takes the link's
/// latency. Neither end sees what the other does in the same instant, so the order in which the meshes run does not
/// matter.
class LinkEnd {
 public:
  LinkEnd(GatewayPort& port, const LinkParameters& parameters);

  /// Set the other end. Both ends must be connected before the first message.
  void connect(LinkEnd& other) noexcept { other_ = &other; }
  /// Queue a message behind all others.
  void hand_over(const LinkMessage& message, Cycle now);
  /// @return true if no message waits or is being sent.
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }
  /// @return the CXS flits sent so far.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

  /// Take a CXS flit that has arrived. @return false if there was none
  /// @param last  the message it completes, or nullptr. Valid until the next call.
  bool take(Cycle now, const LinkMessage*& last);
  /// Send a CXS flit if one may go.
  /// @return true if it was the last flit of its message, which is now in `left`
  bool send(Cycle now, LinkMessage& left);
  /// @return the next cycle after `now` in which send() has work; kNoCycle if nothing waits.
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
  /// Show a flit to the mesh's observer.
  /// @param last  the message it completes, or nullptr
  void show(bool sent, unsigned units, const LinkMessage* last);

  GatewayPort& port_;
  LinkParameters parameters_;
  LinkEnd* other_ = nullptr;
  Fifo<Waiting> buffer_;
  Occupancy occupancy_;  // fill level of buffer_
  Level lacks_credit_;
  unsigned credits_;
  Fifo<Picoseconds> credits_back_;  // times from which each may be used again
  Cycle next_flit_ = 0;
  std::uint64_t sent_ = 0;
  Fifo<CxsFlit> arriving_;
  Fifo<LinkMessage> arriving_messages_;  // one for each last flit of a message
  LinkMessage taken_;
  Average tx_size_;
  Average rx_size_;
};

}  // namespace pmufab::cmn
