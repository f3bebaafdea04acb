// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// Who in the shell waits for simulated time, and when it may pass.
///
/// Programs work in no simulated time: it stands still while one that joined (perf, and what it starts) does anything.
/// When all of them wait, it passes: at once up to the next instant somebody sleeps for; and with the clock on the
/// wall, scaled, while nobody is in such a hurry. So does it when a program works for long without waiting, if that
/// matters to anybody.
///
/// One whose child has ended will hear of it, and counts as working from then on.
class SharedTime {
 public:
  enum class Wait : std::uint8_t {
    child,  ///< for another process
    sleep,  ///< for time and nothing else
    poll,   ///< for time at most
  };
  enum class Pass : std::uint8_t {
    not_at_all,     ///< nobody is interested
    at_once,        ///< up to next_wakeup()
    with_the_wall,  ///< once nothing has happened for patience_ms()
  };
  using WaitId = int;  ///< of the caller's choice, unique among those under way

  /// @param parent  who waits for it
  void join(pid_t process, pid_t parent) { processes_.emplace(process, parent); }
  void leave(pid_t process);
  [[nodiscard]] bool has_joined(pid_t process) const { return processes_.contains(process); }
  [[nodiscard]] std::vector<pid_t> processes() const;

  /// @param until  simulated time; nothing for Wait::child
  void begin_wait(WaitId id, pid_t process, Wait wait, std::optional<Picoseconds> until);
  void end_wait(WaitId id);
  [[nodiscard]] bool is_waiting(WaitId id) const { return waits_.contains(id); }
  /// When that wait is over; nothing if that is no matter of time.
  [[nodiscard]] std::optional<Picoseconds> wakeup(WaitId id) const;
  [[nodiscard]] std::optional<Picoseconds> next_wakeup() const;
  /// Those whose time has come, in the order of their times.
  [[nodiscard]] std::vector<WaitId> due(Picoseconds now) const;

  [[nodiscard]] bool anybody_works() const;
  /// @param counting  events are open: time matters also while programs work and nobody waits for it
  [[nodiscard]] Pass pass(bool counting) const;
  [[nodiscard]] int patience_ms() const;
  /// Whoever was to hear of a child's end has had patience_ms() for it: it waits for something else.
  void give_up() { called_.clear(); }

 private:
  struct Waiting {
    pid_t process;
    Wait wait;
    std::optional<Picoseconds> until;
  };
  [[nodiscard]] bool anybody_in(Wait wait) const;

  std::map<pid_t, pid_t> processes_;  // and their parents
  std::map<WaitId, Waiting> waits_;
  std::set<pid_t> called_;  // a child has ended, which their wait may be about
};

}  // namespace pmufab::shell
