// SPDX-License-Identifier: Apache-2.0
// The wrapper of perf in the guest, with a perf and a port of the test's own.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "testbench/doors/guest/qemu_command.h"

namespace pmufab::guest {
namespace {

namespace fs = std::filesystem;

void replace(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class PerfWrapper : public ::testing::Test {
 protected:
  PerfWrapper() {
    std::string name = fs::temp_directory_path() / "pmufab-wrapper-XXXXXX";
    folder_ = mkdtemp(name.data());
    fs::create_directories(folder_ / "ports/vport1p1");
    fs::create_directories(folder_ / "dev");
    write("ports/vport1p1/name", "pmufab.perf\n");
    const std::string archive = boot_archive(0, {}, false);
    const std::size_t begin = archive.find("#!/bin/bash");
    std::string wrapper = archive.substr(begin, archive.find('\0', begin) - begin);
    replace(wrapper, "/sys/class/virtio-ports", folder_ / "ports");
    replace(wrapper, "=/dev/", "=" + (folder_ / "dev/").string());
    replace(wrapper, "/usr/bin/perf", folder_ / "perf");
    replace(wrapper, "/pmufab/metrics", folder_ / "metrics");
    replace(wrapper, "/sys/bus/event_source/devices", folder_ / "pmus");
    write("wrapper", wrapper);
  }
  ~PerfWrapper() override { fs::remove_all(folder_); }

  void write(const fs::path& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  /// Run a script in the folder. @return its output
  std::string run(const std::string& script) {
    write("script", "#!/bin/bash\ncd '" + folder_.string() + "'\n" + script);
    const int status = std::system(
        ("timeout 60 '" + (folder_ / "script").string() + "' >'" + (folder_ / "output").string() + "' 2>&1 </dev/null")
            .c_str());
    EXPECT_EQ(status, 0) << "it hangs, or cannot be run";
    return content(folder_ / "output");
  }
  /// The last message.
  std::string told() { return content(folder_ / "dev/vport1p1"); }

 private:
  fs::path folder_;
};

// A perf that ends by itself.
constexpr const char* kPatientPerf = R"(#!/bin/bash
for signal in INT TERM; do trap "echo $signal; sleep 0.3; echo ending; exit 3" "$signal"; done
touch started
while :; do sleep 0.02; done
)";

TEST_F(PerfWrapper, passes_signals_on_and_waits_for_the_end_of_perf) {
  write("perf", kPatientPerf);
  for (const char* const signal : {"INT", "TERM"}) {
    // Background programs ignore SIGINT unless told otherwise.
    const std::string output = run(std::string("rm -f started; (trap - INT; exec ./wrapper stat -e x) & "
                                               "until [ -e started ]; do sleep 0.02; done; kill -") +
                                   signal + " $!; wait $!; echo $?");
    EXPECT_EQ(output, signal + std::string("\nending\n3\n"));
    EXPECT_EQ(told(), std::string("end\0", 4));
  }
}

TEST_F(PerfWrapper, leaves_no_perf_behind_that_a_signal_ends) {
  write("perf", "#!/bin/bash\necho $$ >pid; touch started; exec sleep 50\n");
  EXPECT_EQ(run("./wrapper stat & until [ -e started ]; do sleep 0.02; done; kill -TERM $!; wait $!; echo $?; "
                "kill -0 $(<pid) 2>/dev/null || echo gone"),
            "143\ngone\n");
  EXPECT_EQ(told(), std::string("end\0", 4));
}

TEST_F(PerfWrapper, gives_perf_its_input_arguments_and_exit_code) {
  write("perf", "#!/bin/bash\nread -r line; printf '<%s>' \"$line\" \"$@\"; tr '\\0' '|' <dev/vport1p1; exit 7\n");
  EXPECT_EQ(run("echo 'a line' | ./wrapper stat '' 'a b'; echo \" $?\""),
            "<a line><stat><><a b>begin|3|stat||a b| 7\n");
  EXPECT_EQ(told(), std::string("end\0", 4));
}

TEST_F(PerfWrapper, tells_what_perf_has_printed_to_a_file) {
  write("perf", "#!/bin/bash\nsleep 0.02; case $1 in new) printf ' 5 p/x/\\n' >file ;; esac\n");
  const auto told_of = [this](const std::string& arguments) {
    return run("rm -f dev/vport1p1; mkfifo dev/vport1p1; exec 9<>dev/vport1p1; echo old >file; sleep 0.02; ./wrapper " +
               arguments + "; timeout 0.3 cat <&9 | tr '\\0' '|'");
  };
  write("dev/vport1p1", "");
  for (const std::string how : {"-o file", "-ofile", "-ao file", "--output file", "--output=file"}) {
    const std::string told = told_of("new " + how);
    EXPECT_TRUE(told.ends_with("|printed|file| 5 p/x/|end|")) << told;
  }
  const std::string old = told_of("old -o file");
  EXPECT_TRUE(old.ends_with("|file|end|")) << old << ": of another perf";
}

TEST_F(PerfWrapper, tells_of_metrics_before_a_perf_that_computes_some) {
  write("perf", "#!/bin/bash\n[ \"$1\" != list ] || echo \"<$*>\"\n");
  // All that is written to the port.
  const auto told_of = [this](const std::string& arguments) {
    return run("rm dev/vport1p1; mkfifo dev/vport1p1; exec 9<>dev/vport1p1; ./wrapper stat " + arguments +
               "; timeout 0.3 cat <&9 | tr '\\0' '|'");
  };
  write("dev/vport1p1", "");
  const std::string metrics = "metrics|<list -j metric>\n|";
  EXPECT_EQ(told_of("-M rate"), metrics + "begin|3|stat|-M|rate|end|");
  EXPECT_EQ(told_of("-aMrate"), metrics + "begin|2|stat|-aMrate|end|");
  EXPECT_EQ(told_of("--metrics=rate"), metrics + "begin|2|stat|--metrics=rate|end|");
  EXPECT_EQ(told_of("-e x"), "begin|3|stat|-e|x|end|");
}

TEST_F(PerfWrapper, asks_for_metrics_once_for_the_same_pmus) {
  write("perf", "#!/bin/bash\n[ \"$1\" != list ] || { echo asked >>asked; echo formulas; }\n");
  write("dev/vport1p1", "");
  const std::string twice = "for i in 1 2; do ./wrapper stat -M rate; tr '\\0' '|' <dev/vport1p1; done; wc -l <asked";
  // Each message replaces the one before in the file.
  EXPECT_EQ(run("mkdir -p pmus/a; " + twice), "end|end|1\n");
  EXPECT_EQ(run("mkdir -p pmus/b; " + twice), "end|end|2\n");
  EXPECT_EQ(run("cat metrics"), "formulas\n");
}

TEST_F(PerfWrapper, lets_perf_take_signals_as_without_it) {
  write("perf", "#!/bin/bash\ngrep -E 'SigIgn' /proc/$$/status\n");
  EXPECT_EQ(run("./wrapper stat"), run("./perf"));
}

}  // namespace
}  // namespace pmufab::guest
