// SPDX-License-Identifier: Apache-2.0
// The snoops of a home node, and its snoop filter's back-invalidations (docs/cmn-nodes.md, section 3, rule 4).
#include <algorithm>

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/homes/home_events.h"
#include "testbench/fabrics/cmn/judge/homes/reference_home.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
namespace req = chi::req;

namespace {

constexpr std::uint16_t kFirstBackInvalidation = 0x800;

/// @return the snoop that a request needs, in the non-forwarding type.
std::uint8_t snoop_of(std::uint8_t opcode) {
  switch (opcode) {
    case req::kReadShared:
      return chi::snp::kSnpShared;
    case req::kReadClean:
      return chi::snp::kSnpClean;
    case req::kReadNotSharedDirty:
      return chi::snp::kSnpNotSharedDirty;
    case req::kReadOnce:
      return chi::snp::kSnpOnce;
    case req::kCleanShared:
      return chi::snp::kSnpCleanShared;
    case req::kCleanUnique:
    case req::kCleanInvalid:
      return chi::snp::kSnpCleanInvalid;
    case req::kMakeUnique:
    case req::kMakeInvalid:
    case req::kWriteUniqueFull:
      return chi::snp::kSnpMakeInvalid;
    case req::kStashOnceShared:
      return chi::snp::kSnpStashShared;
    case req::kStashOnceUnique:
      return chi::snp::kSnpStashUnique;
    default:
      return chi::snp::kSnpUnique;  // ReadUnique, WriteUniquePtl, atomics
  }
}

}  // namespace

NodeIds ReferenceHome::targets(const Entry& entry, const TrackedLine* tracked) const {
  if (req::is_stash(entry.opcode)) {
    if (entry.request.stashtgtvalid == 0 || !is_rn_f(entry.request.stashnid)) return {};
    return {entry.request.stashnid};
  }
  if (tracked == nullptr) return {};
  NodeIds others = tracked->sharers;
  others.erase(entry.requester);
  const std::uint8_t opcode = entry.opcode;
  if (req::is_shared_read(opcode) || opcode == req::kReadOnce || opcode == req::kCleanShared)
    return tracked->unique ? others : NodeIds{};
  if (req::is_write_unique(opcode) || req::is_atomic(opcode)) return tracked->sharers;
  if (req::is_copy_back(opcode) || opcode == req::kEvict) return {};
  return others;
}

TrackedLine* ReferenceHome::add_to_filter(std::uint64_t line, std::uint16_t sharer) {
  if (filter_.is_full(line)) {
    const TrackedLine* const victim =
        filter_.oldest(line, [this](const TrackedLine& one) { return !is_in_queue(one.line); });
    if (victim != nullptr) {
      constexpr NodeCounts::Codes kUniqueState = 1U | 1U << 2U;
      constexpr NodeCounts::Codes kSharedState = 1U | 1U << 4U;
      const TrackedLine replaced = *victim;
      filter_.remove(replaced.line);
      fire_for_line(home_event("sf_evictions"), replaced.line, nullptr, replaced.unique ? kUniqueState : kSharedState);
      if (!replaced.unique) counts_.fire(home_event("sf_evict_shared_line"));
      const unsigned txnid = kFirstBackInvalidation + back_invalidation_numbers_.take();
      BackInvalidation& invalidation = back_invalidations_[txnid];
      invalidation.line = replaced.line;
      fire_snoop(home_event("snp_sent"), txnid);
      fire_snoop(replaced.sharers.size() == 1 ? home_event("sfbi_dir_snp_sent") : home_event("sfbi_brd_snp_sent"),
                 txnid);
      for (const std::uint16_t target : replaced.sharers) {
        invalidation.snooped.emplace(target, DataArrival{});
        Message message{Channel::snp, chi::snp::kSnpCleanInvalid};
        message.target = target;
        message.txnid = static_cast<std::uint16_t>(txnid);
        message.line = replaced.line;
        expect(message);
      }
    }
  }
  return filter_.add({line, {sharer}, true});
}

