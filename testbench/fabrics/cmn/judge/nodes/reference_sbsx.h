// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>

#include "testbench/fabrics/cmn/judge/nodes/reference_axi.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// An SBSX by section 4.4 of docs/cmn-nodes.md.
class ReferenceSbsx final : public ReferenceNode {
 public:
  ReferenceSbsx(const CmnNode& node, unsigned number, ReferenceSurroundings& around);

  void wake(cmn::Cycle now) override;
  void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void held(cmn::Channel channel) override;
  void finish() override;

 private:
  enum class Kind : std::uint8_t { read, write, cmo };
  struct Request {
    std::uint64_t serial = 0;
    unsigned number = 0;
    Kind kind = Kind::read;
    cmn::FlitFields flit{};
    bool has_buffer = false;
    DataArrival data;
    bool cancelled = false;
  };

  void has_sent(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void request(cmn::Cycle now, const cmn::FlitFields& flit);
  void write_data(cmn::Cycle now, const cmn::FlitFields& flit);
  void give_buffers(cmn::Cycle now);
  void end(cmn::Cycle now, std::uint64_t serial);

  NodeCounts& counts_;
  ReferenceRoom room_;
  LowestFree numbers_;
  unsigned free_wdb_;
  ReferenceAxi axi_;
  std::list<Request> requests_;  // the oldest first
  Agenda reads_;
  Agenda writes_;
  std::uint64_t serials_ = 0;
};

}  // namespace pmufab::scoreboard
