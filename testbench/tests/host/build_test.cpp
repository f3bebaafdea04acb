// SPDX-License-Identifier: Apache-2.0
// tools/build-drivers: a user's own driver file, sanitizers, and failures.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

#include "testbench/tests/host/driver_host_test.h"

namespace pmufab::driver_host::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int exit_code;
  std::string output;  ///< both streams
};

Outcome shell(const std::string& command) {
  Outcome outcome{.exit_code = -1, .output = {}};
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) outcome.output += buffer.data();
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return outcome;
}

class BuildDrivers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tegra410_driver_sets().empty()) GTEST_SKIP() << "no driver sources";
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(::testing::TempDir()) / (std::string("build_drivers_") + info->name());
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override {
    if (!folder.empty() && !HasFailure()) fs::remove_all(folder);
  }

  /// A driver of the newest kernel with one piece of its text replaced.
  [[nodiscard]] fs::path patched(const std::string& name, const std::string& what, const std::string& by) const {
    std::string text;
    for (const fs::directory_entry& entry : fs::directory_iterator(PMUFAB_LINUX_SOURCES)) {
      std::string version;
      std::ifstream(entry.path() / "VERSION") >> version;
      if (version != newest() && entry.path().filename() != newest()) continue;
      std::ifstream in(entry.path() / "drivers/perf" / name);
      std::ostringstream all;
      all << in.rdbuf();
      text = all.str();
    }
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what << " is not in " << name;
    if (at != std::string::npos) text.replace(at, what.size(), by);
    fs::path file = folder / fs::path(name).filename();
    std::ofstream(file) << text;
    return file;
  }

  [[nodiscard]] static std::string newest() { return tegra410_driver_sets().back().kernel_version; }
  /// What is the same as in the stock drivers is taken from there.
  [[nodiscard]] Outcome build(const std::string& options) const {
    return shell("CC='" PMUFAB_C_COMPILER "' " PMUFAB_SOURCE_DIR "/tools/build-drivers --sources " PMUFAB_LINUX_SOURCES
                 " --like " PMUFAB_DRIVERS_DIR " --base " +
                 newest() + " " + options + " " + (folder / "out").string());
  }
  /// A shipped scenario with the drivers that were built.
  [[nodiscard]] Outcome run_scenario(const std::string& name) const {
    return shell(PMUFAB_PROGRAM " run " PMUFAB_SOURCE_DIR "/scenarios/" + name + " --driver-dir " +
                 (folder / "out").string());
  }
  [[nodiscard]] fs::path result() const { return folder / "out" / newest(); }

  fs::path folder;
};

TEST_F(BuildDrivers, an_own_file_replaces_the_driver_of_its_name) {
  const fs::path file = patched("nvidia_t410_cmem_latency_pmu.c", "nvidia_cmem_latency_pmu_%u", "my_own_pmu_%u");
  const Outcome outcome = build("--driver " + file.string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(fs::exists(result() / "pmufab_drivers.so"));
  const Outcome manifest = shell("cat " + (result() / "manifest.txt").string());
  EXPECT_THAT(manifest.output, HasSubstr(file.string()));
  EXPECT_THAT(manifest.output, HasSubstr("driver nvidia_cspmu "));  // the others are unchanged
}

TEST_F(BuildDrivers, a_set_holds_the_known_drivers_its_kernel_has) {
  std::vector<std::pair<std::string, std::vector<std::string>>> known;  // module and files
  std::ifstream list(PMUFAB_SOURCE_DIR "/testbench/host/linux-drivers.txt");
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string module;
    if (line.starts_with('#') || !(words >> module)) continue;
    known.emplace_back(module, std::vector<std::string>());
    for (std::string file; words >> file;) {
      if (file != "needs") known.back().second.push_back(file);
    }
  }
  ASSERT_FALSE(known.empty());
  for (const DriverSet& set : all_driver_sets()) {
    const fs::path source = fs::path(PMUFAB_LINUX_SOURCES) / set.kernel_version;
    if (!fs::exists(source)) continue;  // the user's own tree may have another name
    std::vector<std::string> expected;
    for (const auto& [module, files] : known) {
      const auto is_there = [&](const std::string& file) { return fs::exists(source / file); };
      if (std::all_of(files.begin(), files.end(), is_there)) expected.push_back(module);
    }
    EXPECT_EQ(set.modules, expected) << set.kernel_version;
  }
}