void ReferenceHome::snoop(Entry& entry, const NodeIds& targets) {
  std::uint8_t opcode = snoop_of(entry.opcode);
  entry.stashing = req::is_stash(entry.opcode);
  const bool can_forward = req::is_shared_read(entry.opcode) || entry.opcode == req::kReadOnce ||
                           (entry.opcode == req::kReadUnique && targets.size() == 1);
  if (parameters_.forwarding && can_forward && is_rn_f(entry.requester)) {
    opcode = static_cast<std::uint8_t>(opcode + chi::snp::kForwarding);
    fire_snoop(home_event("snp_fwded"), entry.number);
  }
  fire_snoop(home_event("snp_sent"), entry.number);
  fire_snoop(targets.size() == 1 ? home_event("dir_snoops_sent") : home_event("brd_snoops_sent"), entry.number);
  if (entry.stashing) counts_.fire(home_event("stash_snp_sent"));
  for (const std::uint16_t target : targets) {
    entry.snooped.emplace(target, DataArrival{});
    Message message{Channel::snp, opcode};
    message.target = target;
    message.txnid = static_cast<std::uint16_t>(entry.number);
    message.line = entry.line;
    expect(message);
  }
}

void ReferenceHome::snoop_response(Cycle now, Channel channel, const FlitFields& flit) {
  if (flit.txnid >= kFirstBackInvalidation) {
    back_invalidation_response(now, channel, flit);
    return;
  }
  Entry* const entry = with_number(flit.txnid);
  if (entry == nullptr || !entry->snooped.contains(flit.srcid)) {
    fail("node_message_unasked", "no snoop explains this: " + describe_flit(channel, flit));
    return;
  }
  if (channel == Channel::dat) {
    if (!entry->snooped.at(flit.srcid).take()) return;
    const bool dirty = (flit.resp & chi::kPassDirty) != 0;
    entry->snoop_data = true;
    entry->snoop_dirty = entry->snoop_dirty || dirty;
    if (!dirty) counts_.fire(home_event("snp_intv_cln"));
    if (flit.opcode == chi::dat::kSnpRespDataFwded) entry->forwarded = true;
  } else if (flit.opcode == chi::rsp::kSnpRespFwded) {
    entry->forwarded = true;
  }
  entry->snooped.erase(flit.srcid);
  if (!entry->snooped.empty()) return;
  if (entry->stashing) {
    stash_response(now, *entry, flit);
  } else {
    after_snoops(now, *entry);
  }
}

void ReferenceHome::stash_response(Cycle now, Entry& entry, const FlitFields& flit) {
  entry.stashing = false;
  if (flit.datapull == 0) {
    after_snoops(now, entry);
    return;
  }
  counts_.fire(home_event("stash_data_pull"));
  entry.opcode = entry.opcode == req::kStashOnceShared ? req::kReadNotSharedDirty : req::kReadUnique;
  entry.requester = flit.srcid;
  entry.txnid = flit.dbid;
  entry.snoop_data = false;
  entry.snoop_dirty = false;
  lookup(now, entry, false);
}

void ReferenceHome::back_invalidation_response(Cycle now, Channel channel, const FlitFields& flit) {
  const auto found = back_invalidations_.find(flit.txnid);
  if (found == back_invalidations_.end() || !found->second.snooped.contains(flit.srcid)) {
    fail("node_message_unasked", "no snoop explains this: " + describe_flit(channel, flit));
    return;
  }
  BackInvalidation& invalidation = found->second;
  if (channel == Channel::dat) {
    if (!invalidation.snooped.at(flit.srcid).take()) return;
    if ((flit.resp & chi::kPassDirty) != 0) {
      invalidation.dirty = true;
    } else {
      counts_.fire(home_event("snp_intv_cln"));
    }
  }
  invalidation.snooped.erase(flit.srcid);
  if (!invalidation.snooped.empty()) return;
  const std::uint64_t line = invalidation.line;
  if (invalidation.dirty) {
    counts_.fire(home_event("intv_dirty"));
    fill(line, true, nullptr);
  }
  back_invalidations_.erase(found);
  back_invalidation_numbers_.free(flit.txnid - kFirstBackInvalidation);
  oldest_goes_on(now, line);
}

}  // namespace pmufab::scoreboard
