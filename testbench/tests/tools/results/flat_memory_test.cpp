// SPDX-License-Identifier: Apache-2.0
// A judge settles as it goes: a run of ten milliseconds needs the memory of a run of one, for each kind of event that
// coverage knows. All events of a platform are open at once, so they take turns, and groups and readings are among them.
#include <ostream>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

constexpr const char* kMemory = R"(cxl_traffic:
  - name: host
    mix: {read: 3, write: 1}
    ranges: [{base: 0x100_0000_0000, size: 64 KiB, pattern: {kind: uniform}}]
    pacing: {kind: exponential, requests_per_us: 10}
)";

struct Machine {
  const char* name;
  const char* platform;               // shipped, or its text
  const char* pmu;                    // how the names of its PMUs begin
  std::vector<std::string> terms;     // each event once with each of them
  std::vector<std::string> settings;  // of the scenario
  std::vector<std::string> further;   // events that no driver publishes
  std::string traffic;                // items of the scenario
  /// Drivers lose cycles at each reading of dtc_cycles (scenarios/known-defects/cmn-cycles.yaml).
  bool reads_cycles = false;
};

// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest calls
void PrintTo(const Machine& machine, std::ostream* stream) { *stream << machine.name; }

/// @return the terms without which there is no such event
std::string terms_of(const std::string& event) {
  if (event.starts_with("watchpoint")) return ",wp_dev_sel=0,wp_chn_sel=0,wp_grp=0,wp_val=0,wp_mask=0xffffffffffffffff";
  const bool is_of_lane = (event.starts_with("rx_") || event.starts_with("tx_")) && !event.ends_with("_payload");
  return is_of_lane ? ",lane=4" : "";
}

class FlatMemory : public Cli, public ::testing::WithParamInterface<Machine> {
 protected:
  static void take_one_processor() {
    cpu_set_t mine;
    ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &mine)) continue;
      CPU_ZERO(&mine);
      CPU_SET(cpu, &mine);
      break;
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof mine, &mine), 0);
  }

  /// @return its file
  std::string platform() {
    const std::string name = GetParam().platform;
    return name.find('\n') == std::string::npos ? shipped(name) : write("machine.yaml", name);
  }

  /// @return all events that drivers publish and models make, alone, and the first of each PMU as a group
  std::vector<std::string> events() {
    const Machine& machine = GetParam();
    const Outcome listed = ended(0, pmufab({"list", platform(), "--drivers", "newest", "--json"}));
    std::vector<std::string> all = machine.further;
    const nlohmann::json pmus = nlohmann::json::parse(listed.out).at("pmus");
    for (const nlohmann::json& pmu : pmus) {
      const std::string name = pmu.at("name");
      if (!name.starts_with(machine.pmu) || !pmu.contains("events")) continue;
      std::vector<std::string> own;
      for (const auto& [event, number] : pmu.at("events").items()) {
        if (pmu.contains("not_modelled") && pmu.at("not_modelled").contains(event)) continue;
        if ((event == "dtc_cycles") != machine.reads_cycles) continue;
        for (const std::string& term : machine.terms) {
          own.push_back(fmt::format("{}/{}{}/", name, event, terms_of(event) + term));
          if (event == "clock_ticks") break;  // its counter has no threshold
        }
      }
      all.insert(all.end(), own.begin(), own.end());
      // Counters of a CPMU keep what they were used for, so that no events take turns there.
      if (own.size() > 1 && !name.starts_with("cxl")) all.push_back(fmt::format("{{{},{}}}", own[0], own[1]));
    }
    return all;
  }

  /// @return kibibytes that a run needed
  long need(const std::vector<std::string>& events, unsigned milliseconds) {
    // A report keeps each reading, so runs have the same number of them. A longer run has more turns.
    constexpr unsigned kReadingUs = 50;
    constexpr unsigned kTurnUs = 20;
    std::string text = fmt::format(
        "name: flat\nplatform: {}\ndrivers: newest\n{}duration: {} us\nhost: {{access_latency: 1 ns, rotation: {} "
        "us}}\n"
        "measure:\n  - name: all\n    start: 1 us\n    interval: {} us\n    events:\n",
        platform(), GetParam().traffic, 1'000 * milliseconds, kTurnUs, kReadingUs * milliseconds);
    for (const std::string& event : events) text += fmt::format("      - \"{}\"\n", event);
    // Where memory is limited the heap has small pages only, so what a run needs is told to a few kibibytes. A second
    // thread has a heap of its own, whose size depends on how much each of the two judges.
    const rlimit much{std::uint64_t{8} << 30U, std::uint64_t{8} << 30U};
    EXPECT_EQ(setrlimit(RLIMIT_DATA, &much), 0);
    take_one_processor();
    std::vector<std::string> arguments{"run", write("flat.yaml", text), "-j", "1"};
    for (const std::string& setting : GetParam().settings) arguments.insert(arguments.end(), {"--set", setting});
    const pid_t pid = start(arguments);
    rusage usage{};
    int status = -1;
    wait4(pid, &status, 0, &usage);
    // With so many events one may never have its turn. None that had one is wrong.
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << read(folder / "out") << read(folder / "err");
    const std::string out = read(folder / "out");
    EXPECT_THAT(out, ::testing::HasSubstr("flat (platform"));
    const auto has_wrong = ::testing::ContainsRegex("counters? wrong|[0-9] wrong");
    if (GetParam().reads_cycles) {
      EXPECT_THAT(out, ::testing::HasSubstr("cycles between the read and the write are lost")) << out;
    } else {
      EXPECT_THAT(out, ::testing::Not(has_wrong)) << out;
    }
    return usage.ru_maxrss;
  }
};

