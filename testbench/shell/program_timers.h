// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// The timers that programs have set in simulated time: alarm(2), setitimer(2), timer_create(2), timerfd_create(2).
class ProgramTimers {
 public:
  /// What happens when a timer rings.
  struct Notice {
    int signal = 0;  ///< 0: the descriptor counts
    std::uint64_t value = 0;
    pid_t thread = 0;  ///< that gets the signal; 0: the process
    int descriptor = -1;
  };
  struct Setting {
    Picoseconds left = 0;      ///< 0: it does not ring
    Picoseconds interval = 0;  ///< 0: it rings once
  };
  using Number = std::uint64_t;      ///< from 1
  static constexpr Number kOwn = 0;  ///< of each process, with SIGALRM

  ProgramTimers() = default;
  ~ProgramTimers();
  ProgramTimers(const ProgramTimers&) = delete;
  ProgramTimers& operator=(const ProgramTimers&) = delete;

  /// Takes the notice's descriptor. @return 0: the process has too many
  Number make(pid_t process, const Notice& notice);
  /// @return how a timer stands; nothing if there is none of that number
  [[nodiscard]] std::optional<Setting> get(pid_t process, Number number, Picoseconds now) const;
  void set(pid_t process, Number number, const Setting& setting, Picoseconds now);
  /// @return false if there is none
  bool drop(Number number);
  /// The process has begun another program, which has its own timer alone, or has ended.
  void forget(pid_t process, bool has_ended);

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
  };
  using Key = std::pair<pid_t, Number>;  // 0 and a number, or a process and kOwn
  static Key key_of(pid_t process, Number number) { return {number == kOwn ? process : 0, number}; }
  static void tell(const Timer& timer, std::uint64_t times);
  static void close_descriptor(const Timer& timer);

  std::map<Key, Timer> timers_;
  Number last_ = 0;
};

}  // namespace pmufab::shell
