// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/io/dvm_node.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

consteval std::uint8_t dvm_event(std::string_view event) { return event_id(NodeType::dvm, event); }

// Fields of a DVMOp's address (docs/cmn-nodes.md, 4.7).
constexpr std::uint64_t kFragment = 8;
enum Type : unsigned { tlbi, bpi, pici, vici, sync };
unsigned type_of(std::uint64_t addr) { return addr >> 11 & 7U; }
bool has_vmid(std::uint64_t addr) { return (addr >> 5 & 1U) != 0; }
unsigned vmid_of(std::uint64_t addr) { return addr >> 14 & 0xffU; }

constexpr std::uint16_t kCodes = 1;            // filter codes of an entry: "all", and one below
constexpr std::uint16_t kCodesOfOp = 1U << 1;  // DVM operation
constexpr std::uint16_t kCodesOfSync = 1U << 2;

}  // namespace

// CMN-600 has one event for all operations except synchronisation.
DvmNode::EventIds DvmNode::ids_of(Product product) {
  if (product == Product::cmn600) {
    EventIds ids{};
    ids.tlbi = ids.bpi = ids.pici = ids.vici = dvm_event("rxreq_dvmop");
    ids.sync = dvm_event("rxreq_dvmsync");
    ids.vmid_filtered = dvm_event("rxreq_dvmop_vmid_filtered");
    ids.retry = dvm_event("rxreq_retried");
    ids.trk_occupancy = dvm_event("rxreq_trk_occupancy");
    return ids;
  }
  EventIds ids{
      .tlbi = dvm_event("dvmop_tlbi"),
      .bpi = dvm_event("dvmop_bpi"),
      .pici = dvm_event("dvmop_pici"),
      .vici = dvm_event("dvmop_vici"),
      .sync = dvm_event("dvmsync"),
      .vmid_filtered = dvm_event("vmid_filtered"),
      .rndop_filtered = dvm_event("rndop_filtered"),
      .retry = dvm_event("retry"),
      .txsnp_flitv = dvm_event("txsnp_flitv"),
      .txsnp_stall = dvm_event("txsnp_stall"),
      .trkfull = dvm_event("trkfull"),
      .trk_occupancy = dvm_event("trk_occupancy"),
      .trk_alloc = dvm_event("trk_alloc"),
      .txsnp_stall_limit = dvm_event("txsnp_stall_limit"),
      .txsnp_sync_stall_op = dvm_event("txsnp_sync_stall_op"),
  };
  if (!is_700_or_s3(product)) ids.trk_alloc = ids.txsnp_stall_limit = ids.txsnp_sync_stall_op = 0;
  return ids;
}

DvmNode::DvmNode(Mesh& mesh, unsigned device, std::uint16_t node_id, const DvmNodeParameters& parameters,
                 std::span<const Target> targets)
    : mesh_(mesh),
      device_(device),
      parameters_(parameters),
      targets_(targets.begin(), targets.end()),
      events_(mesh, node_id, NodeType::dvm),
      ids_(ids_of(mesh.topology().product)),
      tracker_(mesh, device,
               {.node_id = node_id,
                .entries = parameters.trk_entries,
                .latency = parameters.latency,
                .first_dbid = kFirstDbid,
                .pcrdtype = kPCrdType}),
      entries_(parameters.trk_entries) {
  if (parameters.trk_entries > 64) throw std::invalid_argument("trk_entries: a DVM node has up to 64");
  if (parameters.snoop_limit == 0) throw std::invalid_argument("snoop_limit: 0 blocks every operation; use 1 or more");
  events_.add_occupancy(ids_.trk_occupancy, occupancy_);
  events_.add_cycles(ids_.trkfull, full_);
  events_.add_cycles(ids_.txsnp_stall_limit, limited_);
  events_.add_cycles(ids_.txsnp_sync_stall_op, sync_waits_);
  events_.add_holds(ids_.txsnp_stall, device, Channel::snp);
}

DvmNode::Answer DvmNode::judge(const Target& target, std::uint64_t addr, std::uint16_t requester) const {
  if (target.node_id == requester) return Answer::requester;
  const unsigned type = type_of(addr);
  if (target.is_rn_d && !parameters_.rn_d_ops && (type == bpi || type == pici || type == vici)) return Answer::no_rn_d;
  if (type == sync || !has_vmid(addr)) return Answer::snooped;
  bool filtered = false;
  for (const DvmNodeParameters::VmidFilter& filter : parameters_.vmid_filters) {
    if (filter.node_id != target.node_id) continue;
    if (filter.vmid == vmid_of(addr)) return Answer::snooped;
    filtered = true;
  }
  return filtered ? Answer::other_vmid : Answer::snooped;
}

