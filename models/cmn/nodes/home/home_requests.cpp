// SPDX-License-Identifier: Apache-2.0
// What a home node does with a request that may proceed (docs/cmn-nodes.md, rules 3.3 to 3.7).

#include <cassert>

#include "models/cmn/nodes/home/home_node.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

bool is_read_rule(HomeRule::Kind kind) {
  using Kind = HomeRule::Kind;
  return kind == Kind::read_no_snp || kind == Kind::read_shared || kind == Kind::read_unique || kind == Kind::read_once;
}

}  // namespace

void HomeNode::go_on(std::uint64_t line) {
  const unsigned number = pocq_.oldest_waiting(line);
  if (number == Pocq::kNoEntry) return;
  pocq_.end_wait(number);
  begin(number);
}

void HomeNode::begin(unsigned number) {
  const Kind kind = pocq_[number].rule.kind;
  if (kind != Kind::read_no_snp && kind != Kind::write_no_snp) look_up(number, true);
  answer_at_once(number);
  advance(number);
}

void HomeNode::pull(unsigned number, const SnoopAnswer& answer) {
  output_.publish(home_event("stash_data_pull"));
  PocqEntry& entry = pocq_[number];
  const bool shared = entry.opcode == chi::req::kStashOnceShared;
  entry.opcode = shared ? chi::req::kReadNotSharedDirty : chi::req::kReadUnique;
  entry.rule = home_rule(entry.opcode);
  entry.requester = answer.source;
  entry.rnf = sender(answer.source);
  entry.txnid = answer.dbid;
  entry.size = chi::kSizeOfLine;
  entry.expects_ack = true;
  entry.snoop_data = entry.snoop_dirty = entry.forwarded = false;
  look_up(number, false);
  answer_at_once(number);
  advance(number);
}

void HomeNode::look_up(unsigned number, bool publish) {
  PocqEntry& entry = pocq_[number];
  const std::size_t of_slc = slc_set_(entry.line);
  const std::size_t of_sf = sf_set_(entry.line);
  const unsigned position = slc_.find(of_slc, entry.line);
  entry.slc_hit = position != LruLines::kAbsent;
  entry.slc_dirty = false;  // a stash that pulls data is looked up again; the line may be gone by then
  if (entry.slc_hit) {
    slc_.touch(of_slc, position);
    entry.slc_dirty = slc_.flag(of_slc, 0);
  }
  const bool tracked = sf_.look_up(of_sf, entry.line);
  if (publish) {
    output_.publish(home_event("slc_sf_cache_access"), entry.classes);
    if (!entry.slc_hit) output_.publish(home_event("cache_miss"), entry.classes);
    if (tracked) output_.publish(home_event("sf_hit"), entry.classes);
  }
  if (entry.rule.snooped == HomeRule::Snooped::stash_target) {
    snoop_stash_target(number);
  } else if (tracked) {
    snoop_sharers(number, of_sf);
  }
  update_filter(entry, of_sf, tracked);
}

void HomeNode::snoop_sharers(unsigned number, std::size_t of_sf) {
  using Snooped = HomeRule::Snooped;
  PocqEntry& entry = pocq_[number];
  const Snooped snooped = entry.rule.snooped;
  if (snooped == Snooped::nobody || (snooped == Snooped::owner && !sf_.is_unique(of_sf))) return;
  const RnfSet sharers = sf_.youngest(of_sf);
  const bool spares = entry.rnf != PocqEntry::kNoRnf && snooped != Snooped::all && sharers.has(entry.rnf);
  const unsigned targets = sharers.size() - (spares ? 1 : 0);
  if (targets == 0) return;

  const bool forwards = parameters_.forwarding && entry.rule.forwarding != 0 && entry.rnf != PocqEntry::kNoRnf &&
                        (entry.rule.kind != Kind::read_unique || targets == 1);
  FlitFields fields =
      snoop_flit(entry.line, forwards ? entry.rule.forwarding : entry.rule.snoop, static_cast<std::uint16_t>(number));
  fields.qos = entry.qos;
  fields.ns = entry.ns;
  if (forwards) {
    fields.fwdnid = entry.requester;
    fields.fwdtxnid = entry.txnid;
  }
  sharers.for_each([&](unsigned index) {
    if (spares && index == entry.rnf) return;
    fields.tgtid = rn_fs_[index];
    output_.post(Channel::snp, fields);
  });
  entry.snoops_left = static_cast<std::uint16_t>(targets);

  const HomeClasses classes = snoop_classes(fields.txnid);
  output_.publish(home_event("snp_sent"), classes);
  output_.publish(targets == 1 ? home_event("dir_snoops_sent") : home_event("brd_snoops_sent"), classes);
  if (forwards) output_.publish(home_event("snp_fwded"), classes);
}

