// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::scoreboard::test {

/// A second, different model of the rules, for cross-checks. Facts are in flat sets that are searched from end to end;
/// time stamps replace the order of lists. It is slow and short.
class BruteForceUcf {
 public:
  explicit BruteForceUcf(const Tegra410JudgeSpec& spec) : spec_(spec), tallies_(spec.sockets) {}

  void accept(const BoundaryObserver::Request& r) {
    const MemoryRange& home = *spec_.home_of(r.address);
    const std::uint64_t line = r.address / 64;
    const bool is_cpu = r.requester == RequesterKind::cpu;
    dirtied_ = false;
    const Who here = is_cpu ? Who{'c', r.requester_id} : Who{'-', 0};
    at(r.accepting_socket, is_cpu ? Source::loc_cpu : Source::loc_noncpu, here, is_cpu, r, home, line);
    if (home.socket != r.accepting_socket) {
      at(home.socket, Source::rem, Who{'s', r.accepting_socket}, is_cpu, r, home, line);
    }
    const auto found = slc_.find({home.socket, line});
    if (dirtied_ && found != slc_.end()) found->second.dirty = true;
  }
  [[nodiscard]] const UcfTally& tally(unsigned socket) const { return tallies_.at(socket); }

 private:
  using E = UcfEvent;
  using Op = FabricOpcode;
  using Who = std::pair<char, unsigned>;  // 'c' cluster, 's' socket, '-' a requester that cannot hold a line
  struct Kept {
    std::uint64_t used;
    bool dirty;
  };

  std::vector<Who> holders(unsigned socket, std::uint64_t line) const {
    std::vector<Who> found;
    for (const auto& [s, l, holder] : holds_) {
      if (s == socket && l == line) found.push_back(holder);
    }
    return found;
  }
  std::optional<Who> owner(unsigned socket, std::uint64_t line) const {
    const auto found = owners_.find({socket, line});
    return found == owners_.end() ? std::nullopt : std::optional<Who>(found->second);
  }
  void drop_all(unsigned socket, std::uint64_t line) {
    for (const Who& holder : holders(socket, line)) holds_.erase({socket, line, holder});
    owners_.erase({socket, line});
  }
  Destination destination(unsigned socket, const MemoryRange& home) const {
    if (home.socket != socket) return Destination::rem;
    return home.memory_class == MemoryClass::cmem   ? Destination::loc_cmem
           : home.memory_class == MemoryClass::gmem ? Destination::loc_gmem
                                                    : Destination::loc_other;
  }

  void snoop(unsigned socket, std::uint64_t line, const Who& holder, bool drop, Source source, Destination to) {
    if (owner(socket, line) == holder) dirtied_ = true;
    if (holder.first == 'c') {
      tallies_[socket].count(E::local_snoop, source, to);
      return;
    }
    const unsigned there = holder.second;
    tallies_[there].count(E::ext_snp_access, Source::rem, Destination::rem);
    const std::optional<Who> its_owner = owner(there, line);
    for (const Who& cluster : holders(there, line)) {
      if (drop || cluster == its_owner) snoop(there, line, cluster, drop, Source::rem, Destination::rem);
    }
    owners_.erase({there, line});
    if (drop) drop_all(there, line);
  }

