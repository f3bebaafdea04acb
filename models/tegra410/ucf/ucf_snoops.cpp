// SPDX-License-Identifier: Apache-2.0
// The snoop side of Ucf: the holders of a line, and the snoops caused by other requesters.
#include <bit>

#include "models/tegra410/ucf/ucf.h"
#include "models/tegra410/ucf/ucf_pass.h"

namespace pmufab::tegra410 {

void Ucf::snoop(Pass& pass) {
  switch (pass.opcode) {
    case FabricOpcode::read_shared:
    case FabricOpcode::read_once:
      snoop_owner(pass);
      if (pass.opcode == FabricOpcode::read_shared && pass.is_cpu) directory_.add(pass.line, pass.requester);
      break;
    case FabricOpcode::read_unique:
    case FabricOpcode::clean_unique:
      snoop_others(pass);
      if (pass.is_cpu) directory_.add(pass.line, pass.requester).give_to(pass.requester);
      break;
    case FabricOpcode::write_unique_full:
    case FabricOpcode::write_unique_ptl:
    case FabricOpcode::atomic_store:
    case FabricOpcode::clean_invalid:
      snoop_others(pass);
      break;
    case FabricOpcode::write_back_full:
    case FabricOpcode::evict:
      give_back(pass);
      break;
  }
}

/// A read that leaves other copies alone ends any unique ownership. Only an owner other than the requester is snooped.
void Ucf::snoop_owner(Pass& pass) {
  Directory::Entry* const entry = directory_.find(pass.line);
  if (entry == nullptr || entry->owner() == kNobody) return;
  const Holder owner = entry->owner();
  entry->set_owner(kNobody);
  if (owner == pass.requester) return;
  pass.owner_snooped = true;
  if (owner >= kFirstSocket) {
    peers_[owner - kFirstSocket]->snooped_from_outside(pass.line, true, pass.when);
  } else {
    publish(UcfEvent::local_snoop, 1, pass.qualifier, pass.when);
    clusters_[owner - kFirstCluster].share(pass.line);
  }
}

/// Every holder except the requester is snooped; then the line has no holders.
void Ucf::snoop_others(Pass& pass) {
  Directory::Entry* const entry = directory_.find(pass.line);
  if (entry == nullptr) return;
  if (entry->owner() != kNobody && entry->owner() != pass.requester) pass.owner_snooped = true;
  entry->remove(pass.requester);
  const std::uint64_t clusters = entry->clusters();
  unsigned sockets = entry->sockets();
  directory_.erase(entry);
  snoop_clusters(clusters, pass.line, pass.qualifier, pass.when);
  for (; sockets != 0; sockets &= sockets - 1) {
    Ucf& peer = *peers_[static_cast<unsigned>(std::countr_zero(sockets))];
    if (peer.snooped_from_outside(pass.line, false, pass.when)) pass.owner_snooped = true;
  }
}

void Ucf::give_back(const Pass& pass) {
  Directory::Entry* const entry = directory_.find(pass.line);
  if (entry == nullptr) return;
  if (pass.requester_still_holds) {
    if (entry->owner() == pass.requester) entry->set_owner(kNobody);
    return;
  }
  entry->remove(pass.requester);
  directory_.erase_if_empty(entry);
}

void Ucf::snoop_clusters(std::uint64_t clusters, std::uint64_t line, unsigned qualifier, Picoseconds when) {
  if (clusters == 0) return;
  publish(UcfEvent::local_snoop, static_cast<unsigned>(std::popcount(clusters)), qualifier, when);
  for (; clusters != 0; clusters &= clusters - 1)
    clusters_[static_cast<unsigned>(std::countr_zero(clusters))].drop(line);
}

/// A snoop from the line's home, for a line homed elsewhere.
/// @param share  only a unique owner is snooped, and keeps its copy
/// @return true if a unique owner was snooped here
bool Ucf::snooped_from_outside(std::uint64_t line, bool share, Picoseconds when) {
  publish(UcfEvent::ext_snp_access, 1, kFromOutside, when);
  Directory::Entry* const entry = directory_.find(line);
  if (entry == nullptr) return false;
  const Holder owner = entry->owner();
  if (share) {
    if (owner == kNobody) return false;
    entry->set_owner(kNobody);
    publish(UcfEvent::local_snoop, 1, kFromOutside, when);
    clusters_[owner - kFirstCluster].share(line);
    return true;
  }
  const std::uint64_t clusters = entry->clusters();
  directory_.erase(entry);
  snoop_clusters(clusters, line, kFromOutside, when);
  return owner != kNobody;
}

/// A line of this home left the SLC. Remote sockets give it up; holders here are not affected.
void Ucf::evicted_at_home(std::uint64_t line, Picoseconds when) {
  Directory::Entry* const entry = directory_.find(line);
  if (entry == nullptr) return;
  unsigned sockets = entry->sockets();
  if (sockets == 0) return;
  entry->forget_sockets();
  directory_.erase_if_empty(entry);
  for (; sockets != 0; sockets &= sockets - 1)
    peers_[static_cast<unsigned>(std::countr_zero(sockets))]->snooped_by_eviction(line, when);
}

void Ucf::snooped_by_eviction(std::uint64_t line, Picoseconds when) {
  publish(UcfEvent::ext_snp_evict, 1, kFromOutside, when);
  Directory::Entry* const entry = directory_.find(line);
  if (entry == nullptr) return;
  const std::uint64_t clusters = entry->clusters();
  directory_.erase(entry);
  snoop_clusters(clusters, line, kFromOutside, when);
}

}  // namespace pmufab::tegra410
