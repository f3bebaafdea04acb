// SPDX-License-Identifier: Apache-2.0
// Platforms with plug-ins: those of docs/examples/own_fabric, and one that lets a known number of things happen.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Plugins : public Cli {
 protected:
  /// Files of the example stand beside its libraries.
  void SetUp() override {
    Cli::SetUp();
    for (const char* name : {"own_fabric.so", "own_timer.so", "scripted.so"})
      std::filesystem::create_symlink(std::filesystem::path(PMUFAB_PLUGINS_DIR) / name, folder / name);
    for (const char* name : {"fabric.yaml", "timer-soc.yaml"})
      std::filesystem::copy_file(std::filesystem::path(PMUFAB_SOURCE_DIR "/docs/examples/own_fabric") / name,
                                 folder / name);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder / name).string(); }

  std::string scripted(const std::string& events) {
    return write("scripted.yaml", R"(name: scripted
platform: scripted.so
duration: 50 us
measure:
  - {events: [)" + events + "]}\n");
  }
  /// Draw sessions on the example's fabric, whose event wires lose something.
  Outcome verify_broken_fabric() {
    const std::string keys = R"(kind: plugin
name: broken
cpus_per_socket: 4
plugin: own_fabric.so
plugin_parameters: {loses_every: 10}
coresight_pmus:
  - {name: crossbar, pmiidr: 0x7010_043b, base: 0x2000_0000, hid: OWNF0001,
     events: [{name: requests, number: 1, source: own.request}]}
)";
    return pmufab(
        {"verify", "--platform", write("broken.yaml", keys), "--runs", "5", "--no-shrink", "--out", path("b")});
  }
  /// @return results of a run, as JSON has them
  Json results(std::vector<std::string> arguments, int exit_code) {
    arguments.insert(arguments.end(), {"--drivers", "newest", "--json", path("results.json")});
    ended(exit_code, pmufab(arguments));
    return Json::parse(read(folder / "results.json"), nullptr, false);
  }
};

TEST_F(Plugins, the_example_counts_exactly_with_each_driver_that_serves_it) {
  EXPECT_THAT(ended(0, pmufab({"run", path("fabric.yaml")})).out,
              AllOf(HasSubstr("drivers of Linux 7.3"), HasSubstr("4 counters, none wrong"),
                    Not(HasSubstr("every count is 0"))));
}

TEST_F(Plugins, a_fabric_whose_event_wires_lose_something_is_found_out) {
  prints(1, {"run", path("fabric.yaml"), "--drivers", "newest", "--set", "platform.plugin_parameters.loses_every=50"},
         {"4 of 4 counters wrong"});
}

TEST_F(Plugins, the_scoreboard_hears_witnesses_and_counters_hear_signals) {
  const std::string file = scripted("arm_cspmu_acpi_ACME0001_1/event=1/, arm_cspmu_acpi_ACME0001_1/event=2/");
  const auto counts = [&](unsigned witnessed, unsigned signalled) {
    const Json all = results({"run", file, "--set",
                              "platform.plugin_parameters={witnessed: " + std::to_string(witnessed) +
                                  ", signalled: " + std::to_string(signalled) + "}"},
                             witnessed == signalled ? 0 : 1);
    const Json& counters = all.at("runs").at(0).at("measures").at(0).at("counters");
    EXPECT_EQ(counters.at(0).at("driver"), signalled);
    EXPECT_EQ(counters.at(0).at("expected"), witnessed);
    EXPECT_EQ(counters.at(1).at("driver"), 3 * signalled);
    EXPECT_EQ(counters.at(1).at("expected"), 3 * witnessed);
  };
  counts(1000, 1000);
  counts(1000, 999);
  counts(10, 12);
}

TEST_F(Plugins, the_same_seed_gives_the_same_results) {
  const auto text = [&](const std::string& seed) {
    static_cast<void>(results({"run", path("fabric.yaml"), "--set", "seed=" + seed}, 0));
    return read(folder / "results.json");
  };
  const std::string first = text("7");
  EXPECT_EQ(first, text("7"));
  EXPECT_NE(first, text("8"));
}

TEST_F(Plugins, commands_take_a_library_as_a_platform) {
  const std::string fabric = path("own_fabric.so");
  EXPECT_THAT(pmufab({"list", fabric}).out, HasSubstr("arm_cspmu_acpi_OWNF0001_0/cycles/"));
  EXPECT_THAT(
      pmufab({"list", "--sources", fabric}).out,
      HasSubstr("own.request              attributes port, write, bytes, bank; counted by crossbar (3 events)"));
  prints(0, {"stat", "--platform", fabric, "-e", "arm_cspmu_acpi_OWNF0001_0/event=1/"}, {"1 counter, none wrong"});
  EXPECT_THAT(pmufab({"regs", fabric, "--reset"}).out, HasSubstr("socket0.crossbar at 0x20000000"));
  EXPECT_EQ(pmufab({"serve", fabric, "--", "true"}).exit_code, 0);
  EXPECT_EQ(pmufab({"shell", fabric, "--", "true"}).exit_code, 0);
  ended(0, pmufab({"run", path("fabric.yaml"), "--platform", fabric, "--drivers", "newest"}));
}

