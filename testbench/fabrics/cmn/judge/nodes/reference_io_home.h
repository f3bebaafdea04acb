// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>

#include "testbench/fabrics/cmn/judge/nodes/reference_axi.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// The HN-I of a device, or both parts of an HN-P, by section 4.3 of docs/cmn-nodes.md.
class ReferenceIoHome final : public ReferenceNode {
 public:
  ReferenceIoHome(const CmnNode& node, unsigned number, ReferenceSurroundings& around);

  void wake(cmn::Cycle now) override;
  void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void held(cmn::Channel channel) override;
  void finish() override;

 private:
  struct Request {
    std::uint64_t serial = 0;
    unsigned number = 0;
    cmn::FlitFields flit{};
    bool is_read = false;
    bool has_buffer = false;
    DataArrival data;
    bool cancelled = false;
    bool issued = false;
  };
  /// Event ids of a part.
  struct Ids {
    unsigned rrt_rd_occ, rrt_wr_occ, rdt_rd_occ, rdt_wr_occ, wdb_occ;
    unsigned rrt_rd_alloc, rrt_wr_alloc, rdt_rd_alloc, rdt_wr_alloc, wdb_alloc;
    unsigned ar_valid, ar_ready, aw_valid, aw_ready, w_valid;
  };
  struct Part {
    Part(const ReferenceIoHomeParameters& parameters, NodeCounts& node_counts, const Ids& names, unsigned first);
    NodeCounts& counts;
    Ids ids;
    unsigned first_dbid;
    ReferenceRoom room;
    LowestFree numbers;
    unsigned free_rdt;
    unsigned free_wdb;
    ReferenceAxi axi;
    std::list<Request> requests;  // the oldest first
    Agenda reads;                 // R by request
    Agenda writes;                // B by request
    bool serializes = false;
  };

  Part& part_of(const cmn::FlitFields& request);
  void request(cmn::Cycle now, const cmn::FlitFields& flit);
  void give_buffers(cmn::Cycle now, Part& part);
  void issue(cmn::Cycle now, Part& part);
  void end(cmn::Cycle now, Part& part, std::uint64_t serial);
  void serialize(cmn::Cycle now, Part& part);
  [[nodiscard]] static bool waits_for_order(const Part& part, const Request& request);

  NodeCounts& counts_;  // hni_*
  std::list<Part> parts_;
  std::uint64_t serials_ = 0;
};

}  // namespace pmufab::scoreboard
