// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"
#include "testbench/tests/tools/driver_build.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// What programs see of the machine. A program of our own lists folders with functions of the C library that open them
/// inside of it.
class ShellMachine : public Shell {
 protected:
  const std::string lister = PMUFAB_SYSFS_PROGRAM;
  void use_cxl() {
    platform = {shipped("platforms/cxl-exact.yaml"), "--set",
                "cxl_traffic=[{name: reads, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]"};
  }
  static bool lacks(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null").c_str()) != 0;
  }
};

TEST_F(ShellMachine, every_way_to_list_sysfs_finds_the_same_names) {
  use_cxl();
  const std::string out = (folder / "names").string();
  const Session session =
      type("find /sys | sort >" + out + ".find; " + lister + " nftw /sys | sort >" + out + ".nftw; " + lister +
           " fts /sys | sort >" + out + ".fts; (cd / && find sys | sed 's,^,/,' | sort) >" + out +
           ".relative; (cd /sys/bus && find ../../sys | sed 's,^../..,,' | sort) >" + out +
           ".above; ls -AR /sys | awk '/:$/ { at = substr($0, 1, length($0) - 1); print at; next }"
           " NF { print at \"/\" $0 }' | sort -u >" +
           out +
           ".ls;"
           "python3 -c 'import os\nfor at, folders, files in os.walk(\"/sys\"):\n"
           "  print(at)\n  for name in folders + files:\n    path = at + \"/\" + name\n"
           "    if name in files or os.path.islink(path): print(path)' | sort >" +
           out +
           ".walk;"
           "wc -l <" +
           out + ".find; cd " + folder.string() +
           "; for way in nftw fts relative above ls walk; do cmp names.find names.$way && echo $way; done");
  const std::string& found = session.outcome.out;
  EXPECT_GT(std::stoi(found), 300) << session.outcome.err;
  EXPECT_THAT(found, HasSubstr("\nnftw\nfts\nrelative\nabove\nls\nwalk\n"));
}

TEST_F(ShellMachine, what_is_listed_can_be_opened_followed_and_asked_for_its_state_and_nothing_else_can) {
  use_cxl();
  const std::string script = write("look.py", R"(import ctypes, glob, os
root = os.environ["PMUFAB_SHELL_SYSFS"]
count = 0
for at, folders, files in os.walk("/sys"):
    for name in folders + files:
        path = at + "/" + name
        count += 1
        for wrong in (not os.access(path, os.R_OK), not os.path.lexists(path), not os.path.exists(path),
                      glob.glob(glob.escape(path)) != [path], not os.path.realpath(path).startswith("/sys/"),
                      not os.path.samefile(path, os.path.realpath(path))):
            if wrong: print("wrong:", path)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                file.read()
                if os.readlink("/proc/self/fd/%d" % file.fileno()) != os.path.realpath(path): print("fd:", path)
        elif os.path.isdir(path):
            os.chdir(path)
            if os.getcwd() != os.path.realpath(path): print("cwd:", path)
            if sorted(os.listdir(".")) != sorted(os.listdir(path)): print("list:", path)
    os.chdir("/")
libc = ctypes.CDLL(None)
libc.realpath.restype = ctypes.c_char_p
print(libc.realpath(b"/sys/bus/event_source/devices/cxl_pmu_mem0.0", None).decode())
for path in ("/sys/fs", "/sys/class/net", "/sys/block", "/sys/devices/virtual", "/sys/devices/system/clocksource"):
    if os.path.exists(path): print("of the host:", path)
print("/sys/../etc/passwd", os.path.exists("/sys/../etc/passwd"), os.path.exists("/sys/bus/../../etc/passwd"))
print("looked" if count > 300 else count)
)");
  const Session session = type("python3 " + script);
  EXPECT_EQ(session.outcome.out, "/sys/devices/cxl_pmu_mem0.0\n/sys/../etc/passwd True True\nlooked\n")
      << session.outcome.err;
}

TEST_F(ShellMachine, patterns_and_scans_of_the_c_library_find_pmus) {
  platform = {shipped("platforms/cmn600-small.yaml")};
  const Session session =
      type(lister + " glob '/sys/devices/arm_cmn_*'; " + lister +
           " glob '/sys/bus/event_source/devices/arm_*/cpumask';" + lister +
           " scandir /sys/bus/event_source/devices; readlink /sys/bus/event_source/devices/arm_cmn_0;"
           "readlink -f /sys/bus/event_source/devices/arm_cmn_0/subsystem");
  EXPECT_EQ(session.outcome.out,
            "/sys/devices/arm_cmn_0\n/sys/bus/event_source/devices/arm_cmn_0/cpumask\narm_cmn_0\nsoftware\n"
            "../../../devices/arm_cmn_0\n/sys/bus/event_source\n")
      << session.outcome.err;
}

