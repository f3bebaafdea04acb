// SPDX-License-Identifier: Apache-2.0
// Events that happen many times at once: judge and model must both hear of each, and nothing else may.
#include <string>

#include <gmock/gmock.h>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::HasSubstr;

class Injection : public Cli {
 protected:
  static constexpr const char* kTegra410 =
      "platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}\n";
  static constexpr const char* kMesh = R"(platform:
  kind: cmn
  cpus_per_socket: 4
  meshes:
    - {product: CMN-600, tiles: {H: [HN-F, SN-F], D: [RN-F, HN-D]}, rows: [D H H]}
)";
  static constexpr const char* kCxl = R"(platform:
  kind: cxl
  cxl:
    - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}], counters: 6, width: 63, hdm_filter: true}]
)";

  static std::string head(const std::string& platform) {
    return "name: s\ndrivers: newest\nduration: 40 us\n" + platform;
  }
  Outcome run_scenario(const std::string& platform, const std::string& rest) {
    return pmufab({"run", write("s.yaml", head(platform) + rest)});
  }
  /// Without traffic each event counts what is injected, and an event beside it counts nothing.
  void counts(const std::string& platform, const std::string& event, const std::string& beside) {
    const std::string both = beside.empty() ? "\"" + event + "\"" : "\"" + event + "\", \"" + beside + "\"";
    std::string rest = "inject: [{at: 10 us, count: 0x12_3456_789a, source: \"" + event + "\"}]\n";
    rest += "measure: [{start: 1 us, events: [" + both + "]}]\n";
    rest += "expect:\n  - {event: \"" + event + "\", minimum: 0x12_3456_789a, maximum: 0x12_3458_0000}\n";
    if (!beside.empty()) rest += "  - {event: \"" + beside + "\", equals: 0}\n";
    const Outcome outcome = run_scenario(platform, rest);
    EXPECT_EQ(outcome.exit_code, 0) << event << "\n" << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("78,187,493,530 times " + event));
  }
  void refuses(const std::string& platform, const std::string& injection, const Texts& why) {
    const std::string rest = "measure: [{events: [\"" + some_event + "\"]}]\ninject:\n  - " + injection + "\n";
    Cli::refuses({"run", write("s.yaml", head(platform) + rest)}, why);
  }
  std::string some_event = "arm_cmn_0/dtc_cycles/";
};

TEST_F(Injection, counts_at_the_ucf) {
  counts(kTegra410, "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1,dst_loc_cmem=1/",
         "nvidia_ucf_pmu_0/slc_access_rd,src_rem=1/");
  counts(kTegra410, "nvidia_ucf_pmu_0/cycles/", "nvidia_ucf_pmu_0/slc_hit_rd/");
}

TEST_F(Injection, counts_at_root_complexes) {
  counts(kTegra410, "nvidia_pcie_pmu_0_rc_4/rd_bytes,src_rp_mask=0x1,dst_loc_cmem=1/",
         "nvidia_pcie_pmu_0_rc_4/rd_bytes,src_rp_mask=0x2/");
  counts(kTegra410, "nvidia_pcie_pmu_0_rc_4/cycles/", "");
  counts(kTegra410, "nvidia_pcie_tgt_pmu_0_rc_4/wr_req,dst_rp_mask=0x1/",
         "nvidia_pcie_tgt_pmu_0_rc_4/wr_req,dst_rp_mask=0x2/");
}

TEST_F(Injection, counts_at_an_address_filter_with_root_ports) {
  counts(kTegra410, "nvidia_pcie_tgt_pmu_0_rc_4/rd_req,dst_rp_mask=0x1/",
         "nvidia_pcie_tgt_pmu_0_rc_4/rd_req,dst_addr_en=1,dst_addr_base=0x100,dst_addr_mask=0xfff/");
}

TEST_F(Injection, counts_at_memory_and_chip_to_chip_interfaces) {
  counts(kTegra410, "nvidia_cmem_latency_pmu_0/rd_req/", "");
  counts(kTegra410, "nvidia_cmem_latency_pmu_0/rd_cum_outs/", "");
  counts(kTegra410, "nvidia_cmem_latency_pmu_0/cycles/", "");
  counts(kTegra410, "nvidia_nvlink_c2c_pmu_0/in_rd_req,gpu_mask=0x2/",
         "nvidia_nvlink_c2c_pmu_0/in_rd_req,gpu_mask=0x1/");
  counts(kTegra410, "nvidia_nvlink_c2c_pmu_0/out_rd_cum_outs/", "nvidia_nvlink_c2c_pmu_0/in_rd_cum_outs/");
  counts(kTegra410, "nvidia_nvdlink_pmu_0/cycles/", "");
}

