// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/integration/cmn_events.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/session/driver_selection.h"

namespace pmufab::integration {

namespace {

using cmn::DeviceType;
using cmn::NodeType;
using cmn::Product;
using cmn::Topology;

// Products that have an event, one bit each.
constexpr unsigned k600 = 1;
constexpr unsigned k650 = 2;
constexpr unsigned k700 = 4;
constexpr unsigned kCi700 = 8;
constexpr unsigned kS3 = 16;
constexpr unsigned kNot600 = k650 | k700 | kCi700 | kS3;
constexpr unsigned k650On = k650 | k700 | kS3;
constexpr unsigned k700On = k700 | kS3;
constexpr unsigned kAll = k600 | kNot600;

unsigned bit_of(Product product) {
  switch (product) {
    case Product::cmn600:
      return k600;
    case Product::cmn650:
      return k650;
    case Product::cmn700:
      return k700;
    case Product::ci700:
      return kCi700;
    case Product::s3:
      break;
  }
  return kS3;
}

/// Events with consecutive ids. A name may end in the kind of its filter: "/occ".
struct Run {
  std::string_view prefix;
  unsigned type;
  unsigned products;
  unsigned first_id;
  std::string_view names;
};

// The events of nodes by product. filters_of_hn_s() adds the filters of HN-S.
constexpr Run kRuns[] = {
    {"dn", 0x1, k600, 0x01,
     "rxreq_dvmop rxreq_dvmsync rxreq_dvmop_vmid_filtered rxreq_retried rxreq_trk_occupancy/dvm"},
    {"dn", 0x1, kNot600, 0x01,
     "dvmop_tlbi dvmop_bpi dvmop_pici dvmop_vici dvmsync vmid_filtered rndop_filtered retry "
     "txsnp_flitv txsnp_stall trkfull trk_occupancy/dvm"},
    {"dn", 0x1, k700On, 0x0d,
     "trk_occupancy_cxha/dvm trk_occupancy_pdn/dvm trk_alloc trk_cxha_alloc trk_pdn_alloc "
     "txsnp_stall_limit rxsnp_stall_starv txsnp_sync_stall_op"},
    {"hnf", 0x5, kAll, 0x01,
     "cache_miss slc_sf_cache_access cache_fill pocq_retry pocq_reqs_recvd sf_hit sf_evictions "
     "dir_snoops_sent brd_snoops_sent slc_eviction slc_fill_invalid_way mc_retries mc_reqs "
     "qos_hh_retry qos_pocq_occupancy/occ pocq_addrhaz pocq_atomic_addrhaz ld_st_swp_adq_full "
     "cmp_adq_full txdat_stall txrsp_stall seq_full seq_hit snp_sent sfbi_dir_snp_sent "
     "sfbi_brd_snp_sent snp_sent_untrk intv_dirty stash_snp_sent stash_data_pull snp_fwded"},
    {"hnf", 0x5, kNot600, 0x20, "atomic_fwd mpam_hardlim mpam_softlim"},
    {"hnf", 0x5, k650On, 0x23, "snp_sent_cluster sf_imprecise_evict sf_evict_shared_line"},
    {"hnf", 0x5, k700, 0x26,
     "pocq_class_occup/cls pocq_class_retry/cls class_mc_reqs/cls class_cgnt_cmin/cls sn_throttle/cb "
     "sn_throttle_min/cb sf_precise_to_imprecise snp_intv_cln nc_excl excl_mon_ovfl"},
    {"hns", 0x200, k700On, 0x01,
     "cache_miss slc_sf_cache_access cache_fill pocq_retry pocq_reqs_recvd sf_hit sf_evictions "
     "dir_snoops_sent brd_snoops_sent slc_eviction slc_fill_invalid_way mc_retries_local mc_reqs_local "
     "qos_hh_retry qos_pocq_occupancy pocq_addrhaz pocq_atomic_addrhaz ld_st_swp_adq_full cmp_adq_full "
     "txdat_stall txrsp_stall seq_full seq_hit snp_sent sfbi_dir_snp_sent sfbi_brd_snp_sent"},
    {"hns", 0x200, k700On, 0x1c,
     "intv_dirty stash_snp_sent stash_data_pull snp_fwded atomic_fwd mpam_hardlim mpam_softlim "
     "snp_sent_cluster sf_imprecise_evict sf_evict_shared_line pocq_class_occup pocq_class_retry "
     "class_mc_reqs_local class_cgnt_cmin sn_throttle sn_throttle_min sf_precise_to_imprecise "
     "snp_intv_cln nc_excl excl_mon_ovfl snp_req_recvd snp_req_byp_pocq dir_ccgha_snp_sent "
     "brd_ccgha_snp_sent ccgha_snp_stall lbt_req_hardlim hbt_req_hardlim sf_reupdate excl_sf_imprecise "
     "snp_pocq_addrhaz mc_retries_remote mc_reqs_remote class_mc_reqs_remote"},
    {"hni", 0x4, kAll, 0x20,
     "rrt_rd_occ_cnt_ovfl rrt_wr_occ_cnt_ovfl rdt_rd_occ_cnt_ovfl rdt_wr_occ_cnt_ovfl wdb_occ_cnt_ovfl "
     "rrt_rd_alloc rrt_wr_alloc rdt_rd_alloc rdt_wr_alloc wdb_alloc txrsp_retryack arvalid_no_arready "
     "arready_no_arvalid awvalid_no_awready awready_no_awvalid wvalid_no_wready txdat_stall "
     "nonpcie_serialization pcie_serialization"},
    {"hnp", 0x11, kAll, 0x01,
     "rrt_wr_occ_cnt_ovfl rdt_wr_occ_cnt_ovfl wdb_occ_cnt_ovfl rrt_wr_alloc rdt_wr_alloc wdb_alloc "
     "awvalid_no_awready awready_no_awvalid wvalid_no_wready"},
    {"hnp", 0x11, kAll, 0x11,
     "rrt_rd_occ_cnt_ovfl rdt_rd_occ_cnt_ovfl rrt_rd_alloc rdt_rd_alloc arvalid_no_arready "
     "arready_no_arvalid"},
    {"sbsx", 0x7, kAll, 0x01, "rd_req wr_req cmo_req txrsp_retryack txdat_flitv txrsp_flitv"},
    {"sbsx", 0x7, kAll, 0x11,
     "rd_req_trkr_occ_cnt_ovfl wr_req_trkr_occ_cnt_ovfl cmo_req_trkr_occ_cnt_ovfl wdb_occ_cnt_ovfl "
     "rd_axi_trkr_occ_cnt_ovfl cmo_axi_trkr_occ_cnt_ovfl"},
    {"sbsx", 0x7, kNot600, 0x17, "rdb_occ_cnt_ovfl"},
    {"sbsx", 0x7, kAll, 0x21, "arvalid_no_arready awvalid_no_awready wvalid_no_wready txdat_stall txrsp_stall"},
    {"rnid", 0xa, kAll, 0x01,
     "s0_rdata_beats s1_rdata_beats s2_rdata_beats rxdat_flits txdat_flits txreq_flits_total "
     "txreq_flits_retried rrt_occ_ovfl wrt_occ_ovfl txreq_flits_replayed wrcancel_sent s0_wdata_beats "
     "s1_wdata_beats s2_wdata_beats rrt_alloc wrt_alloc"},
    {"rnid", 0xa, k600, 0x11, "rdb_unord rdb_replay rdb_hybrid rdb_ord"},
    {"rnid", 0xa, kNot600, 0x11,
     "padb_occ_ovfl rpdb_occ_ovfl rrt_occup_ovfl_slice1 rrt_occup_ovfl_slice2 rrt_occup_ovfl_slice3 "
     "wrt_throttled"},
    {"rnid", 0xa, k700, 0x17,
     "ldb_full rrt_rd_req_occup_ovfl_slice0 rrt_rd_req_occup_ovfl_slice1 rrt_rd_req_occup_ovfl_slice2 "
     "rrt_rd_req_occup_ovfl_slice3 rrt_burst_occup_ovfl_slice0 rrt_burst_occup_ovfl_slice1 "
     "rrt_burst_occup_ovfl_slice2 rrt_burst_occup_ovfl_slice3 rrt_burst_alloc awid_hash atomic_alloc "
     "atomic_occ_ovfl"},
    {"mtsx", 0x10, kAll, 0x01,
     "tc_lookup tc_fill tc_miss tdb_forward tcq_hazard tcq_rd_alloc tcq_wr_alloc tcq_cmo_alloc "
     "axi_rd_req axi_wr_req tcq_occ_cnt_ovfl tdb_occ_cnt_ovfl"},
    {"cxra", 0x100, kAll, 0x01,
     "rht_occ sht_occ rdb_occ wdb_occ ssb_occ snp_bcasts req_chains req_chain_avglen chirsp_stalls "
     "chidat_stalls cxreq_pcrd_stalls_link0 cxreq_pcrd_stalls_link1 cxreq_pcrd_stalls_link2 "
     "cxdat_pcrd_stalls_link0 cxdat_pcrd_stalls_link1 cxdat_pcrd_stalls_link2 external_chirsp_stalls "
     "external_chidat_stalls"},
    {"cxra", 0x100, kNot600, 0x13, "cxmisc_pcrd_stalls_link0 cxmisc_pcrd_stalls_link1 cxmisc_pcrd_stalls_link2"},
    {"ccra", 0x103, kAll, 0x41,
     "rht_occ sht_occ rdb_occ wdb_occ ssb_occ snp_bcasts req_chains req_chain_avglen chirsp_stalls "
     "chidat_stalls cxreq_pcrd_stalls_link0 cxreq_pcrd_stalls_link1 cxreq_pcrd_stalls_link2 "
     "cxdat_pcrd_stalls_link0 cxdat_pcrd_stalls_link1 cxdat_pcrd_stalls_link2 external_chirsp_stalls "
     "external_chidat_stalls cxmisc_pcrd_stalls_link0 cxmisc_pcrd_stalls_link1 "
     "cxmisc_pcrd_stalls_link2 rht_alloc sht_alloc rdb_alloc wdb_alloc ssb_alloc"},
    {"cxha", 0x101, kAll, 0x21,
     "rddatbyp chirsp_up_stall chidat_up_stall snppcrd_link0_stall snppcrd_link1_stall "
     "snppcrd_link2_stall reqtrk_occ rdb_occ rdbyp_occ wdb_occ snptrk_occ sdb_occ snphaz_occ"},
    {"ccha", 0x104, kAll, 0x61,
     "rddatbyp chirsp_up_stall chidat_up_stall snppcrd_link0_stall snppcrd_link1_stall "
     "snppcrd_link2_stall reqtrk_occ rdb_occ rdbyp_occ wdb_occ snptrk_occ sdb_occ snphaz_occ "
     "reqtrk_alloc rdb_alloc rdbyp_alloc wdb_alloc snptrk_alloc db_alloc snphaz_alloc pb_rhu_req_occ "
     "pb_rhu_req_alloc pb_rhu_pcie_req_occ pb_rhu_pcie_req_alloc pb_pcie_wr_req_occ "
     "pb_pcie_wr_req_alloc pb_pcie_reg_req_occ pb_pcie_reg_req_alloc pb_pcie_rsvd_req_occ "
     "pb_pcie_rsvd_req_alloc pb_rhu_dat_occ pb_rhu_dat_alloc pb_rhu_pcie_dat_occ pb_rhu_pcie_dat_alloc "
     "pb_pcie_wr_dat_occ pb_pcie_wr_dat_alloc"},
    {"ccha", 0x104, kS3, 0x85, "chirsp1_up_stall"},
    {"ccla", 0x105, kAll, 0x21,
     "rx_cxs tx_cxs rx_cxs_avg_size tx_cxs_avg_size tx_cxs_lcrd_backpressure link_crdbuf_occ "
     "link_crdbuf_alloc pfwd_rcvr_cxs pfwd_sndr_num_flits pfwd_sndr_stalls_static_crd "
     "pfwd_sndr_stalls_dynmaic_crd"},
};

using Values = std::vector<std::string_view>;  // a filter's values by name, from code 0 on; "" is a code without a name

const Values kOccupancy8 = {"all", "read", "write", "atomic", "stash", "rxsnp", "lbt", "hbt"};
const Values kOccupancy12 = {"all", "read", "write", "atomic", "stash",  "rxsnp",
                             "lbt", "hbt",  "rnf",   "rni",    "ccglcn", "ccgrn"};
const Values kClasses = {"class0", "class1", "class2", "class3"};
const Values kBusy7 = {"all", "group0_read", "group0_write", "group1_read", "group1_write", "read", "write"};
const Values kBusy12 = {"all", "group0_read", "group0_write", "group1_read", "group1_write", "read", "write", "",
                        "",    "ccg_read",    "ccg_write",    "lbt_read",    "lbt_write",    "lbt"};
const Values kHomeBound = {"all", "hbt", "lbt"};
const Values kEnhanced = {"all", "hbt", "lbt", "rnf", "rni", "ccglcn", "ccgrn"};
const Values kMemory = {"all", "sn", "home"};
const Values kSnoopChannel = {"vc0", "vc1", "vc2"};
const Values kEvicted = {"all", "eu", "en", "su", "sn", "mu", "mn"};

/// The filters of an event: none, one or two.
using Filters = std::vector<Values>;

/// Kinds of node whose filters depend on nothing else.
Filters filters_named(std::string_view kind) {
  if (kind == "occ") return {{"all", "read", "write", "atomic", "stash"}};
  if (kind == "dvm") return {{"all", "dvmop", "dvmsync"}};
  if (kind == "cls") return {kClasses};
  if (kind == "cb") return {kBusy7};
  return {};
}

bool is_one_of(unsigned id, std::initializer_list<unsigned> ids) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// The filters of HN-S events. Up to S3 r1, only Linux 7.3 and later filter the hazards 0x10 and 0x11.
Filters filters_of_hn_s(unsigned id, bool is_7_3) {
  if (is_one_of(id, {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b})) return {kHomeBound};
  if (is_7_3 && is_one_of(id, {0x10, 0x11})) return {kHomeBound};
  if (is_one_of(id, {0x0d, 0x3b})) return {kMemory};
  if (id == 0x0f) return {kOccupancy8};
  if (is_one_of(id, {0x26, 0x27, 0x28, 0x29, 0x3c})) return {kClasses};
  if (is_one_of(id, {0x2a, 0x2b})) return {kBusy7};
  return {};
}

/// The filters of HN-S events on CMN S3 r2, for drivers that know them.
Filters filters_of_newer_hn_s(unsigned id) {
  if (is_one_of(id, {0x01, 0x02, 0x03, 0x06, 0x0b, 0x10, 0x11, 0x3d, 0x3e, 0x44})) return {kEnhanced};
  if (is_one_of(id, {0x04, 0x05, 0x0f})) return {kOccupancy12};
  if (is_one_of(id, {0x07, 0x0a})) return {kHomeBound, kEvicted};
  if (is_one_of(id, {0x08, 0x09, 0x18, 0x19, 0x1a, 0x1f, 0x23})) return {kSnoopChannel};
  if (is_one_of(id, {0x0c, 0x0d, 0x3a, 0x3b})) return {kMemory};
  if (is_one_of(id, {0x24, 0x38})) return {kHomeBound};
  if (is_one_of(id, {0x26, 0x27, 0x28, 0x3c})) return {kClasses};
  if (is_one_of(id, {0x2a, 0x2b, 0x40, 0x41, 0x42, 0x43})) return {kBusy12};
  return {};
}

/// HN-S events that CMN S3 r2 no longer has, and those that only it has.
bool is_gone_from_newer_hn_s(unsigned id) {
  return is_one_of(id, {0x12, 0x13, 0x16, 0x1d, 0x1e, 0x20, 0x29, 0x2f, 0x34});
}
constexpr std::pair<unsigned, std::string_view> kNewerHnSEvents[] = {{0x3d, "readonce_hazard_detected"},
                                                                     {0x3e, "readonce_fwd_data_completed"},
                                                                     {0x40, "cbusy00"},
                                                                     {0x41, "cbusy01"},
                                                                     {0x42, "cbusy10"},
                                                                     {0x43, "cbusy11"},
                                                                     {0x44, "ro_rnsd_new_alloc_hint"}};

/// Builds the list.
class Listing {
 public:
  Listing(const Topology& topology, const std::string& kernel_version)
      : topology_(topology),
        version_(kernel_version),
        is_6_1_(driver_host::compare_versions(kernel_version, "6.12") < 0),
        is_7_3_(driver_host::compare_versions(kernel_version, "7.3") >= 0),
        newer_hn_s_(is_7_3_ && topology.product == Product::s3 && topology.revision >= 3) {
    for (const cmn::Crosspoint& crosspoint : topology.crosspoints) {
      for (const cmn::Port& port : crosspoint.ports) {
        for (const cmn::Node& node : port.nodes) {
          if (!node.external && !node.isolated) add_node(node.type);
        }
      }
    }
  }

