// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/mtsx.h"

#include <array>
#include <string_view>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

consteval unsigned mtsx_event(std::string_view event) { return event_id(NodeType::mtsx, event); }
constexpr unsigned kTcLookup = mtsx_event("tc_lookup");
constexpr unsigned kTcFill = mtsx_event("tc_fill");
constexpr unsigned kTcMiss = mtsx_event("tc_miss");
constexpr unsigned kTdbForward = mtsx_event("tdb_forward");
constexpr unsigned kTcqHazard = mtsx_event("tcq_hazard");
constexpr std::array<unsigned, 3> kTcqAllocs{mtsx_event("tcq_rd_alloc"), mtsx_event("tcq_wr_alloc"),
                                             mtsx_event("tcq_cmo_alloc")};
constexpr unsigned kAxiRdReq = mtsx_event("axi_rd_req");
constexpr unsigned kAxiWrReq = mtsx_event("axi_wr_req");
constexpr unsigned kTcqOccCntOvfl = mtsx_event("tcq_occ_cnt_ovfl");
constexpr unsigned kTdbOccCntOvfl = mtsx_event("tdb_occ_cnt_ovfl");

/// AXI tags of accesses to an entry's memory tags rather than its data.
constexpr unsigned kTagRead = RequestTracker::kMaximumEntries;

}  // namespace

Mtsx::Mtsx(Mesh& mesh, const DevicePlace& place, const MtsxParameters& parameters)
    : mesh_(mesh),
      device_(mesh.attach(*this, place.node_id)),
      events_(mesh, place.node_id, NodeType::mtsx),
      tracker_(mesh, device_, {.node_id = place.node_id, .entries = parameters.entries, .latency = parameters.latency}),
      entries_(parameters.entries),
      cache_(parameters.tc_sets, parameters.tc_ways),
      axi_(parameters.axi) {
  events_.add_occupancy(kTcqOccCntOvfl, tcq_);
  events_.add_occupancy(kTdbOccCntOvfl, tdb_);
}

void Mtsx::run(Cycle now) {
  unsigned tag = 0;
  while (axi_.take_read(now, tag)) {
    if (tag >= kTagRead) {
      fill(tag - kTagRead, now);
    } else if (entries_[tag].kind == Kind::cmo) {
      tracker_.respond(tag, chi::rsp::kComp, now);
      end(tag, now);
    } else {
      entries_[tag].data_there = true;
      go_on(tag, now);
    }
  }
  while (axi_.take_write(now, tag)) end(tag, now);
  while (const Arrival* const arrival = mesh_.arrival(device_)) {
    switch (channel_class(arrival->channel)) {
      case Channel::req:
        request(arrival->fields, now);
        break;
      case Channel::dat:
        data(arrival->fields, now);
        break;
      default:
        refuse_message("an MTSX", *arrival);
    }
    mesh_.take(device_);
  }
}

void Mtsx::request(const FlitFields& fields, Cycle now) {
  if (fields.opcode == chi::req::kPrefetchTgt) return;
  const Kind kind = bridge_request("an MTSX", fields);
  const std::optional<unsigned> entry = tracker_.allocate(fields, now);
  if (!entry) return;
  events_.fire(kTcqAllocs[static_cast<unsigned>(kind)], now);
  tcq_.change(kAllCode, 1, now);
  entries_[*entry] = {.kind = kind,
                      .tags = kind == Kind::cmo ? Tags::there : Tags::wanted,
                      .data_there = false,
                      .cancelled = false,
                      .line = fields.addr / kBytesOfTagLine};
  if (kind == Kind::write) {
    tracker_.respond(*entry, chi::rsp::kCompDbidResp, now);
  } else {
    if (kind == Kind::read) events_.fire(kAxiRdReq, now);
    mesh_.call(device_, axi_.read(*entry, now));
  }
  if (kind != Kind::cmo) find_tags(*entry, now);
}

void Mtsx::data(const FlitFields& fields, Cycle now) {
  const unsigned entry = tracker_.entry_of(fields.txnid);
  if (!tracker_.data(entry)) return;
  entries_[entry].data_there = true;
  entries_[entry].cancelled = fields.opcode == chi::dat::kWriteDataCancel;
  go_on(entry, now);
}

void Mtsx::find_tags(unsigned entry, Cycle now) {
  Entry& one = entries_[entry];
  for (const unsigned other : tracker_.by_age()) {
    if (entries_[other].tags == Tags::being_read && entries_[other].line == one.line) {
      events_.fire(kTcqHazard, now);
      return;
    }
  }
  events_.fire(kTcLookup, now);
  if (cache_.look_up(one.line)) {
    one.tags = Tags::there;
    return;
  }
  events_.fire(kTcMiss, now);
  events_.fire(kAxiRdReq, now);
  tdb_.change(kAllCode, 1, now);
  one.tags = Tags::being_read;
  mesh_.call(device_, axi_.read(kTagRead + entry, now));
}

void Mtsx::fill(unsigned entry, Cycle now) {
  const std::uint64_t line = entries_[entry].line;
  cache_.fill(line);
  events_.fire(kTcFill, now);
  tdb_.change(kAllCode, -1, now);
  entries_[entry].tags = Tags::there;
  unsigned served = 0;
  std::array<std::uint8_t, RequestTracker::kMaximumEntries> ready{};
  for (const std::uint8_t other : tracker_.by_age()) {
    Entry& one = entries_[other];
    if (one.line != line || one.kind == Kind::cmo) continue;
    if (one.tags == Tags::wanted) {
      one.tags = Tags::there;
      events_.fire(kTdbForward, now);
    } else if (other != entry) {
      continue;
    }
    ready[served++] = other;
  }
  for (unsigned i = 0; i < served; ++i) go_on(ready[i], now);
}

void Mtsx::go_on(unsigned entry, Cycle now) {
  const Entry& one = entries_[entry];
  if (one.tags != Tags::there || !one.data_there) return;
  if (one.kind == Kind::read) {
    tracker_.respond_with_data(entry, now);
    end(entry, now);
  } else if (one.cancelled) {
    end(entry, now);
  } else {
    events_.fire(kAxiWrReq, now);
    mesh_.call(device_, axi_.write(entry, chi::data_flits(tracker_[entry].size), now));
  }
}

void Mtsx::end(unsigned entry, Cycle now) {
  tcq_.change(kAllCode, -1, now);
  tracker_.release(entry, now);
}

}  // namespace pmufab::cmn
