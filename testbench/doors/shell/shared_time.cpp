// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/shared_time.h"

#include <algorithm>

namespace pmufab::shell {

void SharedTime::leave(pid_t process) {
  const auto found = processes_.find(process);
  if (found == processes_.end()) return;
  const pid_t parent = found->second;
  processes_.erase(found);
  called_.erase(process);
  // A sleeping process does not wake up for that.
  const bool listens = std::ranges::any_of(
      waits_, [&](const auto& entry) { return entry.second.process == parent && entry.second.wait != Wait::sleep; });
  if (listens && has_joined(parent)) called_.insert(parent);
}

std::vector<pid_t> SharedTime::processes() const {
  std::vector<pid_t> all;
  for (const auto& [process, parent] : processes_) all.push_back(process);
  return all;
}

void SharedTime::end_wait(WaitId id) {
  const auto found = waits_.find(id);
  if (found == waits_.end()) return;
  called_.erase(found->second.process);
  waits_.erase(found);
}

void SharedTime::begin_wait(WaitId id, pid_t process, Wait wait, std::optional<Picoseconds> until) {
  called_.erase(process);
  waits_.insert_or_assign(id, Waiting{process, wait, until});
}

std::optional<Picoseconds> SharedTime::wakeup(WaitId id) const {
  const auto found = waits_.find(id);
  return found == waits_.end() ? std::nullopt : found->second.until;
}

std::optional<Picoseconds> SharedTime::next_wakeup() const {
  std::optional<Picoseconds> next;
  for (const auto& [id, waiting] : waits_) {
    if (waiting.until && (!next || *waiting.until < *next)) next = waiting.until;
  }
  return next;
}

std::vector<SharedTime::WaitId> SharedTime::due(Picoseconds now) const {
  std::vector<std::pair<Picoseconds, WaitId>> found;
  for (const auto& [id, waiting] : waits_) {
    if (waiting.until && *waiting.until <= now) found.emplace_back(*waiting.until, id);
  }
  std::ranges::sort(found);
  std::vector<WaitId> ids;
  for (const auto& [when, id] : found) ids.push_back(id);
  return ids;
}

bool SharedTime::anybody_works() const {
  return std::ranges::any_of(processes_, [&](const auto& joined) {
    return called_.contains(joined.first) ||
           std::ranges::none_of(waits_, [&](const auto& entry) { return entry.second.process == joined.first; });
  });
}

bool SharedTime::anybody_in(Wait wait) const {
  return std::ranges::any_of(waits_, [&](const auto& entry) { return entry.second.wait == wait; });
}

SharedTime::Pass SharedTime::pass(bool counting) const {
  const bool works = anybody_works();
  if (!works && anybody_in(Wait::sleep)) return Pass::at_once;
  return anybody_in(Wait::sleep) || anybody_in(Wait::poll) || (works && counting) ? Pass::with_the_wall
                                                                                  : Pass::not_at_all;
}

int SharedTime::patience_ms() const {
  // On a busy machine a working program needs time to start, to load its libraries and to print. So does a program that
  // a signal will wake up because its child has ended.
  constexpr int kLong = 2000;
  constexpr int kShort = 30;
  return anybody_works() ? kLong : kShort;
}

}  // namespace pmufab::shell
