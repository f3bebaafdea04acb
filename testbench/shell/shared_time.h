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
/// wall, scaled, while nobody is in such a hurry. So does it when a program works for long without waiting.
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

  void join(pid_t process) { processes_.insert(process); }
  void leave(pid_t process);
  [[nodiscard]] bool has_joined(pid_t process) const { return processes_.contains(process); }

  /// @param until  simulated time; nothing for Wait::child
  void begin_wait(WaitId id, pid_t process, Wait wait, std::optional<Picoseconds> until);
  void end_wait(WaitId id);
  [[nodiscard]] bool is_waiting(WaitId id) const { return waits_.contains(id); }
  /// When that wait is over; nothing if that is no matter of time.
  [[nodiscard]] std::optional<Picoseconds> wakeup(WaitId id) const;
  [[nodiscard]] std::optional<Picoseconds> next_wakeup() const;
  /// Those whose time has come, in the order of their times.
  [[nodiscard]] std::vector<WaitId> due(Picoseconds now) const;

  [[nodiscard]] Pass pass() const;
  [[nodiscard]] int patience_ms() const;

 private:
  struct Waiting {
    pid_t process;
    Wait wait;
    std::optional<Picoseconds> until;
  };
  [[nodiscard]] bool anybody_works() const;
  [[nodiscard]] bool anybody_in(Wait wait) const;

  std::set<pid_t> processes_;
  std::map<WaitId, Waiting> waits_;
  bool news_underway_ = false;  // that a process has ended, to its parent
};

}  // namespace pmufab::shell