TEST_F(Injection, counts_in_a_mesh) {
  counts(kMesh, "arm_cmn_0/hnf_cache_miss,bynodeid=1,nodeid=0x20/", "arm_cmn_0/hnf_mc_reqs/");
  counts(kMesh, "arm_cmn_0/hnf_qos_pocq_occupancy_read,bynodeid=1,nodeid=0x20/", "arm_cmn_0/hnf_cache_fill/");
  counts(kMesh, "arm_cmn_0/mxp_p0_req_txflit_valid,bynodeid=1,nodeid=0x20/",
         "arm_cmn_0/mxp_p0_req_txflit_valid,bynodeid=1,nodeid=0x0/");
  counts(kMesh, "arm_cmn_0/dtc_cycles/", "");
}

TEST_F(Injection, of_flits_counts_at_watchpoints_that_compare_what_is_known) {
  const std::string at = "bynodeid=1,nodeid=0x20,wp_dev_sel=0,wp_chn_sel=0";
  const std::string some = "wp_val=0x40,wp_mask=0xffffffffffffff0f/";
  const std::string up = "arm_cmn_0/watchpoint_up," + at + ",wp_grp=0,";
  counts(kMesh, up + some, up + "wp_val=0x50,wp_mask=0xffffffffffffff0f/");
  counts(kMesh, up + some, up + "wp_val=0x40,wp_mask=0xffffffffffffff00/");
  counts(kMesh, up + some, "arm_cmn_0/watchpoint_up," + at + ",wp_grp=1," + some);
  counts(kMesh, up + some, "arm_cmn_0/watchpoint_down," + at + ",wp_grp=0," + some);
  ended(0,
        run_scenario(kMesh, "inject: [{at: 10 us, count: 5, source: \"" + up + some + "\"}]\nmeasure: [{events: [\"" +
                                up + "wp_val=0x40,wp_mask=0xffffffffffffffbf/\", \"" + up +
                                "wp_val=0,wp_mask=0xffffffffffffffff/\"]}]\n" + "expect: [{event: \"" + up +
                                "wp_val=0,wp_mask=0xffffffffffffffff/\", equals: 5}]\n"));
}

TEST_F(Injection, counts_at_cxl_devices) {
  counts(kCxl, "cxl_pmu_mem0.0/m2s_req_memrd/", "cxl_pmu_mem0.0/m2s_req_meminv/");
  counts(kCxl, "cxl_pmu_mem0.0/m2s_req_memrd,hdm_filter_en=1,hdm=0x1/",
         "cxl_pmu_mem0.0/m2s_req_memrd,hdm_filter_en=1,hdm=0x2/");
  // The driver counts events of its first group alone.
  std::string ticks = kCxl;
  ticks.replace(ticks.find("m2s_req"), 7, "clock_ticks");
  counts(ticks, "cxl_pmu_mem0.0/clock_ticks/", "");
}

TEST_F(Injection, in_the_middle_of_a_readings_accesses_is_in_order) {
  const std::string event = "\"nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1,dst_loc_cmem=1/\"";
  std::string rest =
      "host: {access_latency: 100 ns}\nmeasure: [{start: 1 us, interval: 5 us, events: [" + event + "]}]\ninject:\n";
  for (unsigned i = 0; i < 6; ++i)
    rest += "  - {at: " + std::to_string(5'950 + 5'100 * i) + " ns, count: 1, source: " + event + "}\n";
  ended(0, run_scenario(kTegra410, rest));
}

TEST_F(Injection, happens_again_and_again) {
  const std::string event = "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1,dst_loc_cmem=1/";
  const std::string rest = "measure: [{start: 1 us, window: 19 us, events: [\"" + event +
                           "\"]}]\ninject: [{at: 10 us, count: 1000, times: 30, every: 1 us, source: \"" + event +
                           "\"}]\nexpect: [{event: \"" + event +
                           "\", equals: 11000}]\n";  // 10, 11 ... 20 us: the measure ends at about 20.4 us
  EXPECT_THAT(ended(0, run_scenario(kTegra410, rest)).out,
              HasSubstr("1,000 times " + event + ", 30 times in all, every 1.000 us"));
  some_event = event;
  const std::string injection = "{at: 1 us, count: 1, source: \"" + event + "\", times: 2";
  refuses(kTegra410, injection + "}", {"needs 'every'"});
  refuses(kTegra410,
          "{at: {access: 1, pmu: nvidia_ucf_pmu_0}, count: 1, source: \"" + event + "\", times: 2, every: 1 us}",
          {"happens once"});
}