TEST_F(BuildDrivers, nothing_is_built_twice) {
  ASSERT_EQ(build("").exit_code, 0);
  const auto first = fs::last_write_time(result() / "pmufab_drivers.so");
  const Outcome again = build("");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.output, "");
  EXPECT_EQ(fs::last_write_time(result() / "pmufab_drivers.so"), first);
}

TEST_F(BuildDrivers, a_driver_that_does_not_compile_is_named_with_its_log) {
  const fs::path file = patched("nvidia_t410_c2c_pmu.c", "module_init(", "kernel_from_the_future(1); module_init(");
  const Outcome outcome = build("--driver " + file.string());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("Linux " + newest() + ": " + file.string() + " does not compile"));
  EXPECT_THAT(outcome.output, HasSubstr("log/nvidia_t410_c2c_pmu.log"));
  EXPECT_THAT(outcome.output, HasSubstr("error"));
  EXPECT_TRUE(fs::exists(result() / "FAILED"));
  EXPECT_FALSE(fs::exists(result() / "pmufab_drivers.so"));
  EXPECT_EQ(build("--keep-going --driver " + file.string()).exit_code, 0);
}

/// One member more at the front: files that are compiled with the old header find every other member elsewhere.
constexpr const char* kGrown = "struct arm_cspmu {\n\tu64 more[64];";

TEST_F(BuildDrivers, a_header_counts_for_all_files_that_include_it) {
  const fs::path header = patched("arm_cspmu/arm_cspmu.h", "struct arm_cspmu {", kGrown);
  const fs::path file = patched("arm_cspmu/nvidia_cspmu.c", "MODULE_LICENSE", "/* mine */ MODULE_LICENSE");
  const auto expect_compiled_again = [&](const std::string& options) {
    const Outcome outcome = build(options);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    const std::string manifest = shell("cat " + (result() / "manifest.txt").string()).output;
    for (const char* one : {"arm_cspmu.c", "ampere_cspmu.c"})
      EXPECT_THAT(manifest, HasSubstr(std::string("changed ") + one + " " + header.string() + "\n"));
    EXPECT_THAT(manifest, Not(HasSubstr("changed arm-cmn.c")));
    const Outcome run = run_scenario("tegra410/ucf-basic.yaml");  // counts through both files
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_THAT(run.output, HasSubstr("PASSED"));
  };
  expect_compiled_again("--driver " + file.string());  // the header is beside it
  expect_compiled_again("--driver " + header.string());
  // The same text is no change.
  fs::remove(header);
  static_cast<void>(patched("arm_cspmu/arm_cspmu.h", "struct arm_cspmu {", "struct arm_cspmu {"));
  ASSERT_EQ(build("--driver " + file.string()).exit_code, 0);
  EXPECT_THAT(shell("cat " + (result() / "manifest.txt").string()).output, Not(HasSubstr("changed ")));
}

