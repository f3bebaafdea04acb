// SPDX-License-Identifier: Apache-2.0
#include <sys/prctl.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"
#include "testbench/tests/tools/driver_build.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// How a shell ends, and what it leaves behind.
class ShellEnd : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    temporary = folder / "tmp";
    fs::create_directory(temporary);
    // Become the parent of processes whose parent is killed, so that the test sees them.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  pid_t begin(const std::string& commands) {
    own_group = terminal.empty();
    return start(arguments(commands), {{"TMPDIR", temporary.string()}});
  }

  /// Wait until a file of this name exists and is not empty.
  std::string wait_for(const std::string& name) {
    for (int turn = 0; turn < 1500; ++turn) {
      std::string text = read(folder / name);
      if (text.ends_with('\n')) return text;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << name << " did not appear";
    return {};
  }

  /// No process and no file is left.
  void expect_clean() {
    int status = 0;
    const auto begun = std::chrono::steady_clock::now();
    while (waitpid(-1, &status, WNOHANG) >= 0) {  // until there is no child left
      ASSERT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20)) << "a process is left";
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(temporary)) left.push_back(entry.path().filename());
    EXPECT_THAT(left, IsEmpty());
  }

  /// @return the simulator, the first child of pmufab; ends the test if there is none
  pid_t simulator_of(pid_t pid) {
    std::istringstream children(read("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children"));
    pid_t simulator = 0;
    children >> simulator;
    if (simulator <= 0) throw std::runtime_error("there is no simulator");
    return simulator;
  }

  /// A terminal for the programs to come, and its keyboard.
  class Terminal {
   public:
    explicit Terminal(ShellEnd& test) : keyboard_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
      EXPECT_EQ(grantpt(keyboard_) | unlockpt(keyboard_), 0);
      test.terminal = ptsname(keyboard_);
    }
    ~Terminal() { close(keyboard_); }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    void type(const char* keys) const { EXPECT_EQ(::write(keyboard_, keys, std::strlen(keys)), std::strlen(keys)); }

   private:
    int keyboard_;
  };

  /// Wait until it has begun, and loads the drivers.
  void wait_until_it_starts() {
    const auto begun = std::chrono::steady_clock::now();
    while (fs::is_empty(temporary)) {
      ASSERT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void expect_never_ran(pid_t pid) {
    const Session session = finish_session(pid);
    EXPECT_EQ(session.outcome.exit_code, 1);
    EXPECT_EQ(session.outcome.out, "");
    EXPECT_EQ(session.outcome.err, "pmufab: stopped by a signal: the results are partial\n");
    EXPECT_FALSE(session.report.at("complete"));
    expect_clean();
  }

  static void expect_one_exact(const Session& session) {
    ASSERT_EQ(session.verdicts.size(), 1U) << session.outcome.err;
    EXPECT_EQ(session.verdicts[0].at("check"), "exact");
  }

  [[nodiscard]] std::string in(const std::string& name) const { return (folder / name).string(); }

  fs::path temporary;
};

TEST_F(ShellEnd, the_exit_code_is_the_commands) {
  EXPECT_EQ(type("exit 7").outcome.exit_code, 7);
  EXPECT_EQ(pmufab({"shell", platform.front(), "--", "/no/such/program"}).exit_code, 127);
}

TEST_F(ShellEnd, bad_input_is_said_before_anything_runs) {
  EXPECT_EQ(pmufab({"shell", platform.front(), "--time-scale", "0", "--", "true"}).exit_code, 2);
  EXPECT_THAT(ended(2, pmufab({"shell", in("none.yaml"), "--", "echo", "ran"})).out, Not(HasSubstr("ran")));
  // The dynamic loader would silently skip the library.
  const std::string blank_folder = (folder / "a b").string();
  fs::create_directory(blank_folder);
  EXPECT_THAT(ended(2, finish(start({"shell", platform.front(), "--", "echo", "ran"}, {{"TMPDIR", blank_folder}}))).out,
              Not(HasSubstr("ran")));
}

TEST_F(ShellEnd, a_temporary_folder_too_long_for_a_socket_is_bad_input) {
  const std::string long_folder = (folder / std::string(120, 'x')).string();
  fs::create_directory(long_folder);
  const Outcome outcome =
      ended(2, finish(start({"shell", platform.front(), "--", "echo", "ran"}, {{"TMPDIR", long_folder}})));
  EXPECT_THAT(outcome.out, Not(HasSubstr("ran")));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("too long for a socket"), HasSubstr("set TMPDIR to a shorter one")));
}

