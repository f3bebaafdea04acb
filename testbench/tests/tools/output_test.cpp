// SPDX-License-Identifier: Apache-2.0
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// What happens to the files and streams that the user names for output. Targets are always in the test's own folder,
/// because a wrong program would replace them.
class Output : public Cli {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }

  Outcome run_with(const std::vector<std::string>& options) {
    return pmufab(with({"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest"}, options));
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    return names;
  }
};

TEST_F(Output, a_named_pipe_is_written_to_and_stays_one) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  const int pipe = open(at("pipe").c_str(), O_RDWR | O_NONBLOCK);  // a reader, so that the program does not wait
  ASSERT_GE(pipe, 0);
  EXPECT_EQ(run_with({"--csv", at("pipe")}).exit_code, 0);
  std::array<char, 4096> buffer{};
  const ssize_t size = ::read(pipe, buffer.data(), buffer.size());
  close(pipe);
  ASSERT_GT(size, 0);
  EXPECT_THAT(std::string(buffer.data(), static_cast<std::size_t>(size)), HasSubstr("scenario,variant,drivers"));
  EXPECT_EQ(fs::symlink_status(folder / "pipe").type(), fs::file_type::fifo);
}

TEST_F(Output, a_named_pipe_that_nobody_reads_is_waited_for_and_then_told) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  const Outcome outcome = ended(2, run_with({"--csv", at("pipe")}));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("pmufab: waiting 30 s for a reader of the named pipe '" + at("pipe") + "'"),
                                 HasSubstr("nobody has read this named pipe for 30 s (start its reader first")));
  EXPECT_THAT(outcome.out, HasSubstr("PASSED")) << "the run itself is judged";
}

