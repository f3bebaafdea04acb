// SPDX-License-Identifier: Apache-2.0
#include "testbench/shell/program_timers.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>

namespace pmufab::shell {
namespace {

/// What a descriptor has counted, which its reader has not seen, is forgotten when the timer is set again.
/// The simulator must not wait here: the program may read the descriptor at the same time.
void empty(int descriptor) {
  std::uint64_t count = 0;
  const iovec part{&count, sizeof(count)};
  [[maybe_unused]] const ssize_t got = preadv2(descriptor, &part, 1, -1, RWF_NOWAIT);
}

}  // namespace

ProgramTimers::~ProgramTimers() {
  for (const auto& [key, timer] : timers_) close_descriptor(timer);
}

void ProgramTimers::close_descriptor(const Timer& timer) {
  if (timer.notice.descriptor >= 0) close(timer.notice.descriptor);
}

ProgramTimers::Number ProgramTimers::make(pid_t process, const Notice& notice) {
  constexpr std::ptrdiff_t kMost = 1000;
  const auto count =
      std::count_if(timers_.begin(), timers_.end(), [&](const auto& entry) { return entry.second.process == process; });
  if (count >= kMost) return 0;
  timers_[key_of(process, ++last_)] = {.process = process, .notice = notice};
  return last_;
}

std::optional<ProgramTimers::Setting> ProgramTimers::get(pid_t process, Number number, Picoseconds now) const {
  const auto found = timers_.find(key_of(process, number));
  if (found == timers_.end()) return number == kOwn ? std::optional<Setting>(Setting{}) : std::nullopt;
  const Timer& timer = found->second;
  Setting setting{.left = 0, .interval = timer.interval};
  if (timer.until) setting.left = *timer.until > now ? *timer.until - now : 1;
  return setting;
}

void ProgramTimers::set(pid_t process, Number number, const Setting& setting, Picoseconds now) {
  Timer& timer = timers_[key_of(process, number)];
  if (number == kOwn) timer = {.process = process, .notice = {.signal = SIGALRM}};
  if (timer.notice.descriptor >= 0) empty(timer.notice.descriptor);
  timer.until.reset();
  if (setting.left > 0) timer.until = now + setting.left;
  timer.interval = setting.interval;
}

bool ProgramTimers::drop(Number number) {
  const auto found = timers_.find(key_of(0, number));
  if (found == timers_.end() || number == kOwn) return false;
  close_descriptor(found->second);
  timers_.erase(found);
  return true;
}

void ProgramTimers::forget(pid_t process, bool has_ended) {
  std::erase_if(timers_, [&](const auto& entry) {
    const auto& [key, timer] = entry;
    if (timer.process != process || (key.second == kOwn && !has_ended)) return false;
    if (timer.notice.descriptor >= 0 && !has_ended) return false;  // it may be handed on
    close_descriptor(timer);
    return true;
  });
}

std::optional<Picoseconds> ProgramTimers::next() const {
  std::optional<Picoseconds> first;
  for (const auto& [key, timer] : timers_) {
    if (timer.until && (!first || *timer.until < *first)) first = timer.until;
  }
  return first;
}

/// The kernel sends a process the signals of another one only with such a code as a timer's.
void ProgramTimers::tell(const Timer& timer, std::uint64_t times) {
  if (timer.notice.signal == 0) {
    [[maybe_unused]] const ssize_t written = write(timer.notice.descriptor, &times, sizeof(times));
    return;
  }
  siginfo_t info{};
  info.si_signo = timer.notice.signal;
  info.si_code = SI_TIMER;
  info.si_value.sival_ptr = reinterpret_cast<void*>(timer.notice.value);  // NOLINT(performance-no-int-to-ptr)
  if (timer.notice.thread != 0) {
    syscall(SYS_rt_tgsigqueueinfo, timer.process, timer.notice.thread, timer.notice.signal, &info);
  } else {
    syscall(SYS_rt_sigqueueinfo, timer.process, timer.notice.signal, &info);
  }
}

bool ProgramTimers::ring(Picoseconds now) {
  bool rang = false;
  for (auto& [key, timer] : timers_) {
    if (!timer.until || *timer.until > now) continue;
    const std::uint64_t times = timer.interval == 0 ? 1 : (now - *timer.until) / timer.interval + 1;
    if (timer.interval == 0) {
      timer.until.reset();
    } else {
      *timer.until += times * timer.interval;
    }
    tell(timer, times);
    rang = true;
  }
  return rang;
}

}  // namespace pmufab::shell