TEST_F(ShellEnd, verdicts_that_nobody_can_read_are_no_success) {
  const std::string count = "perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1 2>/dev/null";
  for (const char* where : {"closed", "/dev/full"}) {
    if (where[0] == '/' && !fs::is_character_file(where)) continue;
    errors = where;
    const Session session = type(count);
    EXPECT_EQ(session.outcome.exit_code, 2) << where;
    ASSERT_EQ(session.verdicts.size(), 1U) << "--json has them";
    EXPECT_EQ(session.verdicts[0].at("check"), "exact");
    EXPECT_EQ(pmufab({"shell", platform.front(), "--", "true"}).exit_code, 0) << "nothing had to be said";
  }
}

TEST_F(ShellEnd, a_number_that_is_no_event_is_no_silent_success) {
  const Session session = type("perf stat -a -e nvidia_ucf_pmu_0/event=0x1ff/ sleep 0.1");
  ASSERT_EQ(session.verdicts.size(), 1U) << session.outcome.err;
  EXPECT_EQ(session.verdicts[0].at("driver"), 0);
  EXPECT_THAT(session.verdicts[0].at("note"), HasSubstr("no such event"));
  EXPECT_THAT(session.outcome.err, HasSubstr("no such event"));
}

TEST_F(ShellEnd, control_c_ends_perf_which_prints_what_it_counted) {
  // The terminal's signal goes to all processes of the foreground, here to the process group.
  const pid_t pid = begin("echo begun >" + in("begun") + "; exec perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/");
  wait_for("begun");
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  kill(-pid, SIGINT);
  const Session session = finish_session(pid);
  EXPECT_EQ(session.outcome.exit_code, 128 + SIGINT) << session.outcome.err;
  EXPECT_THAT(session.outcome.err, AllOf(HasSubstr("Performance counter stats"), HasSubstr("seconds time elapsed")));
  ASSERT_EQ(session.verdicts.size(), 1U);
  EXPECT_EQ(session.verdicts[0].at("check"), "exact");
  EXPECT_GT(session.verdicts[0].at("driver"), 1000) << "time has passed with the clock on the wall";
  expect_clean();
}

TEST_F(ShellEnd, an_interrupt_sent_to_pmufab_alone_is_passed_on) {
  pid_t pid = begin("echo begun >" + in("begun") + "; exec perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/");
  wait_for("begun");
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  kill(pid, SIGINT);
  const Session session = finish_session(pid);
  EXPECT_EQ(session.outcome.exit_code, 128 + SIGINT) << session.outcome.err;
  EXPECT_THAT(session.outcome.err, HasSubstr("Performance counter stats"));
  expect_one_exact(session);
  EXPECT_TRUE(session.report.at("complete"));
  fs::remove(folder / "begun");
  pid = begin("ulimit -c 0; echo begun >" + in("begun") + "; exec sleep 100000");
  wait_for("begun");
  kill(pid, SIGQUIT);
  EXPECT_EQ(finish(pid).exit_code, 128 + SIGQUIT);
  expect_clean();
}

