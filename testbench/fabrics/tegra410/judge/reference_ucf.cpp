// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/reference_ucf.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "testbench/judge/opcodes.h"

namespace pmufab::scoreboard {
namespace {

std::optional<std::string> reason_to_refuse(const BoundaryObserver::Request& request, const MemoryRange* home) {
  if (home == nullptr) return "no memory at this address";
  if (is_dataless(request.opcode)) return std::nullopt;
  if (request.length == 0) return "a request for no bytes";
  if (request.address % kLineBytes + request.length > kLineBytes) return "the request crosses a line";
  const bool full_line = request.opcode == FabricOpcode::write_unique_full ||
                         request.opcode == FabricOpcode::write_back_full ||
                         request.opcode == FabricOpcode::read_shared || request.opcode == FabricOpcode::read_unique;
  if (full_line && request.length != kLineBytes) return "a full-line request for part of a line";
  return std::nullopt;
}

/// Call `function` with each number of a set, from the smallest on.
template <typename Function>
void for_each(const std::bitset<64>& numbers, const Function& function) {
  for (std::uint64_t left = numbers.to_ullong(); left != 0; left &= left - 1)
    function(static_cast<unsigned>(std::countr_zero(left)));
}

}  // namespace

ReferenceUcf::ReferenceUcf(const Tegra410JudgeSpec& spec) : spec_(spec), ucfs_(spec.sockets) {
  for (Ucf& ucf : ucfs_) ucf.slc.resize(std::size_t{spec.slc.slices} * spec.slc.sets);
}

const ReferenceUcf::Outcome& ReferenceUcf::accept(const BoundaryObserver::Request& request) {
  outcome_.memory.clear();
  const MemoryRange* const home = spec_.home_of(request.address);
  outcome_.refused = reason_to_refuse(request, home);
  if (!outcome_.refused && request.accepting_socket >= spec_.sockets) outcome_.refused = "no such socket";
  if (outcome_.refused) return outcome_;
  if (home->memory_class == MemoryClass::bar) return outcome_;  // not cached, and no event of any UCF
  owner_snooped_ = false;

  const bool is_cpu = request.requester == RequesterKind::cpu;
  const bool over_link = request.requester_socket != request.accepting_socket;
  Visit here{};
  here.socket = request.accepting_socket;
  here.opcode = request.opcode;
  here.address = request.address;
  here.length = request.length;
  here.line = request.address / kLineBytes;
  here.home = home;
  here.destination = seen_from(here.socket, *home);
  here.becomes_holder = is_cpu;
  if (over_link) {
    here.source = Source::rem;
    here.requester = Holder{true, static_cast<std::uint16_t>(request.requester_socket)};
  } else {
    here.source = is_cpu ? Source::loc_cpu : Source::loc_noncpu;
    if (is_cpu) here.requester = Holder{false, request.requester_id};
  }
  const bool is_cached = spec_.caches(home->memory_class);
  prefetch(here.socket, here.line, is_cached && home->socket == here.socket);
  if (home->socket != here.socket) prefetch(home->socket, here.line, is_cached);
  visit(here);

  if (home->socket != here.socket) {
    Visit there = here;
    there.socket = home->socket;
    there.source = Source::rem;
    there.destination = seen_from(there.socket, *home);
    there.requester = Holder{true, static_cast<std::uint16_t>(here.socket)};
    const DirectoryEntry* const entry = ucfs_[here.socket].directory.find(here.line);
    there.keeps_other_holders = entry != nullptr && entry->clusters.any();
    visit(there);
  }

  if (owner_snooped_) {
    if (Way* const way = find(home->socket, here.line)) way->dirty = true;
  }
  return outcome_;
}

void ReferenceUcf::visit(const Visit& v) {
  const bool is_cached = v.home->socket == v.socket && spec_.caches(v.home->memory_class);
  count_request(v);
  if (is_cached) __builtin_prefetch(set_of(v.socket, v.line).data(), 1);
  snoop_and_record(v);
  if (is_cached) {
    access_slc(v);
  } else {
    access_memory_uncached(v);
  }
}

/// Let memory bring what a visit needs.
void ReferenceUcf::prefetch(unsigned socket, Line line, bool in_slc) const {
  ucfs_[socket].directory.prefetch(line);
  if (in_slc) __builtin_prefetch(&set_of(socket, line));
}

void ReferenceUcf::count_request(const Visit& v) {
  UcfTally& tally = ucfs_[v.socket].tally;
  if (is_read(v.opcode)) {
    tally.count(UcfEvent::slc_access_rd, v.source, v.destination);
    tally.count(UcfEvent::slc_bytes_rd, v.source, v.destination, v.length);
  } else if (is_write(v.opcode)) {
    tally.count(UcfEvent::slc_access_wr, v.source, v.destination);
    tally.count(UcfEvent::slc_bytes_wr, v.source, v.destination, v.length);
  } else if (is_dataless(v.opcode)) {
    tally.count(UcfEvent::slc_access_dataless, v.source, v.destination);
  } else {
    tally.count(UcfEvent::slc_access_atomic, v.source, v.destination);
  }
}

void ReferenceUcf::snoop_and_record(const Visit& v) {
  switch (v.opcode) {
    case FabricOpcode::read_shared:
    case FabricOpcode::read_once:
      snoop_others(v, SnoopRule::share);
      break;
    case FabricOpcode::read_unique:
    case FabricOpcode::clean_unique:
    case FabricOpcode::write_unique_full:
    case FabricOpcode::write_unique_ptl:
    case FabricOpcode::atomic_store:
    case FabricOpcode::clean_invalid:
      snoop_others(v, SnoopRule::drop);
      break;
    case FabricOpcode::write_back_full:
    case FabricOpcode::evict:
      give_up(v);
      break;
  }
  const bool shared = v.opcode == FabricOpcode::read_shared;
  const bool unique = v.opcode == FabricOpcode::read_unique || v.opcode == FabricOpcode::clean_unique;
  if (v.becomes_holder && v.requester && (shared || unique)) {
    DirectoryEntry& entry = ucfs_[v.socket].directory[v.line];
    (v.requester->remote ? entry.sockets : entry.clusters).set(v.requester->id);
    if (unique) entry.owner = v.requester;
  }
  forget_if_empty(v.socket, v.line);
}

void ReferenceUcf::snoop_others(const Visit& v, SnoopRule rule) {
  Ucf& ucf = ucfs_[v.socket];
  DirectoryEntry& entry = ucf.directory[v.line];
  const bool other_owner = entry.owner && entry.owner != v.requester;
  if (rule == SnoopRule::share) {
    if (other_owner) {
      owner_snooped_ = true;
      if (entry.owner->remote) {
        snoop_socket(entry.owner->id, v.line, rule);
      } else {
        ucf.tally.count(UcfEvent::local_snoop, v.source, v.destination);
      }
    }
    entry.owner.reset();
    return;
  }
  if (other_owner) owner_snooped_ = true;
  for_each(entry.clusters, [&](unsigned cluster) {
    if (v.requester != Holder{false, static_cast<std::uint16_t>(cluster)})
      ucf.tally.count(UcfEvent::local_snoop, v.source, v.destination);
  });
  for_each(entry.sockets, [&](unsigned socket) {
    if (v.requester != Holder{true, static_cast<std::uint16_t>(socket)}) snoop_socket(socket, v.line, rule);
  });
  entry = DirectoryEntry{};
}

void ReferenceUcf::snoop_socket(unsigned socket, Line line, SnoopRule rule) {
  if (socket >= ucfs_.size()) return;  // a requester of a socket that is not modelled
  Ucf& ucf = ucfs_[socket];
  ucf.tally.count(UcfEvent::ext_snp_access, Source::rem, Destination::rem);
  DirectoryEntry& entry = ucf.directory[line];
  if (entry.owner) owner_snooped_ = true;
  if (rule == SnoopRule::share) {
    if (entry.owner) ucf.tally.count(UcfEvent::local_snoop, Source::rem, Destination::rem);
    entry.owner.reset();
  } else {
    ucf.tally.count(UcfEvent::local_snoop, Source::rem, Destination::rem, entry.clusters.count());
    entry = DirectoryEntry{};
  }
  forget_if_empty(socket, line);
}

void ReferenceUcf::give_up(const Visit& v) {
  DirectoryEntry& entry = ucfs_[v.socket].directory[v.line];
  if (!v.requester) return;
  if (entry.owner == v.requester) entry.owner.reset();
  if (v.requester->remote) {
    if (!v.keeps_other_holders) entry.sockets.reset(v.requester->id);
  } else {
    entry.clusters.reset(v.requester->id);
  }
}

void ReferenceUcf::access_memory_uncached(const Visit& v) {
  if (is_dataless(v.opcode)) return;
  UcfTally& tally = ucfs_[v.socket].tally;
  const bool reads = is_read(v.opcode);
  tally.count(reads ? UcfEvent::mem_access_rd : UcfEvent::mem_access_wr, v.source, v.destination);
  tally.count(reads ? UcfEvent::mem_bytes_rd : UcfEvent::mem_bytes_wr, v.source, v.destination, v.length);
  if (v.home->socket == v.socket) {
    outcome_.memory.push_back({v.socket, v.home->memory_class, v.address, v.length, !reads});
  }
}

void ReferenceUcf::access_slc(const Visit& v) {
  UcfTally& tally = ucfs_[v.socket].tally;
  switch (v.opcode) {
    case FabricOpcode::read_shared:
    case FabricOpcode::read_unique:
      if (touch(v.socket, v.line) != nullptr) {
        tally.count(UcfEvent::slc_hit_rd, v.source, v.destination);
      } else {
        fetch(v);
        tally.count(UcfEvent::slc_refill_rd, v.source, v.destination);
        allocate(v, false);
      }
      break;
    case FabricOpcode::read_once:
      if (touch(v.socket, v.line) != nullptr) {
        tally.count(UcfEvent::slc_hit_rd, v.source, v.destination);
      } else {
        fetch(v);
      }
      break;
    case FabricOpcode::write_unique_full:
    case FabricOpcode::write_back_full:
      if (Way* const way = touch(v.socket, v.line)) {
        way->dirty = true;
      } else {
        allocate(v, true);
      }
      break;
    case FabricOpcode::write_unique_ptl:
    case FabricOpcode::atomic_store:
      if (Way* const way = touch(v.socket, v.line)) {
        way->dirty = true;
      } else {
        fetch(v);
        tally.count(UcfEvent::slc_refill_wr, v.source, v.destination);
        allocate(v, true);
      }
      break;
    case FabricOpcode::evict:
    case FabricOpcode::clean_unique:
      break;
    case FabricOpcode::clean_invalid:
      if (const Way* const way = find(v.socket, v.line)) {
        const bool was_dirty = way->dirty;
        std::erase_if(set_of(v.socket, v.line), [&](const Way& other) { return other.line == v.line; });
        if (was_dirty) write_back(v, v.line);
      }
      break;
  }
}

void ReferenceUcf::fetch(const Visit& v) {
  UcfTally& tally = ucfs_[v.socket].tally;
  tally.count(UcfEvent::mem_access_rd, v.source, v.destination);
  tally.count(UcfEvent::mem_bytes_rd, v.source, v.destination, kLineBytes);
  outcome_.memory.push_back({v.socket, v.home->memory_class, v.line * kLineBytes, kLineBytes, false});
}

void ReferenceUcf::allocate(const Visit& v, bool dirty) {
  ucfs_[v.socket].tally.count(UcfEvent::slc_allocate, v.source, v.destination);
  Set& set = set_of(v.socket, v.line);
  if (set.size() == spec_.slc.ways) {
    const Way victim = set.back();
    set.pop_back();
    evict_snoop(v.socket, victim.line);
    if (victim.dirty) write_back(v, victim.line);
  }
  if (set.empty()) set.reserve(spec_.slc.ways);
  set.insert(set.begin(), {v.line, dirty});
}

void ReferenceUcf::evict_snoop(unsigned home_socket, Line victim) {
  DirectoryEntry* const at_home = ucfs_[home_socket].directory.find(victim);
  if (at_home == nullptr) return;
  for_each(at_home->sockets, [&](unsigned socket) {
    if (socket >= ucfs_.size()) return;
    Ucf& ucf = ucfs_[socket];
    ucf.tally.count(UcfEvent::ext_snp_evict, Source::rem, Destination::rem);
    const DirectoryEntry* const held = ucf.directory.find(victim);
    if (held == nullptr) return;
    ucf.tally.count(UcfEvent::local_snoop, Source::rem, Destination::rem, held->clusters.count());
    ucf.directory.erase(victim);
  });
  at_home->sockets.reset();
  if (at_home->owner && at_home->owner->remote) at_home->owner.reset();
  forget_if_empty(home_socket, victim);
}

void ReferenceUcf::write_back(const Visit& v, Line line) {
  // Lines in this SLC are all homed here, so the written line lies in a range and is never `rem`.
  const MemoryRange& written = *spec_.home_of(line * kLineBytes);
  const Destination destination = seen_from(v.socket, written);
  UcfTally& tally = ucfs_[v.socket].tally;
  tally.count(UcfEvent::slc_wb, v.source, destination);
  tally.count(UcfEvent::mem_access_wr, v.source, destination);
  tally.count(UcfEvent::mem_bytes_wr, v.source, destination, kLineBytes);
  outcome_.memory.push_back({v.socket, written.memory_class, line * kLineBytes, kLineBytes, true});
}

ReferenceUcf::Set& ReferenceUcf::set_of(unsigned socket, Line line) {
  const std::uint64_t slice = line % spec_.slc.slices;
  const std::uint64_t set = line / spec_.slc.slices % spec_.slc.sets;
  return ucfs_.at(socket).slc[slice * spec_.slc.sets + set];
}

const ReferenceUcf::Set& ReferenceUcf::set_of(unsigned socket, Line line) const {
  return const_cast<ReferenceUcf*>(this)->set_of(socket, line);
}

ReferenceUcf::Way* ReferenceUcf::find(unsigned socket, Line line) {
  for (Way& way : set_of(socket, line)) {
    if (way.line == line) return &way;
  }
  return nullptr;
}

const ReferenceUcf::Way* ReferenceUcf::find(unsigned socket, Line line) const {
  return const_cast<ReferenceUcf*>(this)->find(socket, line);
}

ReferenceUcf::Way* ReferenceUcf::touch(unsigned socket, Line line) {
  Set& set = set_of(socket, line);
  const auto hit = std::find_if(set.begin(), set.end(), [&](const Way& way) { return way.line == line; });
  if (hit == set.end()) return nullptr;
  std::rotate(set.begin(), hit, hit + 1);
  return &set.front();
}

void ReferenceUcf::forget_if_empty(unsigned socket, Line line) {
  LineTable<DirectoryEntry>& directory = ucfs_[socket].directory;
  const DirectoryEntry* const entry = directory.find(line);
  if (entry != nullptr && entry->clusters.none() && entry->sockets.none()) directory.erase(line);
}

Destination ReferenceUcf::seen_from(unsigned socket, const MemoryRange& home) const {
  if (home.socket != socket) return Destination::rem;
  switch (home.memory_class) {
    case MemoryClass::cmem:
      return Destination::loc_cmem;
    case MemoryClass::gmem:
      return Destination::loc_gmem;
    case MemoryClass::cxl:
    case MemoryClass::bar:  // never reached
      break;
  }
  return Destination::loc_other;
}

bool ReferenceUcf::in_slc(unsigned socket, std::uint64_t address) const {
  return find(socket, address / kLineBytes) != nullptr;
}

bool ReferenceUcf::dirty_in_slc(unsigned socket, std::uint64_t address) const {
  const Way* const way = find(socket, address / kLineBytes);
  return way != nullptr && way->dirty;
}

}  // namespace pmufab::scoreboard
