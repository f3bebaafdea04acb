// Whether a machine's traffic has come to its end.
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/scenario/machine.h"
#include "testbench/tests/integration/integration_test.h"
#include "testbench/tests/tools/cli_fixture.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::integration {
namespace {

struct Kind {
  const char* name;
  const char* platform;
  const char* traffic;         ///< of a scenario
  std::uint64_t issued;        ///< by all of it when it has ended; 0: it has no end
  Picoseconds not_before = 0;  ///< it goes on as long as that
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

class TrafficEnd : public testing::Cli, public ::testing::WithParamInterface<Kind> {
 protected:
  static std::uint64_t issued_by(const scenario::Machine& machine) {
    scenario::Json list = scenario::Json::array();
    for (const auto& fabric : machine.fabrics()) fabric->report_traffic(list);
    std::uint64_t sum = 0;
    for (const scenario::Json& item : list) sum += item.at("issued").get<std::uint64_t>();
    return sum;
  }
};
INSTANTIATE_TEST_SUITE_P(
    traffic, TrafficEnd,
    ::testing::Values(
        Kind{"requests", "tegra410-2s-small",
             "traffic: [{generators: [{name: a, requester: {kind: cpu, socket: 0, id: 0}, "
             "targets: [{socket: 0, memory: cmem, size: 1 MiB}], phases: [{count: 500}]}]}]",
             500},
        // One flit from each of the mesh's 16 ports.
        Kind{"flits", "cmn600-small", "mesh_traffic: [{name: a, rate: 0.001, count: 1}]", 16},
        Kind{"flits_for_a_time", "cmn600-small",
             "mesh_traffic: [{name: a, rate: 0.00001, start: 1 us, duration: 100 us}]", 1, 1'000'000},
        Kind{"flits_without_end", "cmn600-small", "mesh_traffic: [{name: a, rate: 0.01}]", 0},
        Kind{"chi", "combined",
             "chi_traffic: [{name: a, numbers: [0], mix: {load: 1}, ranges: [{base: 0, size: 64 KiB}], count: 300}]",
             300},
        // The last of them long before its time is over, in which more might come.
        Kind{"chi_for_a_time", "combined",
             "chi_traffic: [{name: a, numbers: [0], rate: 0.00001, ranges: [{base: 0, size: 64 KiB}], duration: 300 "
             "us}]",
             1, 300'000'000},
        Kind{"chi_without_end", "combined", "chi_traffic: [{name: a, ranges: [{base: 0, size: 64 KiB}]}]", 0},
        Kind{"cxl", "combined",
             "cxl_traffic: [{name: a, device: 0, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], count: 300}]", 300},
        Kind{"cxl_without_end", "combined",
             "cxl_traffic: [{name: a, device: 0, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]", 0},
        Kind{"cxl_replay", "cxl-exact",
             "cxl_traffic: [{name: a, trace: {file: " PMUFAB_SOURCE_DIR "/scenarios/traffic/cxl-operations.csv}}]", 12},
        // The end of one kind is not the end of all.
        Kind{"one_without_end", "combined",
             "chi_traffic: [{name: a, numbers: [0], ranges: [{base: 0, size: 64 KiB}], count: 3}]\n"
             "cxl_traffic: [{name: b, device: 0, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]",
             0}),
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
    constexpr Picoseconds kStep = 1'000'000;
    constexpr unsigned kMost = 1000;
    const Picoseconds begin = simulated_time();
    machine.start_traffic();
    EXPECT_FALSE(machine.traffic_is_over());
    std::uint64_t before = 0;
    unsigned steps = 0;
    for (; steps < kMost && !machine.traffic_is_over(); ++steps) {
      before = issued_by(machine);
      sc_core::wait(to_sc_time(kStep));
    }
    const std::uint64_t issued = issued_by(machine);
    if (kind.issued == 0) {
      EXPECT_EQ(steps, kMost);
      EXPECT_GT(issued, before);
      return;
    }
    EXPECT_LT(steps, kMost);
    EXPECT_GE(simulated_time() - begin, kind.not_before);
    if (kind.not_before == 0) {
      EXPECT_EQ(issued, kind.issued);
    } else {
      EXPECT_GE(issued, kind.issued);
    }
    sc_core::wait(to_sc_time(kMost * kStep));
    EXPECT_EQ(issued_by(machine), issued);
    EXPECT_TRUE(machine.traffic_is_over());
    for (const auto& fabric : machine.fabrics()) EXPECT_TRUE(fabric->progress().done());
  });
}

}  // namespace
}  // namespace pmufab::integration
