// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>

#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// An RN-I or RN-D by section 4.6 of docs/cmn-nodes.md. Its operations are not visible. So it may send a request
/// without a reason, but the request's contents and consequences are checked.
class ReferenceRnI final : public ReferenceNode {
 public:
  ReferenceRnI(const CmnNode& node, unsigned number, ReferenceSurroundings& around);

  void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void finish() override;

 private:
  struct Transaction {
    cmn::FlitFields request{};
    bool is_read = false;
    bool retried = false;    // RetryAck has arrived, and the request has not been sent again
    DataArrival arriving;    // for a read
    bool completed = false;  // for a write: Comp has arrived
    unsigned sending = 0;    // data flits that may be sent and have not been
    bool may_send = false;
    bool has_sent = false;
    std::uint16_t data_target = 0;
    std::uint16_t data_txnid = 0;
  };

  bool begins(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  bool sends_request(cmn::Cycle now, const cmn::FlitFields& flit);
  /// Check the target and the number of a request against sections 2 and 4.6.
  void check_request(const cmn::FlitFields& flit, bool is_read);
  bool sends_data(cmn::Cycle now, const cmn::FlitFields& flit);
  void response(cmn::Cycle now, const cmn::FlitFields& flit);
  void end_if_done(cmn::Cycle now, std::uint16_t txnid);
  void occupy(cmn::Cycle now, const Transaction& transaction, int entries);

  NodeCounts& counts_;
  std::map<std::uint16_t, Transaction> transactions_;                      // by TxnID
  std::map<std::uint16_t, unsigned> grants_;                               // by target: unused grants
  std::map<std::pair<std::uint16_t, std::uint16_t>, DataArrival> snoops_;  // by source and TxnID: a DVM snoop has two
                                                                           // flits
};

}  // namespace pmufab::scoreboard