  std::map<std::string, std::string> make() {
    for (const Run& run : kRuns) {
      if ((run.products & bit_of(topology_.product)) != 0 && types_.contains(run.type)) add_run(run);
    }
    if (newer_hn_s_ && types_.contains(0x200)) {
      for (const auto& [id, name] : kNewerHnSEvents)
        add(fmt::format("hns_{}", name), 0x200, id, filters_of_newer_hn_s(id));
    }
    if (newer_hn_s_ && types_.contains(0x5)) {
      // The names were added with those of HN-S, without the seven of CMN-700.
      Values added = kBusy12;
      std::fill(added.begin(), added.begin() + 9, "");
      add("hnf_sn_throttle", 0x5, 0x2a, {added});
      add("hnf_sn_throttle_min", 0x5, 0x2b, {added});
    }
    add_crosspoints();
    events_["dtc_cycles"] = "type=0x3\n";
    for (const auto& [name, id] : {std::pair{"up", 0}, std::pair{"down", 2}}) {
      events_[fmt::format("watchpoint_{}", name)] =
          fmt::format("type=0x7770,eventid={:#x},wp_dev_sel=?,wp_chn_sel=?,wp_grp=?,wp_val=?,wp_mask=?\n", id);
    }
    return std::move(events_);
  }

 private:
  /// The node types a driver sees: RN-D is an RN-I, HN-P is also an HN-I, CCLA_RNI is a CCLA and an RN-I.
  void add_node(NodeType type) {
    switch (type) {
      case NodeType::rn_d:
        types_.insert(0xa);
        break;
      case NodeType::hn_p:
        types_.insert({0x11, 0x4});
        break;
      case NodeType::ccla_rni:
        types_.insert({0x105, 0xa});
        break;
      default:
        types_.insert(static_cast<unsigned>(type));
    }
  }

