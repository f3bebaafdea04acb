// SPDX-License-Identifier: Apache-2.0
// pmufab serve with real clients.
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Serve : public Cli {
 protected:
  const std::string tegra410 = shipped("platforms/tegra410-1s-small.yaml");
  const std::string mesh = shipped("platforms/cmn600-small.yaml");
  const std::string preamble = "from pmufab_registers import Debugger, DebugException\nd = Debugger()\n";

  /// Run a script as the command of serve.
  Outcome run_script(const std::string& script, std::vector<std::string> options = {}, const std::string& platform = {},
                     const std::vector<std::string>& arguments = {}) {
    options.insert(options.begin(), {"serve", platform.empty() ? tegra410 : platform});
    options.insert(options.end(), {"--", "python3", write("script.py", preamble + script)});
    options.insert(options.end(), arguments.begin(), arguments.end());
    return pmufab(options);
  }

  /// Start a server without a command, and wait until it serves. @return its process
  pid_t start_server() {
    socket_path = (folder / "registers").string();
    for (const char* name : {"out", "err"}) std::filesystem::remove(folder / name);
    // Its traffic takes a while to simulate.
    const pid_t server = start({"serve", shipped("platforms/tegra410-2s.yaml"), "--traffic",
                                shipped("traffic/mixed.yaml"), "--socket", socket_path, "--verbose"});
    for (int i = 0; i < 600 && read(folder / "out").find('\n') == std::string::npos; ++i) wait_a_moment();
    EXPECT_THAT(read(folder / "out"), HasSubstr("at " + socket_path)) << read(folder / "err");
    return server;
  }
  static void wait_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

  /// A program of the test. @return what it prints
  std::string run_program(const std::string& command) {
    const std::string file = (folder / "program").string();
    const std::string environment =
        "PMUFAB_REGISTERS='" + socket_path + "' PYTHONPATH=" PMUFAB_SOURCE_DIR "/tools/python ";
    EXPECT_EQ(std::system((environment + command + " >" + file + " 2>&1").c_str()), 0) << read(file);
    return read(file);
  }
  std::string run_client(const std::string& script) {
    return run_program("timeout 60 python3 " + write("client.py", preamble + script));
  }

  std::string socket_path;
};

// The UCF PMU of socket 0 is at 0x10000000, page 1 behind it (docs/platform.md). PMEVTYPER0 is at 0x400, PMCNTENSET at
// 0xc00, PMCR at 0xe04 (Arm CoreSight PMU architecture, ARM IHI 0091).

TEST_F(Serve, a_script_reads_and_writes_registers) {
  const Outcome outcome = run_script(R"(
d.writeMemoryValue(0x10000400, 0x111, 32)
print(hex(d.readMemoryValue(0x10000400, 32)), hex(d.readMemoryValue("AXI:0x10000400")))
d.writeMemoryValue("0x10000400", 0x112, size=32, memParams={"PROT": 0})
print(hex(d.readMemoryValue(0x10000400, size=32, memParams={})))
d.reset()
print(hex(d.readMemoryValue(0x10000400)))
)");
  EXPECT_EQ(outcome.out, "0x111 0x111\n0x112\n0x0\n") << outcome.err;
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(Serve, what_the_bus_refuses_is_an_exception_and_no_end) {
  const Outcome outcome = run_script(R"(
for address, size in ((0x3000, 32), (0x10000400, 64), (0x10000400, 16), (0x10000402, 32), (0xfffffffffffffff8, 64)):
    try:
        print(hex(d.readMemoryValue(address, size)))
    except DebugException as error:
        print(error)
for what in (lambda: d.readMemoryValue(0, 7), lambda: d.readMemoryValue("AXI:xyz"), lambda: d.run("soon"),
             lambda: d.run("-1us"), lambda: d.run("2501h"), lambda: d.monitor("regs socket0.ufc_pmu"), lambda: d.monitor("")):
    try:
        print(what())
    except DebugException as error:
        print(str(error).splitlines()[0])
d.writeMemoryValue(0x10000400, 3)
print(d.readMemoryValue(0x10000400), d.time())
)");
  EXPECT_EQ(outcome.out,
            R"(a read of 32 bits at 0x3000 is refused (E0e)
a read of 64 bits at 0x10000400 is refused (E0e)
a read of 16 bits at 0x10000400 is refused (E0e)
a read of 32 bits at 0x10000402 is refused (E0e)
a read of 64 bits at 0xfffffffffffffff8 is refused (E0e)
7 is no size: 8, 16, 32 or 64 bits
'AXI:xyz' is no address
'soon' is not a number: run 10us
'-1us' is negative: run 10us
that is too long: 9000000 s are left
there are no registers 'socket0.ufc_pmu'; did you mean 'socket0.ucf_pmu'?
there is no command ''; these there are:
3 0 s
)") << outcome.err;
}

TEST_F(Serve, time_stands_still_until_it_is_told_to_pass) {
  // The mesh has 2 GHz unless told otherwise. DTC 0: its place is what "monitor regs" says. dtc_ctl is at 0xa00 of it
  // (dt_en bit 0, cg_disable bit 10), pmcr at 0x2100 (pmu_en bit 0), pmccntr at 0x2040 (Arm CMN-600 TRM).
  const Outcome outcome = run_script(R"(
dtc = int(next(line for line in d.monitor("regs").splitlines() if line.startswith("cmn0.dtc0 ")).split()[1], 16)
d.writeMemoryValue(dtc + 0xa00, 1 << 10 | 1, 64)
d.writeMemoryValue(dtc + 0x2100, 1, 64)
print(d.readMemoryValue(dtc + 0x2040, 64), d.readMemoryValue(dtc + 0x2040, 64), d.time())
d.run("10us")
print(d.readMemoryValue(dtc + 0x2040, 64), d.readMemoryValue(dtc + 0x2040, 64), d.time())
d.run("1 ms")
print(d.readMemoryValue(dtc + 0x2040, 64), d.time())
)",
                                     {"--set", "platform.meshes[0].clock=2 GHz"}, mesh);
  EXPECT_EQ(outcome.out, "0 0 0 s\n20000 20000 10 us\n2020000 1010 us\n") << outcome.err;
}