  void at(unsigned socket, Source source, const Who& r, bool is_cpu, const BoundaryObserver::Request& q,
          const MemoryRange& home, std::uint64_t line) {
    const Destination to = destination(socket, home);
    const auto count = [&](E event, std::uint64_t by = 1) { tallies_[socket].count(event, source, to, by); };
    const bool rd = q.opcode == Op::read_shared || q.opcode == Op::read_unique || q.opcode == Op::read_once;
    const bool full = q.opcode == Op::write_unique_full || q.opcode == Op::write_back_full;
    const bool wr = full || q.opcode == Op::write_unique_ptl;
    const bool atomic = q.opcode == Op::atomic_store;
    if (rd) count(E::slc_access_rd), count(E::slc_bytes_rd, q.length);
    if (wr) count(E::slc_access_wr), count(E::slc_bytes_wr, q.length);
    if (atomic) count(E::slc_access_atomic);
    if (!rd && !wr && !atomic) count(E::slc_access_dataless);

    if (q.opcode == Op::read_shared || q.opcode == Op::read_once) {
      const std::optional<Who> o = owner(socket, line);
      if (o && *o != r) snoop(socket, line, *o, false, source, to);
      owners_.erase({socket, line});
      if (q.opcode == Op::read_shared && is_cpu) holds_.insert({socket, line, r});
    } else if (q.opcode == Op::write_back_full || q.opcode == Op::evict) {
      const bool left = r.first == 's' && !holders(r.second, line).empty();
      if (!left) holds_.erase({socket, line, r});
      if (owner(socket, line) == r) owners_.erase({socket, line});
    } else {
      for (const Who& holder : holders(socket, line)) {
        if (holder != r) snoop(socket, line, holder, true, source, to);
      }
      drop_all(socket, line);
      if ((q.opcode == Op::read_unique || q.opcode == Op::clean_unique) && is_cpu) {
        holds_.insert({socket, line, r});
        owners_[{socket, line}] = r;
      }
    }

    if (home.socket != socket || !spec_.caches(home.memory_class)) {
      if (rd) count(E::mem_access_rd), count(E::mem_bytes_rd, q.length);
      if (wr || atomic) count(E::mem_access_wr), count(E::mem_bytes_wr, q.length);
      return;
    }
    const auto found = slc_.find({socket, line});
    const bool hit = found != slc_.end();
    if (q.opcode == Op::clean_invalid && hit) {
      const bool dirty = found->second.dirty;
      slc_.erase(found);
      if (dirty) write_back(socket, source, line);
    }
    if (!rd && !wr && !atomic) return;
    if (rd && hit) count(E::slc_hit_rd);
    if (!hit && !full) count(E::mem_access_rd), count(E::mem_bytes_rd, 64);
    if (!hit && !full && !rd) count(E::slc_refill_wr);
    if (!hit && rd && q.opcode != Op::read_once) count(E::slc_refill_rd);
    if (hit) {
      found->second.used = ++clock_;
      if (!rd) found->second.dirty = true;
    } else if (q.opcode != Op::read_once) {
      count(E::slc_allocate);
      make_room(socket, source, line);
      slc_[{socket, line}] = {++clock_, !rd};
    }
  }

  void make_room(unsigned socket, Source source, std::uint64_t line) {
    const std::uint64_t places = std::uint64_t{spec_.slc.slices} * spec_.slc.sets;
    std::map<std::uint64_t, std::uint64_t> by_use;  // of the set that line L mod (slices x sets) names
    for (const auto& [key, kept] : slc_) {
      if (key.first == socket && key.second % places == line % places) by_use[kept.used] = key.second;
    }
    if (by_use.size() < spec_.slc.ways) return;
    const std::uint64_t victim = by_use.begin()->second;
    for (const Who& holder : holders(socket, victim)) {
      if (holder.first != 's') continue;
      tallies_[holder.second].count(E::ext_snp_evict, Source::rem, Destination::rem);
      tallies_[holder.second].count(E::local_snoop, Source::rem, Destination::rem,
                                    holders(holder.second, victim).size());
      drop_all(holder.second, victim);
      holds_.erase({socket, victim, holder});
      if (owner(socket, victim) == holder) owners_.erase({socket, victim});
    }
    const bool dirty = slc_.at({socket, victim}).dirty;
    slc_.erase({socket, victim});
    if (dirty) write_back(socket, source, victim);
  }

  void write_back(unsigned socket, Source source, std::uint64_t line) {
    const Destination to = destination(socket, *spec_.home_of(line * 64));
    tallies_[socket].count(E::slc_wb, source, to);
    tallies_[socket].count(E::mem_access_wr, source, to);
    tallies_[socket].count(E::mem_bytes_wr, source, to, 64);
  }

  Tegra410JudgeSpec spec_;
  std::vector<UcfTally> tallies_;
  std::map<std::pair<unsigned, std::uint64_t>, Kept> slc_;
  std::set<std::tuple<unsigned, std::uint64_t, Who>> holds_;
  std::map<std::pair<unsigned, std::uint64_t>, Who> owners_;
  std::uint64_t clock_ = 0;
  bool dirtied_ = false;
};

}  // namespace pmufab::scoreboard::test