TEST_F(Output, links_stay_links_and_their_targets_are_written) {
  write("there", "old");
  fs::create_symlink("there", folder / "link");
  fs::create_directory(folder / "new");
  fs::create_symlink("new/file", folder / "dangling");
  EXPECT_EQ(run_with({"--csv", at("link"), "--json", at("dangling")}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
  EXPECT_THAT(read(folder / "there"), HasSubstr("scenario,variant,drivers"));
  EXPECT_THAT(read(folder / "new" / "file"), HasSubstr("\"runs\""));
}

TEST_F(Output, a_file_that_is_replaced_keeps_its_rights) {
  write("there", "old");
  fs::permissions(folder / "there", fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_EQ(run_with({"--csv", at("there")}).exit_code, 0);
  EXPECT_EQ(fs::status(folder / "there").permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(Output, what_a_killed_command_left_of_a_file_is_removed_when_it_is_written_again) {
  for (const char* name : {"a.csv.new-Killed.csv", "a.csv.new-In_use.csv", "b.csv.new-Killed.csv", "a.csv.new-my.csv"})
    write(name, "half");
  const int in_use = open(at("a.csv.new-In_use.csv").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(in_use, LOCK_EX), 0);
  EXPECT_EQ(run_with({"--csv", at("a.csv")}).exit_code, 0);
  close(in_use);
  EXPECT_THAT(
      names(),
      AllOf(::testing::Not(::testing::Contains("a.csv.new-Killed.csv")),
            ::testing::IsSupersetOf({"a.csv", "a.csv.new-In_use.csv", "b.csv.new-Killed.csv", "a.csv.new-my.csv"})));
}

TEST_F(Output, standard_output_may_be_named_as_a_file) {
  EXPECT_THAT(ended(0, run_with({"--csv", "/dev/stdout"})).out,
              AllOf(HasSubstr("PASSED: cmem-one-controller"), HasSubstr("scenario,variant,drivers")));
}

TEST_F(Output, a_failed_import_leaves_the_trace_that_was_there) {
  write("good.trace", "what was there");
  ended(2, pmufab({"trace", "import", write("bad.lackey", "hello\n"), at("good.trace")}));
  EXPECT_EQ(read(folder / "good.trace"), "what was there");
  EXPECT_THAT(names(), ::testing::UnorderedElementsAre("good.trace", "bad.lackey", "out", "err"));
}

TEST_F(Output, a_folder_that_is_not_there_is_told_at_once_and_is_not_made) {
  const std::string lackey = write("a.lackey", "==1== Lackey\n L 1fff000708,8\n==1== Exit code: 0\n");
  fs::create_symlink("none/file", folder / "dangling");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest", "--json", at("none/r.json")},
           {"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest", "--csv", at("dangling")},
           {"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest", "--junit", at("none/more/r.xml")},
           {"shell", shipped("platforms/tegra410-1s-small.yaml"), "--json", at("none/r.json"), "--", "echo", "ran"},
           {"map", shipped("platforms/cmn600-small.yaml"), "--svg", at("none/m.svg")},
           {"trace", "import", lackey, at("none/a.trace")},
           {"driver", "build", write("own.c", ""), "-o", at("none/own.so")}}) {
    const Outcome outcome = pmufab(command);
    EXPECT_EQ(outcome.exit_code, 2) << command.front();
    EXPECT_EQ(outcome.out, "") << "nothing was run";
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("cannot write"), HasSubstr("there is no folder"))) << command.front();
  }
  EXPECT_FALSE(fs::exists(folder / "none"));
}

TEST_F(Output, files_in_shared_memory_are_written_although_they_are_below_dev) {
  std::string name = "/dev/shm/pmufab-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) GTEST_SKIP() << "/dev/shm cannot be written to";
  const std::string file = name + "/map.svg";
  ended(0, pmufab({"map", shipped("platforms/cmn600-small.yaml"), "--svg", file}));
  EXPECT_THAT(read(file), HasSubstr("<svg"));
  fs::remove_all(name);
}

TEST_F(Output, a_folder_for_all_results_is_made_and_may_have_the_reports) {
  EXPECT_EQ(run_with({"--out", at("new/results"), "--json", at("new/results/all.json")}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "new" / "results" / "all.json"));
}

TEST_F(Output, a_result_that_cannot_be_written_takes_no_other_along) {
  // A folder in the place of a file, in the results of the first of two runs.
  const Outcome first = run_with({"--out", at("results")});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const fs::path blocked = fs::directory_iterator(folder / "results")->path();
  ASSERT_TRUE(fs::remove(blocked / "counters.csv"));
  fs::create_directory(blocked / "counters.csv");
  std::string other = read(shipped("cmem-one-controller.yaml"));
  other.replace(other.find("../platforms"), 12, PMUFAB_SOURCE_DIR "/scenarios/platforms");
  other.replace(other.find("name: cmem-one-controller"), 25, "name: other");
  const Outcome outcome = ended(2, run_with({write("other.yaml", other), "--out", at("results"), "--json",
                                             at("all.json"), "--junit", at("all.xml"), "--csv", at("all.csv")}));
  EXPECT_THAT(outcome.err, HasSubstr("cannot write '" + (blocked / "counters.csv").string() + "'"));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("PASSED: cmem-one-controller"), HasSubstr("PASSED: other"), HasSubstr("2 runs")));
  for (const char* report : {"all.json", "all.xml", "all.csv"})
    EXPECT_THAT(read(folder / report), AllOf(HasSubstr("cmem-one-controller"), HasSubstr("other"))) << report;
  const std::string version = blocked.filename().string().substr(std::string("cmem-one-controller").size());
  EXPECT_THAT(read(folder / "results" / ("other" + version) / "result.json"), HasSubstr("\"other\""));
}

TEST_F(Output, an_import_replaces_a_trace) {
  fs::create_directory(folder / "new");
  const std::string lackey = write("a.lackey", "==1== Lackey\n L 1fff000708,8\n==1== Exit code: 0\n");
  ASSERT_EQ(pmufab({"trace", "import", lackey, at("new/a.trace")}).exit_code, 0);
  ASSERT_EQ(pmufab({"trace", "import", lackey, at("new/a.trace")}).exit_code, 0);
  EXPECT_EQ(pmufab({"trace", "info", at("new/a.trace")}).exit_code, 0);
  ASSERT_EQ(pmufab({"trace", "import", lackey, at("new/a.csv")}).exit_code, 0);
  EXPECT_THAT(read(folder / "new" / "a.csv"), HasSubstr("load,0x1fff000708,8"));
  EXPECT_EQ(pmufab({"trace", "import", lackey, lackey}).exit_code, 2);
  EXPECT_THAT(read(lackey), HasSubstr("Lackey"));
}