TEST_P(FlatMemory, of_a_run_does_not_grow_with_its_length) {
  const std::vector<std::string> all = events();
  ASSERT_GT(all.size(), 4U);
  const long one = need(all, 1);
  const long ten = need(all, 10);
  constexpr long kKibibytesPerMebibyte = 1024;
  EXPECT_LE(ten, one + kKibibytesPerMebibyte);
}

constexpr const char* kRequests = R"(traffic:
  - generators:
      - name: cpu
        requester: {kind: cpu, socket: 0, id: 0}
        path: cached
        targets: [{socket: 0, memory: cmem, size: 64 KiB}, {socket: 0, memory: cxl, size: 64 KiB}, {socket: 1, memory: cmem, size: 64 KiB}]
        mix: {read: 2, write: 1}
        pacing: {kind: exponential, requests_per_us: 5}
      - name: gpu
        requester: {kind: gpu, socket: 0, id: 0}
        targets: [{socket: 0, memory: cmem, size: 64 KiB}]
        mix: {read: 1, write: 1}
        pacing: {kind: exponential, requests_per_us: 5}
)";
constexpr const char* kDevices = R"(traffic:
  - generators:
      - name: nic
        requester: {kind: pcie, root_complex: 3, bdf: "01:00.0"}
        targets: [{memory: cmem, size: 64 KiB}]
        mix: {read: 1, write: 1}
        pacing: {kind: exponential, requests_per_us: 5}
      - name: cpu
        requester: {kind: cpu, socket: 0, id: 0}
        targets: [{memory: bar, socket: 0, root_complex: 3, root_port: 0}, {memory: cxl, socket: 0, size: 64 KiB}]
        mix: {read: 1, write: 1}
        pacing: {kind: exponential, requests_per_us: 5}
)";
constexpr const char* kOperations = R"(chi_traffic:
  - name: cpus
    mix: {load: 4, store: 3, read_once: 1, write_unique_full: 1, atomic_load: 1, clean_shared: 1, stash_shared: 1}
    ranges: [{base: 0, size: 64 KiB, pattern: uniform}]
    rate: 0.005
)";
constexpr const char* kMessages = R"(cxl_traffic:
  - name: host
    mix: {load: 3, store: 2, read: 1, write: 1}
    ranges: [{base: 0x100_0000_0000, size: 64 KiB, pattern: {kind: uniform}}]
    pacing: {kind: exponential, requests_per_us: 5}
)";
constexpr const char* kLink = R"(dwc_traffic:
  - name: answers
    port: slot0
    event: {tx_completion_with_data: 3, rx_memory_read: 1}
    lane: 0-15
    bytes: {64: 3, 250: 1}
    pacing: {kind: exponential, requests_per_us: 10}
)";
constexpr const char* kDescribed = R"(soc_traffic:
  - name: reads
    source: request
    attributes: {port: 0-3, write: 0, bytes: 64}
    outstanding: 50 ns-300 ns
    pacing: {kind: exponential, requests_per_us: 10}
)";