TEST_F(BuildDrivers, files_that_a_header_changes_are_the_users_and_have_another_hash) {
  const fs::path header = patched("arm_cspmu/arm_cspmu.h", "struct arm_cspmu {", kGrown);
  const Outcome outcome = build("--driver " + header.string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::string source = folder.string() + "/out/" + newest() + "/source/drivers/perf/arm_cspmu/";
  std::string sum = shell("cat " + source + "nvidia_cspmu.c " + header.string() + " | sha256sum").output.substr(0, 64);
  const std::string commands =
      shell("tr '\\0' '\\n' <" + (result() / "commands").string() + " | grep nvidia_cspmu.c").output;
  EXPECT_THAT(commands, HasSubstr(sum));
  EXPECT_THAT(commands, HasSubstr("DPMUFAB_DRIVER_OWN=2"));
}

TEST_F(BuildDrivers, a_header_that_no_driver_has_is_refused) {
  std::ofstream(folder / "no_such.h") << "";
  const Outcome outcome = build("--driver " + (folder / "no_such.h").string());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("the kernel has no header of the name of"));
}

TEST_F(BuildDrivers, a_patch_changes_a_copy_of_the_drivers) {
  // Of a driver, a part of cxl_core, and a file that no driver is made from.
  const fs::path file = patched("nvidia_t410_cmem_latency_pmu.c", "nvidia_cmem_latency_pmu_%u", "my_own_pmu_%u");
  const std::string tree = PMUFAB_LINUX_SOURCES "/" + newest();
  const std::string part = "drivers/cxl/core/hdm.c";
  const std::string driver = "drivers/perf/nvidia_t410_cmem_latency_pmu.c";
  const std::string diff = (folder / "my.patch").string();
  shell("cd " + folder.string() + " && sed '1i /* mine */' " + tree + "/" + part + " >hdm.c");
  const auto difference = [&](const std::string& name, const std::string& mine) {
    return "diff -u --label a/" + name + " --label b/" + name + " " + tree + "/" + name + " " + mine + " >>" + diff +
           "; ";
  };
  shell(difference(driver, file.string()) + difference(part, (folder / "hdm.c").string()) +
        "printf -- '--- a/MAINTAINERS\\n+++ b/MAINTAINERS\\n@@ -1 +1 @@\\n-me\\n+you\\n' >>" + diff);
  const Outcome outcome = build("--patch " + diff);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::string manifest = shell("cat " + (result() / "manifest.txt").string()).output;
  EXPECT_THAT(manifest, HasSubstr("changed nvidia_t410_cmem_latency_pmu.c"));
  EXPECT_THAT(manifest, HasSubstr("changed hdm.c"));
  EXPECT_EQ(shell("grep -c ^changed " + (result() / "manifest.txt").string()).output, "2\n");
  EXPECT_THAT(shell("strings " + (result() / "pmufab_drivers.so").string()).output, HasSubstr("my_own_pmu_%u"));
  // What does not fit is named with its place.
  shell("sed -i 's/^-\\(.*cmem_latency_pmu_%u\\)/-was \\1/' " + diff);
  const Outcome wrong = build("--patch " + diff);
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.output, HasSubstr("the patch '" + diff + "' does not fit Linux " + newest()));
  EXPECT_THAT(wrong.output, HasSubstr("patching file " + driver + "\n    Hunk #1 FAILED at "));
  EXPECT_THAT(wrong.output, Not(HasSubstr("patching file " + part)));
}

TEST_F(BuildDrivers, the_drivers_that_a_tree_has_are_taken_from_there) {
  const fs::path perf = folder / "tree/drivers/perf";
  fs::create_directories(perf);
  fs::rename(patched("nvidia_t410_cmem_latency_pmu.c", "nvidia_cmem_latency_pmu_%u", "my_own_pmu_%u"),
             perf / "nvidia_t410_cmem_latency_pmu.c");
  fs::rename(patched("arm-cmn.c", "module_init(", "#error mine\nmodule_init("), perf / "arm-cmn.c");
  const Outcome wrong = build("--tree " + (folder / "tree").string());
  EXPECT_EQ(wrong.exit_code, 1);
  // The user's own place, though a copy is compiled.
  EXPECT_THAT(wrong.output, HasSubstr((perf / "arm-cmn.c").string() + ":"));
  fs::rename(patched("arm-cmn.c", "module_init(", "module_init("), perf / "arm-cmn.c");
  const Outcome outcome = build("--tree " + (folder / "tree").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(shell("grep ^changed " + (result() / "manifest.txt").string()).output,
            "changed nvidia_t410_cmem_latency_pmu.c\n");
  EXPECT_THAT(shell("strings " + (result() / "pmufab_drivers.so").string()).output, HasSubstr("my_own_pmu_%u"));
}

TEST_F(BuildDrivers, a_kernel_function_that_is_missing_is_named) {
  const fs::path file = patched("nvidia_t410_c2c_pmu.c", "return platform_driver_register(",
                                "extern void do_magic(void); do_magic(); return platform_driver_register(");
  const Outcome outcome = build("--driver " + file.string());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("do_magic"));
}

