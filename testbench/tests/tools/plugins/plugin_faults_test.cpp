// SPDX-License-Identifier: Apache-2.0
// Plug-ins that go wrong are refused or reported by name.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PluginFaults : public Cli {
 protected:
  static std::string plugin(const std::string& name) { return std::string(PMUFAB_PLUGINS_DIR "/") + name + ".so"; }

  /// Run a scenario on the scripted plug-in.
  Outcome run(const std::string& fault, const std::vector<std::string>& more = {}) {
    const std::string file = write("faults.yaml", "name: faults\nplatform: " + plugin("scripted") + R"(
duration: 100 us
measure:
  - {events: [arm_cspmu_acpi_ACME0001_1/event=1/]}
)");
    return pmufab(with(
        {"run", file, "--drivers", "newest", "--timeout", "1", "--set", "platform.plugin_parameters.fault=" + fault},
        more));
  }
  /// Nothing that a plug-in says controls a terminal.
  Outcome pmufab(const std::vector<std::string>& arguments) override {
    Outcome outcome = Cli::pmufab(arguments);
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b")));
    return outcome;
  }
};

/// A file, and what must be said of it.
struct Refused {
  const char* file;
  const char* text;
};

TEST_F(PluginFaults, plug_ins_made_for_something_else_are_refused_by_name) {
  write("text.so", "no library\n");
  for (const Refused& refused :
       {Refused{"next_version", "was made for version 2 of the plug-in interface; this pmufab has version 1"},
        Refused{"other_systemc", "was compiled with SystemC 9.9.9; this pmufab was with"},
        Refused{"other_abi", "was compiled with the ABI another one; this pmufab was with"},
        Refused{"nameless", "without a function that makes it"},
        Refused{"no_plugin", "is a library, but no plug-in: it has no function pmufab_plugin()"},
        Refused{"missing", "cannot be loaded"}}) {
    SCOPED_TRACE(refused.file);
    const std::string path = plugin(refused.file);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"list", path},
                                                    {"regs", path, "--reset"},
                                                    {"stat", "--platform", path, "-e", "a/b/"},
                                                    {"shell", path, "--", "true"},
                                                    {"serve", path, "--", "true"}}) {
      const Outcome outcome = pmufab(command);
      EXPECT_EQ(outcome.exit_code, 2) << command.front();
      EXPECT_THAT(outcome.err, AllOf(HasSubstr(path), HasSubstr(refused.text))) << command.front();
    }
    const std::string yaml = write("platform.yaml", std::string("kind: plugin\nplugin: ") + path + "\n");
    refuses({"list", yaml}, {"platform.yaml:2:9: plugin: the plug-in " + path, refused.text});
  }
  const Outcome text = ended(2, pmufab({"list", (folder / "text.so").string()}));
  EXPECT_THAT(text.err, HasSubstr("text.so: cannot be loaded"));
}

TEST_F(PluginFaults, a_plug_in_that_cannot_be_made_is_refused_by_name) {
  for (const Refused& refused :
       {Refused{"throws when made", "threw while it was made: no wish to be made"},
        Refused{"throws a number", "threw while it was made: something that is no std::exception"},
        Refused{"crashes when made", "ended the process that looked at it: its process was killed by signal 11"},
        Refused{"ends the process", "ended the process that looked at it: its process ended early with exit code 0"},
        Refused{"makes nothing", "returned nothing from the function that makes it"},
        Refused{"has a register of 288 bits",
                "register 'WIDE' of window 'window' has 288 bits; 32 and 64 are possible"},
        Refused{"stops at once", "has stopped the simulation (sc_stop)"},
        Refused{"aborts when made",
                "ended the process that looked at it: its process was killed by signal 6 (Aborted), in the plug-in"},
        Refused{"has a strange window", "window 'window\\x1b[2J' has characters that cannot be printed"},
        Refused{"has a strange register", "register 'A\\x1b[2J' has characters that cannot be printed"},
        Refused{"has a strange attribute", "attribute 'a\\x1b[2J' has characters that cannot be printed"},
        Refused{"has a strange parameter", "the value of a parameter '\\x1b[2J' has characters that cannot be printed"},
        Refused{"asks twice", "asks for something impossible: source 'twice' has an attribute twice"}}) {
    SCOPED_TRACE(refused.file);
    EXPECT_THAT(ended(2, run(refused.file)).err, AllOf(HasSubstr(plugin("scripted")), HasSubstr(refused.text)));
  }
}

