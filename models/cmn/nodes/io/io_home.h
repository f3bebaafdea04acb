// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/nodes/memory/axi_side.h"
#include "models/cmn/nodes/node_events.h"
#include "models/cmn/nodes/request_tracker.h"
#include "models/cmn/pmu/occupancy.h"

namespace pmufab::cmn {

/// Parameters of an HN-I (docs/cmn-nodes.md, 4.3).
struct IoHomeParameters {
  unsigned rrt_entries = 16;  ///< requests, up to 128
  unsigned rdt_entries = 8;   ///< of these, requests on AXI
  unsigned wdb_entries = 8;   ///< writes that may send their data
  unsigned latency = 8;       ///< cycles from a decision to its message
  AxiParameters axi{};
};

/// Ids of an I/O home's events in its event select register; 0: absent.
struct IoHomeEventIds {
  std::uint8_t rrt_rd_occ_cnt_ovfl;
  std::uint8_t rrt_wr_occ_cnt_ovfl;
  std::uint8_t rdt_rd_occ_cnt_ovfl;
  std::uint8_t rdt_wr_occ_cnt_ovfl;
  std::uint8_t wdb_occ_cnt_ovfl;
  std::uint8_t rrt_rd_alloc;
  std::uint8_t rrt_wr_alloc;
  std::uint8_t rdt_rd_alloc;
  std::uint8_t rdt_wr_alloc;
  std::uint8_t wdb_alloc;
  std::uint8_t arvalid_no_arready;
  std::uint8_t arready_no_arvalid;
  std::uint8_t awvalid_no_awready;
  std::uint8_t awready_no_awvalid;
  std::uint8_t wvalid_no_wready;
};
/// @param part  hn_i, or hn_p for the part of an HN-P that serves PCIe
consteval IoHomeEventIds io_home_event_ids(NodeType part) {
  return {
      .rrt_rd_occ_cnt_ovfl = event_id(part, "rrt_rd_occ_cnt_ovfl"),
      .rrt_wr_occ_cnt_ovfl = event_id(part, "rrt_wr_occ_cnt_ovfl"),
      .rdt_rd_occ_cnt_ovfl = event_id(part, "rdt_rd_occ_cnt_ovfl"),
      .rdt_wr_occ_cnt_ovfl = event_id(part, "rdt_wr_occ_cnt_ovfl"),
      .wdb_occ_cnt_ovfl = event_id(part, "wdb_occ_cnt_ovfl"),
      .rrt_rd_alloc = event_id(part, "rrt_rd_alloc"),
      .rrt_wr_alloc = event_id(part, "rrt_wr_alloc"),
      .rdt_rd_alloc = event_id(part, "rdt_rd_alloc"),
      .rdt_wr_alloc = event_id(part, "rdt_wr_alloc"),
      .wdb_alloc = event_id(part, "wdb_alloc"),
      .arvalid_no_arready = event_id(part, "arvalid_no_arready"),
      .arready_no_arvalid = event_id(part, "arready_no_arvalid"),
      .awvalid_no_awready = event_id(part, "awvalid_no_awready"),
      .awready_no_awvalid = event_id(part, "awready_no_awvalid"),
      .wvalid_no_wready = event_id(part, "wvalid_no_wready"),
  };
}

/// An HN-I, or one of the two parts of an HN-P. It passes requests to I/O on to AXI, in order where they require it.
class IoHome {
 public:
  /// @param device      number in the mesh, for messages
  /// @param events      of this part
  /// @param common      hn_i events that both parts share: retries and serialisation
  /// @param serialized  which of hn_i's two serialisation events this part fires
  /// @throws std::invalid_argument for a parameter out of range
  IoHome(Mesh& mesh, unsigned device, std::uint16_t node_id, const IoHomeParameters& parameters,
         const NodeEvents& events, const IoHomeEventIds& ids, const NodeEvents& common, unsigned serialized,
         unsigned first_dbid);
  IoHome(const IoHome&) = delete;
  IoHome& operator=(const IoHome&) = delete;

  /// Take AXI's answers of this cycle. Call it before arrivals.
  void take_answers(Cycle now);
  /// @throws std::logic_error for a message it does not support
  /// @{
  void request(const FlitFields& fields, Cycle now);
  void data(const FlitFields& fields, Cycle now);
  /// @}

  [[nodiscard]] unsigned pending() const noexcept { return tracker_.used(); }

 private:
  enum class State : std::uint8_t {
    wants_wdb,   // a write without a write data buffer
    wants_data,  // a write that has one
    wants_rdt,   // ready to go on
    on_axi,
  };
  struct Entry {
    State state;
    bool is_write;
  };

  void go_on(Cycle now);
  void give_buffers(Cycle now);
  void issue(Cycle now);
  void end(unsigned entry, Cycle now);
  [[nodiscard]] bool is_in_turn(unsigned entry) const noexcept;

  Mesh& mesh_;
  unsigned device_;
  IoHomeParameters parameters_;
  NodeEvents events_;
  IoHomeEventIds ids_;
  NodeEvents common_;
  RequestTracker tracker_;
  std::vector<Entry> entries_;
  unsigned free_wdb_;
  unsigned free_rdt_;
  unsigned ordered_ = 0;  // ordered requests in the tracker
  AxiSide axi_;
  std::array<Occupancy, 2> rrt_;  // reads, writes
  std::array<Occupancy, 2> rdt_;
  Occupancy wdb_;
  Level serialized_;
};

}  // namespace pmufab::cmn