/// pmufab regs says where registers are and what they hold. The bus must say the same, for banks of every kind.
TEST_F(Serve, every_register_is_where_pmufab_regs_shows_it) {
  for (const char* name : {"tegra410-1s-small", "tegra410-pcie", "cmn600-small", "cmn-s3-r1p0", "cxl-switch"}) {
    const std::string platform = shipped(std::string("platforms/") + name + ".yaml");
    // PCI functions have no registers in memory until software switches them on.
    const std::string state = std::string(name).starts_with("cxl") ? "--load-drivers" : "";
    std::vector<std::string> words = {"regs", platform, "--dump"};
    if (state.empty()) words.emplace_back("--reset");
    const Outcome dump = pmufab(words);
    ASSERT_EQ(dump.exit_code, 0) << dump.err;
    write("dump", dump.out);
    const Outcome outcome = run_script(R"(
import sys
lines = [line.split() for line in open(sys.argv[1])]
for letter, address, value in lines:
    found = d.readMemoryValue(address, 4 * (len(value) - 2))
    assert letter == "R"
    if found != int(value, 16):
        print(address, value, hex(found))
print(len(lines) > 300 and len(lines) == len({line[1] for line in lines}))
)",
                                       state.empty() ? std::vector<std::string>() : std::vector{state}, platform,
                                       {(folder / "dump").string()});
    EXPECT_EQ(outcome.out, "True\n") << name << outcome.err;
  }
}

TEST_F(Serve, traffic_goes_on_while_time_passes) {
  // The UCF's event 0x111 counts reads of the system level cache (the kernel's nvidia-t410-pmu.rst). PMEVFILTR and
  // PMEVFILT2R, at 0xa00 and 0x800, select its sources and destinations: all.
  const std::string script = R"(
d.writeMemoryValue(0x10000400, 0x111)
d.writeMemoryValue(0x10000a00, 0xffffffff)
d.writeMemoryValue(0x10000800, 0xffffffff)
d.writeMemoryValue(0x10000c00, 1)
d.writeMemoryValue(0x10000e04, 1)
d.run("100us")
print("some" if d.readMemoryValue(0x10001000) else "none")
)";
  const Outcome with =
      run_script(script, {"--traffic", shipped("traffic/mixed.yaml")}, shipped("platforms/tegra410-2s.yaml"));
  EXPECT_EQ(with.out, "some\n") << with.err;
  const Outcome without = run_script(script, {}, shipped("platforms/tegra410-2s.yaml"));
  EXPECT_EQ(without.out, "none\n") << without.err;
}

TEST_F(Serve, time_follows_the_clock_if_that_is_wanted) {
  const Outcome outcome = run_script(R"(
import time
def picoseconds():
    number, unit = d.time().split()
    return int(number) * {"ps": 1, "ns": 1000, "us": 10**6, "ms": 10**9, "s": 10**12}[unit]
first, begin = picoseconds(), time.monotonic()
while picoseconds() < first + 10**8:  # 100 us
    assert time.monotonic() < begin + 60
print("fast" if time.monotonic() < begin + 0.09 else "not too fast")
)",
                                     {"--realtime", "0.001"});
  EXPECT_EQ(outcome.out, "not too fast\n") << outcome.err;
}

