// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "models/cmn/wire/mesh_observer.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// A message from one gateway to the other.
struct ReferenceLinkMessage {
  using Kind = cmn::LinkFlit::Kind;
  Kind kind = Kind::read;
  cmn::FlitFields request{};  ///< as the RA received it
  std::uint16_t ra_entry = 0;
  std::uint16_t ha_entry = 0;  ///< for answers
  bool bypass = false;         ///< for the answer to a read: its data took the bypass
  [[nodiscard]] bool is_request() const { return kind == Kind::read || kind == Kind::write; }
};

/// The gateway around an end of a link.
class ReferenceLinkUser {
 public:
  virtual ~ReferenceLinkUser() = default;
  /// The last CXS flit of a message from the other gateway has been taken.
  virtual void message_arrived(cmn::Cycle now, const ReferenceLinkMessage& message) = 0;
  /// The last CXS flit of a message to the other gateway has been sent.
  virtual void message_left(cmn::Cycle now, const ReferenceLinkMessage& message) = 0;
  virtual void wake_link(cmn::Cycle when) = 0;
  virtual void fail_link(const std::string& kind, const std::string& text) = 0;
};

/// One end of a link, the LA (section 5.4 of docs/cmn-nodes.md). It predicts which CXS flit is sent and taken in which
/// cycle, and every flit seen must match.
class ReferenceLinkEnd {
 public:
  /// @param counts  of CCLA's events
  /// @param around  the gateway's mesh
  ReferenceLinkEnd(const ReferenceLinkParameters& parameters, NodeCounts& counts, const ReferenceSurroundings& around,
                   ReferenceLinkUser& user);

  static void connect(ReferenceLinkEnd& one, ReferenceLinkEnd& other);

  void hand_over(cmn::Cycle now, const ReferenceLinkMessage& message);
  /// @return true if no message waits or is being sent.
  [[nodiscard]] bool is_empty() const { return buffer_.empty(); }
  /// Take what has arrived (rule 5.2.1).
  void take(cmn::Cycle now);
  /// Send a CXS flit, if one may go (rule 5.2.4).
  void send(cmn::Cycle now);
  /// A CXS flit is seen on the wire.
  void seen(cmn::Cycle now, bool sent, const cmn::LinkFlit& flit);
  void finish() const;

 private:
  struct Waiting {
    ReferenceLinkMessage message;
    cmn::Cycle ready = 0;
    unsigned bytes = 0;  // still to send
  };
  struct Arriving {
    Picoseconds arrival = 0;
    cmn::LinkFlit flit;
    ReferenceLinkMessage message;  // of the last flit
  };
  /// A flit that must be seen in a cycle.
  struct Due {
    cmn::Cycle cycle = 0;
    cmn::LinkFlit flit;
  };

  void count_flit(unsigned flits, unsigned sizes, unsigned& sum, unsigned bytes);
  void credit_returns(Picoseconds when);

  ReferenceLinkParameters parameters_;
  NodeCounts& counts_;
  const ReferenceSurroundings& around_;
  ReferenceLinkUser& user_;
  ReferenceLinkEnd* other_ = nullptr;
  std::deque<Waiting> buffer_;
  cmn::Cycle next_flit_ = 0;
  unsigned credits_;
  std::deque<cmn::Cycle> credits_back_;  // times from which each can be used again
  std::deque<Arriving> arriving_;
  unsigned tx_units_ = 0;
  unsigned rx_units_ = 0;
  std::deque<Due> due_sent_;
  std::deque<Due> due_taken_;
};

}  // namespace pmufab::scoreboard