TEST_F(Plugins, random_sessions_on_a_plug_in_pass) {
  prints(0, {"verify", "--platform", path("own_fabric.so"), "--runs", "20", "--out", path("v")},
         {"20 cases, 20 passed"});
  EXPECT_THAT(ended(1, verify_broken_fabric()).out, HasSubstr("FAILED"));
  refuses({"verify", "--platform", shipped("platforms/cmn600-small.yaml"), "--runs", "1"}, {"has no PMU for cases"});
  ended(2, pmufab({"verify", "--platform", path("own_fabric.so"), "--fabric", "soc"}));
}

TEST_F(Plugins, random_sessions_wrap_narrow_counters_and_pass) {
  const std::string keys = write("narrow.yaml", R"(kind: plugin
name: narrow
cpus_per_socket: 4
plugin: own_fabric.so
sources: [{name: local.step, attributes: [size]}]
coresight_pmus:
  - name: narrow
    pmiidr: 0x7010_043b
    base: 0x2000_0000
    width: 20
    clock: 100 MHz
    hid: OWNF0001
    interrupt: {number: 300}
    events:
      - {name: requests, number: 1, source: own.request}
      - {name: outstanding, number: 2, source: own.request, counts: outstanding}
      - {name: sizes, number: 3, source: local.step, counts: size}
  - name: another
    pmiidr: 0x7010_043b
    base: 0x2001_0000
    width: 20
    clock: 100 MHz
    hid: OWNF0002
    interrupt: {number: 301}
    events: [{name: requests, number: 1, source: own.request}]
)");
  prints(0, {"verify", "--platform", keys, "--runs", "150", "--out", path("v"), "--coverage", path("narrow.coverage")},
         {"150 cases, 150 passed"});
  EXPECT_EQ(pmufab({"coverage", path("narrow.coverage"), "--json", path("met.json")}).exit_code, 0);
  const Json met = Json::parse(read(folder / "met.json"));
  unsigned looked_at = 0;
  for (const Json& point : met.at("kinds").at(0).at("points")) {
    looked_at += point.at("name") == "width x wraps" || point.at("name") == "interrupt" ? 1 : 0;
    const std::string missing = point.at("never_met").dump();
    if (point.at("name") == "width x wraps") {
      for (const char* bin : {"one", "more than one", "several counters at once", "in a handler"})
        EXPECT_THAT(missing, Not(HasSubstr(std::string("\"up to 32 bits x ") + bin)));
    } else if (point.at("name") == "interrupt") {
      EXPECT_THAT(missing, Not(HasSubstr("a line of its own")));
    }
  }
  EXPECT_EQ(looked_at, 2U);
}

TEST_F(Plugins, parameters_are_axes_of_studies) {
  const std::string study = write("study.yaml", R"(name: ports
scenario: fabric.yaml
axes:
  loses: {set: platform.plugin_parameters.loses_every, values: [0, 10]}
responses:
  counted: {event: arm_cspmu_acpi_OWNF0001_0/event=0x1/, value: driver}
  happened: {event: arm_cspmu_acpi_OWNF0001_0/event=0x1/, value: expected}
expect: ["loses == 0 ? counted == happened : counted < happened"]
)");
  ended(0, pmufab({"explore", study, "--db", path("ports.sqlite")}));
}

TEST_F(Plugins, a_guest_is_refused_registers_that_firmware_does_not_tell_of) {
  refuses({"boot", path("scripted.so"), "--", "true"}, {"no guest could reach the window window of the plug-in"});
}

TEST_F(Plugins, a_plug_in_may_stand_in_a_platform_of_any_kind) {
  const std::string file = write("tegra.yaml", R"(name: tegra
platform:
  kind: tegra410
  sockets: 1
  cpus_per_socket: 4
  tegra410: {clusters: 4}
  plugin: own_fabric.so
  coresight_pmus:
    - name: crossbar
      pmiidr: 0x7010_043b
      base: 0x2000_0000
      hid: OWNF0001
      events: [{name: requests, number: 1, source: own.request}]
duration: 100 us
measure:
  - {events: [arm_cspmu_acpi_OWNF0001_0/event=1/, nvidia_ucf_pmu_0/cycles/], nonzero: true}
)");
  prints(0, {"run", file, "--drivers", "newest"}, {"2 counters, none wrong"});
}

