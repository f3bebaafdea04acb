// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "testbench/fabrics/cmn/judge/gateways/reference_link.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

class ReferenceGateway;

/// The RA of a gateway: requests of its mesh (sections 5.3 and 5.5 of docs/cmn-nodes.md).
class ReferenceGatewayRequester {
 public:
  ReferenceGatewayRequester(ReferenceGateway& gateway, const ReferenceLinkParameters& link);

  /// @return false for a flit that is not the RA's
  bool arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit);
  /// Hand over what may go (rule 5.2.3).
  void hand_over(cmn::Cycle now);
  /// The last CXS flit of a request has been sent.
  void request_left(cmn::Cycle now, const ReferenceLinkMessage& message);
  /// The answer to a request has arrived from the link.
  void answer(cmn::Cycle now, const ReferenceLinkMessage& message);
  void held(cmn::Channel channel);
  void finish() const;

 private:
  struct Entry {
    cmn::FlitFields request{};
    bool is_write = false;
    bool answered = false;  // for a read: its data has been sent
    DataArrival data;       // for a write
  };

  void request(cmn::Cycle now, const cmn::FlitFields& flit);
  void write_data(cmn::Cycle now, const cmn::FlitFields& flit);
  bool acknowledged(cmn::Cycle now, const cmn::FlitFields& flit);
  void data_sent(cmn::Cycle now, std::uint16_t number);
  void free(cmn::Cycle now, std::uint16_t number);
  void count_chain(const cmn::FlitFields& request);
  /// Fire an event of CXRA or CCRA.
  void fire(unsigned id);
  void occupy(unsigned id, int entries, cmn::Cycle now);
  [[nodiscard]] unsigned own(unsigned id) const;

  ReferenceGateway& gateway_;
  ReferenceRoom room_;
  LowestFree numbers_;
  std::map<std::uint16_t, Entry> entries_;  // RHT
  std::deque<std::uint16_t> waiting_;       // waiting for hand-over, the oldest first
  unsigned req_credits_;
  unsigned dat_credits_;
  cmn::FlitFields before_{};  // the last one handed over
  bool any_before_ = false;
  bool in_chain_ = false;  // it continued a chain
  unsigned chain_lengths_ = 0;
};

}  // namespace pmufab::scoreboard
