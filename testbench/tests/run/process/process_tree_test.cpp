// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/process_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <gmock/gmock.h>

namespace pmufab::process {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

pid_t start_waiting_child() {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  return child;
}

TEST(ProcessTree, children_are_those_of_all_threads_until_they_end) {
  EXPECT_THAT(living_children(getpid()), IsEmpty());
  const pid_t first = start_waiting_child();
  pid_t second = -1;
  bool ended = false;
  std::thread other([&] {
    second = start_waiting_child();
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

/// A child that starts another one in a session of its own, and ends. @return its process id
pid_t start_child_that_leaves_one_behind() {
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      setsid();
      pause();
    }
    _exit(0);
  }
  return child;
}

/// Also if it ends between the opening and the reading of its file.
TEST(ProcessTree, a_process_that_ends_while_it_is_looked_at_has_no_parent) {
  std::signal(SIGCHLD, SIG_IGN);  // nobody collects them
  for (int turn = 0; turn < 200; ++turn) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    while (parent_of(child) != 0) {
    }
  }
  std::signal(SIGCHLD, SIG_DFL);
}

TEST(ProcessTree, what_a_child_left_behind_is_ended_and_other_children_are_not) {
  adopt_orphans(true);
  const pid_t wanted = start_waiting_child();
  waitpid(start_child_that_leaves_one_behind(), nullptr, 0);
  EXPECT_THAT(living_children(getpid()), SizeIs(2));
  EXPECT_EQ(count_descendants(getpid(), 10), 2U);
  EXPECT_EQ(count_descendants(getpid(), 1), 2U);
  EXPECT_THAT(living_descendants(getpid(), wanted), SizeIs(1));
  EXPECT_THAT(living_descendants(parent_of(getpid()), 0), IsSupersetOf(living_children(getpid())));
  end_other_children({wanted});
  EXPECT_THAT(all_children(getpid()), ElementsAre(wanted));
  end_other_children({});
  EXPECT_THAT(all_children(getpid()), IsEmpty());
  adopt_orphans(false);
}

TEST(ProcessTree, a_signal_is_pending_until_it_is_taken) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGRTMAX);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  EXPECT_FALSE(has_pending(getpid(), 0, SIGUSR1));
  kill(getpid(), SIGUSR1);
  raise(SIGRTMAX);  // to this thread
  EXPECT_TRUE(has_pending(getpid(), 0, SIGUSR1));
  EXPECT_FALSE(has_pending(getpid(), getpid(), SIGUSR1));
  EXPECT_FALSE(has_pending(getpid(), 0, SIGRTMAX));
  EXPECT_TRUE(has_pending(getpid(), getpid(), SIGRTMAX));
  const timespec none{};
  while (sigtimedwait(&signals, nullptr, &none) > 0) {
  }
  EXPECT_FALSE(has_pending(getpid(), 0, SIGUSR1));
  EXPECT_FALSE(has_pending(getpid(), getpid(), SIGRTMAX));
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace
}  // namespace pmufab::process
