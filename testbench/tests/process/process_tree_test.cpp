// SPDX-License-Identifier: Apache-2.0
#include "testbench/shell/process_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <gmock/gmock.h>

namespace pmufab::shell {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

pid_t start_child() {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  return child;
}

TEST(ProcessTree, children_are_those_of_all_threads_until_they_end) {
  EXPECT_THAT(living_children(getpid()), IsEmpty());
  const pid_t first = start_child();
  pid_t second = -1;
  bool ended = false;
  std::thread other([&] {
    second = start_child();
    EXPECT_THAT(living_children(getpid()), UnorderedElementsAre(first, second));
    EXPECT_EQ(parent_of(first), getpid());
    kill(first, SIGKILL);
    siginfo_t ignored;
    // It stays in its parent's list of children until the parent has collected it.
    waitid(P_PID, static_cast<id_t>(first), &ignored, WEXITED | WNOWAIT);
    EXPECT_THAT(living_children(getpid()), UnorderedElementsAre(second));
    ended = true;
  });
  other.join();
  EXPECT_TRUE(ended);
  kill(second, SIGKILL);
  for (const pid_t child : {first, second}) waitpid(child, nullptr, 0);
  EXPECT_THAT(living_children(getpid()), IsEmpty());
  EXPECT_THAT(living_children(first), IsEmpty());
  EXPECT_EQ(parent_of(first), 0);
}

}  // namespace
}  // namespace pmufab::shell
