// SPDX-License-Identifier: Apache-2.0
// How children of this process end.

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

#include "testbench/run/process/child_process.h"

namespace pmufab::process {
namespace {

constexpr int kCode = 7;

/// @return the code of the exception; none if there was none
template <typename Work>
std::optional<std::errc> error_of(const Work& work) {
  try {
    work();
  } catch (const std::system_error& error) {
    return static_cast<std::errc>(error.code().value());
  }
  return std::nullopt;
}

TEST(ChildProcess, gives_the_code_it_ended_with) {
  EXPECT_EQ(process_end(wait_for(start_child([] { return kCode; }))).status, kCode);
  const pid_t child = start_child([] { return kCode; });
  std::optional<int> status;
  while (!status) status = ended(child);
  EXPECT_TRUE(WIFEXITED(*status));
  EXPECT_EQ(WEXITSTATUS(*status), kCode);
}

TEST(ChildProcess, that_is_traced_and_stops_has_not_ended) {
  const pid_t child = start_child([] {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    return kCode;
  });
  siginfo_t stopped{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &stopped, WSTOPPED | WNOWAIT), 0);
  EXPECT_EQ(ended(child), std::nullopt);
  kill(child, SIGKILL);
  EXPECT_EQ(process_end(wait_for(child)).status, SIGKILL);
}

TEST(ChildProcess, that_does_not_answer_the_request_to_end_is_killed_by_it) {
  ProcessEnd end;
  end.status = SIGINT;
  EXPECT_FALSE(is_killed(end));
  end.asked = true;
  EXPECT_TRUE(is_killed(end));
  end.timed_out = true;
  EXPECT_NE(describe(end).find("--timeout"), std::string::npos);
}

TEST(ChildProcess, that_runs_has_not_ended) {
  const pid_t child = start_child([] {
    while (true) pause();
    return kCode;
  });
  EXPECT_EQ(ended(child), std::nullopt);
  kill(child, SIGKILL);
  EXPECT_EQ(process_end(wait_for(child)).status, SIGKILL);
}

TEST(ChildProcess, ends_with_its_parent_even_if_that_has_ended_before) {
  const pid_t other = getpid() + 1;
  const int status = wait_for(start_child([&] {
    end_with(other, SIGKILL);
    return kCode;
  }));
  EXPECT_EQ(process_end(status).status, EXIT_FAILURE) << "its parent is not that one any more";
  const pid_t parent = getpid();
  const int stayed = wait_for(start_child([&] {
    end_with(parent, SIGKILL);
    return kCode;
  }));
  EXPECT_EQ(process_end(stayed).status, kCode);
}

TEST(ChildProcess, whose_end_the_system_does_not_keep_is_an_error) {
  std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(error_of([] { wait_for(start_child([] { return kCode; })); }), std::errc::no_child_process);
  const pid_t child = start_child([] { return kCode; });
  const auto look_until_it_is_gone = [&] {
    while (!ended(child)) {
    }
  };
  EXPECT_EQ(error_of(look_until_it_is_gone), std::errc::no_child_process);
  std::signal(SIGCHLD, SIG_DFL);
}

TEST(GuardedWork, tells_a_text_of_any_length_beside_its_code_and_its_errors) {
  const std::string text(1U << 20, 'x');
  const GuardedEnd end = run_guarded({}, [&](std::string& told) {
    told = text;
    std::fputs("an error\n", stderr);
    return kCode;
  });
  EXPECT_TRUE(end.finished);
  EXPECT_EQ(end.process.status, kCode);
  EXPECT_TRUE(end.told == text);
  EXPECT_EQ(end.errors, "an error\n");
}

TEST(GuardedWork, that_ends_its_process_has_not_finished) {
  for (const bool is_killed : {false, true}) {
    const GuardedEnd end = run_guarded({}, [&](std::string& told) {
      told = "never";
      if (is_killed) raise(SIGKILL);
      _exit(0);
      return kCode;
    });
    EXPECT_FALSE(end.finished);
    EXPECT_EQ(end.told, "");
    EXPECT_FALSE(end.process.timed_out);
  }
}

TEST(GuardedWork, that_takes_too_long_is_killed) {
  const GuardedEnd end = run_guarded({.shows_output = false, .patience = std::chrono::seconds(1)}, [](std::string&) {
    std::fputs("some words\n", stdout);
    std::fflush(stdout);
    while (true) pause();
    return kCode;
  });
  EXPECT_FALSE(end.finished);
  EXPECT_TRUE(end.process.timed_out);
  EXPECT_EQ(end.process.status, SIGKILL);
  EXPECT_EQ(end.errors, "some words\n") << "output that is not shown is kept";
}

}  // namespace
}  // namespace pmufab::process
