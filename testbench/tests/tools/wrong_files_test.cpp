// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A file that is not what a command takes: the message says what it is, and who takes it. The exit code is 2.
class WrongFile : public Cli {
 protected:
  /// As scenario, as platform, as platform of a scenario, and as traffic.
  void refuses_everywhere(const std::string& file, const Texts& message) {
    refuses({"run", file}, message);
    refuses_as_part(file, message);
  }
  void refuses_as_part(const std::string& file, const Texts& message) {
    refuses({"list", file}, message);
    refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--platform", file}, message);
    refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--traffic", file}, message);
  }
};

TEST_F(WrongFile, files_of_other_kinds_in_the_place_of_a_scenario) {
  refuses({"run", shipped("platforms/cmn600-small.yaml")},
          {"cmn600-small.yaml:", "this is a platform, not a scenario", "pmufab list", "'platform'"});
  refuses({"run", shipped("traffic/mixed.yaml")}, {"mixed.yaml:", "this is traffic, not a scenario", "--traffic"});
  // A scenario with a key too many is still a scenario.
  refuses({"run", write("s.yaml", "name: s\nkind: cxl\nmeasure: [{events: [a/b/]}]\n")}, {"unknown key 'kind'"});
}

TEST_F(WrongFile, files_of_other_kinds_in_the_place_of_traffic) {
  const auto refuses_traffic = [this](const std::string& file, const std::string& message) {
    refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--traffic", file}, {message});
  };
  refuses_traffic(shipped("platforms/tegra410-2s.yaml"), "traffic[0]: this is a platform, not traffic (pmufab list");
  refuses_traffic(shipped("ucf-basic.yaml"), "traffic[0]: this is a scenario, not traffic (pmufab run");
}

TEST_F(WrongFile, results_are_not_input) {
  const std::string results = write("r.json", R"({"program": "pmufab", "version": "1", "runs": []})");
  refuses_everywhere(results, {"this is a file of results, not "});
}

TEST_F(WrongFile, programs_traces_and_folders_are_named_as_such) {
  refuses_everywhere(PMUFAB_PROGRAM, {"is a program or a library, not a YAML file"});
  refuses_everywhere(write("a.csv", "kind,address,size\nend\n"), {"is a trace, not a YAML file"});
  refuses_everywhere(write("junit.xml", "<?xml version=\"1.0\"?>\n"), {"is an XML file, not a YAML file"});
  refuses_everywhere(write("bytes", std::string("a\0b", 3)), {"is not a text file"});
  refuses_as_part(folder.string(), {"is a folder, not a file"});
}

TEST_F(WrongFile, a_pipe_to_which_nobody_writes_is_not_waited_for) {
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  refuses_everywhere(pipe, {"is a named pipe, and nobody writes to it"});
  refuses({"trace", "import", pipe, (folder / "x").string()}, {"is not a regular file"});
  refuses({"trace", "info", pipe}, {"is not a regular file"});
  refuses({"run", shipped("ucf-basic.yaml"), "--driver", pipe}, {"there is no file '" + pipe + "'"});
  refuses({"driver", "build", pipe}, {"is not an ordinary file"});
}

