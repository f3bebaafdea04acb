// SPDX-License-Identifier: Apache-2.0
// The fixture of all other tests fails when it should.

#include "testbench/support/simulation_test.h"

#include <stdexcept>

#include <gtest/gtest-spi.h>

#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"

namespace pmufab {
namespace {

using testing::advance;
using testing::advance_to;
using testing::now;

class Support : public testing::SimulationTest {};

TEST_F(Support, runs_the_story_from_time_zero_and_lets_time_pass) {
  bool told = false;
  run([&] {
    EXPECT_EQ(now(), 0U);
    advance(1'500);
    EXPECT_EQ(now(), 1'500U);
    advance_to(10'000);
    EXPECT_EQ(now(), 10'000U);
    advance_to(9'000);
    EXPECT_EQ(now(), 10'000U);
    told = true;
  });
  EXPECT_TRUE(told);
}

TEST_F(Support, fails_on_a_warning_nobody_announced) {
  EXPECT_NONFATAL_FAILURE(run([] { SC_REPORT_WARNING("/somewhere", "surprise"); }), "surprise");
}

TEST_F(Support, fails_on_an_error_nobody_announced) {
  // Two failures: the report, and the exception that it throws out of the story.
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    run([] { SC_REPORT_ERROR("/somewhere", "disaster"); });
  }
  ASSERT_EQ(failures.size(), 2);
  EXPECT_NE(std::string(failures.GetTestPartResult(0).message()).find("disaster"), std::string::npos);
  EXPECT_NE(std::string(failures.GetTestPartResult(1).message()).find("an exception left"), std::string::npos);
}

TEST_F(Support, accepts_an_announced_guest_error_once) {
  expect_guest_error("bank", "CTRL");
  EXPECT_NONFATAL_FAILURE(run([] {
                            SC_REPORT_WARNING(kGuestErrorReport, "bank: write to CTRL");
                            SC_REPORT_WARNING(kGuestErrorReport, "bank: write to CTRL");
                          }),
                          "nobody announced");
  EXPECT_EQ(guest_error_reports(), 2U);
}

TEST_F(Support, fails_when_an_announced_report_does_not_come) {
  expect_guest_error("never");
  EXPECT_NONFATAL_FAILURE(
      {
        run([] {});
        check_announced();
      },
      "did not come");
  forget_announced();
}

TEST_F(Support, accepts_an_announced_error_which_throws) {
  expect_report(sc_core::SC_ERROR, "/somewhere", {"disaster"});
  run([] { EXPECT_THROW(SC_REPORT_ERROR("/somewhere", "disaster"), sc_core::sc_report); });
}

TEST_F(Support, fails_when_an_exception_leaves_the_story) {
  EXPECT_NONFATAL_FAILURE(run([] { throw std::runtime_error("oh dear"); }), "oh dear");
}

TEST_F(Support, fails_when_the_story_runs_out_of_time) {
  EXPECT_NONFATAL_FAILURE(run([] { advance(2'000'000); }, 1'000'000), "did not end within 1 us");
}

TEST_F(Support, fails_when_nothing_can_continue_the_story) {
  sc_core::sc_event never;
  EXPECT_NONFATAL_FAILURE(run([&] { sc_core::wait(never); }), "nothing is left to happen");
}

TEST_F(Support, refuses_a_second_simulation_in_one_process) {
  run([] {});
  static auto again = [this] { run([] {}); };
  EXPECT_FATAL_FAILURE(again(), "once per process");
}

TEST_F(Support, an_interrupt_probe_remembers_and_waits) {
  InterruptLine line("irq");
  testing::InterruptProbe probe(line);
  sc_core::sc_spawn([&] {
    advance(5'000);
    line.drive(true);
    advance(1'000);
    line.drive(false);
  });
  run([&] {
    EXPECT_FALSE(probe.wait_for(true, 4'999));
    EXPECT_EQ(now(), 4'999U);
    EXPECT_TRUE(probe.wait_for(true, 1'000));
    EXPECT_EQ(now(), 5'000U);
    EXPECT_TRUE(probe.wait_for(false, 1'000'000));
    EXPECT_EQ(now(), 6'000U);
  });
  using Change = testing::InterruptProbe::Change;
  EXPECT_EQ(probe.changes(), (std::vector<Change>{{5'000, true}, {6'000, false}}));
  probe.clear();
  EXPECT_TRUE(probe.changes().empty());
}

}  // namespace
}  // namespace pmufab
