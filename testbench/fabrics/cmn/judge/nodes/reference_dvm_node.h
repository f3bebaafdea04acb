// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <set>
#include <vector>

#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// A DVM node by section 4.7 of docs/cmn-nodes.md. It shares its node id with an HN-I.
class ReferenceDvmNode final : public ReferenceNode {
 public:
  ReferenceDvmNode(const CmnNode& node, unsigned number, ReferenceSurroundings& around);

  void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void held(cmn::Channel channel) override;
  void finish() override;

 private:
  struct Operation {
    unsigned number = 0;
    cmn::FlitFields flit{};
    unsigned type = 0;
    std::vector<std::uint16_t> targets{};
    bool has_data = false;
    bool snooping = false;
    std::set<std::uint16_t> unanswered{};
  };
  using Operations = std::list<Operation>;

  void has_sent(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void request(cmn::Cycle now, const cmn::FlitFields& flit);
  void choose_targets(Operation& one);
  void snoop(cmn::Cycle now);
  void end(cmn::Cycle now, Operations::iterator one);
  void levels(cmn::Cycle now);
  [[nodiscard]] bool waits_for_older(const Operation& sync) const;
  [[nodiscard]] bool is_cmn600() const { return around().spec().layout == WatchpointLayout::cmn600; }

  NodeCounts& counts_;
  ReferenceRoom room_;
  LowestFree numbers_;
  Operations operations_;  // the oldest first
};

}  // namespace pmufab::scoreboard