void HomeNode::snoop_stash_target(unsigned number) {
  PocqEntry& entry = pocq_[number];
  if (!entry.stash_target_valid || sender(entry.stash_target) >= rn_fs_.size()) return;
  FlitFields fields = snoop_flit(entry.line, entry.rule.snoop, static_cast<std::uint16_t>(number));
  fields.tgtid = entry.stash_target;
  fields.qos = entry.qos;
  fields.ns = entry.ns;
  output_.post(Channel::snp, fields);
  entry.snoops_left = 1;

  const HomeClasses classes = snoop_classes(fields.txnid);
  output_.publish(home_event("snp_sent"), classes);
  output_.publish(home_event("dir_snoops_sent"), classes);
  output_.publish(home_event("stash_snp_sent"), classes);
}

void HomeNode::update_filter(PocqEntry& entry, std::size_t set, bool tracked) {
  using Entry = HomeRule::Entry;
  const bool is_rnf = entry.rnf != PocqEntry::kNoRnf;
  entry.alone = false;
  switch (entry.rule.entry) {
    case Entry::unchanged:
      return;
    case Entry::add:
    case Entry::alone: {
      if (!is_rnf) {
        if (!tracked) return;
        if (entry.rule.entry == Entry::add) {
          sf_.set_unique(set, false);
        } else {
          sf_.remove_youngest(set);
        }
        return;
      }
      if (!tracked) make_entry(entry.line, set);
      RnfSet sharers = sf_.youngest(set);
      if (entry.rule.entry == Entry::alone) sharers.clear();
      sharers.add(entry.rnf);
      entry.alone = sharers.size() == 1;
      sf_.set_unique(set, entry.alone);
      return;
    }
    case Entry::remove_requester: {
      if (!tracked || !is_rnf) return;
      RnfSet sharers = sf_.youngest(set);
      sharers.remove(entry.rnf);
      if (sharers.size() == 0) sf_.remove_youngest(set);
      return;
    }
    case Entry::remove:
      if (tracked) sf_.remove_youngest(set);
      return;
  }
}

void HomeNode::make_entry(std::uint64_t line, std::size_t set) {
  const auto victim = sf_.victim(set, [this](std::uint64_t of_entry) { return pocq_.has(of_entry); });
  if (victim) {
    back_invalidate(*victim);
    sf_.remove(set, victim->position);
  }
  sf_.add(set, line);
}

void HomeNode::answer_at_once(unsigned number) {
  PocqEntry& entry = pocq_[number];
  switch (entry.rule.kind) {
    case Kind::read_no_snp:
    case Kind::read_shared:
    case Kind::read_unique:
    case Kind::read_once:
      entry.ack_left = entry.expects_ack;
      return;
    case Kind::clean_unique:
    case Kind::make_unique:
      entry.ack_left = true;
      return;
    case Kind::evict:
    case Kind::stash:
      respond(number, chi::rsp::kComp, chi::resp::kI, true);
      return;
    case Kind::write_back:
    case Kind::write_clean:
    case Kind::write_evict:
      entry.write_flits_left = 2;
      respond(number, chi::rsp::kCompDbidResp, chi::resp::kI, false);
      return;
    case Kind::write_no_snp:
    case Kind::write_unique:
    case Kind::atomic: {
      entry.write_flits_left = static_cast<std::uint8_t>(chi::data_flits(entry.size));
      const bool two_steps = entry.rule.kind == Kind::atomic && !chi::req::is_atomic_store(entry.opcode);
      respond(number, two_steps ? chi::rsp::kDbidResp : chi::rsp::kCompDbidResp, chi::resp::kI, false);
      return;
    }
    default:
      return;
  }
}

