// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/homes/reference_home.h"

#include <algorithm>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/homes/home_events.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
namespace req = chi::req;

namespace {

constexpr std::uint8_t kAllocate = 8;  // MemAttr bit 3

bool looks_up(std::uint8_t opcode) { return opcode != req::kReadNoSnp && !req::is_write_no_snp(opcode); }

bool is_home_request(std::uint8_t opcode) {
  return req::reads_line(opcode) || opcode == req::kReadNoSnp || req::is_write(opcode) || req::is_atomic(opcode) ||
         req::is_stash(opcode) || opcode == req::kCleanUnique || opcode == req::kMakeUnique || opcode == req::kEvict ||
         opcode == req::kCleanShared || opcode == req::kCleanInvalid || opcode == req::kMakeInvalid;
}

}  // namespace

ReferenceHome::ReferenceHome(const CmnNode& node, unsigned number, ReferenceSurroundings& around)
    : ReferenceNode(node, number, around),
      counts_(add_source(node.type)),
      parameters_(around.spec().home),
      room_(parameters_.pocq_entries),
      slc_(parameters_.slc_sets, parameters_.slc_ways, around.addresses().homes()),
      filter_(parameters_.sf_sets, parameters_.sf_ways, around.addresses().homes()),
      memory_(*this) {
  const std::vector<NodeEvent> events = node_events(around.spec().layout);
  for (auto event = events.rbegin(); event != events.rend(); ++event) {  // of several names, the first counts
    if (event->type != node.type) continue;
    if (event->id >= filters_.size()) filters_.resize(event->id + std::size_t{1});
    filters_[event->id] = event->filter;
  }
}

ReferenceHome::~ReferenceHome() = default;

void ReferenceHome::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::req) {
    request(now, flit);
    return;
  }
  if (channel == Channel::rsp && memory_.response(flit)) return;
  if ((channel == Channel::rsp && (flit.opcode == chi::rsp::kSnpResp || flit.opcode == chi::rsp::kSnpRespFwded)) ||
      (channel == Channel::dat &&
       (flit.opcode == chi::dat::kSnpRespData || flit.opcode == chi::dat::kSnpRespDataFwded))) {
    snoop_response(now, channel, flit);
    return;
  }
  Entry* const entry = with_number(flit.txnid);
  if (entry != nullptr && channel == Channel::rsp && flit.opcode == chi::rsp::kCompAck && entry->ack_to_come) {
    entry->ack_to_come = false;
    entry->acked = true;
    free_if_done(now, *entry);
    return;
  }
  if (entry != nullptr && channel == Channel::dat && flit.opcode == chi::dat::kCompData && entry->memory) {
    if (!entry->memory->take()) return;
    entry->memory.reset();
    memory_.read_answered(entry->number);
    when_data_is_there(now, *entry);
    return;
  }
  if (entry != nullptr && channel == Channel::dat && entry->write &&
      (flit.opcode == chi::dat::kCopyBackWrData || flit.opcode == chi::dat::kNonCopyBackWrData)) {
    entry->write_dirty = entry->write_dirty || (flit.resp & chi::kPassDirty) != 0;
    entry->write_unique_clean = flit.resp == chi::kUc;
    if (!entry->write->take()) return;
    entry->write.reset();
    when_data_is_there(now, *entry);
    return;
  }
  fail("node_message_unasked", "nothing waits for this message: " + describe_flit(channel, flit));
}

void ReferenceHome::prepare(Channel channel, const FlitFields& flit, bool leaves_mesh) {
  if (channel != Channel::req) {
    // It will end with the entry's line in the SLC, if the line goes there.
    if (flit.txnid >= entries_.size()) return;
    const Entry& entry = *entries_[flit.txnid];
    if (leaves_mesh) {
      slc_.prefetch_set(entry.line);
    } else {
      constexpr std::size_t kCacheLine = 64;
      const auto* const bytes = reinterpret_cast<const std::byte*>(&entry);
      for (std::size_t at = 0; at < sizeof entry; at += kCacheLine) __builtin_prefetch(bytes + at);
    }
    return;
  }
  if (!looks_up(flit.opcode)) return;
  const std::uint64_t line = flit.addr >> kLineShift;
  if (leaves_mesh) {
    slc_.prefetch_lines(line);
    filter_.prefetch_lines(line);
  } else {
    slc_.prefetch_set(line);
    filter_.prefetch_set(line);
  }
}