constexpr const char* kHomes = R"(chi_traffic:
  - name: cpus
    mix: {load: 3, store: 2, read_once: 1}
    ranges: [{base: 0, size: 64 KiB, pattern: uniform}]
    rate: 0.005
)";
constexpr const char* kTwins = R"(traffic:
  - generators:
      - name: cpu
        requester: {kind: cpu, socket: 0, id: 0}
        path: cached
        targets:
          - {socket: 0, memory: cmem, size: 64 KiB}
          - {socket: 1, memory: cmem, size: 64 KiB}
          - {memory: bar, socket: 0, root_complex: 3, root_port: 0}
        mix: {read: 2, write: 1}
        pacing: {kind: exponential, requests_per_us: 5}
      - name: nic
        requester: {kind: pcie, root_complex: 3, bdf: "01:00.0"}
        targets: [{socket: 0, memory: cmem, size: 64 KiB}]
        mix: {read: 1, write: 1}
        pacing: {kind: exponential, requests_per_us: 5}
)";
constexpr const char* kMeshAndDescribedPmu = R"(kind: cmn
name: cmn-described
cpus_per_socket: 8
meshes:
  - product: CMN-700
    revision: r2p0
    firmware: acpi
    tiles: {R: [RN-F, HN-F], D: [HN-D, SN-F]}
    rows: [D R R, R R R]
coresight_pmus:
  - name: mesh
    pmiidr: 0x7104_043b
    base: 0x2000_0000
    counters: 3
    interrupt: {number: 210}
    hid: ACME0001
    events:
      - {name: uploads, number: 0x1, source: cmn.flit, where: {download: 0}}
      - {name: reads, number: 0x2, source: cmn.flit, where: {download: 1, channel: 0}}
      - {name: cache_miss, number: 0x3, source: cmn.home_event, where: {event: 1}}
      - {name: all_of_homes, number: 0x10, source: cmn.home_event}
      - {name: clock, number: 0x1d, counts: cycles}
)";
constexpr const char* kCxlAndDescribedPmu = R"(kind: cxl
name: cxl-described
cxl:
  - decoders: [{base: 0x100_0000_0000, size: 1 GiB, coherency: HDM-DB}]
    cpmus: [{groups: [{group: m2s_req}], counters: 16}]
    memory: {filter_lines: 512, device_lines: 64, ddr: {ranks: 2, power_down_after: 300 ns}}
    host: {lines: 512}
coresight_pmus:
  - name: link
    pmiidr: 0x7103_043b
    base: 0x2000_0000
    counters: 3
    interrupt: {number: 210}
    hid: ACME0001
    events:
      - {name: messages, number: 0x1, source: cxl.message}
      - {name: reads, number: 0x2, source: cxl.message, where: {component: 1, group: 0x20, opcode: 1}}
      - {name: commands, number: 0x3, source: cxl.ddr_command}
      - {name: refreshes, number: 0x10, source: cxl.ddr_command, where: {command: 4}}
      - {name: clock, number: 0x1d, counts: cycles}
)";

/// @return settings that give each CPMU of a device a counter for each event
std::vector<std::string> many_counters(unsigned device, unsigned cpmus) {
  std::vector<std::string> settings;
  for (unsigned cpmu = 0; cpmu < cpmus; ++cpmu)
    settings.push_back(fmt::format("platform.cxl[{}].cpmus[{}].counters=60", device, cpmu));
  return settings;
}

std::vector<std::string> described(const std::vector<std::string>& numbers) {
  std::vector<std::string> events;
  for (const std::string& number : numbers)
    events.push_back(fmt::format("arm_cspmu_acpi_ACME0001_0/event={}/", number));
  return events;
}

/// @return events of the twins of socket 0, with all their filters let pass
std::vector<std::string> twins() {
  std::vector<std::string> events;
  for (const char* const ucf :
       {"0x0f0", "0x0f3", "0x109", "0x111", "0x112", "0x113", "0x123", "0x180", "0x181", "0x183"})
    events.push_back(fmt::format("arm_cspmu_acpi_ACMEA000_0/event={},filter=0xf07/", ucf));
  for (unsigned pcie = 0; pcie <= 4; ++pcie)
    events.push_back(fmt::format("arm_cspmu_acpi_ACMED003_0/event={},filter=0xff,filter2=0x1f/", pcie));
  for (unsigned target = 0; target <= 4; ++target)
    events.push_back(fmt::format("arm_cspmu_acpi_ACMEE003_0/event={},filter2=0xff000000000000/", target));
  events.push_back("{" + events[0] + "," + events[1] + "}");
  return events;
}