TEST_F(ShellEnd, control_c_on_a_terminal_is_for_the_program_that_runs) {
  const Terminal keys(*this);
  const pid_t pid = begin("echo begun >" + in("begun") + "; exec perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/");
  wait_for("begun");
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  keys.type("\x03");
  const Session session = finish_session(pid);
  EXPECT_EQ(session.outcome.exit_code, 128 + SIGINT) << session.outcome.err;
  expect_one_exact(session);
  expect_clean();
}

TEST_F(ShellEnd, a_signal_while_a_shell_starts_ends_it) {
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    const pid_t pid = begin("echo ran");
    wait_until_it_starts();
    kill(pid, signal);
    expect_never_ran(pid);
  }
  const Terminal keys(*this);
  const pid_t pid = begin("echo ran");
  wait_until_it_starts();
  keys.type("\x03");
  expect_never_ran(pid);
}

/// Programs that a signal does not end, or is kept from, end all the same.
TEST_F(ShellEnd, a_signal_ends_all_programs_and_keeps_the_verdicts) {
  const std::string count = "perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1;";
  const std::string obstinate = count + "trap '' TERM HUP; setsid sleep 100000 & (sleep 100000 &); echo begun >" +
                                in("begun") + "; while :; do sleep 100000; done";
  const std::string ready = count + "echo begun >" + in("begun") + "; sleep 100000";
  using Signals = std::vector<int>;
  for (const auto& [commands, signals] : {std::pair(obstinate, Signals{SIGTERM}),
                                          {obstinate, Signals{SIGHUP, SIGTERM}},
                                          {ready, Signals{SIGTERM}},
                                          {ready, Signals{SIGHUP}}}) {
    const pid_t pid = begin(commands);
    wait_for("begun");
    const auto told = std::chrono::steady_clock::now();
    for (const int signal : signals) {
      kill(pid, signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    const Session session = finish_session(pid);
    const auto taken = std::chrono::steady_clock::now() - told;
    const bool waits = commands == obstinate && signals.size() == 1;
    EXPECT_EQ(taken > std::chrono::seconds(4), waits) << "the grace time, unless there is another signal";
    EXPECT_EQ(session.outcome.exit_code, 1);
    EXPECT_THAT(session.outcome.err, ::testing::EndsWith("pmufab: stopped by a signal: the results are partial\n"));
    EXPECT_THAT(session.outcome.err, HasSubstr("check  event, in the order of closing"));
    expect_one_exact(session);
    EXPECT_FALSE(session.report.at("complete"));
    EXPECT_EQ(session.report.at("status"), "failed");
    expect_clean();
    fs::remove(folder / "begun");
    fs::remove(folder / "verdicts.json");
  }
}

TEST_F(ShellEnd, a_simulator_that_hangs_is_killed_and_its_verdicts_are_kept) {
  const pid_t pid = begin("perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1; echo begun >" + in("begun") +
                          "; exec sleep 100000");
  wait_for("begun");
  kill(simulator_of(pid), SIGSTOP);
  kill(pid, SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(pid, SIGTERM);
  const Session session = finish_session(pid);
  EXPECT_EQ(session.outcome.exit_code, 3);
  EXPECT_THAT(session.outcome.err, HasSubstr("the simulator died: stopped by the user; it did not answer"));
  expect_one_exact(session);
  EXPECT_FALSE(session.report.at("complete"));
  expect_clean();
}

TEST_F(ShellEnd, without_the_simulator_nothing_waits_for_ever) {
  const pid_t pid = begin("echo $PMUFAB_SHELL_SOCKET >" + in("begun") +
                          "; perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 100000; echo after $?");
  wait_for("begun");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(simulator_of(pid), SIGKILL);
  const Session session = finish_session(pid);
  EXPECT_EQ(session.outcome.exit_code, 3);
  EXPECT_THAT(session.outcome.out, HasSubstr("after"));
  EXPECT_THAT(session.outcome.err, AllOf(HasSubstr("the simulator of this shell has ended"),
                                         HasSubstr("the simulator died: its process was killed by signal 9")));
  expect_clean();
}

TEST_F(ShellEnd, without_pmufab_nothing_is_left) {
  const pid_t pid = begin("echo begun >" + in("begun") + "; exec sleep 100000");
  wait_for("begun");
  kill(pid, SIGKILL);
  finish(pid);
  expect_clean();
}

TEST_F(ShellEnd, a_killed_perf_leaves_the_counters_to_the_next) {
  const Session session =
      type("perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ -I 50 sleep 1000 2>" + in("log") + " & victim=$!;" +
           "until grep -q slc_access_rd " + in("log") + "; do /bin/true; done; kill -9 $victim; wait $victim;" +
           "perf stat -x, -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1 2>&1");
  expect_exact(session, 2);
  EXPECT_EQ(table(session.outcome.out).at(0).at(0),
            std::to_string(session.verdicts[1].at("driver").get<std::uint64_t>()));
}

TEST_F(ShellEnd, the_outcome_is_the_last_line) {
  const std::string count = "perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1";
  Session session = type(count);
  EXPECT_THAT(session.outcome.err, ::testing::EndsWith("\npmufab: PASSED: 1 counter, none wrong\n"));
  EXPECT_THAT(session.outcome.err, HasSubstr(" serves nvidia_ucf_pmu_0\n"));
  EXPECT_EQ(session.report.at("status"), "passed");
  EXPECT_EQ(session.report.at("counters_not_judged"), 0);
  EXPECT_EQ(type(count + "; exit 7").outcome.exit_code, 7);

  // No model makes this event happen, so nobody knows what it has to count.
  platform = {shipped("platforms/cmn600-small.yaml")};
  session = type("perf stat -a -e arm_cmn_0/hnf_seq_full/ sleep 0.1");
  ASSERT_EQ(session.verdicts.size(), 1U) << session.outcome.err;
  EXPECT_EQ(session.verdicts[0].at("check"), "unchecked");
  EXPECT_EQ(session.outcome.exit_code, 4);
  EXPECT_THAT(session.outcome.err, ::testing::EndsWith("\npmufab: NOT JUDGED: 1 counter, not judged\n"));
  EXPECT_EQ(session.report.at("status"), "not_judged");
  session = type("perf stat -a -e arm_cmn_0/hnf_seq_full/,arm_cmn_0/dtc_cycles/ sleep 0.1");
  EXPECT_EQ(session.outcome.exit_code, 0) << session.outcome.err;
  EXPECT_THAT(session.outcome.err, ::testing::EndsWith("\npmufab: PASSED: 2 counters, none wrong, 1 not judged\n"));
  EXPECT_EQ(session.report.at("counters_not_judged"), 1);
}

/// Counts can be right while a driver does something else wrong.
TEST_F(ShellEnd, refused_register_accesses_fail_a_shell_as_they_fail_a_run) {
  // The driver programs no event group. Without traffic, 0 is right all the same.
  platform = {shipped("platforms/cxl-typical.yaml")};
  const Session session = type("perf stat -a -e cxl_pmu_mem0.0/m2s_req_memrd/ sleep 0.01");
  ASSERT_EQ(session.verdicts.size(), 1U) << session.outcome.err;
  EXPECT_EQ(session.verdicts[0].at("check"), "exact");
  EXPECT_EQ(session.outcome.exit_code, 1);
  EXPECT_THAT(session.outcome.err, HasSubstr("pmufab: register_accesses: "));
  ASSERT_EQ(session.report.at("failures").size(), 1U) << session.report;
  const std::string failure = session.report.at("failures")[0];

  EXPECT_THAT(ended(1, pmufab({"stat", "--platform", platform.front(), "-e", "cxl_pmu_mem0.0/m2s_req_memrd/"})).out,
              HasSubstr("FAILED " + failure))
      << "pmufab stat says the same";
}

/// Sessions with a driver of the newest kernel, changed.
class ShellOwnDriver : public ShellEnd {
 protected:
  /// Replace `old` by `other` in the first line that has both it and `word`, and use the driver.
  /// @param file  of the kernel's drivers; if none is named, that of the UCF's PMU
  void change(const std::string& word, const std::string& old, const std::string& other,
              const std::string& file = "nvidia_cspmu.c") {
    fs::path original;
    for (const auto& entry : fs::recursive_directory_iterator(PMUFAB_LINUX_SOURCES)) {
      if (entry.path().filename() == file && entry.path().string() > original.string()) original = entry.path();
    }
    ASSERT_FALSE(original.empty());
    std::string text = read(original);
    const std::size_t line = text.find(word);
    ASSERT_NE(line, std::string::npos);
    const std::size_t at = text.find(old, line);
    ASSERT_LT(at, text.find('\n', line));
    text.replace(at, old.size(), other);
    setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    const Outcome built = pmufab(driver_build(
        write(file, text), original.lexically_relative(PMUFAB_LINUX_SOURCES).begin()->string(), in("own.so")));
    ASSERT_EQ(built.exit_code, 0) << built.err;
    platform.insert(platform.end(), {"--driver", in("own.so")});
  }
};

/// A driver's mistake shows in the real perf's count, and in the verdict.
TEST_F(ShellOwnDriver, a_wrong_count_is_told_and_is_the_exit_code) {
  ASSERT_NO_FATAL_FAILURE(change("define NV_UCF_FILTER_SRC", "(2, 0)", "(1, 0)"));  // one source bit too few
  const Session session = type("perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1");
  EXPECT_EQ(session.outcome.exit_code, 1);
  ASSERT_EQ(session.verdicts.size(), 1U) << session.outcome.err;
  EXPECT_EQ(session.verdicts[0].at("check"), "wrong");
  EXPECT_LT(session.verdicts[0].at("driver"), session.verdicts[0].at("expected"));
  EXPECT_THAT(session.outcome.err, AllOf(HasSubstr("WRONG"), HasSubstr("missing")));
}

TEST_F(ShellOwnDriver, an_event_is_judged_whatever_the_driver_calls_it) {
  const std::string event = "ARM_CSPMU_EVENT_ATTR(slc_access_rd,";
  ASSERT_NO_FATAL_FAILURE(change(event, event, "ARM_CSPMU_EVENT_ATTR(llc_read, 0x111), " + event));
  const Session session = type("perf stat -a -e nvidia_ucf_pmu_0/llc_read/,nvidia_ucf_pmu_0/event=0x111/ sleep 0.1");
  expect_exact(session, 2);
  EXPECT_GT(session.verdicts.at(0).at("driver"), 100);
  EXPECT_EQ(session.verdicts.at(0).at("event"), "nvidia_ucf_pmu_0/llc_read/");
}

TEST_F(ShellEnd, a_sleep_beyond_the_end_of_time_is_refused) {
  platform = {shipped("platforms/tegra410-1s-small.yaml")};  // nothing happens there, so time leaps
  for (const char* seconds : {"1e11", "1e12"}) {
    const Session session = type("sleep 1; sleep " + std::string(seconds));
    EXPECT_EQ(session.outcome.exit_code, 1) << seconds;
    EXPECT_THAT(session.outcome.err,
                AllOf(HasSubstr("pmufab: this sleep is too long: simulated time ends "),
                      HasSubstr(" seconds of this program from now"), HasSubstr("Invalid argument")));
  }
}

TEST_F(ShellEnd, programs_that_do_not_see_the_platform_are_told) {
  const std::string told = std::string(PMUFAB_STATIC_PROGRAM) + " is statically linked: it runs on the host";
  EXPECT_THAT(type("echo; " PMUFAB_STATIC_PROGRAM).outcome.err, HasSubstr(told)) << "by the shell";
  EXPECT_THAT(type("env " PMUFAB_STATIC_PROGRAM).outcome.err, HasSubstr(told)) << "by execvp()";
  EXPECT_THAT(pmufab({"shell", "--", PMUFAB_STATIC_PROGRAM}).err, HasSubstr(told)) << "as the first command";
  EXPECT_THAT(type("true; ls; env true").outcome.err, Not(HasSubstr("on the host")));
  if (geteuid() != 0) return;  // others cannot make such a program
  const std::string own = (folder / "own").string();
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  fs::copy("/bin/true", own);
  ASSERT_EQ(chown(own.c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(own.c_str(), 04755), 0);
  EXPECT_THAT(type("true; " + own).outcome.err, HasSubstr(own + " runs as another user: it runs on the host"));
}

TEST_F(ShellEnd, every_way_to_start_a_program_tells_of_those_that_do_not_see_the_platform) {
  const std::string told = std::string(PMUFAB_STATIC_PROGRAM) + " is statically linked: it runs on the host";
  const std::string script = write("script", "#!/bin/sh\necho $# $1 $2 $PMUFAB_TEST\n");
  ASSERT_EQ(chmod(script.c_str(), 0755), 0);
  std::string all;
  std::string wanted;
  for (const auto& [function, environment] : {std::pair("execl", ""),
                                              {"execlp", ""},
                                              {"execle", " new"},
                                              {"fexecve", " new"},
                                              {"execveat", " new"},
                                              {"execveat-empty", " new"}}) {
    const std::string start = std::string(PMUFAB_EXEC_PROGRAM " ") + function + " ";
    EXPECT_THAT(type(start + PMUFAB_STATIC_PROGRAM "; true").outcome.err, HasSubstr(told)) << function;
    all += start + script + ";";
    wanted += std::string("2 one two") + environment + "\n";
  }
  const Session session = type(all);
  EXPECT_EQ(session.outcome.out, wanted);
  EXPECT_THAT(session.outcome.err, Not(HasSubstr("on the host")));
}

TEST_F(ShellOwnDriver, an_interrupt_that_no_handler_clears_fails_a_shell_as_it_fails_a_run) {
  ASSERT_NO_FATAL_FAILURE(change("bool handled = false;", "bool handled = false;",
                                 "return IRQ_NONE; bool handled = false;", "arm_cspmu.c"));
  platform.insert(platform.end(), {"--set", "platform.tegra410.ucf_pmu.width=16"});
  const Session session = type("perf stat -a -e nvidia_ucf_pmu_0/cycles/ sleep 0.1");
  EXPECT_EQ(session.outcome.exit_code, 1);
  EXPECT_THAT(session.outcome.err, HasSubstr("pmufab: interrupts: 1 disabled: no handler cleared the interrupt"));
}

/// Since 7.3 the second filter of node events lies in the bits of a watchpoint's terms.
TEST_F(ShellEnd, watchpoints_are_told_from_node_events) {
  platform = {shipped("platforms/cmn600-small.yaml"), "--set",
              "mesh_traffic=[{name: all, pattern: uniform, rate: 0.1, channel: req}]"};
  const std::string up =
      "-e arm_cmn_0/watchpoint_up,wp_dev_sel=1,wp_chn_sel=0,wp_grp=0,wp_val=0,wp_mask=0xffffffffffffffff";
  const Session one = type("perf stat -a " + up + "/ sleep 0.1");
  expect_exact(one, 1);
  EXPECT_GT(one.verdicts.at(0).at("driver"), 1000);
  const Session two = type("perf stat -a " + up + ",wp_combine=1/ sleep 0.1");
  ASSERT_EQ(two.verdicts.size(), 1U) << two.outcome.err;
  EXPECT_THAT(two.verdicts[0].at("event").get<std::string>(),
              AllOf(HasSubstr("wp_combine=0x1"), ::testing::Not(HasSubstr("filter"))));
}

}  // namespace
}  // namespace pmufab::testing
