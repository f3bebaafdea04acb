// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two CXL devices, each below its own root port.
class ShellPci : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    platform = {shipped("platforms/cxl-exact.yaml"), "--set",
                "cxl_traffic=[{name: reads, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]"};
  }
};

TEST_F(ShellPci, lspci_shows_the_topology_and_what_is_in_configuration_space) {
  const Session tree = type("lspci -n -t");
  EXPECT_EQ(tree.outcome.out, "-[0000:00]-+-00.0-[01]----00.0\n           \\-01.0-[02]----00.0\n") << tree.outcome.err;
  const Session list = type("lspci -n; lspci -vv -s 01:00.0");
  // The class codes of a PCI bridge and of a CXL memory device.
  EXPECT_THAT(list.outcome.out,
              AllOf(HasSubstr("00:00.0 0604: "), HasSubstr("01:00.0 0502: "),
                    HasSubstr("Designated Vendor-Specific: Vendor=1e98 ID=0000"),
                    HasSubstr("Capabilities: [40] Express (v2) Endpoint"), HasSubstr("MSI-X:"), HasSubstr("64-bit")))
      << list.outcome.err;
}

TEST_F(ShellPci, setpci_reaches_the_model) {
  const Session session = type(
      "setpci -s 01:00.0 COMMAND=0:2; lspci -v -s 01:00.0 | grep Memory;"
      "setpci -s 01:00.0 COMMAND=2:2; lspci -v -s 01:00.0 | grep Memory;"
      "setpci -s 01:00.0 VENDOR_ID=1234; setpci -s 01:00.0 VENDOR_ID.w DEVICE_ID.w 0.b 0.l");
  const std::string& out = session.outcome.out;
  const std::size_t second = out.find("Memory", out.find("[disabled]"));
  ASSERT_NE(second, std::string::npos) << out << session.outcome.err;
  EXPECT_THAT(out.substr(second), Not(HasSubstr("[disabled]")));
  // Read-only bits do not change.
  EXPECT_THAT(out, ::testing::EndsWith("1e98\n0003\n98\n00031e98\n"));
}

TEST_F(ShellPci, files_of_sysfs_are_the_platforms) {
  const Session session = type(
      "cat /sys/bus/pci/devices/0000:01:00.0/class; ls /sys/bus/pci/devices;"
      "od -A n -t x4 -N 4 /sys/bus/pci/devices/0000:01:00.0/config;"
      "cat /sys/bus/event_source/devices/cxl_pmu_mem0.0/format/mask; cat /sys/devices/system/cpu/online");
  EXPECT_EQ(session.outcome.out,
            "0x050210\n0000:00:00.0\n0000:00:01.0\n0000:01:00.0\n0000:02:00.0\n 00031e98\nconfig:0-31\n0-7\n")
      << session.outcome.err;
}

TEST_F(ShellPci, pmus_debugfs_and_rights_are_the_platforms_and_nothing_is_the_hosts) {
  const Session session = type(
      "cat /proc/sys/kernel/perf_event_paranoid; cat /sys/devices/cxl_pmu_mem0.0/format/mask;"
      "cmp /sys/devices/cxl_pmu_mem0.0/type /sys/bus/event_source/devices/cxl_pmu_mem0.0/type && echo same;"
      "ls -d /sys/devices/system/cpu /sys/bus/cxl /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null;"
      "perf list tracepoint 2>/dev/null | grep -c :");
  EXPECT_EQ(session.outcome.out, "-1\nconfig:0-31\nsame\n/sys/bus/cxl\n/sys/devices/system/cpu\n0\n")
      << session.outcome.err;
}

/// The southern row of cmn600-small.yaml is D R S R. At their second ports these have SBSX, HN-F, RN-I and HN-F.
TEST_F(Shell, debugfs_has_what_the_drivers_show_there) {
  platform = {shipped("platforms/cmn600-small.yaml")};
  const Session session = type("ls /sys/kernel/debug; cat /sys/kernel/debug/arm-cmn/map");
  EXPECT_THAT(session.outcome.out,
              AllOf(::testing::StartsWith("arm-cmn\n"), HasSubstr("|  SBSX  |  HN-F  |  RN-I  |  HN-F  |")))
      << session.outcome.err;
}

/// Drivers find the blocks by the locator alone, wherever they are in it.
TEST_F(ShellPci, blocks_are_in_the_order_of_the_register_locator) {
  const std::string file = write("locator.yaml", R"(kind: cxl
name: locator
cxl:
  - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
    cpmus: [{groups: [{group: m2s_req}]}, {groups: [{group: s2m_drs}]}]
    locator: [cpmu, vendor, device, empty, component, cpmu]
)");
  platform = {file, "--set", "cxl_traffic=[{name: reads, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]"};
  // Eight bytes an entry, behind the twelve of the DVSEC's header: offset and block, block ids 4, 255, 3, 0, 1, 4.
  const Session session = type(
      "perf stat -a -e cxl_pmu_mem0.0/m2s_req_memrd/,cxl_pmu_mem0.1/s2m_drs_memdata/ sleep 0.1 2>/dev/null;"
      "od -A n -v -t x4 -w4 /sys/bus/pci/devices/0000:01:00.0/config | awk '{ word[NR] = $1 } END { for (i in word)"
      " if (word[i] ~ /1e98$/ && word[i + 1] ~ /0008$/) for (n = 0; n < 6; ++n) print word[i + 2 + 2 * n] }'");
  expect_exact(session, 2);
  EXPECT_GT(session.verdicts[1].at("driver"), 1000);
  EXPECT_EQ(session.outcome.out, "00000400\n0001ff00\n00020300\n00000000\n00030100\n00040400\n");
}

TEST_F(ShellPci, a_wrong_register_locator_is_refused) {
  const std::string devices = "platform.cxl[0].locator=";
  platform = {shipped("platforms/cxl-typical.yaml"), "--set", devices + "[component, cpmu, cpmu]"};
  EXPECT_THAT(type("true").outcome.err, HasSubstr("has not one component and one device block"));
  platform.back() = devices + "[component, device, cpmu]";
  EXPECT_THAT(type("true").outcome.err, HasSubstr("has 1 cpmu blocks for 2 CPMUs"));
  platform.back() = devices + "[component, device, cpmus]";
  const Outcome outcome = type("true").outcome;
  EXPECT_THAT(outcome.err, HasSubstr("there is no block 'cpmus'"));
  EXPECT_EQ(outcome.exit_code, 2);
}

TEST_F(ShellPci, a_pmu_found_there_counts) {
  const Session session = type("perf stat -a -e cxl_pmu_mem0.0/m2s_req_memrd/,cxl_pmu_mem0.0/clock_ticks/ sleep 0.2");
  expect_exact(session, 2);
  EXPECT_GT(session.verdicts[0].at("driver"), 1000);
}

}  // namespace
}  // namespace pmufab::testing