void HomeNode::advance(unsigned number) {
  PocqEntry& entry = pocq_[number];
  if (entry.snoops_left != 0) return;
  if (!entry.snooped) {
    entry.snooped = true;
    read_memory_if_needed(number);
  }
  if (entry.memory_flits_left != 0 || entry.write_flits_left != 0) return;
  if (!entry.complete) {
    entry.complete = true;
    finish(number);
  }
  if (entry.ack_left || entry.sends_left != 0) return;
  free(number);
}

void HomeNode::read_memory_if_needed(unsigned number) {
  PocqEntry& entry = pocq_[number];
  const Kind kind = entry.rule.kind;
  if (!is_read_rule(kind) && kind != Kind::atomic) return;
  MemorySide::Request request;
  request.qos = entry.qos;
  request.qos_class = entry.qos_class;
  request.ns = entry.ns;
  if (kind == Kind::read_no_snp) {
    request.address = entry.address;
    request.size = entry.size;
    request.memattr = entry.memattr;
  } else {
    if (entry.forwarded || entry.snoop_data || entry.slc_hit) return;
    request.address = entry.line * chi::kLineBytes;
    entry.memory_data = true;
  }
  entry.memory_flits_left = static_cast<std::uint8_t>(chi::data_flits(request.size));
  memory_.read(number, request);
}

// NOLINTNEXTLINE(readability-function-size): one case for each kind of request
void HomeNode::finish(unsigned number) {
  PocqEntry& entry = pocq_[number];
  const bool allocates = (entry.memattr & chi::memattr::kAllocate) != 0;
  switch (entry.rule.kind) {
    case Kind::read_no_snp:
      send_data(number, chi::resp::kUc);
      return;
    case Kind::read_shared:
    case Kind::read_once: {
      const bool once = entry.rule.kind == Kind::read_once;
      if (entry.snoop_dirty) {
        fill(entry.line, true, entry.classes);
      } else if (entry.memory_data && (!once || allocates)) {
        fill(entry.line, false, entry.classes);
      }
      if (once) {
        send_data(number, chi::resp::kI);
      } else {
        send_data(number, entry.alone ? chi::resp::kUc : chi::resp::kSc);
      }
      return;
    }
    case Kind::read_unique:
      remove_from_slc(entry.line);
      send_data(number, entry.snoop_dirty || entry.slc_dirty ? chi::resp::kUdPd : chi::resp::kUc);
      return;
    case Kind::clean_unique:
      if (entry.snoop_dirty) fill(entry.line, true, entry.classes);
      respond(number, chi::rsp::kComp, chi::resp::kUc, false);
      return;
    case Kind::make_unique:
      remove_from_slc(entry.line);
      respond(number, chi::rsp::kComp, chi::resp::kUc, false);
      return;
    case Kind::write_no_snp:
      write_to_memory(entry, entry.opcode, entry.address, entry.size);
      return;
    case Kind::write_back:
    case Kind::write_clean:
      if ((entry.write_resp & chi::resp::kPassDirty) != 0) fill(entry.line, true, entry.classes);
      return;
    case Kind::write_evict:
      if (entry.write_resp == chi::resp::kUc) fill(entry.line, false, entry.classes);
      return;
    case Kind::write_unique:
      finish_write_unique(entry, allocates);
      return;
    case Kind::clean_shared:
    case Kind::clean_invalid: {
      const bool was_dirty = clean_in_slc(entry.line);
      if (was_dirty || entry.snoop_dirty) write_line(entry);
      if (entry.rule.kind == Kind::clean_invalid) remove_from_slc(entry.line);
      respond(number, chi::rsp::kComp, chi::resp::kI, true);
      return;
    }
    case Kind::make_invalid:
      remove_from_slc(entry.line);
      respond(number, chi::rsp::kComp, chi::resp::kI, true);
      return;
    case Kind::atomic:
      fill(entry.line, true, entry.classes);
      if (!chi::req::is_atomic_store(entry.opcode)) send_data(number, chi::resp::kI);
      return;
    case Kind::evict:
    case Kind::stash:
    case Kind::unknown:
      return;
  }
}