  /// Events that early revisions of a product do not have.
  [[nodiscard]] bool is_hidden(unsigned type, unsigned id) const {
    const unsigned revision = topology_.revision;
    switch (topology_.product) {
      case Product::cmn600:
        if (revision < 3 && type == 0x100 && id > 0x10) return true;                             // r1p3
        return revision < 2 && ((type == 0x5 && id == 0x1b) || type == 0x100 || type == 0x101);  // r1p2
      case Product::cmn650:
        if (revision >= 3 && revision != 4) return false;  // r2p0, but not r1p2, which has a higher code
        return (type == 0x5 && id > 0x22) || (type == 0x7 && id == 0x17) || (type == 0xa && id > 0x10);
      case Product::cmn700:
        if (revision < 2 &&  // r2p0
            ((type == 0x5 && id > 0x2c) || (type == 0x104 && id > 0x74) || (type == 0x105 && id > 0x27)))
          return true;
        return revision < 1 && type == 0x5 && id > 0x2b;  // r1p0
      default:
        return false;
    }
  }

  void add_run(const Run& run) {
    std::istringstream words{std::string(run.names)};
    unsigned id = run.first_id;
    for (std::string word; words >> word; ++id) {
      if (is_hidden(run.type, id)) continue;
      const std::size_t slash = word.find('/');
      std::string name = fmt::format("{}_{}", run.prefix, word.substr(0, slash));
      Filters filters = filters_named(slash == std::string::npos ? "" : word.substr(slash + 1));
      if (run.type == 0x200) {
        if (newer_hn_s_ && is_gone_from_newer_hn_s(id)) continue;
        filters = newer_hn_s_ ? filters_of_newer_hn_s(id) : filters_of_hn_s(id, is_7_3_);
      }
      // Linux 6.12 uses another name than 6.1.
      if (is_6_1_ && name == "ccha_db_alloc") name = "ccha_sdb_alloc";
      add(name, run.type, id, filters);
    }
  }

