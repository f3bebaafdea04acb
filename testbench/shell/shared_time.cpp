#include "testbench/shell/shared_time.h"

#include <algorithm>

namespace pmufab::shell {

void SharedTime::leave(pid_t process) {
  processes_.erase(process);
  news_underway_ = !waits_.empty();
}

void SharedTime::end_wait(WaitId id) {
  waits_.erase(id);
  news_underway_ = false;
}

void SharedTime::begin_wait(WaitId id, pid_t process, Wait wait, std::optional<Picoseconds> until) {
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
  std::sort(found.begin(), found.end());
  std::vector<WaitId> ids;
  for (const auto& [when, id] : found) ids.push_back(id);
  return ids;
}

bool SharedTime::anybody_works() const {
  return std::any_of(processes_.begin(), processes_.end(), [&](pid_t process) {
    return std::none_of(waits_.begin(), waits_.end(),
                        [&](const auto& entry) { return entry.second.process == process; });
  });
}

bool SharedTime::anybody_in(Wait wait) const {
  return std::any_of(waits_.begin(), waits_.end(), [&](const auto& entry) { return entry.second.wait == wait; });
}

SharedTime::Pass SharedTime::pass() const {
  const bool works = anybody_works();
  if (!works && anybody_in(Wait::sleep)) return Pass::at_once;
  return works || anybody_in(Wait::sleep) || anybody_in(Wait::poll) ? Pass::with_the_wall : Pass::not_at_all;
}

int SharedTime::patience_ms() const {
  // A program that works is given time to start, to load its libraries, to print, on a busy machine, too; and so is the
  // parent of one that has ended, whom a signal will wake up.
  constexpr int kLong = 2000;
  constexpr int kShort = 30;
  return anybody_works() || news_underway_ ? kLong : kShort;
}

}  // namespace pmufab::shell