void HomeNode::finish_write_unique(const PocqEntry& entry, bool allocates) {
  if (allocates || slc_.find(slc_set_(entry.line), entry.line) != LruLines::kAbsent) {
    fill(entry.line, true, entry.classes);
  } else if (entry.opcode == chi::req::kWriteUniquePtl && !entry.snoop_dirty) {
    write_to_memory(entry, chi::req::kWriteNoSnpPtl, entry.address, entry.size);
  } else {
    write_line(entry);
  }
}

void HomeNode::write_line(const PocqEntry& entry) {
  MemorySide::Request write;
  write.address = entry.line * chi::kLineBytes;
  write.opcode = chi::req::kWriteNoSnpFull;
  write.qos = entry.qos;
  write.qos_class = entry.qos_class;
  write.ns = entry.ns;
  memory_.write(write);
}

void HomeNode::write_to_memory(const PocqEntry& entry, std::uint8_t opcode, std::uint64_t address, std::uint8_t size) {
  MemorySide::Request write;
  write.address = address;
  write.opcode = opcode;
  write.size = size;
  write.qos = entry.qos;
  write.qos_class = entry.qos_class;
  write.memattr = entry.memattr;
  write.ns = entry.ns;
  memory_.write(write);
}

void HomeNode::free(unsigned number) {
  const std::uint64_t line = pocq_[number].line;
  const bool was_atomic = pocq_[number].rule.kind == Kind::atomic;
  pocq_.free(number, output_.now());
  std::uint16_t waits = 0;
  if (credits_.grant(pocq_.unused(), waits)) {
    FlitFields fields;
    fields.tgtid = waits;
    fields.opcode = chi::rsp::kPCrdGrant;
    output_.post(Channel::rsp, fields);
  }
  const unsigned next = was_atomic ? pocq_.oldest_waiting(line) : Pocq::kNoEntry;
  if (next != Pocq::kNoEntry && pocq_[next].rule.kind == Kind::atomic) output_.publish(home_event("atomic_fwd"));
  go_on(line);
}

// Messages.

void HomeNode::respond(unsigned number, std::uint8_t opcode, std::uint8_t resp, bool tell) {
  PocqEntry& entry = pocq_[number];
  FlitFields fields;
  fields.tgtid = entry.requester;
  fields.txnid = entry.txnid;
  fields.dbid = static_cast<std::uint16_t>(number);
  fields.opcode = opcode;
  fields.resp = resp;
  fields.qos = entry.qos;
  if (tell) ++entry.sends_left;
  output_.post(Channel::rsp, fields, tell);
}

void HomeNode::send_data(unsigned number, std::uint8_t resp) {
  PocqEntry& entry = pocq_[number];
  if (entry.forwarded) return;
  FlitFields fields;
  fields.tgtid = entry.requester;
  fields.txnid = entry.txnid;
  fields.dbid = static_cast<std::uint16_t>(number);
  fields.homenid = node_id_;
  fields.opcode = chi::dat::kCompData;
  fields.resp = resp;
  fields.qos = entry.qos;
  const bool is_atomic = entry.rule.kind == Kind::atomic;
  const unsigned flits = is_atomic ? 1 : chi::data_flits(entry.size);
  for (unsigned flit = 0; flit < flits; ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    const bool tell = flit + 1 == flits && (is_atomic || !entry.expects_ack);
    if (tell) ++entry.sends_left;
    output_.post(Channel::dat, fields, tell);
  }
}

HomeClasses HomeNode::snoop_classes(std::uint16_t txnid) const {
  HomeClasses classes;
  classes.of(FilterKind::snp_vc) = static_cast<std::uint16_t>(has_two_snoop_channels_ && txnid % 2 != 0 ? 0b10 : 0b01);
  return classes;
}

FlitFields HomeNode::snoop_flit(std::uint64_t line, std::uint8_t opcode, std::uint16_t txnid) {
  FlitFields fields;
  fields.addr = line * chi::kLineBytes;
  fields.opcode = opcode;
  fields.txnid = txnid;
  return fields;
}

}  // namespace pmufab::cmn
