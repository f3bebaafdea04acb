// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/program_timers.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "testbench/doors/shell/protocol.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/run/process/process_tree.h"

namespace pmufab::shell {
namespace {

/// Takes out of a pipe what nobody has read yet. The program may read it at the same time.
/// @return how often the timer rang since then
std::uint64_t take_back(int pipe) {
  int bytes = 0;
  std::uint64_t count = 0;
  if (ioctl(pipe, FIONREAD, &bytes) != 0 || bytes == 0) return 0;
  const process::Descriptor other(
      open(fmt::format("/proc/self/fd/{}", pipe).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return read(other.get(), &count, sizeof(count)) == sizeof(count) ? count : 0;
}

}  // namespace

ProgramTimers::~ProgramTimers() {
  for (const auto& [key, timer] : timers_) close_pipe(timer);
}

void ProgramTimers::close_pipe(const Timer& timer) {
  if (timer.notice.pipe >= 0) close(timer.notice.pipe);
}

ProgramTimers::Number ProgramTimers::make(pid_t process, const Notice& notice) {
  constexpr std::ptrdiff_t kMost = 1000;
  const auto count = std::ranges::count_if(timers_, [&](const auto& entry) { return entry.second.process == process; });
  if (count >= kMost) return 0;
  Number number = last_ + 1;
  struct stat status {};
  if (notice.pipe < 0) {
    last_ = number;
  } else if (fstat(notice.pipe, &status) == 0) {
    number = PMUFAB_SHELL_TIMER_FILE | status.st_ino;
  } else {
    return 0;
  }
  timers_[key_of(process, number)] = {.process = process, .notice = notice};
  return number;
}

std::optional<ProgramTimers::State> ProgramTimers::get(pid_t process, Number number, Picoseconds now) const {
  const auto found = timers_.find(key_of(process, number));
  if (found == timers_.end()) return number == kOwn ? std::optional<State>(State{}) : std::nullopt;
  const Timer& timer = found->second;
  State state{.setting = {.left = 0, .interval = timer.interval}, .clock = timer.notice.clock};
  if (timer.until) state.setting.left = *timer.until > now ? *timer.until - now : 1;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  state.overrun = static_cast<std::uint32_t>(std::min(timer.overrun, kMost));
  return state;
}

void ProgramTimers::set(pid_t process, Number number, const Setting& setting, Picoseconds now) {
  Timer& timer = timers_[key_of(process, number)];
  if (number == kOwn) timer = {.process = process, .notice = {.signal = SIGALRM}};
  if (timer.notice.pipe >= 0) take_back(timer.notice.pipe);  // it is forgotten
  timer.until.reset();
  if (setting.left > 0) timer.until = now + setting.left;
  timer.interval = setting.interval;
}

bool ProgramTimers::drop(Number number) {
  const auto found = timers_.find(key_of(0, number));
  if (found == timers_.end() || number == kOwn) return false;
  close_pipe(found->second);
  timers_.erase(found);
  return true;
}

std::vector<int> ProgramTimers::pipes() const {
  std::vector<int> all;
  for (const auto& [key, timer] : timers_) {
    if (timer.notice.pipe >= 0) all.push_back(timer.notice.pipe);
  }
  return all;
}

bool ProgramTimers::abandon(int pipe) {
  const auto found = std::ranges::find_if(timers_, [&](const auto& entry) { return entry.second.notice.pipe == pipe; });
  return pipe >= 0 && found != timers_.end() && drop(found->first.second);
}

void ProgramTimers::forget(pid_t process, bool has_ended) {
  std::erase_if(timers_, [&](const auto& entry) {
    const auto& [key, timer] = entry;
    return timer.process == process && timer.notice.pipe < 0 && (key.second != kOwn || has_ended);
  });
}

std::optional<Picoseconds> ProgramTimers::next() const {
  std::optional<Picoseconds> first;
  for (const auto& [key, timer] : timers_) {
    if (timer.until && (!first || *timer.until < *first)) first = timer.until;
  }
  return first;
}

void ProgramTimers::tell(Timer& timer, std::uint64_t times) {
  if (timer.notice.signal == 0) {
    const std::uint64_t sum = take_back(timer.notice.pipe) + times;
    [[maybe_unused]] const ssize_t written = write(timer.notice.pipe, &sum, sizeof(sum));
    return;
  }
  // A timer has one signal under way at most.
  if (timer.has_told && process::has_pending(timer.process, timer.notice.thread, timer.notice.signal)) {
    timer.overrun += times;
    return;
  }
  timer.has_told = true;
  timer.overrun = times - 1;
  send_signal(timer);
}

/// The kernel sends a process the signals of another one only with such a code as a timer's.
void ProgramTimers::send_signal(const Timer& timer) {
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