  /// One file for each value of each filter.
  void add(const std::string& name, unsigned type, unsigned id, const Filters& filters) {
    const std::string what = fmt::format("type={:#x},eventid={:#x}", type, id);
    if (filters.empty()) {
      events_[name] = what + "\n";
      return;
    }
    for (unsigned first = 0; first < filters[0].size(); ++first) {
      if (filters[0][first].empty()) continue;
      const std::string part = fmt::format("{}_{}", name, filters[0][first]);
      const std::string term = fmt::format("{},{}={:#x}", what, is_7_3_ ? "filter" : "occupid", first);
      if (filters.size() == 1) {
        events_[part] = term + "\n";
        continue;
      }
      for (unsigned second = 0; second < filters[1].size(); ++second) {
        events_[fmt::format("{}_{}", part, filters[1][second])] = fmt::format("{},filter2={:#x}\n", term, second);
      }
    }
  }

  /// Crosspoints have events for each link, and for each port used anywhere, on every channel.
  void add_crosspoints() {
    std::vector<std::pair<std::string, unsigned>> interfaces = {{"e", 0}, {"w", 1}, {"n", 2}, {"s", 3}};
    for (unsigned port = 0; port < 4; ++port) {
      if (std::any_of(topology_.crosspoints.begin(), topology_.crosspoints.end(),
                      [&](const cmn::Crosspoint& crosspoint) {
                        return port < crosspoint.ports.size() && crosspoint.ports[port].device != DeviceType::none;
                      }))
        interfaces.emplace_back(fmt::format("p{}", port), 4 + port);
    }
    const cmn::VirtualChannels seen = seen_channels(topology_, version_);
    std::vector<std::pair<std::string, unsigned>> channels = {{"req", 0}, {"rsp", 1}, {"snp", 2}, {"dat", 3}};
    if (topology_.product != Product::cmn600) channels.emplace_back("pub", 4);
    if (seen.rsp > 1) channels.emplace_back("rsp2", 5);
    if (seen.dat > 1) channels.emplace_back("dat2", 6);
    if (seen.req > 1) channels.emplace_back("req2", 7);
    if (seen.snp > 1) channels.emplace_back("snp2", 8);
    for (const auto& [channel, channel_code] : channels) {
      for (const auto& [interface, code] : interfaces) {
        const std::string begin = fmt::format("mxp_{}_{}", interface, channel);
        const unsigned place = code << 2U | channel_code << 5U;
        add(begin + "_txflit_valid", 0x6, place | 1U, {});
        add(begin + "_txflit_stall", 0x6, place | 2U, {});
        // Only data can be partial, and only at ports. Linux 6.1 publishes the event everywhere.
        if (is_6_1_ || (channel.starts_with("dat") && code >= 4)) add(begin + "_partial_dat_flit", 0x6, place | 3U, {});
      }
    }
  }

  const Topology& topology_;
  const std::string& version_;
  bool is_6_1_;
  bool is_7_3_;
  bool newer_hn_s_;  ///< CMN S3 r2, and a driver that knows it
  std::set<unsigned> types_;
  std::map<std::string, std::string> events_;
};

}  // namespace

cmn::VirtualChannels seen_channels(const Topology& topology, const std::string& kernel_version) {
  const auto two_bits = [](unsigned number) { return number & 3U; };
  const cmn::VirtualChannels& real = topology.channels;
  if (topology.product != Product::s3 || topology.revision < 3 ||
      driver_host::compare_versions(kernel_version, "7.3") >= 0)
    return {two_bits(real.req), two_bits(real.rsp), two_bits(real.snp), two_bits(real.dat)};
  const unsigned packed = real.req | real.snp << 3U | real.dat << 6U;
  return {.req = packed & 3U, .rsp = 0, .snp = packed >> 2U & 3U, .dat = 0};
}

std::map<std::string, std::string> expected_cmn_events(const Topology& topology, const std::string& kernel_version) {
  return Listing(topology, kernel_version).make();
}

}  // namespace pmufab::integration