TEST_F(BuildDrivers, two_files_of_one_module_are_refused) {
  fs::create_directories(folder / "a");
  fs::create_directories(folder / "b");
  std::ofstream(folder / "a" / "arm-cmn.c") << "";
  std::ofstream(folder / "b" / "arm_cmn.c") << "";
  const std::string one = (folder / "a" / "arm-cmn.c").string();
  const std::string two = (folder / "b" / "arm_cmn.c").string();
  std::string driver = "--driver " + one;
  driver += " --driver " + two;
  const Outcome outcome = build(driver);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("two files are the driver arm_cmn: '" + one + "' and '" + two + "'"));
}

TEST_F(BuildDrivers, wrong_use_and_missing_sources_are_explained) {
  const Outcome nothing =
      shell(PMUFAB_SOURCE_DIR "/tools/build-drivers --sources " + folder.string() + " " + (folder / "out").string());
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.output, HasSubstr("tools/fetch-linux-sources"));
  EXPECT_EQ(build("--base 1.2").exit_code, 2);
  EXPECT_EQ(build("--no-such-option").exit_code, 2);
  EXPECT_EQ(build("--driver /nonexistent.c").exit_code, 2);
  EXPECT_EQ(shell(PMUFAB_SOURCE_DIR "/tools/build-drivers --if-any --sources " + folder.string() + " " +
                  (folder / "out").string())
                .exit_code,
            0);
}

TEST_F(BuildDrivers, a_write_beyond_an_object_of_a_driver_is_reported_with_its_stack) {
  // The last member of the structure is the bitmap of used counters.
  const fs::path file =
      patched("nvidia_t410_cmem_latency_pmu.c", "devm_kzalloc(dev, sizeof(*cmem_lat_pmu), GFP_KERNEL)",
              "devm_kzalloc(dev, sizeof(*cmem_lat_pmu) - 8, GFP_KERNEL)");
  const Outcome outcome = build("--sanitize --driver " + file.string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const Outcome run = run_scenario("tegra410/cmem-basic.yaml");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.output, HasSubstr("AddressSanitizer: use-after-poison"));  // the red zone behind it
  EXPECT_THAT(run.output, HasSubstr("in cmem_lat_pmu_"));
  EXPECT_THAT(run.output, HasSubstr("nvidia_t410_cmem_latency_pmu.c:"));
  EXPECT_THAT(run.output, HasSubstr("in cmem_lat_pmu_probe"));  // where it was allocated
}

TEST_F(BuildDrivers, the_drivers_as_they_are_pass_the_sanitizers) {
  const Outcome outcome = build("--sanitize");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const Outcome run = run_scenario("tegra410/cmem-basic.yaml");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("PASSED"));
  EXPECT_THAT(run.output, Not(HasSubstr("runtime error")));
}