TEST_F(Output, a_closed_or_full_standard_output_is_an_error) {
  const std::vector<std::vector<std::string>> commands = {
      {"--help"},
      {"list"},
      {"regs", shipped("platforms/tegra410-1s-small.yaml"), "--reset"},
      {"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "1 us"},
      {"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest"}};
  for (const char* where : {"closed", "/dev/full"}) {
    if (where[0] == '/' && !fs::is_character_file(where)) continue;
    output = where;
    for (const std::vector<std::string>& command : commands) {
      const Outcome outcome = pmufab(command);
      EXPECT_EQ(outcome.exit_code, 2) << where << " " << command.front();
      EXPECT_THAT(outcome.err, HasSubstr("not everything could be written to standard output")) << command.front();
    }
  }
}

TEST_F(Output, reports_are_written_even_if_standard_output_is_closed) {
  output = "closed";
  EXPECT_EQ(run_with({"--csv", at("r.csv")}).exit_code, 2);
  EXPECT_THAT(read(folder / "r.csv"), HasSubstr("scenario,variant,drivers"));
}

TEST_F(Output, a_folder_for_temporary_files_that_does_not_exist_is_bad_input) {
  EXPECT_THAT(ended(2, finish(start({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "1 us"},
                                    {{"TMPDIR", at("nowhere")}})))
                  .err,
              AllOf(HasSubstr("TMPDIR"), ::testing::Not(HasSubstr("internal error"))));
}

// A file that may not grow is as good as a full disk.
TEST_F(Output, a_full_disk_is_bad_input_and_no_crash) {
  largest_file = 3'000;
  const std::string many = "measure[0].interval=100 ns";
  const Outcome run = ended(2, run_with({"--set", many}));
  largest_file = 20'000;
  EXPECT_THAT(run.err, AllOf(HasSubstr("its results cannot be written to "), HasSubstr("File too large"),
                             HasSubstr("is the disk of $TMPDIR full?")));
  EXPECT_THAT(run.out, HasSubstr("BAD INPUT: cmem-one-controller"));

  const std::string recorded =
      write("recorded.yaml", "name: recorded\nplatform: " + shipped("platforms/cxl-exact.yaml") +
                                 R"(
cxl_traffic:
  - {name: a, mix: {load: 1}, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}
duration: 200 us
measure:
  - events: [cxl_pmu_mem0.0/m2s_req_memrd/]
)");
  refuses({"trace", "record", recorded, at("a.pmutrace"), "--drivers", "newest"}, {"File too large"});
  EXPECT_FALSE(fs::exists(at("a.pmutrace")));

  largest_file = 1000;
  refuses({"shell", shipped("platforms/tegra410-1s-small.yaml"), "--", "true"}, {"File too large"});

  ended(2, finish(start({"driver", "build", write("own.c", "int f(void);\n"), "-o", at("own.so")},
                        {{"XDG_CACHE_HOME", at("cache")}})));
  EXPECT_FALSE(fs::exists(at("own.so")));
  EXPECT_THAT(names(), ::testing::Each(::testing::Not(HasSubstr(".new-")))) << "nothing unfinished is left";
}

TEST_F(Output, what_a_killed_program_left_is_removed_by_the_next_and_what_is_in_use_is_not) {
  fs::create_directory(folder / "tmp");
  const std::map<std::string, std::string> environment = {{"TMPDIR", at("tmp")}};
  // Somebody else's, by their names.
  for (const char* name : {"pmufab-output", "pmufab-mine", "pmufab-scratch.d"})
    fs::create_directory(folder / "tmp" / name);
  const std::vector<std::string> waits = {"shell", shipped("platforms/tegra410-1s-small.yaml"), "--", "cat",
                                          at("pipe")};
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);  // that nobody writes to
  const auto folders = [&] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / "tmp")) names.insert(entry.path().filename());
    return names;
  };
  const auto until = [&](auto condition) { EXPECT_TRUE(comes_true(condition)); };
  const std::set<std::string> others = folders();
  // Of a run, nobody lives on who would remove its folder.
  const pid_t killed = start({"run", endless(), "--drivers", "newest"}, environment);
  until([&] { return folders().size() == others.size() + 1; });
  kill(killed, SIGKILL);
  finish(killed);
  const std::set<std::string> left = folders();
  ASSERT_EQ(left.size(), others.size() + 1);
  const pid_t in_use = start(waits, environment);
  until([&] { return folders().size() == left.size() && folders() != left; });
  const std::set<std::string> used = folders();
  ended(0, finish(start({"run", shipped("cmem-one-controller.yaml"), "--drivers", "newest"}, environment)));
  EXPECT_EQ(folders(), used) << "what is in use is still there";
  kill(in_use, SIGKILL);
  finish(in_use);
  close(open(at("pipe").c_str(), O_WRONLY | O_NONBLOCK));  // whoever still reads ends
  // What the killed program started may not be quite at its end.
  until([&] {
    std::error_code error;
    fs::remove_all(folder / "tmp", error);
    return !error && !fs::exists(folder / "tmp");
  });
}

}  // namespace
}  // namespace pmufab::testing