void ReferenceHome::held(Channel channel) {
  if (channel == Channel::dat) counts_.fire(home_event("txdat_stall"));
  if (channel == Channel::rsp) counts_.fire(home_event("txrsp_stall"));
}

void ReferenceHome::finish() {
  ReferenceNode::finish();
  for (const Queued& one : queue_) {
    const Entry& entry = *entries_[one.number];
    fail("node_request_unfinished", fmt::format("POCQ entry {} never completes: {} from {:#x}", entry.number,
                                                describe_flit(Channel::req, entry.request), entry.request.srcid));
  }
  for (const auto& [txnid, invalidation] : back_invalidations_) {
    fail("node_request_unfinished",
         fmt::format("the back-invalidation of line {:#x} never completes", invalidation.line << kLineShift));
  }
  if (!memory_.is_idle()) fail("node_request_unfinished", "memory never answered a request");
}

void ReferenceHome::request(Cycle now, const FlitFields& flit) {
  if (!is_home_request(flit.opcode)) {
    fail("node_message_unasked", "a home takes no such request: " + describe_flit(Channel::req, flit));
    return;
  }
  if (!around().addresses().is_home_of(node().node_id, flit.addr))
    fail("node_wrong_home", "another home serves the address of " + describe_flit(Channel::req, flit));
  fire(home_event("pocq_reqs_recvd"), flit);
  switch (room_.admit(flit)) {
    case ReferenceRoom::Admission::retried: {
      fire(home_event("pocq_retry"), flit);
      counts_.fire(home_event("pocq_class_retry"), 1U << qos_class(flit));
      if (flit.qos == 15) counts_.fire(home_event("qos_hh_retry"));
      ReferenceNode::expect_response(flit, chi::rsp::kRetryAck);
      return;
    }
    case ReferenceRoom::Admission::unasked:
      fail("node_message_unasked", "AllowRetry 0 without a grant: " + describe_flit(Channel::req, flit));
      return;
    case ReferenceRoom::Admission::admitted:
      break;
  }
  const std::uint64_t line = flit.addr >> kLineShift;
  const bool older = is_in_queue(line);
  const bool back_invalidated = std::any_of(back_invalidations_.begin(), back_invalidations_.end(),
                                            [&](const auto& one) { return one.second.line == line; });
  const unsigned number = numbers_.take();
  while (number >= entries_.size()) entries_.push_back(std::make_unique<Entry>());
  queue_.push_back({line, number});
  Entry& entry = *entries_[number];
  entry.serial = ++serials_ << kNumberBits | number;
  entry.number = number;
  entry.request = flit;
  entry.opcode = flit.opcode;
  entry.requester = flit.srcid;
  entry.txnid = flit.txnid;
  entry.line = line;
  entry.occupancy = occupancy_codes(flit);
  counts_.occupy(home_event("qos_pocq_occupancy"), entry.occupancy, 1, now);
  counts_.occupy(home_event("pocq_class_occup"), 1U << qos_class(flit), 1, now);
  if (older) {
    fire(home_event("pocq_addrhaz"), flit);
    if (req::is_atomic(flit.opcode)) fire(home_event("pocq_atomic_addrhaz"), flit);
    if (flit.opcode == req::kReadOnce && is_hn_s()) fire(home_event("readonce_hazard_detected"), flit);
  }
  if (back_invalidated) counts_.fire(home_event("seq_hit"));
  if (!older && !back_invalidated) go_on(now, entry);
}

