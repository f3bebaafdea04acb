// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmufab::testing {

/// The results of a program.
struct Outcome {
  int exit_code = -1;  ///< -1: killed by a signal
  std::string out;
  std::string err;
};

/// Runs the pmufab program in a folder of its own.
class Cli : public ::testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Start the program; its output goes to files.
  pid_t start(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment = {}) {
    std::vector<char*> argv;
    std::string program = PMUFAB_PROGRAM;
    std::vector<std::string> copies = arguments;
    argv.push_back(program.data());
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
      if (own_group) setpgid(0, 0);
      if (!terminal.empty()) {
        setsid();
        dup2(open(terminal.c_str(), O_RDWR), STDIN_FILENO);  // the first one a session opens is its own
      }
      if (output == "closed") {
        close(STDOUT_FILENO);
      } else {
        redirect(output.empty() ? folder / "out" : std::filesystem::path(output), STDOUT_FILENO);
      }
      if (errors == "closed") {
        close(STDERR_FILENO);
      } else {
        redirect(errors.empty() ? folder / "err" : std::filesystem::path(errors), STDERR_FILENO);
      }
      setenv("PMUFAB_DRIVERS", PMUFAB_DRIVERS_DIR, 1);
      setenv("LC_ALL", "C", 1);
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      if (largest_file > 0) {
        const rlimit limit{largest_file, largest_file};
        setrlimit(RLIMIT_FSIZE, &limit);
      }
      execv(argv[0], argv.data());
      _exit(127);
    }
    return pid;
  }

  Outcome finish(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder / "out"), read(folder / "err")};
  }

  virtual Outcome pmufab(const std::vector<std::string>& arguments) { return finish(start(arguments)); }

  /// @return both, one behind the other
  static std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// @return the outcome, which must have this exit code
  static Outcome ended(int code, Outcome outcome) {
    EXPECT_EQ(outcome.exit_code, code) << outcome.out << outcome.err;
    return outcome;
  }
  /// The program ends with this exit code, and its standard output has these texts.
  void prints(int code, const std::vector<std::string>& arguments, const Texts& texts) {
    expect_texts(ended(code, pmufab(arguments)).out, texts, arguments);
  }
  /// The program ends with this exit code, and its standard error has these texts.
  void complains(int code, const std::vector<std::string>& arguments, const Texts& texts) {
    expect_texts(ended(code, pmufab(arguments)).err, texts, arguments);
  }
  /// What the user gives is wrong: exit code 2, and a message with these texts.
  void refuses(const std::vector<std::string>& arguments, const Texts& texts) { complains(2, arguments, texts); }

  /// Wait, 60 s at most. @return whether the condition came true
  template <typename Condition>
  static bool comes_true(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      usleep(1'000);
    }
    return true;
  }

  /// @return the path of a new file.
  std::string write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name, std::ios::binary) << content;
    return (folder / name).string();
  }

  /// A scenario that measures something quickly and then continues for hours of simulated time.
  std::string endless() {
    return write("endless.yaml", R"(name: endless
platform: {kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 10 h
measure:
  - {name: short, events: [nvidia_ucf_pmu_0/slc_access_rd/], stop: 20 us}
  - {name: long, events: [nvidia_ucf_pmu_0/slc_access_rd/], start: 30 us}
)");
  }

  /// @return a scenario on a socket whose UCF PMU has counters of 16 bits, which wrap, and an interrupt: 100 reads of 64
  ///         bytes in each microsecond, for 100 us. @param measures  items of its list
  std::string narrow(const std::string& name, const std::string& measures) {
    return write(name + ".yaml", "name: " + name + R"(
platform:
  kind: tegra410
  name: small
  sockets: 1
  cpus_per_socket: 4
  tegra410: {clusters: 4, ucf_pmu: {width: 16, counters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 100 us
measure:
)" + measures);
  }

  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// @return the path of a shipped platform, traffic or scenario file: "platforms/tegra410-2s.yaml", or
  /// "cmn-flits.yaml",
  ///         a scenario in any folder.
  static std::string shipped(const std::string& name) {
    const std::filesystem::path scenarios = PMUFAB_SOURCE_DIR "/scenarios";
    if (std::filesystem::exists(scenarios / name)) return (scenarios / name).string();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scenarios)) {
      if (entry.path().filename() == name) return entry.path().string();
    }
    return (scenarios / name).string();
  }

  std::filesystem::path folder;
  std::string output;       ///< standard output: a file, "closed", or (empty) a file for Outcome::out
  std::string errors;       ///< standard error, in the same way
  std::string terminal;     ///< standard input, whose keys send signals; empty: that of the test
  bool own_group = false;   ///< the program leads a process group
  rlim_t largest_file = 0;  ///< that the program may write, in bytes; 0: of any size

 private:
  static void expect_texts(const std::string& printed, const Texts& texts, const std::vector<std::string>& arguments) {
    for (const std::string& text : texts)
      EXPECT_THAT(printed, ::testing::HasSubstr(text)) << ::testing::PrintToString(arguments);
  }
  static void redirect(const std::filesystem::path& path, int descriptor) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, descriptor);
    close(file);
  }
};

}  // namespace pmufab::testing
