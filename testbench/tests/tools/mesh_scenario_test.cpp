// Scenarios with meshes whose events no reference judges, or whose transactions take long to end.
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

TEST_F(MeshScenario, events_of_gateways_are_refused_before_the_run) {
  const Outcome outcome = run_linked(
      "  - events: [arm_cmn_0/dtc_cycles/]\n  - {name: b, start: 3 us, events: [arm_cmn_0/ccra_rht_occ/]}\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("s.yaml:9:"), HasSubstr("measure 'b'"), HasSubstr("arm_cmn_0/ccra_rht_occ/"),
                    HasSubstr("the scoreboard has no reference for gateways yet"), HasSubstr("compare: none")));
}

TEST_F(MeshScenario, events_of_rn_is_are_refused_where_a_ccla_rni_counts_them_too) {
  const Outcome all = run_linked("  - events: [arm_cmn_1/rnid_s0_rdata_beats/]\n");
  EXPECT_EQ(all.exit_code, 2);
  EXPECT_THAT(all.err, AllOf(HasSubstr("s.yaml:8:"), HasSubstr("CCLA_RNI"), HasSubstr("no reference for gateways"),
                             HasSubstr("bynodeid=1")));
  // The first mesh has CCGs without.
  EXPECT_EQ(run_linked("  - events: [arm_cmn_0/rnid_s0_rdata_beats/]\n").exit_code, 0);
}

TEST_F(MeshScenario, events_of_gateways_count_without_a_judge_where_nothing_is_compared) {
  const Outcome outcome =
      run_linked("  - {compare: none, events: [arm_cmn_0/ccra_rht_occ/, arm_cmn_1/rnid_s0_rdata_beats/]}\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("not judged"));
}

TEST_F(MeshScenario, transactions_that_need_longer_than_a_millisecond_end) {
  // 64 loads that miss, one of which the memory takes every 100'000 cycles of 0.5 ns: 3 ms and more.
  const Outcome outcome = pmufab({"run", write("s.yaml", R"(name: slow
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
)")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(" ms simulated"), Not(HasSubstr("never ended"))));
}

}  // namespace
}  // namespace pmufab::testing
