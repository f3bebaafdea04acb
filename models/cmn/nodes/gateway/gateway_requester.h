// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/fifo.h"
#include "models/cmn/nodes/gateway/gateway_port.h"
#include "models/cmn/nodes/gateway/link_end.h"
#include "models/cmn/nodes/retry.h"

namespace pmufab::cmn {

/// The requesting agent of a gateway (CCRA, CXRA): takes requests of its mesh and puts them on the link.
/// docs/cmn-nodes.md, 5.3, 5.5 and 5.7.
class GatewayRequester {
 public:
  GatewayRequester(GatewayPort& port, LinkEnd& link, const LinkParameters& parameters);

  /// @throws std::logic_error for a request that gateways do not take
  void request(const FlitFields& fields, Cycle now);
  /// Write data or CompAck arrives from the mesh.
  void write_data(const FlitFields& fields, Cycle now);
  void comp_ack(const FlitFields& fields, Cycle now);
  /// An answer arrives from the link.
  void answer(const LinkMessage& message, Cycle now);
  /// Hand over the requests that have credits, and count those that lack them.
  void hand_over(Cycle now);
  /// The last CXS flit of a request has been sent.
  void left(const LinkMessage& message, Cycle now);
  /// The last CompData flit of an answer has been sent.
  void data_sent(const FlitFields& fields, Cycle now);
  /// @return the number of requests that have not ended.
  [[nodiscard]] unsigned pending() const noexcept { return numbers_.used() + room_.pending(); }

 private:
  struct Entry {
    FlitFields request{};
    std::uint8_t data_flits = 0;  // for writes: still to come
    bool is_write = false;
  };
  /// Requests for consecutive lines.
  struct Chain {
    std::uint64_t line = 0;
    std::uint32_t length = 0;  // 0: no request yet
    std::uint16_t source = 0;
    std::uint8_t opcode = 0;
  };

  [[nodiscard]] bool find_room(const FlitFields& fields, Cycle now);
  void accept(const FlitFields& fields, bool is_write, Cycle now);
  void free_entry(unsigned entry, Cycle now);
  void continue_chain(const FlitFields& request, Cycle now);
  void fire(unsigned id, Cycle now) { port_.fire(port_.sources().ra, id - id_offset_, now); }
  void fire_allocation(unsigned id, Cycle now) {
    if (port_.sources().is_ccg) fire(id, now);
  }

  GatewayPort& port_;
  LinkEnd& link_;
  unsigned id_offset_;  // a CCRA's event numbers minus its own
  EntryNumbers numbers_;
  std::vector<Entry> entries_;
  RequestCredits room_;
  Fifo<std::uint16_t> waiting_;  // entries that wait for protocol credits
  unsigned req_credits_;
  unsigned dat_credits_;
  Level lacks_req_credit_;
  Level lacks_dat_credit_;
  Chain chain_;
  unsigned chain_lengths_ = 0;
  Occupancy rht_;
  Occupancy rdb_;
  Occupancy wdb_;
};

}  // namespace pmufab::cmn
