// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/home/home_rules.h"

#include <array>

#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

using Kind = HomeRule::Kind;
using Snooped = HomeRule::Snooped;
using Entry = HomeRule::Entry;
namespace req = chi::req;
namespace snp = chi::snp;

constexpr std::uint8_t kNone = 0;
constexpr std::uint8_t kRead = 1;
constexpr std::uint8_t kWrite = 2;
constexpr std::uint8_t kAtomic = 3;
constexpr std::uint8_t kStash = 4;

using Rules = std::array<HomeRule, 128>;

constexpr Rules rules() {
  Rules all{};
  all[req::kReadNoSnp] = {Kind::read_no_snp, Snooped::nobody, Entry::unchanged, 0, 0, kRead};
  all[req::kWriteNoSnpPtl] = {Kind::write_no_snp, Snooped::nobody, Entry::unchanged, 0, 0, kWrite};
  all[req::kWriteNoSnpFull] = all[req::kWriteNoSnpPtl];

  all[req::kReadShared] = {Kind::read_shared, Snooped::owner, Entry::add, snp::kSnpShared, snp::kSnpSharedFwd, kRead};
  all[req::kReadClean] = {Kind::read_shared, Snooped::owner, Entry::add, snp::kSnpClean, snp::kSnpCleanFwd, kRead};
  all[req::kReadNotSharedDirty] = {Kind::read_shared,          Snooped::owner, Entry::add, snp::kSnpNotSharedDirty,
                                   snp::kSnpNotSharedDirtyFwd, kRead};
  all[req::kReadUnique] = {Kind::read_unique, Snooped::others,    Entry::alone,
                           snp::kSnpUnique,   snp::kSnpUniqueFwd, kRead};
  all[req::kReadOnce] = {Kind::read_once, Snooped::owner, Entry::unchanged, snp::kSnpOnce, snp::kSnpOnceFwd, kRead};

  all[req::kCleanUnique] = {Kind::clean_unique, Snooped::others, Entry::alone, snp::kSnpCleanInvalid, 0, kNone};
  all[req::kMakeUnique] = {Kind::make_unique, Snooped::others, Entry::alone, snp::kSnpMakeInvalid, 0, kNone};
  all[req::kEvict] = {Kind::evict, Snooped::nobody, Entry::remove_requester, 0, 0, kNone};

  all[req::kWriteBackFull] = {Kind::write_back, Snooped::nobody, Entry::remove_requester, 0, 0, kWrite};
  all[req::kWriteCleanFull] = {Kind::write_clean, Snooped::nobody, Entry::unchanged, 0, 0, kWrite};
  all[req::kWriteEvictFull] = {Kind::write_evict, Snooped::nobody, Entry::remove_requester, 0, 0, kWrite};
  all[req::kWriteUniqueFull] = {Kind::write_unique, Snooped::all, Entry::remove, snp::kSnpMakeInvalid, 0, kWrite};
  all[req::kWriteUniquePtl] = {Kind::write_unique, Snooped::all, Entry::remove, snp::kSnpUnique, 0, kWrite};

  all[req::kCleanShared] = {Kind::clean_shared, Snooped::owner, Entry::unchanged, snp::kSnpCleanShared, 0, kNone};
  all[req::kCleanInvalid] = {Kind::clean_invalid, Snooped::others, Entry::remove, snp::kSnpCleanInvalid, 0, kNone};
  all[req::kMakeInvalid] = {Kind::make_invalid, Snooped::others, Entry::remove, snp::kSnpMakeInvalid, 0, kNone};

  for (unsigned opcode = req::kAtomicStore; opcode <= req::kAtomicCompare; ++opcode)
    all[opcode] = {Kind::atomic, Snooped::all, Entry::remove, snp::kSnpUnique, 0, kAtomic};
  all[req::kStashOnceShared] = {Kind::stash, Snooped::stash_target, Entry::unchanged, snp::kSnpStashShared, 0, kStash};
  all[req::kStashOnceUnique] = {Kind::stash, Snooped::stash_target, Entry::unchanged, snp::kSnpStashUnique, 0, kStash};
  return all;
}

constexpr Rules kRules = rules();

}  // namespace

const HomeRule& home_rule(std::uint8_t opcode) noexcept { return kRules[opcode % kRules.size()]; }

}  // namespace pmufab::cmn