TEST_F(WrongFile, a_pipe_with_a_writer_is_read) {
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int both = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(both, 0);
  const std::filesystem::path opened = std::filesystem::canonical(pipe);
  const pid_t pid = start({"list", pipe});
  const auto is_open = [&] {
    std::error_code gone;
    const std::string process = "/proc/" + std::to_string(pid);
    // Before it is pmufab, it has this test's files.
    if (std::filesystem::read_symlink(process + "/exe", gone).filename() != "pmufab") return false;
    for (const auto& file : std::filesystem::directory_iterator(process + "/fd", gone)) {
      if (std::filesystem::read_symlink(file.path(), gone) == opened) return true;
    }
    return false;
  };
  EXPECT_TRUE(comes_true(is_open));
  const std::string text = "kind: tegra411\n";
  EXPECT_EQ(::write(both, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(both);
  EXPECT_THAT(finish(pid).err, HasSubstr("pipe:1:7: kind: 'tegra411' is not known here"));
}

TEST_F(WrongFile, keys_without_a_value) {
  refuses({"run", write("s.yaml", "name: s\nduration: 1 us\nmeasure:\n  - events: [a/b/]\n    interval:\n")},
          {"s.yaml:5:5: the key 'interval' has no value (give one, or remove the key"});
  refuses({"run", write("s.yaml", "name: s\ndrivers:\nmeasure: [{events: }]\n")},
          {"s.yaml:2:1: the key 'drivers' has no value"});
  refuses({"run", write("s.yaml", "name: s\nmeasure: [{events: }]\n")}, {"s.yaml:2:12: the key 'events' has no value"});
  refuses({"run", write("s.yaml", "name: s\ndrivers: []\nmeasure: [{events: [a/b/]}]\n")},
          {"s.yaml:2:10: drivers: must not be empty"});
}

TEST_F(WrongFile, no_message_has_an_empty_list) {
  EXPECT_THAT(
      ended(2,
            pmufab({"run", write("s.yaml", "name: s\nmesure: []\nexpect: [{event: a/b/, measure: m, equals: 1}]\n")}))
          .err,
      AllOf(HasSubstr("s.yaml:2:1: mesure: unknown key 'mesure' (did you mean 'measure'?)"),
            Not(HasSubstr("there are"))));
}

TEST_F(WrongFile, what_a_file_holds_cannot_steer_a_terminal_or_fill_it) {
  EXPECT_THAT(ended(2, pmufab({"run", write("s.yaml", "name: \"a\\e[31mb\"\nmeasure: [{events: [a/b/]}]\n")})).err,
              AllOf(HasSubstr("s.yaml:1:7: the text 'a\\x1b[31mb' holds a control character"), Not(HasSubstr("\x1b"))));
  refuses({"run", write("s.yaml", "name: \"a\\nPASSED\"\nmeasure: [{events: [a/b/]}]\n")},
          {"s.yaml:1:7: name: must be one line"});
  const std::string longer(70'000, 'x');
  const Outcome outcome =
      pmufab({"run", write("s.yaml", "name: s\nseed: " + longer + "\nmeasure: [{events: [a/b/]}]\n")});
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.yaml:2:7: seed: 'xxx"), HasSubstr("x... (70,000 characters)'")));
  EXPECT_LT(outcome.err.size(), 2000U);
  EXPECT_LT(pmufab({"stat", "-e", longer}).err.size(), 2000U);
  EXPECT_THAT(pmufab({"run", "\x1b[31mx"}).err, AllOf(HasSubstr("\\x1b[31mx"), Not(HasSubstr("\x1b"))));
  refuses({"run", write("s.yaml", "name: " + longer + "\nmeasure: [{events: [a/b/]}]\n")},
          {"s.yaml:1:7: name: is longer than 4096 bytes"});
  refuses({"run", write("s.yaml", "name: s\nmeasure: [{events: [" + longer + "]}]\n")},
          {"s.yaml:2:21: measure[0].events[0]: is longer than 65536 bytes"});
  const Outcome expects_log =
      ended(1, pmufab({"run", "--drivers", "newest",
                       write("log.yaml", "name: log\nplatform: " + shipped("platforms/cxl-exact.yaml") +
                                             "\nduration: 1 us\nkernel_log: {has: " + std::string(4'000, 'x') +
                                             "}\nmeasure: [{events: [cxl_pmu_mem0.0/clock_ticks/]}]\n")}));
  EXPECT_THAT(expects_log.out, HasSubstr("it lacks 'xxx"));
  EXPECT_LT(expects_log.out.size(), 3000U);
}

// What other commands have written, or somebody else has, is input like any other.
TEST_F(WrongFile, results_and_coverage_that_never_come_never_end_or_nest_for_ever) {
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string coverage =
      write("good", R"({"format": "pmufab coverage", "version": 1, "runs": 0, "kinds": {}, "not_caused": {}})");
  const std::string results = write("r.json", R"({"runs": [{"scenario": "s", "status": "passed"}]})");
  const auto refuses_as_each = [&](const std::string& file, const std::string& message) {
    refuses({"coverage", file}, {message});
    refuses({"compare", file, results}, {message});
    refuses({"compare", results, file}, {message});
  };
  refuses_as_each(pipe, "pipe: is a named pipe, and nobody writes to it");
  refuses_as_each("/dev/zero", "/dev/zero: is a device, not a file");
  constexpr std::size_t kDeep = 300'000;  // a stack for each level would end
  const std::string deep = std::string(kDeep, '[') + std::string(kDeep, ']');
  refuses_as_each(write("deep", R"({"runs": [{"scenario": "s", "status": )" + deep + "}]}"), "deep: nests too deeply");
  refuses({"coverage", folder.string()}, {"is a folder, not a file"});
  refuses({"coverage", coverage, "--excluded", pipe}, {"is a named pipe, and nobody writes to it"});
  refuses({"coverage", coverage, "--excluded", folder.string()}, {"is a folder, not a file"});
  refuses({"coverage", coverage, "--excluded", "/dev/zero"}, {"is larger than 1 MiB"});
  refuses({"coverage", coverage, "--excluded", write("list", "a | b | c | d\xff\n")},
          {"list:1:1: the line holds a control character, or a byte that is not UTF-8"});
}

TEST_F(WrongFile, what_results_and_coverage_hold_cannot_steer_a_terminal) {
  const std::string name = R"(a\u001b[31mb\u202ec\nPASSED)";
  const std::string shown = "a\\x1b[31mb\\xe2\\x80\\xaec\\x0aPASSED";
  const auto results = [&](const char* status) {
    return write(status, R"({"runs": [{"scenario": ")" + name + R"(", "variant": "", "drivers": "1", "status": ")" +
                             status + R"("}]})");
  };
  const std::string one = results("passed");
  const std::string other = results("failed");
  EXPECT_THAT(ended(1, pmufab({"compare", one, other})).out,
              AllOf(HasSubstr(shown), Not(HasSubstr("\x1b")), Not(HasSubstr("\nPASSED"))));
  EXPECT_THAT(pmufab({"compare", one, other, "--json"}).out, AllOf(HasSubstr("\\u202e"), Not(HasSubstr("\u202e"))));
  const std::string bins = R"({"event": {")" + name + R"(": 0}})";
  EXPECT_THAT(ended(0, pmufab({"coverage",
                               write("file", R"({"format": "pmufab coverage", "version": 1, "runs": 1, "kinds": {")" +
                                                 name + R"(": )" + bins + R"(}, "not_caused": {}})")}))
                  .out,
              AllOf(HasSubstr(shown + ": 0 of 1 bin"), HasSubstr("never met: " + shown), Not(HasSubstr("\x1b")),
                    Not(HasSubstr("\nPASSED"))));
}

