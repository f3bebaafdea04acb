// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/gateway/gateway_port.h"
#include "models/cmn/nodes/gateway/link_end.h"
#include "models/cmn/nodes/retry.h"

namespace pmufab::cmn {

/// The home agent of a gateway (CCHA, CXHA): sends the other mesh's requests into its own. docs/cmn-nodes.md, 5.6, 5.7.
class GatewayHome {
 public:
  /// @param homes  node ids of the mesh's homes, in order of logical id
  GatewayHome(GatewayPort& port, LinkEnd& link, const LinkParameters& parameters, std::vector<std::uint16_t> homes);

  /// A request arrives from the link.
  void request(const LinkMessage& message, Cycle now);
  /// CompData, CompDBIDResp, RetryAck or PCrdGrant arrives from the mesh.
  void comp_data(const FlitFields& fields, Cycle now);
  void response(const FlitFields& fields, Cycle now);
  /// A flit of this agent has entered the mesh.
  void sent(Channel channel, const FlitFields& fields, Cycle now);
  /// The last CXS flit of an answer has been sent.
  void left(const LinkMessage& message, Cycle now);
  /// @return the number of requests that have not ended.
  [[nodiscard]] unsigned pending() const noexcept { return numbers_.used(); }

 private:
  struct Entry {
    FlitFields request{};  // as sent into the mesh
    std::uint16_t ra_entry = 0;
    std::uint16_t dbid = 0;       // for writes: the home's
    std::uint8_t data_flits = 0;  // for a read: still to come; for a write: still to be sent
    bool is_write = false;
    bool writing = false;  // the write has a DBID
  };

  void send_again(unsigned entry, Cycle now);
  void answer(unsigned entry, bool bypass, Cycle now);
  void fire(unsigned id, Cycle now) { port_.fire(port_.sources().ha, id - id_offset_, now); }
  void fire_allocation(unsigned id, Cycle now) {
    if (port_.sources().is_ccg) fire(id, now);
  }

  GatewayPort& port_;
  LinkEnd& link_;
  unsigned id_offset_;  // a CCHA's event numbers minus its own
  std::vector<std::uint16_t> homes_;
  EntryNumbers numbers_;
  std::vector<Entry> entries_;
  RetriedRequests retried_;
  Occupancy reqtrk_;
  Occupancy rdb_;
  Occupancy rdbyp_;
  Occupancy wdb_;
  Occupancy reads_;  // reads in reqtrk_, for the RN-I half of a CCLA_RNI
  Occupancy writes_;
};

}  // namespace pmufab::cmn
