// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/interleave/amounts.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace pmufab::interleave {
namespace {

constexpr std::array<unsigned, 7> kWidths = {8, 16, 31, 32, 40, 48, 64};
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 63;

void add_distances(std::uint64_t value, std::set<std::uint64_t>& amounts) {
  for (const unsigned width : kWidths) {
    const std::uint64_t most = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if (value <= most && most - value < kMostAtOnce) amounts.insert(most - value + 1);
  }
}

/// The parts of a value that may be counters of their own.
void add_parts(const AccessRecord& access, std::set<std::uint64_t>& amounts) {
  add_distances(access.value, amounts);
  for (const unsigned part : {32U, 16U}) {
    for (unsigned shift = 0; shift + part <= access.size * 8; shift += part)
      add_distances(access.value >> shift & ((std::uint64_t{1} << part) - 1), amounts);
  }
}

/// A counter of 16 bits whose wraps another one counts.
void add_chained(const AccessRecord& lower, const AccessRecord& upper, std::set<std::uint64_t>& amounts) {
  constexpr unsigned kLower = 16;
  if (lower.address == upper.address || upper.size != 4) return;
  for (unsigned shift = 0; shift < lower.size * 8; shift += kLower)
    add_distances(upper.value << kLower | (lower.value >> shift & 0xffff), amounts);
}

/// Two halves of one counter.
void add_halves(const AccessRecord& lower, const AccessRecord& upper, std::set<std::uint64_t>& amounts) {
  if (lower.size == 4 && upper.size == 4 && upper.address == lower.address + 4)
    add_distances(upper.value << 32 | lower.value, amounts);
}

/// Add what `find` finds of each access, as long as there is room.
template <typename Find>
void add_found(const std::vector<AccessRecord>& accesses, Candidates& candidates, std::set<std::uint64_t>& all,
               std::size_t most, Find find) {
  for (const AccessRecord& access : accesses) {
    std::set<std::uint64_t> found;
    find(access, found);
    for (const std::uint64_t amount : found) {
      if (all.contains(amount)) continue;
      if (all.size() == most) {
        candidates.is_all = false;
        return;
      }
      all.insert(amount);
    }
  }
}

}  // namespace

Candidates candidate_amounts(const std::vector<AccessRecord>& accesses, const std::vector<AccessRecord>& earlier,
                             std::size_t most) {
  Candidates candidates;
  std::set<std::uint64_t> all;
  const auto with_each = [](const std::vector<AccessRecord>& others, auto add) {
    return [&others, add](const AccessRecord& lower, std::set<std::uint64_t>& found) {
      for (const AccessRecord& upper : others) add(lower, upper, found);
    };
  };
  for (const std::vector<AccessRecord>* const some : {&accesses, &earlier}) {
    add_found(*some, candidates, all, most, add_parts);
    add_found(*some, candidates, all, most, with_each(*some, add_halves));
  }
  add_found(accesses, candidates, all, most, with_each(accesses, add_chained));
  candidates.amounts.assign(all.begin(), all.end());
  return candidates;
}

std::set<std::uint64_t> counting_down(const std::vector<AccessRecord>& none, const std::vector<AccessRecord>& one) {
  std::set<std::uint64_t> down;
  const std::size_t same = what_wrapped(none, one).differs.value_or(std::min(none.size(), one.size()));
  for (std::size_t i = 0; i < same; ++i) {
    const bool is_less = !none[i].is_write && one[i].value < none[i].value;
    if (is_less && one[i].value >= none[i].value / 2) down.insert(none[i].address);
  }
  return down;
}

std::vector<AccessRecord> turned(std::vector<AccessRecord> accesses, const std::set<std::uint64_t>& down) {
  for (AccessRecord& access : accesses) {
    if (down.contains(access.address)) access.value ^= ~std::uint64_t{0} >> (64 - access.size * 8);
  }
  return accesses;
}

Wrapped what_wrapped(const std::vector<AccessRecord>& before, const std::vector<AccessRecord>& after) {
  Wrapped wrapped;
  const std::size_t both = std::min(before.size(), after.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (before[i].address != after[i].address || before[i].is_write != after[i].is_write) {
      wrapped.differs = i;
      return wrapped;
    }
    if (!before[i].is_write && after[i].value < before[i].value) wrapped.fallen.insert(i);
  }
  if (before.size() != after.size()) wrapped.differs = both;
  return wrapped;
}

std::vector<std::uint64_t> choose_amounts(const std::vector<Trial>& trials) {
  std::map<std::size_t, std::uint64_t> turns;  // of each access: the first amount that made it fall
  std::map<std::pair<Wrapped, Wrapped>, std::uint64_t> smallest;
  for (const Trial& trial : trials) {
    if (trial.from_none.empty() && trial.from_one.empty()) continue;
    for (const Wrapped* wrapped : {&trial.from_none, &trial.from_one}) {
      for (const std::size_t access : wrapped->fallen) turns.try_emplace(access, trial.amount);
    }
    smallest.try_emplace({trial.from_none, trial.from_one}, trial.amount);
  }
  std::uint64_t widest = turns.empty() ? ~std::uint64_t{0} : 0;
  for (const auto& [access, amount] : turns) widest = std::max(widest, amount);
  std::set<std::uint64_t> amounts;
  for (const auto& [wrapped, amount] : smallest) {
    if (amount <= widest) amounts.insert(amount);
  }
  return {amounts.begin(), amounts.end()};
}

}  // namespace pmufab::interleave
