// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>

#include "testbench/fabrics/cmn/judge/gateways/reference_link.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

class ReferenceGateway;

/// The HA of a gateway: requests of the other mesh (section 5.6 of docs/cmn-nodes.md). It also fires the events of the
/// RN-I half of a CCLA_RNI.
class ReferenceGatewayHome {
 public:
  explicit ReferenceGatewayHome(ReferenceGateway& gateway) : gateway_(gateway) {}

  /// @return false for a flit that is not the HA's, or that no request waits for
  bool arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit);
  /// A request has arrived from the link.
  void request(cmn::Cycle now, const ReferenceLinkMessage& message);
  /// The last CXS flit of an answer has been sent.
  void answer_left(cmn::Cycle now, const ReferenceLinkMessage& message);
  /// A flit of the gateway has entered the mesh.
  void sent(cmn::Channel channel, const cmn::FlitFields& flit);
  void held(cmn::Channel channel);
  void finish() const;

 private:
  struct Entry {
    ReferenceLinkMessage message;
    bool is_write = false;
    std::uint16_t home = 0;  // once it has been sent
    bool may_send = false;   // CompDBIDResp has arrived
    DataArrival data;        // for a read
  };

  void post(std::uint16_t number, bool allow_retry);
  void check(const Entry& entry, const cmn::FlitFields& flit) const;
  bool response(const cmn::FlitFields& flit);
  bool read_data(cmn::Cycle now, const cmn::FlitFields& flit);
  void data_sent(cmn::Cycle now, std::uint16_t number);
  void send_again(std::uint16_t home);
  /// Fire an event of CXHA or CCHA.
  void fire(unsigned id);
  void occupy(unsigned id, int entries, cmn::Cycle now);

  ReferenceGateway& gateway_;
  LowestFree numbers_;
  std::map<std::uint16_t, Entry> entries_;                     // the request tracker
  std::map<std::uint16_t, std::list<std::uint16_t>> retried_;  // by home, the first RetryAck first
  std::map<std::uint16_t, unsigned> grants_;                   // by home: unused grants
};

}  // namespace pmufab::scoreboard
