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

/// Tracks who in the shell waits for simulated time, and decides when it may pass.
///
/// Programs work in no simulated time. Time stands still while a joined process (perf, and what it starts) is working.
/// When all of them wait, time passes: at once, up to the next instant for which a process sleeps; or scaled with the
/// wall clock, while no process sleeps. It also follows the wall clock when a program works for long without waiting,
/// if events are open or a process waits for time.
///
/// A process whose child has ended counts as working from then on, because it will be notified.
class SharedTime {
 public:
  enum class Wait : std::uint8_t {
    child,  ///< for another process
    sleep,  ///< for time and nothing else
    poll,   ///< for time at most
  };
  enum class Pass : std::uint8_t {
    not_at_all,     ///< no process is interested
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
  /// When that wait is over; nothing if it does not depend on time.
  [[nodiscard]] std::optional<Picoseconds> wakeup(WaitId id) const;
  [[nodiscard]] std::optional<Picoseconds> next_wakeup() const;
  /// Waits whose time has come, in the order of their times.
  [[nodiscard]] std::vector<WaitId> due(Picoseconds now) const;

  [[nodiscard]] bool anybody_works() const;
  /// @param counting  events are open: time matters also while programs work and nobody waits for it
  [[nodiscard]] Pass pass(bool counting) const;
  [[nodiscard]] int patience_ms() const;
  /// A process that was to be notified of its child's end has had patience_ms() to react: it waits for something else.
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
