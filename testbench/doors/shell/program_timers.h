// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// The timers that programs have set in simulated time: alarm(2), setitimer(2), timer_create(2), timerfd_create(2).
class ProgramTimers {
 public:
  /// What happens when a timer rings.
  struct Notice {
    int signal = 0;  ///< 0: the pipe tells
    std::uint64_t value = 0;
    pid_t thread = 0;         ///< that gets the signal; 0: the process
    int pipe = -1;            ///< the end written to; programs have copies of the other one
    std::uint32_t clock = 0;  ///< of a timer with a pipe
  };
  struct Setting {
    Picoseconds left = 0;      ///< 0: it does not ring
    Picoseconds interval = 0;  ///< 0: it rings once
  };
  /// How a timer stands.
  struct State {
    Setting setting{};
    std::uint32_t clock = 0;
    std::uint32_t overrun = 0;  ///< how often it rang, while the last signal was waiting for the program
  };
  using Number = std::uint64_t;      ///< from 1; of a timer with a pipe: the protocol's
  static constexpr Number kOwn = 0;  ///< of each process, with SIGALRM

  ProgramTimers() = default;
  ~ProgramTimers();
  ProgramTimers& operator=(ProgramTimers&&) = delete;

  /// Takes the notice's pipe. @return 0: the process has too many
  Number make(pid_t process, const Notice& notice);
  /// @return how a timer stands; nothing if there is none of that number
  [[nodiscard]] std::optional<State> get(pid_t process, Number number, Picoseconds now) const;
  void set(pid_t process, Number number, const Setting& setting, Picoseconds now);
  /// @return false if there is none
  bool drop(Number number);
  /// The process has begun another program, which has its own timer alone, or has ended. Timers with a pipe do not depend
  /// on processes.
  void forget(pid_t process, bool has_ended);

  /// The pipes' ends. poll(2) gives POLLERR when no copy of the other end is left.
  [[nodiscard]] std::vector<int> pipes() const;
  /// Nobody can read that pipe any more. @return false if it is no timer's
  bool abandon(int pipe);

  /// When the first one rings.
  [[nodiscard]] std::optional<Picoseconds> next() const;
  /// Let those ring whose time has come. @return whether there were any
  bool ring(Picoseconds now);

 private:
  struct Timer {
    pid_t process = 0;
    Notice notice{};
    std::optional<Picoseconds> until{};
    Picoseconds interval = 0;
    bool has_told = false;
    std::uint64_t overrun = 0;
  };
  using Key = std::pair<pid_t, Number>;  // 0 and a number, or a process and kOwn
  static Key key_of(pid_t process, Number number) { return {number == kOwn ? process : 0, number}; }
  static void tell(Timer& timer, std::uint64_t times);
  static void send_signal(const Timer& timer);
  static void close_pipe(const Timer& timer);

  std::map<Key, Timer> timers_;
  Number last_ = 0;
};

}  // namespace pmufab::shell
