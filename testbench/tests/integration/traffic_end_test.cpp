// SPDX-License-Identifier: Apache-2.0
// Whether a machine's traffic has ended.
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/run/session/machine.h"
#include "testbench/tests/integration/integration_test.h"
#include "testbench/tests/tools/cli_fixture.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::integration {
namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;

struct Kind {
  const char* name;
  const char* platform;
  const char* traffic;  ///< of a scenario
  enum End : std::uint8_t { after_count, after_time, never } end;
  std::uint64_t count = 0;                ///< issued by all of it
  Picoseconds time = 0;                   ///< from its start to its end
  Picoseconds step = kMicrosecond / 100;  ///< shorter than any request
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

/// The streams of a machine's traffic, added up.
struct Sum {
  std::uint64_t issued = 0;
  std::uint64_t under_way = 0;  ///< of streams that report completed requests
};

class TrafficEnd : public testing::Cli, public ::testing::WithParamInterface<Kind> {
 protected:
  static Sum look(const scenario::Machine& machine) {
    scenario::Json list = scenario::Json::array();
    for (const auto& fabric : machine.fabrics()) fabric->report_traffic(list);
    Sum sum;
    for (const scenario::Json& item : list) {
      const auto issued = item.at("issued").get<std::uint64_t>();
      sum.issued += issued;
      if (item.contains("completed")) sum.under_way += issued - item.at("completed").get<std::uint64_t>();
    }
    return sum;
  }
};
INSTANTIATE_TEST_SUITE_P(
    traffic, TrafficEnd,
    ::testing::Values(
        Kind{"requests", "tegra410-2s-small",
             "traffic: [{generators: [{name: a, requester: {kind: cpu, socket: 0, id: 0}, "
             "targets: [{socket: 0, memory: cmem, size: 1 MiB}], phases: [{count: 500}]}]}]",
             Kind::after_count, 500},
        Kind{"requests_without_end", "tegra410-2s-small",
             "traffic: [{generators: [{name: a, requester: {kind: cpu, socket: 0, id: 0}, "
             "targets: [{socket: 0, memory: cmem, size: 1 MiB}]}]}]",
             Kind::never},
        // One flit from each of the mesh's 16 ports.
        Kind{"flits", "cmn600-small", "mesh_traffic: [{name: a, rate: 0.001, count: 1}]", Kind::after_count, 16, 0,
             500},
        Kind{"flits_for_a_time", "cmn600-small", "mesh_traffic: [{name: a, rate: 0.01, duration: 100 us}]",
             Kind::after_time, 0, 100 * kMicrosecond},
        Kind{"flits_without_end", "cmn600-small", "mesh_traffic: [{name: a, rate: 0.01}]", Kind::never},
        Kind{"chi", "combined", "chi_traffic: [{name: a, numbers: [0], ranges: [{base: 0, size: 64 KiB}], count: 300}]",
             Kind::after_count, 300},
        Kind{"chi_for_a_time", "combined",
             "chi_traffic: [{name: a, numbers: [0], ranges: [{base: 0, size: 64 KiB}], duration: 100 us}]",
             Kind::after_time, 0, 100 * kMicrosecond},
        Kind{"chi_at_a_rate_for_a_time", "combined",
             "chi_traffic: [{name: a, numbers: [0], rate: 0.001, ranges: [{base: 0, size: 64 KiB}], duration: 100 us}]",
             Kind::after_time, 0, 100 * kMicrosecond},
        Kind{"chi_without_end", "combined", "chi_traffic: [{name: a, ranges: [{base: 0, size: 64 KiB}]}]", Kind::never},
        Kind{"cxl", "combined",
             "cxl_traffic: [{name: a, device: 0, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], count: 300}]",
             Kind::after_count, 300},
        Kind{"cxl_for_a_time", "combined",
             "cxl_traffic: [{name: a, device: 0, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], duration: 20 us}]",
             Kind::after_time, 0, 20 * kMicrosecond},
        Kind{"cxl_without_end", "combined",
             "cxl_traffic: [{name: a, device: 0, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]", Kind::never},
        Kind{"cxl_replay", "cxl-exact",
             "cxl_traffic: [{name: a, trace: {file: " PMUFAB_SOURCE_DIR "/scenarios/traffic/cxl-operations.csv}}]",
             Kind::after_count, 12},
        // If one kind has ended, the others may not have.
        Kind{"one_without_end", "combined",
             "chi_traffic: [{name: a, numbers: [0], ranges: [{base: 0, size: 64 KiB}], count: 3}]\n"
             "cxl_traffic: [{name: b, device: 0, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]",
             Kind::never}),
    [](const auto& chosen) { return chosen.param.name; });

TEST_P(TrafficEnd, is_known) {
  const Kind& kind = GetParam();
  const std::string file =
      write("traffic.yaml", fmt::format("name: end\nplatform: {}/scenarios/platforms/{}.yaml\nduration: 1 ms\n{}\n"
                                        "measure: [{{events: [pmu/event/]}}]\n",
                                        PMUFAB_SOURCE_DIR, kind.platform, kind.traffic));
  const scenario::ScenarioSpec spec = scenario::ScenarioFile(file).load({}, {});
  scenario::Machine machine(spec.platform, spec.host, spec.workload, driver_sets_from("7.2").back(), {});
  machine.run([&] {
    constexpr Picoseconds kMost = 300 * kMicrosecond;
    const Picoseconds begin = simulated_time();
    machine.start_traffic();
    Sum sum;
    Picoseconds last = 0;              // something was issued
    bool all_issued_not_over = false;  // once
    while (simulated_time() - begin < kMost && !machine.traffic_is_over()) {
      all_issued_not_over = all_issued_not_over || (kind.end == Kind::after_count && sum.issued == kind.count);
      sc_core::wait(to_sc_time(kind.step));
      const Sum now = look(machine);
      if (now.issued != sum.issued) last = simulated_time() - begin;
      sum = now;
    }
    const Picoseconds took = simulated_time() - begin;
    if (kind.end == Kind::never) {
      EXPECT_GE(took, kMost);
      EXPECT_GT(last, kMost * 9 / 10) << "it went on";
      return;
    }
    EXPECT_LT(took, kMost);
    EXPECT_EQ(sum.under_way, 0U);
    for (const auto& fabric : machine.fabrics()) EXPECT_TRUE(fabric->progress().done());
    if (kind.end == Kind::after_count) {
      EXPECT_EQ(sum.issued, kind.count);
      EXPECT_TRUE(all_issued_not_over) << "the last was under way for a while";
    } else {
      EXPECT_GT(last, kind.time * 9 / 10);
      EXPECT_LE(last, kind.time + kind.step);
    }
    sc_core::wait(to_sc_time(kMost));
    EXPECT_EQ(look(machine).issued, sum.issued);
    EXPECT_TRUE(machine.traffic_is_over());
  });
}

}  // namespace
}  // namespace pmufab::integration
