// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/flit_tallies.h"

#include <algorithm>

namespace pmufab::cmn {

void FlitTallies::settle(unsigned xp) {
  for (Entry& entry : entries_[xp]) {
    if (!entry.tallied) continue;
    const std::uint64_t now = tally_of(xp, entry.event);
    dtms_[entry.dtm].add_without_wrap(entry.counter, now - std::exchange(entry.seen, now));
  }
}

void FlitTallies::settle_all() {
  for (unsigned xp = 0; xp < entries_.size(); ++xp) settle(xp);
}

void FlitTallies::forget(unsigned xp) {
  settle(xp);
  entries_[xp].clear();
}

bool FlitTallies::add(unsigned xp, unsigned dtm, unsigned counter, const Event& event) {
  if (!tally_) return false;
  Entry entry{dtm, counter, event, false, 0};
  entry.tallied = can_wait(entry);
  if (entry.tallied) entry.seen = tally_of(xp, event);
  entries_[xp].push_back(entry);
  return entry.tallied;
}

std::span<const unsigned> FlitTallies::look(Cycle now) {
  settle_all();
  next_look_ = now + kPeriod;
  changed_.clear();
  const auto changes = [&](const Entry& entry) { return entry.tallied != can_wait(entry); };
  for (unsigned xp = 0; xp < entries_.size(); ++xp) {
    if (std::any_of(entries_[xp].begin(), entries_[xp].end(), changes)) changed_.push_back(xp);
  }
  return changed_;
}

bool FlitTallies::hold(unsigned xp, const Event& event) const noexcept {
  return std::any_of(entries_[xp].begin(), entries_[xp].end(),
                     [&](const Entry& entry) { return entry.tallied && entry.event == event; });
}

bool FlitTallies::add_at_once(unsigned xp, const Event& event, std::uint64_t amount, Picoseconds when) {
  if (!hold(xp, event)) return false;
  settle(xp);
  for (const Entry& entry : entries_[xp]) {
    if (entry.tallied && entry.event == event) dtms_[entry.dtm].add(entry.counter, amount, when);
  }
  return true;
}

}  // namespace pmufab::cmn
