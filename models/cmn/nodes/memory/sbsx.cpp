// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/sbsx.h"

#include <stdexcept>
#include <string_view>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

consteval unsigned sbsx_event(std::string_view event) { return event_id(NodeType::sbsx, event); }
constexpr std::array<unsigned, 3> kReqs{sbsx_event("rd_req"), sbsx_event("wr_req"), sbsx_event("cmo_req")};
constexpr unsigned kSbsxTxrspRetryack = sbsx_event("txrsp_retryack");
constexpr unsigned kTxdatFlitv = sbsx_event("txdat_flitv");
constexpr unsigned kTxrspFlitv = sbsx_event("txrsp_flitv");
constexpr std::array<unsigned, 3> kReqTrkrOccCntOvfl{sbsx_event("rd_req_trkr_occ_cnt_ovfl"),
                                                     sbsx_event("wr_req_trkr_occ_cnt_ovfl"),
                                                     sbsx_event("cmo_req_trkr_occ_cnt_ovfl")};
constexpr unsigned kWdbOccCntOvfl = sbsx_event("wdb_occ_cnt_ovfl");
constexpr unsigned kRdAxiTrkrOccCntOvfl = sbsx_event("rd_axi_trkr_occ_cnt_ovfl");
constexpr unsigned kCmoAxiTrkrOccCntOvfl = sbsx_event("cmo_axi_trkr_occ_cnt_ovfl");
constexpr unsigned kRdbOccCntOvfl = sbsx_event("rdb_occ_cnt_ovfl");
constexpr unsigned kArvalidNoArready = sbsx_event("arvalid_no_arready");
constexpr unsigned kAwvalidNoAwready = sbsx_event("awvalid_no_awready");
constexpr unsigned kWvalidNoWready = sbsx_event("wvalid_no_wready");
constexpr unsigned kSbsxTxdatStall = sbsx_event("txdat_stall");
constexpr unsigned kTxrspStall = sbsx_event("txrsp_stall");

}  // namespace

Sbsx::Sbsx(Mesh& mesh, const DevicePlace& place, const SbsxParameters& parameters)
    : mesh_(mesh),
      device_(mesh.attach(*this, place.node_id)),
      events_(mesh, place.node_id, NodeType::sbsx),
      tracker_(mesh, device_, {.node_id = place.node_id, .entries = parameters.entries, .latency = parameters.latency}),
      entries_(parameters.entries),
      free_wdb_(parameters.wdb_entries),
      axi_(parameters.axi) {
  if (parameters.wdb_entries == 0) throw std::invalid_argument("wdb_entries: 0 blocks every write; use 1 or more");
  tracker_.tell_of_retries();
  for (unsigned kind = 0; kind < 3; ++kind) events_.add_occupancy(kReqTrkrOccCntOvfl[kind], req_trkr_[kind]);
  events_.add_occupancy(kWdbOccCntOvfl, wdb_);
  events_.add_occupancy(kRdAxiTrkrOccCntOvfl, axi_trkr_[0]);
  events_.add_occupancy(kCmoAxiTrkrOccCntOvfl, axi_trkr_[2]);
  if (mesh.topology().product != Product::cmn600) events_.add_occupancy(kRdbOccCntOvfl, rdb_);
  events_.add_cycles(kArvalidNoArready, axi_.ar().waiting());
  events_.add_cycles(kAwvalidNoAwready, axi_.aw().waiting());
  events_.add_cycles(kWvalidNoWready, axi_.w().waiting());
  events_.add_holds(kSbsxTxdatStall, device_, Channel::dat);
  events_.add_holds(kTxrspStall, device_, Channel::rsp);
}

void Sbsx::run(Cycle now) {
  unsigned entry = 0;
  while (axi_.take_read(now, entry)) {
    const Kind kind = entries_[entry].kind;
    axi_trkr_[static_cast<unsigned>(kind)].change(kAllCode, -1, now);
    if (kind == Kind::read) {
      rdb_.change(kAllCode, static_cast<int>(chi::data_flits(tracker_[entry].size)), now);
      tracker_.respond_with_data(entry, now, true);
    } else {
      tracker_.respond(entry, chi::rsp::kComp, now, true);
    }
    end(entry, now);
  }
  while (axi_.take_write(now, entry)) end(entry, now);
  while (const Arrival* const arrival = mesh_.arrival(device_)) {
    const FlitFields& fields = arrival->fields;
    switch (channel_class(arrival->channel)) {
      case Channel::req:
        request(fields, now);
        break;
      case Channel::dat:
        data(fields, now);
        break;
      default:
        refuse_message("an SBSX", *arrival);
    }
    mesh_.take(device_);
  }
}

void Sbsx::request(const FlitFields& fields, Cycle now) {
  if (fields.opcode == chi::req::kPrefetchTgt) return;
  const Kind kind = bridge_request("an SBSX", fields);
  const std::optional<unsigned> entry = tracker_.allocate(fields, now);
  if (!entry) {
    events_.fire(kSbsxTxrspRetryack, now);
    return;
  }
  const auto index = static_cast<unsigned>(kind);
  events_.fire(kReqs[index], now);
  req_trkr_[index].change(kAllCode, 1, now);
  entries_[*entry] = {kind, kind == Kind::write ? State::wants_wdb : State::on_axi};
  if (kind == Kind::write) {
    give_buffers(now);
  } else {
    axi_trkr_[index].change(kAllCode, 1, now);
    mesh_.call(device_, axi_.read(*entry, now));
  }
}

void Sbsx::data(const FlitFields& fields, Cycle now) {
  const unsigned entry = tracker_.entry_of(fields.txnid);
  if (!tracker_.data(entry)) return;
  if (fields.opcode == chi::dat::kWriteDataCancel) {
    end(entry, now);
    return;
  }
  entries_[entry].state = State::on_axi;
  mesh_.call(device_, axi_.write(entry, chi::data_flits(tracker_[entry].size), now));
}

void Sbsx::give_buffers(Cycle now) {
  for (const unsigned entry : tracker_.by_age()) {
    if (free_wdb_ == 0) return;
    if (entries_[entry].state != State::wants_wdb) continue;
    entries_[entry].state = State::wants_data;
    --free_wdb_;
    wdb_.change(kAllCode, 1, now);
    tracker_.respond(entry, chi::rsp::kCompDbidResp, now, true);
  }
}

void Sbsx::end(unsigned entry, Cycle now) {
  const Kind kind = entries_[entry].kind;
  req_trkr_[static_cast<unsigned>(kind)].change(kAllCode, -1, now);
  tracker_.release(entry, now);
  if (kind != Kind::write) return;
  ++free_wdb_;
  wdb_.change(kAllCode, -1, now);
  give_buffers(now);
}

void Sbsx::sent(Channel channel, const FlitFields& /*fields*/, Cycle now) {
  if (channel_class(channel) == Channel::rsp) {
    events_.fire(kTxrspFlitv, now);
    return;
  }
  events_.fire(kTxdatFlitv, now);
  rdb_.change(kAllCode, -1, now);
}

}  // namespace pmufab::cmn