void ReferenceHome::go_on(Cycle now, Entry& entry) {
  entry.waiting = false;
  if (!looks_up(entry.opcode)) {
    if (entry.opcode == req::kReadNoSnp) {
      entry.ack_to_come = entry.request.expcompack != 0;
      entry.memory.emplace(has_two_flits(entry.request));
      entry.memory_asked = true;
      memory_.read(entry.number, entry.request.addr, entry.request);
    } else {
      entry.write.emplace(has_two_flits(entry.request));
      expect_response(entry, chi::rsp::kCompDbidResp);
    }
    return;
  }
  lookup(now, entry, true);
}

void ReferenceHome::lookup(Cycle now, Entry& entry, bool is_first) {
  const CachedLine* const cached = slc_.touch(entry.line);
  entry.in_slc = cached != nullptr;
  entry.slc_dirty = cached != nullptr && cached->dirty;
  TrackedLine* const tracked = filter_.touch(entry.line);
  if (is_first) {
    fire(home_event("slc_sf_cache_access"), entry.request);
    if (cached == nullptr) fire(home_event("cache_miss"), entry.request);
    if (tracked != nullptr) fire(home_event("sf_hit"), entry.request);
  }
  const NodeIds to = targets(entry, tracked);
  update_snoop_filter(entry, tracked);

  const std::uint8_t opcode = entry.opcode;
  if (req::is_stash(opcode)) {
    expect_response(entry, chi::rsp::kComp, chi::kI);
  } else if (req::is_copy_back(opcode) || req::is_write_unique(opcode) || req::is_atomic(opcode)) {
    entry.write.emplace(req::is_copy_back(opcode) || has_two_flits(entry.request));
    const bool answered_later = req::is_atomic(opcode) && !req::is_atomic_store(opcode);
    expect_response(entry, answered_later ? chi::rsp::kDbidResp : chi::rsp::kCompDbidResp);
  } else if (req::reads_line(opcode)) {
    entry.ack_to_come = entry.request.expcompack != 0 || entry.opcode != entry.request.opcode;
  } else if (opcode == req::kCleanUnique || opcode == req::kMakeUnique) {
    entry.ack_to_come = true;
  }
  if (to.empty()) {
    after_snoops(now, entry);
  } else {
    snoop(entry, to);
  }
}

void ReferenceHome::update_snoop_filter(Entry& entry, TrackedLine* tracked) {
  const std::uint8_t opcode = entry.opcode;
  const std::uint16_t r = entry.requester;
  if (req::is_shared_read(opcode)) {
    if (is_rn_f(r)) {
      if (tracked == nullptr) {
        tracked = add_to_filter(entry.line, r);
      } else {
        tracked->sharers.insert(r);
        tracked->unique = tracked->sharers.size() == 1;
      }
    } else if (tracked != nullptr) {
      tracked->unique = false;
    }
  } else if (opcode == req::kReadUnique || opcode == req::kCleanUnique || opcode == req::kMakeUnique) {
    if (!is_rn_f(r)) {
      filter_.remove(entry.line);
      tracked = nullptr;
    } else if (tracked == nullptr) {
      tracked = add_to_filter(entry.line, r);
    } else {
      tracked->sharers = {r};
      tracked->unique = true;
    }
  } else if (opcode == req::kEvict || opcode == req::kWriteBackFull || opcode == req::kWriteEvictFull) {
    if (tracked != nullptr) {
      tracked->sharers.erase(r);
      if (tracked->sharers.empty()) {
        filter_.remove(entry.line);
        tracked = nullptr;
      }
    }
  } else if (req::is_write_unique(opcode) || req::is_atomic(opcode) || opcode == req::kCleanInvalid ||
             opcode == req::kMakeInvalid) {
    filter_.remove(entry.line);
    tracked = nullptr;
  }
  entry.alone = tracked != nullptr && tracked->sharers.size() == 1 && tracked->sharers.contains(r);
}

