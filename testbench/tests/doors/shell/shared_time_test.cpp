// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "testbench/doors/shell/shared_time.h"

namespace pmufab::shell {
namespace {

using ::testing::ElementsAre;
using Pass = SharedTime::Pass;
using Wait = SharedTime::Wait;

TEST(SharedTime, stands_still_while_nobody_is_interested) {
  SharedTime time;
  EXPECT_EQ(time.pass(false), Pass::not_at_all);
  time.begin_wait(1, 100, Wait::child, std::nullopt);  // some program waits for another
  EXPECT_EQ(time.pass(false), Pass::not_at_all);
  EXPECT_FALSE(time.next_wakeup());
}

TEST(SharedTime, passes_at_once_up_to_the_first_wakeup_when_all_wait_and_one_sleeps) {
  SharedTime time;
  time.join(100, 1);
  time.begin_wait(1, 100, Wait::poll, 5'000);
  EXPECT_EQ(time.pass(false), Pass::with_the_wall);
  time.begin_wait(2, 200, Wait::sleep, 9'000);
  EXPECT_EQ(time.pass(false), Pass::at_once);
  EXPECT_EQ(time.next_wakeup(), 5'000U);
  time.end_wait(1);
  EXPECT_EQ(time.pass(false), Pass::with_the_wall) << "process 100 works";
  time.leave(100);
  EXPECT_EQ(time.pass(false), Pass::at_once);
}

TEST(SharedTime, a_program_that_works_holds_it_for_longer) {
  SharedTime time;
  time.join(100, 1);
  const int working = time.patience_ms();
  time.begin_wait(1, 100, Wait::poll, 5'000);
  const int waiting = time.patience_ms();
  EXPECT_LT(waiting, working);
  EXPECT_GT(waiting, 0);
  time.end_wait(1);
  EXPECT_EQ(time.patience_ms(), working);
}

TEST(SharedTime, a_program_that_works_lets_it_pass_only_if_somebody_counts_or_waits) {
  SharedTime time;
  time.join(100, 1);
  time.begin_wait(1, 99, Wait::child, std::nullopt);
  EXPECT_EQ(time.pass(false), Pass::not_at_all) << "as long as perf takes to start";
  EXPECT_EQ(time.pass(true), Pass::with_the_wall);
  time.begin_wait(2, 101, Wait::sleep, 5'000);
  EXPECT_EQ(time.pass(false), Pass::with_the_wall);
}

TEST(SharedTime, a_program_that_will_hear_of_its_childs_end_works) {
  for (const Wait wait : {Wait::child, Wait::poll}) {
    SharedTime time;
    time.join(100, 1);
    time.join(101, 100);
    time.begin_wait(1, 100, wait, 9'000);
    time.begin_wait(2, 200, Wait::sleep, 5'000);  // another program
    time.begin_wait(3, 101, Wait::sleep, 3'000);
    EXPECT_EQ(time.pass(false), Pass::at_once);
    time.end_wait(3);
    time.leave(101);
    EXPECT_TRUE(time.anybody_works());
    EXPECT_EQ(time.pass(false), Pass::with_the_wall);
    time.end_wait(1);
    time.begin_wait(1, 100, wait, 9'000);
    EXPECT_EQ(time.pass(false), Pass::at_once) << "it has heard, and waits again";
  }
}

TEST(SharedTime, a_program_that_waits_for_something_else_than_its_child_is_not_waited_for) {
  SharedTime time;
  time.join(100, 1);
  time.join(101, 100);
  time.join(102, 100);
  time.begin_wait(1, 100, Wait::child, std::nullopt);
  time.begin_wait(2, 102, Wait::sleep, 5'000);
  time.leave(101);
  EXPECT_EQ(time.pass(false), Pass::with_the_wall) << "it may have been this one";
  time.give_up();
  EXPECT_EQ(time.pass(false), Pass::at_once);
  time.begin_wait(1, 100, Wait::sleep, 5'000);
  time.leave(102);
  EXPECT_EQ(time.pass(false), Pass::at_once) << "who sleeps hears nothing";
}

TEST(SharedTime, wakes_in_the_order_of_the_times) {
  SharedTime time;
  time.begin_wait(4, 100, Wait::sleep, 3'000);
  time.begin_wait(5, 101, Wait::sleep, 1'000);
  time.begin_wait(6, 102, Wait::child, std::nullopt);
  time.begin_wait(7, 103, Wait::poll, 3'001);
  EXPECT_THAT(time.due(999), ElementsAre());
  EXPECT_THAT(time.due(3'000), ElementsAre(5, 4));
  EXPECT_EQ(time.wakeup(7), 3'001U);
}

}  // namespace
}  // namespace pmufab::shell