void DvmNode::fire_filters(std::uint64_t addr, std::uint16_t requester, Cycle now) const {
  bool no_rn_d = false;
  bool other_vmid = false;
  for (const Target& target : targets_) {
    const Answer answer = judge(target, addr, requester);
    no_rn_d |= answer == Answer::no_rn_d;
    other_vmid |= answer == Answer::other_vmid;
  }
  if (no_rn_d) events_.fire(ids_.rndop_filtered, now);
  if (other_vmid) events_.fire(ids_.vmid_filtered, now);
}

void DvmNode::request(const FlitFields& fields, Cycle now) {
  const std::optional<unsigned> entry = tracker_.allocate(fields, now);
  if (!entry) {
    events_.fire(ids_.retry, now);
    return;
  }
  const unsigned type = type_of(fields.addr);
  events_.fire(ids_.trk_alloc, now);
  switch (type) {
    case tlbi:
      events_.fire(ids_.tlbi, now);
      break;
    case bpi:
      events_.fire(ids_.bpi, now);
      break;
    case pici:
      events_.fire(ids_.pici, now);
      break;
    case vici:
      events_.fire(ids_.vici, now);
      break;
    case sync:
      events_.fire(ids_.sync, now);
      break;
    default:
      break;
  }
  fire_filters(fields.addr, fields.srcid, now);
  entries_[*entry] = {.is_sync = type == sync, .has_data = false, .snooped = false, .answers = 0};
  occupancy_.change(kCodes | (type == sync ? kCodesOfSync : kCodesOfOp), 1, now);
  full_.set(tracker_.is_full(), now);
  tracker_.respond(*entry, chi::rsp::kDbidResp, now);
}

void DvmNode::data(const FlitFields& fields, Cycle now) {
  entries_[tracker_.entry_of(fields.txnid)].has_data = true;
  snoop_waiting(now);
}

void DvmNode::snoop_response(const FlitFields& fields, Cycle now) {
  const unsigned entry = tracker_.entry_of(fields.txnid);
  if (--entries_[entry].answers != 0) return;
  --snooping_;
  end(entry, now);
  snoop_waiting(now);
}

void DvmNode::snoop_waiting(Cycle now) {
  bool again = true;
  while (again) {
    again = false;
    bool older_op = false;
    bool limited = false;
    bool sync_waits = false;
    for (const unsigned entry : tracker_.by_age()) {
      const Entry& one = entries_[entry];
      if (one.has_data && !one.snooped) {
        if (one.is_sync && older_op) {
          sync_waits = true;
        } else if (snooping_ == parameters_.snoop_limit) {
          limited = true;
        } else {
          snoop(entry, now);
          // An operation that ended at once has left the list, and may have blocked others.
          again = true;
          break;
        }
      }
      older_op |= !one.is_sync;
    }
    limited_.set(limited, now);
    sync_waits_.set(sync_waits, now);
  }
}

void DvmNode::snoop(unsigned entry, Cycle now) {
  const RequestTracker::Request& request = tracker_[entry];
  Entry& one = entries_[entry];
  one.snooped = true;
  FlitFields fields;
  fields.opcode = chi::snp::kSnpDvmOp;
  fields.txnid = static_cast<std::uint16_t>(tracker_.dbid_of(entry));
  fields.qos = request.qos;
  for (const Target& target : targets_) {
    if (judge(target, request.addr, request.srcid) != Answer::snooped) continue;
    fields.tgtid = target.node_id;
    fields.addr = request.addr & ~kFragment;
    mesh_.post(device_, Channel::snp, fields, now + parameters_.latency, true);
    fields.addr = kFragment;
    mesh_.post(device_, Channel::snp, fields, now + parameters_.latency, true);
    ++one.answers;
  }
  if (one.answers != 0) {
    ++snooping_;
  } else {
    end(entry, now);
  }
}

void DvmNode::end(unsigned entry, Cycle now) {
  occupancy_.change(kCodes | (entries_[entry].is_sync ? kCodesOfSync : kCodesOfOp), -1, now);
  tracker_.respond(entry, chi::rsp::kComp, now);
  tracker_.release(entry, now);
  full_.set(tracker_.is_full(), now);
}

}  // namespace pmufab::cmn