void ReferenceHome::after_snoops(Cycle now, Entry& entry) {
  const bool needs_line = req::reads_line(entry.opcode) || req::is_atomic(entry.opcode);
  if (needs_line && !entry.forwarded && !entry.snoop_data && !entry.in_slc) {
    entry.memory.emplace();
    entry.memory_asked = true;
    memory_.read(entry.number, entry.line << kLineShift, entry.request);
    return;
  }
  when_data_is_there(now, entry);
}

void ReferenceHome::when_data_is_there(Cycle now, Entry& entry) {
  if (entry.done || !entry.snooped.empty() || entry.memory || entry.write) return;
  entry.done = true;
  change_cache(entry);
  respond(entry);
  free_if_done(now, entry);
}

void ReferenceHome::change_cache(Entry& entry) {
  const std::uint64_t line = entry.line;
  const std::uint8_t opcode = entry.opcode;
  const std::uint64_t address = line << kLineShift;
  const bool allocates = (entry.request.memattr & kAllocate) != 0;
  if (req::is_shared_read(opcode) || opcode == req::kReadOnce) {
    if (entry.snoop_dirty) {
      fill(line, true, &entry);
    } else if (entry.memory_asked && (opcode != req::kReadOnce || allocates)) {
      fill(line, false, &entry);
    }
  } else if (opcode == req::kReadUnique || opcode == req::kMakeUnique || opcode == req::kMakeInvalid) {
    slc_.remove(line);
  } else if (opcode == req::kCleanUnique) {
    if (entry.snoop_dirty) fill(line, true, &entry);
  } else if (opcode == req::kWriteBackFull || opcode == req::kWriteCleanFull) {
    if (entry.write_dirty) fill(line, true, &entry);
  } else if (opcode == req::kWriteEvictFull) {
    if (entry.write_unique_clean) fill(line, false, &entry);
  } else if (req::is_write_unique(opcode)) {
    if (slc_.find(line) != nullptr || allocates) {
      fill(line, true, &entry);
    } else if (opcode == req::kWriteUniquePtl && !entry.snoop_dirty) {
      memory_.write(req::kWriteNoSnpPtl, entry.request.addr, has_two_flits(entry.request), &entry.request);
    } else {
      memory_.write(req::kWriteNoSnpFull, address, true, &entry.request);
    }
  } else if (opcode == req::kCleanShared || opcode == req::kCleanInvalid) {
    const bool dirty = is_dirty_in_cache(line);
    if (dirty || entry.snoop_dirty) memory_.write(req::kWriteNoSnpFull, address, true, &entry.request);
    if (opcode == req::kCleanInvalid) {
      slc_.remove(line);
    } else if (dirty) {
      slc_.touch(line)->dirty = false;
    }
  } else if (req::is_atomic(opcode)) {
    fill(line, true, &entry);
  } else if (req::is_write_no_snp(opcode)) {
    memory_.write(opcode, entry.request.addr, has_two_flits(entry.request), &entry.request);
  }
}

void ReferenceHome::respond(Entry& entry) {
  const std::uint8_t opcode = entry.opcode;
  Message data{Channel::dat, chi::dat::kCompData};
  data.target = entry.requester;
  data.txnid = entry.txnid;
  if (req::reads_line(opcode) || opcode == req::kReadNoSnp) {
    if (entry.forwarded) return;
    data.dbid = static_cast<std::uint16_t>(entry.number);
    if (opcode == req::kReadUnique) {
      data.resp = entry.snoop_dirty || entry.slc_dirty ? chi::kUdPd : chi::kUc;
    } else if (opcode == req::kReadOnce) {
      data.resp = chi::kI;
    } else if (opcode != req::kReadNoSnp) {
      data.resp = entry.alone ? chi::kUc : chi::kSc;
    }
    // Its requester's CompAck ends such a read, however long its data waits to be sent.
    const bool ends_with_ack = entry.ack_to_come || entry.acked;
    expect_data(data, has_two_flits(entry.request), ends_with_ack ? Then{} : counted(entry));
  } else if (req::is_atomic(opcode)) {
    if (req::is_atomic_store(opcode)) return;
    data.resp = chi::kI;
    expect_data(data, false, counted(entry));
  } else if (!req::is_write(opcode) && !req::is_stash(opcode)) {
    const bool unique = opcode == req::kCleanUnique || opcode == req::kMakeUnique;
    expect_response(entry, chi::rsp::kComp, unique ? chi::kUc : chi::kI);
  }
}

