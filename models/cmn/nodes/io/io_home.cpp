// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/io/io_home.h"

#include <stdexcept>

#include <fmt/core.h>

#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

constexpr unsigned kTxrspRetryack = event_id(NodeType::hn_i, "txrsp_retryack");

}  // namespace

IoHome::IoHome(Mesh& mesh, unsigned device, std::uint16_t node_id, const IoHomeParameters& parameters,
               const NodeEvents& events, const IoHomeEventIds& ids, const NodeEvents& common, unsigned serialized,
               unsigned first_dbid)
    : mesh_(mesh),
      device_(device),
      parameters_(parameters),
      events_(events),
      ids_(ids),
      common_(common),
      tracker_(mesh, device,
               {.node_id = node_id,
                .entries = parameters.rrt_entries,
                .latency = parameters.latency,
                .first_dbid = first_dbid}),
      entries_(parameters.rrt_entries),
      free_wdb_(parameters.wdb_entries),
      free_rdt_(parameters.rdt_entries),
      axi_(parameters.axi) {
  if (parameters.wdb_entries == 0 || parameters.rdt_entries == 0)
    throw std::invalid_argument("wdb_entries, rdt_entries: 0 blocks every request; use 1 or more");
  events_.add_occupancy(ids.rrt_rd_occ_cnt_ovfl, rrt_[0]);
  events_.add_occupancy(ids.rrt_wr_occ_cnt_ovfl, rrt_[1]);
  events_.add_occupancy(ids.rdt_rd_occ_cnt_ovfl, rdt_[0]);
  events_.add_occupancy(ids.rdt_wr_occ_cnt_ovfl, rdt_[1]);
  events_.add_occupancy(ids.wdb_occ_cnt_ovfl, wdb_);
  events_.add_cycles(ids.arvalid_no_arready, axi_.ar().waiting());
  events_.add_cycles(ids.arready_no_arvalid, axi_.ar().idle());
  events_.add_cycles(ids.awvalid_no_awready, axi_.aw().waiting());
  events_.add_cycles(ids.awready_no_awvalid, axi_.aw().idle());
  events_.add_cycles(ids.wvalid_no_wready, axi_.w().waiting());
  common_.add_cycles(serialized, serialized_);
}

void IoHome::take_answers(Cycle now) {
  unsigned entry = 0;
  while (axi_.take_read(now, entry)) {
    tracker_.respond_with_data(entry, now);
    ++free_rdt_;
    rdt_[0].change(kAllCode, -1, now);
    end(entry, now);
  }
  while (axi_.take_write(now, entry)) {
    ++free_rdt_;
    rdt_[1].change(kAllCode, -1, now);
    end(entry, now);
  }
}

void IoHome::request(const FlitFields& fields, Cycle now) {
  const bool is_write = fields.opcode == chi::req::kWriteNoSnpFull || fields.opcode == chi::req::kWriteNoSnpPtl;
  if (!is_write && fields.opcode != chi::req::kReadNoSnp)
    throw std::logic_error(
        fmt::format("an I/O home does not know REQ opcode {:#x}, from node {:#x}", fields.opcode, fields.srcid));
  const std::optional<unsigned> entry = tracker_.allocate(fields, now);
  if (!entry) {
    common_.fire(kTxrspRetryack, now);
    return;
  }
  events_.fire(is_write ? ids_.rrt_wr_alloc : ids_.rrt_rd_alloc, now);
  rrt_[is_write ? 1 : 0].change(kAllCode, 1, now);
  if (fields.order >= 2) ++ordered_;
  entries_[*entry] = {is_write ? State::wants_wdb : State::wants_rdt, is_write};
  go_on(now);
}

void IoHome::data(const FlitFields& fields, Cycle now) {
  const unsigned entry = tracker_.entry_of(fields.txnid);
  if (!tracker_.data(entry)) return;
  if (fields.opcode == chi::dat::kWriteDataCancel) {
    end(entry, now);
    return;
  }
  entries_[entry].state = State::wants_rdt;
  go_on(now);
}

void IoHome::end(unsigned entry, Cycle now) {
  const bool is_write = entries_[entry].is_write;
  rrt_[is_write ? 1 : 0].change(kAllCode, -1, now);
  if (is_write) {
    ++free_wdb_;
    wdb_.change(kAllCode, -1, now);
  }
  if (tracker_[entry].order >= 2) --ordered_;
  tracker_.release(entry, now);
  go_on(now);
}

void IoHome::go_on(Cycle now) {
  if (free_wdb_ != 0) give_buffers(now);
  issue(now);
}

void IoHome::give_buffers(Cycle now) {
  for (const unsigned entry : tracker_.by_age()) {
    if (entries_[entry].state != State::wants_wdb) continue;
    entries_[entry].state = State::wants_data;
    events_.fire(ids_.wdb_alloc, now);
    wdb_.change(kAllCode, 1, now);
    tracker_.respond(entry, chi::rsp::kCompDbidResp, now);
    if (--free_wdb_ == 0) return;
  }
}

void IoHome::issue(Cycle now) {
  bool serialized = false;
  for (const unsigned entry : tracker_.by_age()) {
    Entry& one = entries_[entry];
    if (one.state != State::wants_rdt) continue;
    if (!is_in_turn(entry)) {
      serialized = true;
      continue;
    }
    if (free_rdt_ == 0) continue;
    --free_rdt_;
    one.state = State::on_axi;
    const Cycle answer =
        one.is_write ? axi_.write(entry, chi::data_flits(tracker_[entry].size), now) : axi_.read(entry, now);
    mesh_.call(device_, answer);
    events_.fire(one.is_write ? ids_.rdt_wr_alloc : ids_.rdt_rd_alloc, now);
    rdt_[one.is_write ? 1 : 0].change(kAllCode, 1, now);
  }
  serialized_.set(serialized, now);
}

bool IoHome::is_in_turn(unsigned entry) const noexcept {
  const RequestTracker::Request& request = tracker_[entry];
  if (request.order < 2 || ordered_ < 2) return true;
  for (const unsigned older : tracker_.by_age()) {
    if (older == entry) return true;
    if (tracker_[older].order >= 2 && tracker_[older].srcid == request.srcid) return false;
  }
  return true;
}

}  // namespace pmufab::cmn