TEST_F(Injection, after_everything_else_still_happens) {
  EXPECT_THAT(ended(0, run_scenario(kMesh,
                                    "inject: [{at: 55 us, count: 7, source: arm_cmn_0/dtc_cycles/}]\nmeasure: "
                                    "[{events: [arm_cmn_0/dtc_cycles/]}]\n"))
                  .out,
              HasSubstr("55.000 us: 7 times arm_cmn_0/dtc_cycles/"));
}

TEST_F(Injection, of_a_number_that_no_counter_takes_is_refused) {
  refuses(kMesh, "{at: 1 us, source: arm_cmn_0/dtc_cycles/, count: 0}",
          {"inject[0].count: 0 is outside 1 ... 9223372036854775808"});
  refuses(kMesh, "{at: 1 us, source: arm_cmn_0/dtc_cycles/, count: 0x8000_0000_0000_0001}",
          {"inject[0].count: 0x8000_0000_0000_0001 is outside 1 ... 9223372036854775808"});
}

TEST_F(Injection, of_an_unknown_event_or_place_is_refused) {
  refuses(kMesh, "{at: 1 us, count: 1, source: \"arm_cmn_0/hnf_cache_mis,bynodeid=1,nodeid=0x20/\"}",
          {"s.yaml:11:34: inject[0].source: ", "did you mean 'hnf_cache_miss'"});
  refuses(kMesh, "{at: 1 us, count: 1, source: arm_cmn_7/dtc_cycles/}", {"did you mean 'arm_cmn_0'"});
  refuses(kMesh, "{at: 1 us, count: 1, source: \"arm_cmn_0/hnf_cache_miss,bynodeid=1,nodeid=0x28/\"}",
          {"there is no such node", "the nearest are 0x20"});
  refuses(kMesh, "{at: 1 us, count: 1, source: \"arm_cmn_0/mxp_p0_req_txflit_valid,bynodeid=1,nodeid=0x8/\"}",
          {"there is no such crosspoint"});
}

TEST_F(Injection, of_several_events_or_places_is_refused) {
  refuses(kMesh, "{at: 1 us, count: 1, source: arm_cmn_0/hnf_cache_miss/}",
          {"happens at many nodes: add bynodeid=1,nodeid=..."});
  refuses(kMesh, "{at: 1 us, count: 1, source: 'arm_cmn_0/dtc_cycles/,arm_cmn_0/hnf_mc_reqs/'}",
          {"is not one event of one PMU (write several events as a list)"});
  some_event = "nvidia_ucf_pmu_0/cycles/";
  refuses(kTegra410, "{at: 1 us, count: 1, source: nvidia_ucf_pmu_0/slc_hit_rd/}",
          {"name one source and one destination (src_*, dst_*)"});
  refuses(kTegra410, "{at: 1 us, count: 1, source: 'nvidia_pcie_tgt_pmu_0_rc_4/rd_req,dst_rp_mask=0x3/'}",
          {"requests to several root ports cause it"});
  some_event = "cxl_pmu_mem0.0/m2s_req_memrd/";
  refuses(kCxl, "{at: 1 us, count: 1, source: 'cxl_pmu_mem0.0/vid=0x1e98,gid=0x20,mask=0x3/'}",
          {"name one event that the CPMU has"});
}

TEST_F(Injection, where_carries_pass_one_by_one_is_refused) {
  std::string mesh = kMesh;
  mesh.insert(mesh.find("rows: [D H H]"), "pmu: {carries_per_cycle: 1}, ");
  refuses(mesh, "{at: 1 us, count: 1, source: \"arm_cmn_0/hnf_cache_miss,bynodeid=1,nodeid=0x20/\"}",
          {"set pmu.carries_per_cycle of the mesh to 0"});
}

TEST_F(Injection, of_what_counts_clock_edges_is_refused) {
  some_event = "nvidia_ucf_pmu_0/cycles/";
  refuses(kTegra410, "{at: 1 us, count: 1, source: 'nvidia_pcie_pmu_0_rc_4/rd_cum_outs,src_rp_mask=1,dst_rem=1/'}",
          {"rd_cum_outs counts clock edges while reads wait"});
}

}  // namespace
}  // namespace pmufab::testing