TEST_F(WrongFile, options_that_say_two_things_about_drivers) {
  const std::string library = write("own.so", "no library");
  refuses({"run", shipped("ucf-basic.yaml"), "--driver", library, "--drivers", "newer"},
          {"--drivers newer is not a driver selector"});
  refuses({"list", "--driver", library, "--driver-dir", folder.string()},
          {"--driver and --driver-dir cannot be used together"});
}

TEST_F(WrongFile, two_driver_files_of_one_name) {
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directories(folder / "b");
  const std::string one = write("a/arm-cmn.c", "");
  const std::string two = write("b/arm_cmn.c", "");
  refuses({"driver", "build", one, two}, {"'" + one + "' and '" + two + "' are both the driver arm_cmn"});
  refuses({"driver", "build", one, one}, {"are both the driver arm_cmn"});
}

TEST_F(WrongFile, registers_that_there_are_not) {
  const std::string platform = shipped("platforms/tegra410-1s-small.yaml");
  refuses({"regs", platform, "xyzzy", "--reset"},
          {"there are no registers 'xyzzy'", "there are '", "'socket0.ucf_pmu'"});
  refuses({"regs", platform, "socket0.ucf_pnu"}, {"did you mean 'socket0.ucf_pmu'"});
}

TEST_F(WrongFile, operations_in_traces_that_there_are_not) {
  const std::string trace = write("t.csv", "time,device,operation,address\n0,0,read,0x40\n5,0,reed,0x80\nend\n");
  const Texts message = {"t.csv: line 3: there is no operation 'reed' of CXL (did you mean 'read'?)"};
  refuses({"trace", "info", trace}, message);
  refuses({"trace", "import", trace, (folder / "t.trace").string()}, message);
  EXPECT_FALSE(std::filesystem::exists(folder / "t.trace"));
  refuses({"run", shipped("cxl-replay.yaml"), "--drivers", "newest", "--set", "cxl_traffic[0].trace.file=" + trace},
          message);
}

}  // namespace
}  // namespace pmufab::testing
