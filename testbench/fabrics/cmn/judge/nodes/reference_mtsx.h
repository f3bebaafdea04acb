// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>

#include "testbench/fabrics/cmn/judge/nodes/reference_axi.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// An MTSX by section 4.5 of docs/cmn-nodes.md.
class ReferenceMtsx final : public ReferenceNode {
 public:
  ReferenceMtsx(const CmnNode& node, unsigned number, ReferenceSurroundings& around);

  void wake(cmn::Cycle now) override;
  void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void finish() override;

 private:
  enum class Kind : std::uint8_t { read, write, cmo };
  struct Request {
    std::uint64_t serial = 0;
    unsigned number = 0;
    Kind kind = Kind::read;
    cmn::FlitFields flit{};
    DataArrival data;        // for a write, from the mesh
    bool read_data = false;  // for a read, from AXI
    bool tags = false;
    bool cancelled = false;
    bool written = false;
  };

  void request(cmn::Cycle now, const cmn::FlitFields& flit);
  void write_data(cmn::Cycle now, const cmn::FlitFields& flit);
  void look_up(cmn::Cycle now, Request& one);
  void tags_are_there(cmn::Cycle now, std::uint64_t line);
  /// Continue if everything the request waits for has arrived.
  void go_on(cmn::Cycle now, std::uint64_t serial);
  void end(cmn::Cycle now, std::uint64_t serial);
  [[nodiscard]] std::list<Request>::iterator find(std::uint64_t serial);

  NodeCounts& counts_;
  ReferenceRoom room_;
  LowestFree numbers_;
  ReferenceAxi axi_;
  std::list<Request> requests_;                                    // the oldest first
  std::map<std::uint64_t, std::list<std::uint64_t>> tags_;         // tag cache by set, the youngest first
  std::map<std::uint64_t, std::list<std::uint64_t>> tags_wanted_;  // requests by the tag line being read
  Agenda reads_;                                                   // data reads
  Agenda tag_reads_;                                               // by tag line
  Agenda writes_;
  std::uint64_t serials_ = 0;
};

}  // namespace pmufab::scoreboard
