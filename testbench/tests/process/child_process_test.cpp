// SPDX-License-Identifier: Apache-2.0
// How children of this process end.

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

#include "testbench/process/child_process.h"

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

}  // namespace
}  // namespace pmufab::process