TEST_F(PluginFaults, a_plug_in_that_hangs_when_it_is_looked_at_is_refused_by_name) {
  EXPECT_THAT(ended(2, run("hangs when made")).err,
              AllOf(HasSubstr(plugin("scripted")), HasSubstr("does not come back")));
}

TEST_F(PluginFaults, a_plug_in_that_is_looked_at_has_no_more_memory_than_a_run) {
  EXPECT_THAT(ended(2, run("takes memory when made", {"--limit", "memory=512 MiB"})).err,
              HasSubstr("scripted.so threw while it was made: memory ran out (--limit memory)"));
}

TEST_F(PluginFaults, what_a_plug_in_prints_is_shown_and_does_not_control_the_terminal) {
  const Outcome printed = ended(0, run("prints"));
  EXPECT_THAT(printed.err, HasSubstr("printed\\x1b[2J\n"));
  const Outcome warned = run("warns");
  EXPECT_THAT(warned.out + warned.err, HasSubstr("warned\\x1b[2J"));
}

TEST_F(PluginFaults, what_a_plug_in_throws_while_it_runs_is_reported_by_name) {
  EXPECT_THAT(ended(3, run("throws")).out,
              AllOf(HasSubstr("CRASHED: faults"), HasSubstr("the plug-in " + plugin("scripted")),
                    HasSubstr("threw in its process platform.plugin.scripted.run: no wish to go on")));
  EXPECT_THAT(ended(3, run("throws in start_traffic")).out,
              HasSubstr("scripted.so threw in start_traffic(): no wish to begin"));
  EXPECT_THAT(ended(3, run("throws at access", {"--set", "firmware_writes=[{address: 0x3400_0000, value: 1}]"})).out,
              HasSubstr("scripted.so threw at an access to its window window: no wish to be read\\x1b[2J\n"));
}

TEST_F(PluginFaults, a_plug_in_that_stops_the_simulation_is_reported_by_name) {
  EXPECT_THAT(ended(3, run("stops")).out,
              AllOf(HasSubstr("CRASHED: faults"), HasSubstr("scripted.so has stopped the simulation (sc_stop)")));
}

TEST_F(PluginFaults, a_crash_is_reported_with_the_plug_in_and_its_process) {
  const Outcome outcome = ended(3, run("crashes"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("its process was killed by signal 11"),
                                 HasSubstr("scripted.so, process platform.plugin.scripted.run")));
  EXPECT_THAT(outcome.out + outcome.err, AllOf(HasSubstr("pmufab: the plug-in " + plugin("scripted") + " crashed in"),
                                               Not(HasSubstr("the drivers crashed"))));
}

TEST_F(PluginFaults, an_abort_is_reported_with_the_plug_in_and_its_process) {
  EXPECT_THAT(ended(3, run("aborts")).out, AllOf(HasSubstr("its process was killed by signal 6"),
                                                 HasSubstr("scripted.so, process platform.plugin.scripted.run")));
  EXPECT_THAT(run("aborts between processes").out,
              AllOf(HasSubstr("its process was killed by signal 6"), HasSubstr("scripted.so, outside of SystemC's")));
}

TEST_F(PluginFaults, a_simulator_that_crashes_names_the_plug_in_and_its_process) {
  for (const char* const fault : {"crashes", "aborts"}) {
    complains(3,
              {"shell", plugin("scripted"), "--set", std::string("platform.plugin_parameters.fault=") + fault, "--",
               "sleep", "1"},
              {"pmufab: the simulator died: its process was killed by signal",
               "scripted.so, process platform.plugin.scripted.run"});
  }
}

TEST_F(PluginFaults, commands_that_show_things_name_the_plug_in_that_crashes) {
  const std::string keys = read(shipped("platforms/cmn600-small.yaml")) + "plugin: " + plugin("scripted") +
                           "\nplugin_parameters: {fault: crashes early}\n";
  const std::string platform = write("platform.yaml", keys);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"list", platform}, {"regs", platform}, {"map", platform, "--compare"}}) {
    SCOPED_TRACE(command.front());
    EXPECT_THAT(
        ended(3, pmufab(command)).err,
        AllOf(HasSubstr("pmufab: the plug-in " + plugin("scripted") + " crashed: its process"),
              HasSubstr("scripted.so, process platform.plugin.scripted.run"), Not(HasSubstr("the drivers crashed"))));
  }
}

