// SPDX-License-Identifier: Apache-2.0
// Scenarios with linked meshes, or with transactions that take long to end.
#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two linked meshes; the second has an RN-I and a CCLA_RNI.
class MeshScenario : public Cli {
 protected:
  Outcome run_linked(const std::string& measure) {
    return pmufab({"run", write("s.yaml", std::string("name: gateways\nplatform: ") + PMUFAB_SOURCE_DIR +
                                              R"(/scenarios/platforms/cmn700-linked.yaml
drivers: ">=6.12"   # which know HN-S
duration: 4 us
chi_traffic:
  - {name: remote, mix: {load: 1}, ranges: [{base: 0x800000000000, size: 64 KiB}]}
measure:
)" + measure)});
  }
};

TEST_F(MeshScenario, events_of_gateways_and_of_the_rn_i_half_of_one_are_judged) {
  EXPECT_THAT(
      ended(0, run_linked("  - {nonzero: true, events: [arm_cmn_0/ccra_rht_alloc/, arm_cmn_1/ccha_reqtrk_alloc/, "
                          "arm_cmn_1/rnid_rrt_alloc/]}\n"))
          .out,
      AllOf(HasSubstr("3 counters, none wrong"), Not(HasSubstr("not judged"))));
}

TEST_F(MeshScenario, events_of_gateways_that_no_model_makes_happen_are_refused_before_the_run) {
  EXPECT_THAT(ended(2, run_linked("  - events: [arm_cmn_0/ccra_sht_occ/]\n")).err,
              AllOf(HasSubstr("s.yaml:8:"), HasSubstr("no snoop crosses a link of meshes")));
}

TEST_F(MeshScenario, transactions_that_need_longer_than_a_millisecond_end) {
  // 64 loads that miss. The memory accepts one every 100'000 cycles of 0.5 ns: 3 ms and more.
  EXPECT_THAT(ended(0, pmufab({"run", write("s.yaml", R"(name: slow
platform:
  kind: cmn
  meshes:
    - product: CMN-700
      clock: 2 GHz
      tiles: {A: [RN-F, HN-F], D: [RN-F, HN-D], T: [SN-F, RN-I]}
      rows: [D A T]
      nodes: {sn_f: {entries: 64, cycles_per_request: 100000}, home: {pocq_entries: 64}}
duration: 10 us
chi_traffic:
  - {name: loads, mix: {load: 1}, outstanding: 32, count: 32, ranges: [{size: 64 MiB}]}
measure:
  - events: [arm_cmn_0/hnf_mc_reqs/]
)")}))
                  .out,
              AllOf(HasSubstr(" ms simulated"), Not(HasSubstr("never ended"))));
}

TEST_F(MeshScenario, what_the_loader_takes_the_nodes_take) {
  const std::string head = R"(name: limits
platform:
  kind: cmn
  meshes:
    - product: CMN-700
      tiles: {A: [RN-F, HN-F], D: [RN-F, HN-D], T: [SN-F, RN-I], S: [SBSX, MTSX], R: [RN-D, HN-P]}
      rows: [D A T S R]
      nodes:
)";
  const std::string tail = "duration: 1 us\nmeasure: [{events: [arm_cmn_0/dtc_cycles/]}]\n";
  const std::string slow_axi =
      "axi: {ar_period: 1000000, aw_period: 1000000, w_period: 1000000, read_latency: 1000000, "
      "write_latency: 1000000}}\n";
  // Without most of the sets, which would only cost memory.
  ended(
      0,
      pmufab({"run", "--drivers", "newest",
              write("most.yaml",
                    head +
                        "        rn_f: {cache_ways: 64, outstanding: 1024, latency: 1000000}\n"
                        "        sn_f: {entries: 1024, latency: 1000000, response_latency: 1000000, "
                        "cycles_per_request: 1000000}\n"
                        "        home: {slc_ways: 64, sf_ways: 64, pocq_entries: 256, latency: 100000}\n"
                        "        rn_i: {rrt_entries: 128, wrt_entries: 128, latency: 1000000}\n"
                        "        io_home: {rrt_entries: 128, rdt_entries: 128, wdb_entries: 128, latency: 1000000, " +
                        slow_axi +
                        "        dvm_node: {trk_entries: 64, snoop_limit: 64, latency: 1000000}\n"
                        "        sbsx: {entries: 128, wdb_entries: 128, latency: 1000000, " +
                        slow_axi + "        mtsx: {entries: 128, tc_ways: 64, latency: 1000000, " + slow_axi + tail)}));
  const std::string fast_axi = "axi: {ar_period: 1, aw_period: 1, w_period: 1, read_latency: 1, write_latency: 1}}\n";
  ended(
      0,
      pmufab(
          {"run", "--drivers", "newest",
           write("least.yaml",
                 head +
                     "        rn_f: {cache_sets: 1, cache_ways: 1, outstanding: 2, latency: 0}\n"
                     "        sn_f: {entries: 1, latency: 0, response_latency: 0, cycles_per_request: 1}\n"
                     "        home: {slc_sets: 1, slc_ways: 1, sf_sets: 1, sf_ways: 1, pocq_entries: 1, latency: 1}\n"
                     "        rn_i: {rrt_entries: 1, wrt_entries: 1, latency: 0}\n"
                     "        io_home: {rrt_entries: 1, rdt_entries: 1, wdb_entries: 1, latency: 0, " +
                     fast_axi +
                     "        dvm_node: {trk_entries: 1, snoop_limit: 1, latency: 0}\n"
                     "        sbsx: {entries: 1, wdb_entries: 1, latency: 0, " +
                     fast_axi + "        mtsx: {entries: 1, tc_sets: 1, tc_ways: 1, latency: 0, " + fast_axi + tail)}));
}

}  // namespace
}  // namespace pmufab::testing