TEST_F(ShellMachine, config_reaches_the_model_by_every_path) {
  use_cxl();
  const Session session = type(
      "setpci -s 01:00.0 COMMAND=2:2; cd /sys/devices/pci0000:00/0000:00:00.0/0000:01:00.0; for path in config "
      "../0000:01:00.0/config $PWD/config /sys/bus/pci/devices/0000:01:00.0/config; do python3 -c "
      "'import os, sys; print(os.pread(os.open(sys.argv[1], os.O_RDONLY), 2, 4).hex())' $path; done");
  EXPECT_EQ(session.outcome.out, "0604\n0604\n0604\n0604\n") << session.outcome.err;
}

TEST_F(ShellMachine, lscpu_shows_the_platforms_cpus) {
  if (lacks("lscpu")) GTEST_SKIP() << "there is no lscpu (package util-linux)";
  const Session session = type("lscpu; lscpu -p=cpu,socket,node | tail -n 1");
  EXPECT_THAT(session.outcome.out, ::testing::ContainsRegex("On-line CPU.s. list: +0-175\n"));
  EXPECT_THAT(session.outcome.out, ::testing::ContainsRegex("Socket.s.: +2\n"));
  EXPECT_THAT(session.outcome.out, ::testing::ContainsRegex("NUMA node1 CPU.s.: +88-175\n"));
  EXPECT_THAT(session.outcome.out, AllOf(Not(HasSubstr("Vendor ID")), ::testing::EndsWith("\n175,1,1\n")))
      << session.outcome.err;
}

/// lscpu shows which machine it is. To others, uname() tells whose machine code runs.
TEST_F(ShellMachine, lscpu_shows_an_arm_machine_and_compilers_do_not) {
  if (lacks("lscpu")) GTEST_SKIP() << "there is no lscpu (package util-linux)";
  const Session session = type("lscpu | grep Architecture; uname -m");
  utsname host{};
  ASSERT_EQ(uname(&host), 0);
  std::istringstream words(session.outcome.out);
  std::string key, shown, told;
  words >> key >> shown >> told;
  EXPECT_EQ(shown, "aarch64") << session.outcome.out;
  EXPECT_EQ(told, host.machine);
}

/// As sysfs, which asks for the mode whoever opens the file; and for show() when it is read.
TEST_F(ShellMachine, a_file_that_nobody_may_read_does_not_open_and_one_without_show_cannot_be_read) {
  std::filesystem::path original;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PMUFAB_LINUX_SOURCES)) {
    const std::filesystem::path& path = entry.path();
    if (path.filename() == "nvidia_t410_cmem_latency_pmu.c" && path.string() > original.string()) original = path;
  }
  if (original.empty()) GTEST_SKIP() << "there are no sources of this driver";
  std::string text = read(original);
  const std::string list = "static struct attribute *cmem_lat_pmu_identifier_attrs[] = {\n";
  const std::size_t at = text.find(list);
  ASSERT_NE(at, std::string::npos);
  text.insert(at + list.size(), "\t&secret.attr,\n\t&nothing.attr,\n");
  text.insert(at,
              "static struct device_attribute secret = __ATTR(secret, 0200, NULL, NULL);\n"
              "static struct device_attribute nothing = __ATTR(nothing, 0644, NULL, NULL);\n");
  const std::string library = (folder / "own.so").string();
  const std::string version = original.lexically_relative(PMUFAB_LINUX_SOURCES).begin()->string();
  const Outcome built = pmufab(driver_build(write(original.filename(), text), version, library));
  ASSERT_EQ(built.exit_code, 0) << built.err;
  platform.insert(platform.end(), {"--driver", library});
  const Session session = type(
      "cd /sys/bus/event_source/devices/nvidia_cmem_latency_pmu_0; LC_ALL=C; export LC_ALL; stat -c %a secret;"
      "cat /sys/bus/event_source/devices/nvidia_cmem_latency_pmu_0/secret 2>&1;"
      "cat /sys/bus/event_source/devices/nvidia_cmem_latency_pmu_0/nothing 2>&1;"
      "python3 -c 'open(\"/sys/bus/event_source/devices/nvidia_cmem_latency_pmu_0/secret\")' 2>&1 | tail -n 1");
  EXPECT_THAT(session.outcome.out, AllOf(StartsWith("200\n"), HasSubstr("/secret: Permission denied\n"),
                                         HasSubstr("/nothing: Input/output error\n"), HasSubstr("PermissionError: ")))
      << session.outcome.err;
}