/// tools/fetch-linux-sources, without a network.
class FetchSources : public BuildDrivers {
 protected:
  [[nodiscard]] Outcome fetch(const std::string& options) const {
    return shell(PMUFAB_SOURCE_DIR "/tools/fetch-linux-sources " + options + " " + (folder / "sources").string());
  }
  /// A Linux source tree with only a few files.
  [[nodiscard]] fs::path tree(const std::string& driver) const {
    fs::path linux_tree = folder / "linux";
    fs::create_directories(linux_tree / "drivers/perf");
    std::ofstream(linux_tree / "Makefile") << "# comment\nVERSION = 8\nPATCHLEVEL = 1\nSUBLEVEL = 2\nNAME = x\n";
    std::ofstream(linux_tree / "drivers/perf" / driver) << "/* */\n";
    fs::create_directories(linux_tree / "drivers/gpu");
    return linux_tree;
  }
};

TEST_F(FetchSources, a_tree_of_ones_own_is_taken_and_kept) {
  const Outcome outcome = fetch("--from " + tree("nvidia_t410_cmem_latency_pmu.c").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const fs::path installed = folder / "sources/8.1.2";
  std::string version;
  std::ifstream(installed / "VERSION") >> version;
  EXPECT_EQ(version, "8.1.2");
  EXPECT_TRUE(fs::exists(installed / "drivers/perf/nvidia_t410_cmem_latency_pmu.c"));
  EXPECT_FALSE(fs::exists(installed / "drivers/gpu"));
  const Outcome again = fetch("--mirror http://127.0.0.1:9/debian");  // the mirror is not asked
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.output, HasSubstr("8.1.2"));
}

TEST_F(FetchSources, one_driver_is_enough_to_take_a_tree) {
  EXPECT_EQ(fetch("--from " + tree("arm-cmn.c").string()).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "sources/8.1.2/drivers/perf/arm-cmn.c"));
}

TEST_F(FetchSources, the_newest_kernel_is_not_asked_for_if_there_is_one) {
  ASSERT_EQ(fetch("--from " + tree("arm-cmn.c").string()).exit_code, 0);
  fs::remove(folder / "sources/.complete");
  const Outcome newest = fetch("--newest --mirror http://127.0.0.1:9/debian");
  EXPECT_EQ(newest.exit_code, 0) << newest.output;
  EXPECT_THAT(newest.output, HasSubstr("8.1.2"));
  EXPECT_FALSE(fs::exists(folder / "sources/.complete"));
  const Outcome all = fetch("--mirror http://127.0.0.1:9/debian");
  EXPECT_EQ(all.exit_code, 2);
  EXPECT_THAT(all.output, HasSubstr("http://127.0.0.1:9/debian"));
}

TEST_F(FetchSources, what_was_fetched_for_other_drivers_is_completed_if_the_mirror_answers) {
  ASSERT_EQ(fetch("--from " + tree("arm-cmn.c").string()).exit_code, 0);
  std::ofstream(folder / "sources/.complete") << "from 7.1 on:\n";
  const Outcome outcome = fetch("--mirror http://127.0.0.1:9/debian");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("http://127.0.0.1:9/debian"));
  EXPECT_THAT(outcome.output, HasSubstr("going on with the Linux sources that are there: 8.1.2"));
  EXPECT_EQ(fetch("--refresh --mirror http://127.0.0.1:9/debian").exit_code, 2);
}

TEST_F(FetchSources, a_tree_without_the_drivers_is_refused) {
  const Outcome outcome = fetch("--from " + tree("some_other_pmu.c").string());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("has no known driver"));
  EXPECT_EQ(fetch("--from " + folder.string()).exit_code, 2);
  EXPECT_EQ(fetch("--from /nonexistent").exit_code, 2);
}

TEST_F(FetchSources, a_mirror_that_does_not_answer_is_explained) {
  const Outcome outcome = fetch("--mirror http://127.0.0.1:9/debian");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("http://127.0.0.1:9/debian"));
  EXPECT_THAT(outcome.output, HasSubstr("--from"));
  EXPECT_EQ(fetch("--no-such-option").exit_code, 2);
}

}  // namespace
}  // namespace pmufab::driver_host::testing