TEST_F(Plugins, a_foreign_target_answers_with_its_own_registers_and_errors) {
  const Outcome shown = pmufab({"regs", path("timer-soc.yaml"), "own_timer", "--reset"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("own_timer.registers at 0x28000000"), HasSubstr("COMPARE")));
  prints(0, {"serve", path("timer-soc.yaml"), "--", "python3", "-c", R"(
from arm_ds.debugger_v1 import Debugger, DebugException
debugger = Debugger()
debugger.writeMemoryValue(0x28000008, 7)
print("compare", debugger.readMemoryValue(0x28000008))
try:
    debugger.readMemoryValue(0x2800000c)
except DebugException as error:
    print("refused:", error)
)"},
         {"compare 7", "refused:"});
  const Outcome firmware = pmufab({"firmware", path("timer-soc.yaml"), "--dts", "-"});
  EXPECT_THAT(firmware.out, HasSubstr("OWNT0001"));
}

TEST_F(Plugins, traces_show_registers_and_the_interrupt_of_a_foreign_target) {
  const std::string file = write("timer.yaml", R"(name: timer
platform: timer-soc.yaml
duration: 20 us
firmware_writes:
  - {address: 0x2800_0008, value: 5}
  - {address: 0x2800_0000, value: 1}
measure:
  - {events: [arm_cspmu_acpi_OWNT0002_0/cycles/]}
)");
  ended(0, pmufab({"run", file, "--drivers", "newest", "--trace-mmio", path("accesses"), "--timeline",
                   path("line.json")}));
  EXPECT_THAT(read(folder / "accesses"),
              AllOf(HasSubstr("own_timer.registers.COMPARE = 0x00000005"),
                    HasSubstr("own_timer.registers.CONTROL = 0x00000001"), HasSubstr("interrupt 320")));
}

TEST_F(Plugins, firmware_tells_of_a_core_sight_pmu_that_the_plug_in_has_itself) {
  const std::string keys = write("node.yaml",
                                 "kind: plugin\nsockets: 1\nplugin: scripted.so\n"
                                 "plugin_parameters: {node: 0x3400_0000}\n");
  ended(0, pmufab({"firmware", keys, "--acpi", path("tables")}));
  const std::string apmt = read(folder / "tables/apmt.aml");
  EXPECT_THAT(apmt, HasSubstr("SCRP0001"));
  EXPECT_THAT(apmt, HasSubstr(std::string("\0\0\0\x34\0\0\0\0", 8)));
  EXPECT_THAT(read(folder / "tables/dsdt.aml"), HasSubstr("SCRP0001"));
}

/// Keys of a platform, and what must be said of them.
struct Mistake {
  std::string keys;
  std::string text;
};

TEST_F(Plugins, mistakes_are_told_with_their_places) {
  const std::string begin = "kind: plugin\nsockets: 1\ncpus_per_socket: 2\n";
  const std::string pmu =
      "coresight_pmus: [{name: noc, pmiidr: 0x7010_043b, base: 0x3400_0000, hid: ACME0001, interrupt: {number: "
      "900}}]\n";
  for (const Mistake& mistake :
       {Mistake{"", "plugin: is missing: such a platform has nothing else"},
        Mistake{"plugin_parameters: {a: 1}\n", "plugin: is missing"},
        Mistake{"plugin: []\n", "must be the name of a shared library"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {witness: 1}\n",
                "mistake.yaml:5:21: plugin_parameters: the plug-in scripted.so has no parameter 'witness' "
                "(did you mean 'witnessed'?)"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {witnessed: many}\n",
                "the plug-in scripted.so asks for something impossible: the parameter 'witnessed' is no whole number"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {witnessed: [1]}\n",
                "plugin_parameters.witnessed: must be a text or a number, not a list"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {source: pcie.request}\n",
                "calls a source 'pcie.request', as a fabric of pmufab is called"},
        Mistake{"plugin: scripted.so\nsources: [{name: scripted.step}]\n" + pmu, "'scripted.step' is that of a source"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {base: 0x30_0000_0000}\n",
                "plugin: [0x3000000000, 0x3000000fff] covers the doorbell of interrupt messages"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {interrupt: 901}\n" + pmu,
                "plugin: [0x34000000, 0x34000fff] covers the registers socket0.noc"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {node: 0x3400_0000, twin: 0x3400_0800}\n",
                "the plug-in scripted.so asks for something impossible: the CoreSight node at 0x34000000 and the "
                "CoreSight node at 0x34000800 have the same hid and instance (SCRP0001, 0)"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {base: 0x3500_0000, interrupt: 901, node: 0x3500_0000, hid: "
                "ACME0001}\n" +
                    pmu,
                "mistake.yaml:4:9: plugin: socket0.noc and the CoreSight node at 0x35000000 have the same hid and "
                "instance (ACME0001, 0)"},
        Mistake{"plugin: scripted.so\nplugin_parameters: {base: 0x3500_0000}\n" + pmu,
                "plugin: interrupt 900 of the plugin is that of socket0.noc already"}}) {
    SCOPED_TRACE(mistake.keys);
    refuses({"list", write("mistake.yaml", begin + mistake.keys)}, {mistake.text});
  }
}

}  // namespace
}  // namespace pmufab::testing