const std::vector<Machine>& machines() {
  static const std::vector<std::string> listed_once{""};
  static const std::vector<std::string> by_thresholds{"", ",threshold=2", ",threshold=1,edge"};
  static const std::vector<Machine> machines_to_run{
      {"tegra410", "platforms/tegra410-2s-small.yaml", "nvidia", listed_once, {}, {}, kRequests},
      {"pcie", "platforms/tegra410-pcie.yaml", "nvidia_pcie", listed_once, {}, {}, kDevices},
      {"cxl_controller", "platforms/cxl-controller.yaml", "cxl", by_thresholds, many_counters(0, 7), {}, kMemory},
      {"cxl_messages", "platforms/cxl-exact.yaml", "cxl_pmu_mem0", by_thresholds, many_counters(0, 10), {}, kMessages},
      {"cmn600", "platforms/cmn600-small.yaml", "arm_cmn", listed_once, {}, {}, kOperations},
      {"cmn700", "platforms/cmn700-small.yaml", "arm_cmn", listed_once, {}, {}, kOperations},
      {"dwc", "platforms/dwc-root-ports.yaml", "dwc_rootport_13018", listed_once, {}, {}, kLink},
      {"described",
       "platforms/soc/soc-small.yaml",
       "arm_cspmu_acpi_ACME0001",
       listed_once,
       {},
       described({"0x1", "0x2", "0x3", "0x10", "0x20", "0x1d"}),
       kDescribed},
      {"twins",
       "platforms/soc/tegra410-described.yaml",
       "arm_cspmu_acpi_ACMEA000_0",
       listed_once,
       {"platform.coresight_pmus[0].counters=4", "platform.coresight_pmus[4].counters=3",
        "platform.coresight_pmus[10].counters=3"},
       twins(),
       kTwins},
      {"described_of_mesh",
       kMeshAndDescribedPmu,
       "arm_cspmu_acpi_ACME0001",
       listed_once,
       {},
       described({"0x1", "0x2", "0x3", "0x10", "0x1d"}),
       kHomes},
      {"described_of_cxl",
       kCxlAndDescribedPmu,
       "arm_cspmu_acpi_ACME0001",
       listed_once,
       {},
       described({"0x1", "0x2", "0x3", "0x10", "0x1d"}),
       kMessages},
      {"cmn_cycles",
       "platforms/cmn600-small.yaml",
       "arm_cmn",
       listed_once,
       {},
       {"arm_cmn_0/dtc_cycles/", "{arm_cmn_0/dtc_cycles/,arm_cmn_0/hnf_cache_miss/}", "arm_cmn_0/hnf_mc_reqs/",
        "arm_cmn_0/hnf_sf_hit/"},
       kHomes,
       true},
  };
  return machines_to_run;
}

INSTANTIATE_TEST_SUITE_P(Machines, FlatMemory, ::testing::ValuesIn(machines()),
                         [](const auto& info) { return std::string(info.param.name); });

using OutOfMemory = Cli;

TEST_F(OutOfMemory, a_run_says_which_limit_was_reached_and_when) {
  const std::string file = write("large.yaml", "name: large\nplatform: " + shipped("platforms/tegra410-2s.yaml") +
                                                   "\ndrivers: newest\nduration: 1 us\nmeasure:\n  - {name: one, "
                                                   "events: [nvidia_ucf_pmu_0/cycles/]}\n");
  const Outcome outcome = ended(3, pmufab({"run", file, "--limit", "memory=16 MiB"}));
  EXPECT_THAT(outcome.out + outcome.err,
              ::testing::AllOf(::testing::HasSubstr("large (platform tegra410-2s"),
                               ::testing::HasSubstr("memory ran out (--limit memory=16 MiB is reached) before the "
                                                    "simulation began: the platform is too large"),
                               ::testing::Not(::testing::HasSubstr("wait for ever"))));
}

}  // namespace
}  // namespace pmufab::testing
