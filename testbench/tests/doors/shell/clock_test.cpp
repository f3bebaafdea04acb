// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::HasSubstr;

/// Programs whose clocks show simulated time.
class ShellClock : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    platform = {shipped("platforms/cmn600-small.yaml"), "--clock", "simulated"};
  }
};

TEST_F(ShellClock, every_wait_lasts_as_long_by_every_clock) {
  const Session session = type(PMUFAB_CLOCK_PROGRAM);
  EXPECT_EQ(session.outcome.out, "waited\n") << session.outcome.err;
}

/// A timer's descriptor lives as long as its last copy, in whatever process that is.
TEST_F(ShellClock, timers_are_kept_by_who_holds_them_and_tell_how_often_they_rang) {
  const Session session = type(PMUFAB_TIMERS_PROGRAM);
  EXPECT_EQ(session.outcome.out, "rang\n") << session.outcome.err;
}

/// A rate is right by a nominal sleep, by a clock and by the time that the event was enabled.
TEST_F(ShellClock, an_agent_that_reads_at_a_cadence_sees_the_time_that_events_were_enabled) {
  const std::string agent = write("agent.py", R"(import os, struct, time, ctypes
folder = "/sys/bus/event_source/devices/arm_cmn_0/"
libc = ctypes.CDLL(None, use_errno=True)
attributes = struct.pack("IIQQQQ", int(open(folder + "type").read()), 128, 3, 0, 0, 1).ljust(128, b"\0")
event = libc.syscall(298, attributes, -1, int(open(folder + "cpumask").read()), -1, 0)
if event < 0: print("open", ctypes.get_errno())
last = None
for turn in range(4):
    time.sleep(0.002)
    at, day = time.monotonic_ns(), time.time_ns()
    count, enabled = struct.unpack("QQ", os.read(event, 16))
    if last:
        for name, span in (("clock", at - last[0]), ("day", day - last[1]), ("sleep", 2000000)):
            if not 0.97 < (enabled - last[2]) / span < 1.03: print(name, span, enabled - last[2])
        if not 0.97 < (count - last[3]) / (enabled - last[2]) / 2 < 1.03: print("rate", count - last[3])
    last = (at, day, enabled, count)
print("done")
)");
  // A pipe's reader does not hold time.
  const Session session = type("python3 " + agent + " | cat");
  EXPECT_EQ(session.outcome.out, "done\n") << session.outcome.err;
}

TEST_F(ShellClock, time_passes_as_slowly_for_perf) {
  const Session session =
      type("perf stat -a -x, -e arm_cmn_0/dtc_cycles/ sleep 0.002; date +%Y; date -u -r /proc/self +%Y");
  expect_exact(session, 1);
  EXPECT_GE(session.verdicts[0].at("driver"), 3'900'000) << "at 2 GHz";
  std::istringstream years(session.outcome.out);
  std::string simulated, real;
  years >> simulated >> real;
  EXPECT_EQ(simulated, real);
}

/// The shell waits for a program's output, and that has not been loaded yet.
TEST_F(ShellClock, a_program_that_starts_takes_no_time) {
  const Session session =
      type("timeout 900 sh -c 'i=0; while [ $i -lt 60 ]; do i=$((i + 1)); x=$(perf --version | cat); done; echo done'");
  EXPECT_EQ(session.outcome.out, "done\n") << session.outcome.err;
}

TEST_F(ShellClock, a_scale_or_another_clock_is_refused) {
  platform.insert(platform.end(), {"--time-scale", "0.1"});
  Outcome outcome = type("true").outcome;
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--time-scale and --clock simulated do not go together"));
  platform = {"--clock", "atomic"};
  outcome = type("true").outcome;
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--clock 'atomic' is neither 'host' nor 'simulated'"));
}

}  // namespace
}  // namespace pmufab::testing