TEST_F(Serve, drivers_are_loaded_if_that_is_wanted) {
  const std::string script = "print(hex(d.readMemoryValue(0x10000e04)))\nprint(d.time() != '0 s')\n";
  EXPECT_THAT(run_script(script).out, HasSubstr("False\n"));
  const Outcome loaded = run_script(script, {"--load-drivers"});
  EXPECT_THAT(loaded.out, HasSubstr("True\n")) << loaded.err;
}

TEST_F(Serve, needs_drivers_only_to_load_them) {
  const std::map<std::string, std::string> nowhere = {{"PMUFAB_DRIVERS", folder / "nowhere"}};
  const std::vector<std::string> script = {"--", "python3",
                                           write("script.py", preamble + "print('run' in d.monitor('help'))\n")};
  for (const char* const name : {"tegra410-1s-small", "cmn600-small", "combined", "soc/ampereone-mcu"}) {
    std::vector<std::string> words = {"serve", shipped(std::string("platforms/") + name + ".yaml")};
    words.insert(words.end(), script.begin(), script.end());
    const Outcome served = finish(start(words, nowhere));
    EXPECT_EQ(served.out, "True\n") << name << served.err;
    EXPECT_EQ(served.exit_code, 0) << name;
  }
  const Outcome loaded = finish(start({"serve", tegra410, "--load-drivers", "--", "true"}, nowhere));
  EXPECT_THAT(loaded.err, HasSubstr("there are no drivers in"));
  EXPECT_EQ(loaded.exit_code, 2);
  for (const std::string option : {"drivers", "driver-dir", "driver"}) {
    const Outcome chosen = pmufab({"serve", tegra410, "--" + option, "7.2", "--", "true"});
    EXPECT_THAT(chosen.err, HasSubstr("--" + option + " chooses drivers, and none are loaded (add --load-drivers)"));
    EXPECT_EQ(chosen.exit_code, 2);
  }
}