TEST_F(PluginFaults, debug_accesses_that_crash_are_reported_with_their_window) {
  const std::string platform = write("platform.yaml", "kind: plugin\nplugin: " + plugin("scripted") +
                                                          "\nplugin_parameters: {fault: crashes when looked at}\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"regs", platform}, {"regs", platform, "--reset"}}) {
    complains(3, command,
              {"pmufab: the plug-in " + plugin("scripted") + " crashed: its process",
               "in window window of the plug-in " + plugin("scripted")});
  }
}

TEST_F(PluginFaults, crashes_and_hangs_outside_of_processes_are_told_where_they_are) {
  const auto expect = [&](const std::string& fault, int exit_code, const std::string& text) {
    SCOPED_TRACE(fault);
    EXPECT_THAT(ended(exit_code, run(fault)).out, HasSubstr("the plug-in " + plugin("scripted") + ", " + text));
  };
  expect("crashes between processes", 3, "outside of SystemC's processes");
  expect("hangs between processes", 1, "outside of SystemC's processes");
  expect("crashes when destroyed", 3, "while it was destroyed");
  expect("hangs when destroyed", 1, "while it was destroyed");
}

TEST_F(PluginFaults, debug_accesses_that_throw_are_reported_by_name) {
  const auto text = AllOf(HasSubstr("the plug-in " + plugin("scripted") +
                                    " threw when its window window was looked at: "
                                    "no wish to be looked at"),
                          Not(HasSubstr("internal error")));
  const std::string platform = write("platform.yaml", "kind: plugin\nplugin: " + plugin("scripted") +
                                                          "\nplugin_parameters: {fault: throws when looked at}\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"regs", platform}, {"regs", platform, "--reset"}}) {
    EXPECT_THAT(ended(3, pmufab(command)).err, text);
  }
  // A trace has what was in the register before.
  EXPECT_THAT(ended(3, run("throws when looked at", {"--set", "firmware_writes=[{address: 0x3400_0000, value: 1}]",
                                                     "--trace-mmio", (folder / "trace").string()}))
                  .out,
              text);
}

TEST_F(PluginFaults, an_error_of_the_plug_in_is_told_although_the_kernel_died_of_it) {
  setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  setenv("CC", PMUFAB_C_COMPILER, 1);
  const std::string library = (folder / "mortal.so").string();
  const Outcome built =
      pmufab({"driver", "build", PMUFAB_MORTAL_DRIVER, "--sources", PMUFAB_LINUX_SOURCES, "-o", library});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const std::string file = write("dead.yaml", "name: dead\nplatform: " + plugin("scripted") + R"(
duration: 100 us
host: {access_latency: 0}
measure:
  - {events: [arm_cspmu_acpi_ACME0001_1/event=1/]}
)");
  const auto run_with = [&](const std::string& fault) {
    return pmufab(
        {"run", file, "--driver", library, "--set", "platform.plugin_parameters={device: 1, fault: " + fault + "}"});
  };
  for (const char* fault : {"throws at access", "throws when interrupted"}) {
    SCOPED_TRACE(fault);
    EXPECT_THAT(ended(3, run_with(fault)).out,
                AllOf(HasSubstr("CRASHED: dead"),
                      HasSubstr("scripted.so threw at an access to its window window: no wish to be read")));
  }
}

TEST_F(PluginFaults, a_plug_in_that_hangs_while_it_runs_is_stopped_and_reported_by_name) {
  EXPECT_THAT(ended(1, run("hangs")).out,
              AllOf(HasSubstr("TIMED OUT: faults"), HasSubstr("scripted.so, process platform.plugin.scripted.run")));
  EXPECT_THAT(ended(1, run("hangs at access", {"--set", "firmware_writes=[{address: 0x3400_0000, value: 1}]"})).out,
              AllOf(HasSubstr("it was in window window of the plug-in " + plugin("scripted"))));
  EXPECT_THAT(ended(1, run("spins")).out, HasSubstr("the plug-in " + plugin("scripted")));
}

}  // namespace
}  // namespace pmufab::testing
