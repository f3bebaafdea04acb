// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "testbench/doors/shell/program_timers.h"
#include "testbench/doors/shell/protocol.h"
#include "testbench/doors/shell/shared_time.h"
#include "testbench/doors/shell/shell_service.h"
#include "testbench/doors/shell/time_scale.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/run/process/time_slice.h"

namespace pmufab::shell {

/// The simulator's end of the sockets (protocol.h): answers the programs in the shell, one question at a time, and lets
/// simulated time pass between questions.
class ShellServer {
 public:
  struct Options {
    std::filesystem::path socket;    ///< made here; its folder is nobody else's
    double time_scale = kTimeScale;  ///< simulated seconds per second of programs
    bool simulated_clock = false;    ///< clocks of all programs show simulated time: all of them are waited for
    int stop = -1;                   ///< file descriptor: at its end serve() returns
    pid_t starter = 0;               ///< the process that starts all programs of the shell; 0: they are not looked for
  };

  /// @throws std::system_error, also for a path that is too long
  ShellServer(const Options& options, ShellService& service);
  ~ShellServer();
  ShellServer& operator=(ShellServer&&) = delete;

  /// Serve until told to stop. In a SystemC thread process.
  void serve();
  /// Serve what has arrived, or arrives within a time, and let simulated time pass if it may. In a SystemC thread process.
  /// @param timeout_ms  negative: wait as long as it takes
  void serve_once(int timeout_ms);

 private:
  using WallClock = std::chrono::steady_clock;

  /// Receive and answer what has arrived. @return true if it may change who works, who waits, or which events are open
  bool look(int timeout_ms);
  bool serve_file(int file);
  void accept_one();
  bool serve_connection(int socket, pid_t process);
  void drop_connection(int socket);
  void end_process(pid_t process);
  void serve_event(int socket, ShellService::Handle handle);
  void ask_event(const pmufab_shell_request& request, pmufab_shell_reply& reply);
  void answer(int socket, pid_t process, const pmufab_shell_request& request);
  void open_event(int socket, pid_t process, const pmufab_shell_request& request);
  void access_config(const pmufab_shell_request& request, pmufab_shell_reply& reply);
  void begin_wait(int socket, pid_t process, const pmufab_shell_request& request);
  void join(pid_t process);
  void join_children();
  void wake_up();
  void answer_of_timers(int socket, pid_t process, const pmufab_shell_request& request);
  void make_timer(int socket, pid_t process, const pmufab_shell_request& request);
  void set_timer(pid_t process, const pmufab_shell_request& request, pmufab_shell_reply& reply);
  [[nodiscard]] std::vector<pollfd> files() const;
  [[nodiscard]] SharedTime::Pass pass() const;
  [[nodiscard]] std::optional<Picoseconds> next_wakeup() const;
  [[nodiscard]] bool all_programs_wait() const;
  [[nodiscard]] bool anybody_computes();
  [[nodiscard]] bool anybody_runs() const;
  void read_clock(pmufab_shell_reply& reply);
  [[nodiscard]] int timeout_ms() const;
  [[nodiscard]] std::chrono::milliseconds quiet() const;
  void pass_at_once();
  void pass_with_the_wall();
  /// Simulate, rotating events meanwhile.
  void advance(Picoseconds span);

  double scale_;
  bool simulated_clock_;
  int stop_;
  pid_t starter_;
  ShellService& service_;
  SharedTime time_;
  ProgramTimers timers_;
  process::Descriptor listener_;
  bool stopped_ = false;
  std::map<int, pid_t> connections_;  // by socket
  std::set<int> answered_;            // of them, whose wait is over, and which are still open
  std::map<int, ShellService::Handle> event_sockets_;
  std::set<std::uint64_t> open_events_;                 // those of event_sockets_, by number
  std::map<int, pid_t> processes_;                      // that joined, by pidfd
  bool children_known_ = false;                         // those of processes_, since the last news
  bool all_wait_ = false;                               // the programs of the shell, since the last news
  WallClock::time_point last_news_ = WallClock::now();  // or the last time that passed with the wall
  WallClock::time_point accept_again_;  // when connections are looked at again, if there was no room for one
  process::TimeSlice slice_;
};

}  // namespace pmufab::shell