void ReferenceHome::free_if_done(Cycle now, Entry& entry) {
  if (!entry.done || entry.ack_to_come) return;
  if (!req::is_write(entry.opcode) && entry.responses != 0) return;
  const std::uint64_t line = entry.line;
  counts_.occupy(home_event("qos_pocq_occupancy"), entry.occupancy, -1, now);
  counts_.occupy(home_event("pocq_class_occup"), 1U << qos_class(entry.request), -1, now);
  numbers_.free(entry.number);
  queue_.erase(
      std::find_if(queue_.begin(), queue_.end(), [&](const Queued& one) { return one.number == entry.number; }));
  if (req::is_atomic(entry.opcode)) {
    const auto next = std::ranges::find(queue_, line, &Queued::line);
    if (next != queue_.end() && req::is_atomic(entries_[next->number]->opcode)) counts_.fire(home_event("atomic_fwd"));
  }
  entry = Entry{};
  if (const std::optional<std::uint16_t> sender = room_.release()) expect_grant(*sender);
  oldest_goes_on(now, line);
}

void ReferenceHome::oldest_goes_on(Cycle now, std::uint64_t line) {
  const auto oldest = std::find_if(queue_.begin(), queue_.end(), [&](const Queued& one) { return one.line == line; });
  if (oldest == queue_.end()) return;
  if (Entry& entry = *entries_[oldest->number]; entry.waiting) go_on(now, entry);
}

void ReferenceHome::fill(std::uint64_t line, bool dirty, const Entry* cause) {
  if (CachedLine* const there = slc_.touch(line)) {
    there->dirty = there->dirty || dirty;
    return;
  }
  fire_for_line(home_event("cache_fill"), line, cause);
  if (slc_.is_full(line)) {
    const CachedLine victim = *slc_.oldest(line, [](const CachedLine&) { return true; });
    slc_.remove(victim.line);
    if (victim.dirty) {
      constexpr NodeCounts::Codes kTracked = 1U | 1U << 6U;
      constexpr NodeCounts::Codes kUntracked = 1U | 1U << 5U;
      fire_for_line(home_event("slc_eviction"), victim.line, nullptr,
                    filter_.find(victim.line) != nullptr ? kTracked : kUntracked);
      memory_.write(req::kWriteNoSnpFull, victim.line << kLineShift, true, nullptr);
    }
  } else {
    fire_for_line(home_event("slc_fill_invalid_way"), line, cause);
  }
  slc_.add({line, dirty});
}

ReferenceNode::Then ReferenceHome::counted(Entry& entry) {
  ++entry.responses;
  // What it remembers is so small that it needs no memory of its own.
  return [this, serial = entry.serial](Cycle now, const FlitFields& /*flit*/) {
    Entry& sender = *entries_[serial % (1U << kNumberBits)];
    if (sender.serial != serial) return;  // it was freed before
    --sender.responses;
    free_if_done(now, sender);
  };
}

void ReferenceHome::expect_response(Entry& entry, std::uint8_t opcode, std::optional<std::uint8_t> resp) {
  Message message{Channel::rsp, opcode};
  message.target = entry.request.srcid;
  message.txnid = entry.request.txnid;
  if (opcode != chi::rsp::kComp || entry.ack_to_come) message.dbid = static_cast<std::uint16_t>(entry.number);
  message.resp = resp;
  expect(message, counted(entry));
}

bool ReferenceHome::is_dirty_in_cache(std::uint64_t line) const {
  const CachedLine* const cached = const_cast<ReferenceLines<CachedLine>&>(slc_).find(line);
  return cached != nullptr && cached->dirty;
}

}  // namespace pmufab::scoreboard