TEST_F(ShellMachine, few_files_can_be_written_to) {
  const Session session = type(
      "cd /sys/bus/event_source/devices/nvidia_ucf_pmu_0/; stat -c %a type cpumask events/cycles format/event uevent "
      "perf_event_mux_interval_ms /sys/devices/system/cpu/online /sys/devices/system/cpu/cpu1/online");
  EXPECT_EQ(session.outcome.out, "444\n444\n444\n444\n644\n644\n444\n644\n") << session.outcome.err;
}

TEST_F(ShellMachine, lstopo_shows_the_platforms_sockets_and_cores) {
  if (lacks("lstopo-no-graphics")) GTEST_SKIP() << "there is no lstopo (package hwloc-nox)";
  const Session session = type(
      "lstopo-no-graphics --of console >lstopo; for kind in Package NUMANode Core PU L3; do grep -c $kind lstopo; done;"
      "grep -c 'PU L#175 (P#175)' lstopo; rm lstopo");
  EXPECT_EQ(session.outcome.out, "2\n2\n176\n176\n0\n1\n") << session.outcome.err;
}

TEST_F(ShellMachine, numactl_shows_the_platforms_nodes_and_starts_programs_on_them) {
  if (lacks("numactl")) GTEST_SKIP() << "there is no numactl";
  const Session session = type(
      "numactl -H; numactl --cpunodebind=1 --membind=1 taskset -pc $$; "
      "numactl --cpunodebind=1 sh -c 'taskset -pc $$'; numactl --cpunodebind=2 true");
  EXPECT_THAT(session.outcome.out,
              AllOf(StartsWith("available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2"), HasSubstr("\nnode 1 cpus: 88 89 90"),
                    // 512 GiB, as the platform's map of addresses has them
                    HasSubstr("\nnode 0 size: 524288 MB\n"), HasSubstr("\nnode 1 free: 524288 MB\n"),
                    HasSubstr("current affinity list: 0-175\n"), HasSubstr("current affinity list: 88-175\n")))
      << session.outcome.err;
  // numactl 2.0.19 makes the columns wider than 2.0.16 does.
  EXPECT_TRUE(std::regex_search(session.outcome.out, std::regex("\n +0: +10 +20 *\n +1: +20 +10 *\n")))
      << session.outcome.out;
  EXPECT_THAT(session.outcome.err, HasSubstr("node argument 2 is out of range"));
}

TEST_F(ShellMachine, cxl_list_shows_the_platforms_memory_devices) {
  if (lacks("cxl")) GTEST_SKIP() << "there is no cxl (package ndctl)";
  use_cxl();
  const Session session = type("cxl list -M; ls /sys/bus/cxl/devices; cat /sys/bus/cxl/devices/mem1/payload_max");
  EXPECT_THAT(session.outcome.out, AllOf(HasSubstr("\"memdev\":\"mem0\""), HasSubstr("\"memdev\":\"mem1\""),
                                         HasSubstr("\"host\":\"0000:01:00.0\""), HasSubstr("\"host\":\"0000:02:00.0\""),
                                         HasSubstr("mem0\nmem1\npmu_mem0.0\n"),
                                         ::testing::EndsWith("\n2048\n")))  // its mailbox register has 11

      << session.outcome.err;
}

TEST_F(ShellMachine, programs_run_on_the_platforms_cpus) {
  const Session session = type(
      "nproc; taskset -c 88 nproc; taskset -c 88 sh -c 'grep Cpus_allowed_list /proc/self/status; taskset -pc 5-6 $$ "
      ">/dev/null; nproc'; nproc; taskset -c 176 true; " +
      lister + " bind 3 175");
  EXPECT_EQ(session.outcome.out,
            "176\n1\nCpus_allowed_list:\t88\n2\n176\n176 of 176, 176 of 176\nbind 178: Invalid argument\nthread 3\n"
            "create: Success\nbound thread 175, self 3\nchild 3 (1)\n1\nself 175\n")
      << session.outcome.err;
  EXPECT_THAT(session.outcome.err, HasSubstr("Invalid argument"));
}

}  // namespace
}  // namespace pmufab::testing