TEST_F(Serve, the_exit_code_is_the_commands) {
  EXPECT_EQ(pmufab({"serve", tegra410, "--", "sh", "-c", "exit 7"}).exit_code, 7);
  EXPECT_EQ(pmufab({"serve", tegra410, "--", "sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
  EXPECT_EQ(pmufab({"serve", tegra410, "--", "no-such-program"}).exit_code, 127);
}

TEST_F(Serve, signals_end_it_and_leave_nothing) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t server = start_server();
    EXPECT_TRUE(std::filesystem::exists(socket_path));
    EXPECT_EQ(run_client("print(d.time())"), "0 s\n");
    kill(server, signal);
    ended(0, finish(server));
    EXPECT_FALSE(std::filesystem::exists(socket_path));
  }
}

TEST_F(Serve, a_signal_ends_it_while_time_passes) {
  const pid_t server = start_server();
  const pid_t client = fork();
  if (client == 0) {
    setenv("PMUFAB_REGISTERS", socket_path.c_str(), 1);
    setenv("PYTHONPATH", PMUFAB_SOURCE_DIR "/tools/python", 1);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);  // it says that it was interrupted
    const std::string script = "from pmufab_registers import Debugger\nDebugger().run('1h')";
    execlp("python3", "python3", "-c", script.c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < 200 && read(folder / "err").find("connected") == std::string::npos; ++i) wait_a_moment();
  kill(server, SIGTERM);
  ended(0, finish(server));
  kill(client, SIGKILL);
  waitpid(client, nullptr, 0);
}

TEST_F(Serve, killed_clients_do_not_end_it) {
  const pid_t server = start_server();
  const std::string out = run_client(R"py(
import os, subprocess, sys, time
d.writeMemoryValue(0x10000400, 5)
body = "from pmufab_registers import Debugger\nd = Debugger()\nprint('ready', flush=True)\nd.run('1h')"
for number in range(3):  # in the middle of a command
    one = subprocess.Popen([sys.executable, "-c", body], stdout=subprocess.PIPE)
    one.stdout.readline()
    time.sleep(0.1)
    one.kill()
    one.wait()
print(d.readMemoryValue(0x10000400))
)py");
  EXPECT_EQ(out, "5\n");
  kill(server, SIGTERM);
  EXPECT_THAT(ended(0, finish(server)).err, HasSubstr("a client has gone"));
}

/// One object per mesh is how scripts for debuggers work. Simulated time keeps only its own client waiting. Where nothing
/// happens it passes in a moment, so that client waits again and again.
TEST_F(Serve, serves_two_objects_of_one_script_and_others_while_one_waits) {
  const Outcome outcome = run_script(R"py(
import subprocess, sys, time
other = Debugger()
for value in range(1, 50):
    (d, other)[value % 2].writeMemoryValue(0x10000400, value)
    assert (other, d)[value % 2].readMemoryValue(0x10000400) == value
body = "from pmufab_registers import Debugger\nd = Debugger()\nprint('ready', flush=True)\nwhile True: d.run('1s')"
one = subprocess.Popen([sys.executable, "-c", body], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
one.stdout.readline()
first = other.time()
while other.time() == first:
    time.sleep(0.01)
d.run("1us")
other.writeMemoryValue(0x10000400, 7)
print(d.readMemoryValue(0x10000400), one.poll())
one.kill()
one.wait()
)py");
  EXPECT_EQ(outcome.out, "7 None\n") << outcome.err;
}

TEST_F(Serve, serves_200_that_reconnect_at_once_and_says_why_it_refuses_one_too_many) {
  const Outcome outcome = run_script(R"py(
for number in range(200):
    with Debugger() as one:
        one.readMemoryValue(0x10000400)
many = [d]
try:
    while len(many) < 100:
        many.append(Debugger())
except DebugException as error:
    print(len(many), str(error).rpartition(": ")[2])
many[1].close()
print(Debugger().readMemoryValue(0x10000400), d.readMemoryValue(0x10000400))
)py");
  EXPECT_EQ(outcome.out, "64 64 clients are served already\n0 0\n") << outcome.err;
}

TEST_F(Serve, gdb_connects_reads_writes_and_lets_time_pass) {
  if (std::system("gdb --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "gdb is not installed";
  const pid_t server = start_server();
  const std::string out = run_program(
      "timeout 120 gdb -nx -batch"
      " -ex 'target remote " +
      socket_path +
      "'"
      " -ex 'set *(unsigned int *)0x10000400 = 0x111'"
      " -ex 'x/wx 0x10000400'"
      " -ex 'print/x *(unsigned int *)0x10000400'"
      " -ex 'monitor run 10us' -ex 'monitor time'"
      " -ex 'dump binary memory " +
      (folder / "page").string() +
      " 0x10000000 0x10001000'"
      " -ex 'x/wx 0x3000'"
      " -ex 'continue'"
      " -ex 'detach'");
  EXPECT_THAT(out, AllOf(HasSubstr("0x10000400:\t0x00000111"), HasSubstr("$1 = 0x111"), HasSubstr("\n10 us\n"),
                         HasSubstr("Cannot access memory at address 0x3000"), HasSubstr("Remote failure reply: E5f"),
                         HasSubstr("detached]")));
  const std::string page = read(folder / "page");
  ASSERT_EQ(page.size(), 0x1000U);
  EXPECT_EQ(page.substr(0x400, 4), std::string("\x11\x01\0\0", 4));
  EXPECT_EQ(run_client("print(d.readMemoryValue(0x10000400))"), "273\n") << "after gdb has gone";
  kill(server, SIGTERM);
  EXPECT_EQ(finish(server).exit_code, 0);
}

TEST_F(Serve, listens_at_a_port_if_that_is_wanted) {
  const Outcome outcome = pmufab(
      {"serve", tegra410, "--listen", "127.0.0.1:0", "--", "python3",
       write("script.py", "import os\n" + preamble + "print(os.environ['PMUFAB_REGISTERS'])\nprint(d.time())\n")});
  EXPECT_THAT(outcome.out, AllOf(StartsWith("127.0.0.1:"), HasSubstr("\n0 s\n"), Not(HasSubstr(":0\n"))))
      << outcome.err;
}

TEST_F(Serve, refuses_what_it_cannot_do) {
  const auto refuses = [this](const std::vector<std::string>& words, const std::string& why) {
    const Outcome outcome = ended(2, pmufab(words));
    EXPECT_THAT(outcome.err, HasSubstr(why));
    EXPECT_EQ(outcome.out, "");
  };
  refuses({"serve"}, "no platform is given");
  refuses({"serve", tegra410, mesh}, "there is more than one platform");
  for (const char* address :
       {"0.0.0.0:4711", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "4711", "::1:4711"})
    refuses({"serve", tegra410, "--listen", address}, "is no port of this machine's loopback address");
  refuses({"serve", tegra410, "--listen", "127.0.0.1:0", "--socket", "x"}, "exclude each other");
  refuses({"serve", tegra410, "--socket", write("file", "")}, "nobody can listen there");
  EXPECT_TRUE(std::filesystem::exists(folder / "file"));
  refuses({"serve", tegra410, "--socket", (folder / std::string(200, 'x')).string()}, "the path is too long");
  refuses({"serve", tegra410, "--socket", "/no/such/folder/socket"}, "nobody can listen there");
  refuses({"serve", tegra410, "--realtime", "fast"}, "--realtime fast is not a number");
}

}  // namespace
}  // namespace pmufab::testing
