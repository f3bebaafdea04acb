// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/cmn/description/event_select.h"
#include "models/cmn/description/product.h"
#include "models/cmn/wire/node_types.h"

namespace pmufab::cmn {

/// Products and revisions with the same events, as bits.
namespace releases {
inline constexpr std::uint16_t k600 = 1;
inline constexpr std::uint16_t k650R0 = 2;     ///< r0p0 to r1p1, and r1p2, which came after r2p0
inline constexpr std::uint16_t k650R2 = 4;     ///< r2p0
inline constexpr std::uint16_t k700R0 = 8;     ///< r0p0
inline constexpr std::uint16_t k700R1 = 16;    ///< r1p0
inline constexpr std::uint16_t k700R2On = 32;  ///< r2p0 and later
inline constexpr std::uint16_t kCi700 = 64;
inline constexpr std::uint16_t kS3 = 128;    ///< r0 and r1
inline constexpr std::uint16_t kS3R2 = 256;  ///< r2 and later
inline constexpr std::uint16_t kAll = 511;
inline constexpr std::uint16_t kNot600 = kAll & ~k600;
inline constexpr std::uint16_t kBeforeS3R2 = kAll & ~kS3R2;
inline constexpr std::uint16_t k700 = k700R0 | k700R1 | k700R2On;
inline constexpr std::uint16_t k700On = k700 | kS3 | kS3R2;  ///< not CI-700
}  // namespace releases

/// An event that a model of a node makes happen. A row's products are those that have the event with these filters.
struct EventRow {
  NodeType node;  ///< rn_i stands for RN-D, too
  std::uint8_t id;
  std::string_view name;  ///< as software shows it, without the node's prefix and the filter's suffix
  std::uint16_t releases;
  FilterKind filter = FilterKind::none;
  FilterKind filter2 = FilterKind::none;
};

namespace event_rows {
using namespace releases;
using enum NodeType;
using enum FilterKind;
/// All events that happen (arm-cmn.c, arm_cmn_event_attrs and arm_cmn_event_attr_is_visible).
inline constexpr EventRow kRows[] = {
    {hn_f, 0x01, "cache_miss", kAll},
    {hn_f, 0x02, "slc_sf_cache_access", kAll},
    {hn_f, 0x03, "cache_fill", kAll},
    {hn_f, 0x04, "pocq_retry", kAll},
    {hn_f, 0x05, "pocq_reqs_recvd", kAll},
    {hn_f, 0x06, "sf_hit", kAll},
    {hn_f, 0x07, "sf_evictions", kAll},
    {hn_f, 0x08, "dir_snoops_sent", kAll},
    {hn_f, 0x09, "brd_snoops_sent", kAll},
    {hn_f, 0x0a, "slc_eviction", kAll},
    {hn_f, 0x0b, "slc_fill_invalid_way", kAll},
    {hn_f, 0x0c, "mc_retries", kAll},
    {hn_f, 0x0d, "mc_reqs", kAll},
    {hn_f, 0x0e, "qos_hh_retry", kAll},
    {hn_f, 0x0f, "qos_pocq_occupancy", kAll, occup1},
    {hn_f, 0x10, "pocq_addrhaz", kAll},
    {hn_f, 0x11, "pocq_atomic_addrhaz", kAll},
    {hn_f, 0x14, "txdat_stall", kAll},
    {hn_f, 0x15, "txrsp_stall", kAll},
    {hn_f, 0x17, "seq_hit", kAll},
    {hn_f, 0x18, "snp_sent", kAll},
    {hn_f, 0x19, "sfbi_dir_snp_sent", kAll},
    {hn_f, 0x1a, "sfbi_brd_snp_sent", kAll},
    {hn_f, 0x1c, "intv_dirty", kAll},
    {hn_f, 0x1d, "stash_snp_sent", kAll},
    {hn_f, 0x1e, "stash_data_pull", kAll},
    {hn_f, 0x1f, "snp_fwded", kAll},
    {hn_f, 0x20, "atomic_fwd", kNot600},
    {hn_f, 0x25, "sf_evict_shared_line", k700On | k650R2},
    {hn_f, 0x26, "pocq_class_occup", k700On, class_occup},
    {hn_f, 0x27, "pocq_class_retry", k700On, class_occup},
    {hn_f, 0x28, "class_mc_reqs", k700On, class_occup},
    {hn_f, 0x2d, "snp_intv_cln", k700R2On | kS3 | kS3R2},
    {hn_s, 0x01, "cache_miss", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x01, "cache_miss", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x02, "slc_sf_cache_access", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x02, "slc_sf_cache_access", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x03, "cache_fill", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x03, "cache_fill", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x04, "pocq_retry", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x04, "pocq_retry", kS3R2, occup1},
    {hn_s, 0x05, "pocq_reqs_recvd", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x05, "pocq_reqs_recvd", kS3R2, occup1},
    {hn_s, 0x06, "sf_hit", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x06, "sf_hit", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x07, "sf_evictions", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x07, "sf_evictions", kS3R2, hbt_lbt, evict_state},
    {hn_s, 0x08, "dir_snoops_sent", kBeforeS3R2},
    {hn_s, 0x08, "dir_snoops_sent", kS3R2, snp_vc},
    {hn_s, 0x09, "brd_snoops_sent", kBeforeS3R2},
    {hn_s, 0x09, "brd_snoops_sent", kS3R2, snp_vc},
    {hn_s, 0x0a, "slc_eviction", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x0a, "slc_eviction", kS3R2, hbt_lbt, evict_state},
    {hn_s, 0x0b, "slc_fill_invalid_way", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x0b, "slc_fill_invalid_way", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x0c, "mc_retries_local", kBeforeS3R2},
    {hn_s, 0x0c, "mc_retries_local", kS3R2, sn_home},
    {hn_s, 0x0d, "mc_reqs_local", kAll, sn_home},
    {hn_s, 0x0e, "qos_hh_retry", kAll},
    {hn_s, 0x0f, "qos_pocq_occupancy", kAll, occup1},
    {hn_s, 0x10, "pocq_addrhaz", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x10, "pocq_addrhaz", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x11, "pocq_atomic_addrhaz", kBeforeS3R2, hbt_lbt},
    {hn_s, 0x11, "pocq_atomic_addrhaz", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x14, "txdat_stall", kAll},
    {hn_s, 0x15, "txrsp_stall", kAll},
    {hn_s, 0x17, "seq_hit", kAll},
    {hn_s, 0x18, "snp_sent", kBeforeS3R2},
    {hn_s, 0x18, "snp_sent", kS3R2, snp_vc},
    {hn_s, 0x19, "sfbi_dir_snp_sent", kBeforeS3R2},
    {hn_s, 0x19, "sfbi_dir_snp_sent", kS3R2, snp_vc},
    {hn_s, 0x1a, "sfbi_brd_snp_sent", kBeforeS3R2},
    {hn_s, 0x1a, "sfbi_brd_snp_sent", kS3R2, snp_vc},
    {hn_s, 0x1c, "intv_dirty", kAll},
    {hn_s, 0x1d, "stash_snp_sent", kBeforeS3R2},
    {hn_s, 0x1e, "stash_data_pull", kBeforeS3R2},
    {hn_s, 0x1f, "snp_fwded", kBeforeS3R2},
    {hn_s, 0x1f, "snp_fwded", kS3R2, snp_vc},
    {hn_s, 0x20, "atomic_fwd", kBeforeS3R2},
    {hn_s, 0x25, "sf_evict_shared_line", kAll},
    {hn_s, 0x26, "pocq_class_occup", kAll, class_occup},
    {hn_s, 0x27, "pocq_class_retry", kAll, class_occup},
    {hn_s, 0x28, "class_mc_reqs_local", kAll, class_occup},
    {hn_s, 0x2d, "snp_intv_cln", kAll},
    {hn_s, 0x3a, "mc_retries_remote", kBeforeS3R2},
    {hn_s, 0x3a, "mc_retries_remote", kS3R2, sn_home},
    {hn_s, 0x3b, "mc_reqs_remote", kAll, sn_home},
    {hn_s, 0x3c, "class_mc_reqs_remote", kAll, class_occup},
    {hn_s, 0x3d, "readonce_hazard_detected", kS3R2, enhanced_hbt_lbt},
    {hn_i, 0x20, "rrt_rd_occ_cnt_ovfl", kAll},
    {hn_i, 0x21, "rrt_wr_occ_cnt_ovfl", kAll},
    {hn_i, 0x22, "rdt_rd_occ_cnt_ovfl", kAll},
    {hn_i, 0x23, "rdt_wr_occ_cnt_ovfl", kAll},
    {hn_i, 0x24, "wdb_occ_cnt_ovfl", kAll},
    {hn_i, 0x25, "rrt_rd_alloc", kAll},
    {hn_i, 0x26, "rrt_wr_alloc", kAll},
    {hn_i, 0x27, "rdt_rd_alloc", kAll},
    {hn_i, 0x28, "rdt_wr_alloc", kAll},
    {hn_i, 0x29, "wdb_alloc", kAll},
    {hn_i, 0x2a, "txrsp_retryack", kAll},
    {hn_i, 0x2b, "arvalid_no_arready", kAll},
    {hn_i, 0x2c, "arready_no_arvalid", kAll},
    {hn_i, 0x2d, "awvalid_no_awready", kAll},
    {hn_i, 0x2e, "awready_no_awvalid", kAll},
    {hn_i, 0x2f, "wvalid_no_wready", kAll},
    {hn_i, 0x30, "txdat_stall", kAll},
    {hn_i, 0x31, "nonpcie_serialization", kAll},
    {hn_i, 0x32, "pcie_serialization", kAll},
    {hn_p, 0x01, "rrt_wr_occ_cnt_ovfl", kAll},
    {hn_p, 0x02, "rdt_wr_occ_cnt_ovfl", kAll},
    {hn_p, 0x03, "wdb_occ_cnt_ovfl", kAll},
    {hn_p, 0x04, "rrt_wr_alloc", kAll},
    {hn_p, 0x05, "rdt_wr_alloc", kAll},
    {hn_p, 0x06, "wdb_alloc", kAll},
    {hn_p, 0x07, "awvalid_no_awready", kAll},
    {hn_p, 0x08, "awready_no_awvalid", kAll},
    {hn_p, 0x09, "wvalid_no_wready", kAll},
    {hn_p, 0x11, "rrt_rd_occ_cnt_ovfl", kAll},
    {hn_p, 0x12, "rdt_rd_occ_cnt_ovfl", kAll},
    {hn_p, 0x13, "rrt_rd_alloc", kAll},
    {hn_p, 0x14, "rdt_rd_alloc", kAll},
    {hn_p, 0x15, "arvalid_no_arready", kAll},
    {hn_p, 0x16, "arready_no_arvalid", kAll},
    {sbsx, 0x01, "rd_req", kAll},
    {sbsx, 0x02, "wr_req", kAll},
    {sbsx, 0x03, "cmo_req", kAll},
    {sbsx, 0x04, "txrsp_retryack", kAll},
    {sbsx, 0x05, "txdat_flitv", kAll},
    {sbsx, 0x06, "txrsp_flitv", kAll},
    {sbsx, 0x11, "rd_req_trkr_occ_cnt_ovfl", kAll},
    {sbsx, 0x12, "wr_req_trkr_occ_cnt_ovfl", kAll},
    {sbsx, 0x13, "cmo_req_trkr_occ_cnt_ovfl", kAll},
    {sbsx, 0x14, "wdb_occ_cnt_ovfl", kAll},
    {sbsx, 0x15, "rd_axi_trkr_occ_cnt_ovfl", kAll},
    {sbsx, 0x16, "cmo_axi_trkr_occ_cnt_ovfl", kAll},
    {sbsx, 0x17, "rdb_occ_cnt_ovfl", kNot600},
    {sbsx, 0x21, "arvalid_no_arready", kAll},
    {sbsx, 0x22, "awvalid_no_awready", kAll},
    {sbsx, 0x23, "wvalid_no_wready", kAll},
    {sbsx, 0x24, "txdat_stall", kAll},
    {sbsx, 0x25, "txrsp_stall", kAll},
    {mtsx, 0x01, "tc_lookup", kAll},
    {mtsx, 0x02, "tc_fill", kAll},
    {mtsx, 0x03, "tc_miss", kAll},
    {mtsx, 0x04, "tdb_forward", kAll},
    {mtsx, 0x05, "tcq_hazard", kAll},
    {mtsx, 0x06, "tcq_rd_alloc", kAll},
    {mtsx, 0x07, "tcq_wr_alloc", kAll},
    {mtsx, 0x08, "tcq_cmo_alloc", kAll},
    {mtsx, 0x09, "axi_rd_req", kAll},
    {mtsx, 0x0a, "axi_wr_req", kAll},
    {mtsx, 0x0b, "tcq_occ_cnt_ovfl", kAll},
    {mtsx, 0x0c, "tdb_occ_cnt_ovfl", kAll},
    {rn_i, 0x01, "s0_rdata_beats", kAll},
    {rn_i, 0x02, "s1_rdata_beats", kAll},
    {rn_i, 0x03, "s2_rdata_beats", kAll},
    {rn_i, 0x04, "rxdat_flits", kAll},
    {rn_i, 0x05, "txdat_flits", kAll},
    {rn_i, 0x06, "txreq_flits_total", kAll},
    {rn_i, 0x07, "txreq_flits_retried", kAll},
    {rn_i, 0x08, "rrt_occ_ovfl", kAll},
    {rn_i, 0x09, "wrt_occ_ovfl", kAll},
    {rn_i, 0x0b, "wrcancel_sent", kAll},
    {rn_i, 0x0c, "s0_wdata_beats", kAll},
    {rn_i, 0x0d, "s1_wdata_beats", kAll},
    {rn_i, 0x0e, "s2_wdata_beats", kAll},
    {rn_i, 0x0f, "rrt_alloc", kAll},
    {rn_i, 0x10, "wrt_alloc", kAll},
    {rn_i, 0x13, "rrt_occup_ovfl_slice1", kNot600},
    {rn_i, 0x14, "rrt_occup_ovfl_slice2", kNot600},
    {rn_i, 0x15, "rrt_occup_ovfl_slice3", kNot600},
    {rn_i, 0x18, "rrt_rd_req_occup_ovfl_slice0", k700},
    {rn_i, 0x19, "rrt_rd_req_occup_ovfl_slice1", k700},
    {rn_i, 0x1a, "rrt_rd_req_occup_ovfl_slice2", k700},
    {rn_i, 0x1b, "rrt_rd_req_occup_ovfl_slice3", k700},
    {dvm, 0x01, "rxreq_dvmop", k600},
    {dvm, 0x01, "dvmop_tlbi", kNot600},
    {dvm, 0x02, "rxreq_dvmsync", k600},
    {dvm, 0x02, "dvmop_bpi", kNot600},
    {dvm, 0x03, "rxreq_dvmop_vmid_filtered", k600},
    {dvm, 0x03, "dvmop_pici", kNot600},
    {dvm, 0x04, "rxreq_retried", k600},
    {dvm, 0x04, "dvmop_vici", kNot600},
    {dvm, 0x05, "rxreq_trk_occupancy", k600, occup1},
    {dvm, 0x05, "dvmsync", kNot600},
    {dvm, 0x06, "vmid_filtered", kNot600},
    {dvm, 0x07, "rndop_filtered", kNot600},
    {dvm, 0x08, "retry", kNot600},
    {dvm, 0x09, "txsnp_flitv", kNot600},
    {dvm, 0x0a, "txsnp_stall", kNot600},
    {dvm, 0x0b, "trkfull", kNot600},
    {dvm, 0x0c, "trk_occupancy", kNot600, occup1},
    {dvm, 0x0f, "trk_alloc", k700On},
    {dvm, 0x12, "txsnp_stall_limit", k700On},
    {dvm, 0x14, "txsnp_sync_stall_op", k700On},
    {cxra, 0x01, "rht_occ", kAll},
    {cxra, 0x03, "rdb_occ", kAll},
    {cxra, 0x04, "wdb_occ", kAll},
    {cxra, 0x07, "req_chains", kAll},
    {cxra, 0x08, "req_chain_avglen", kAll},
    {cxra, 0x0b, "cxreq_pcrd_stalls_link0", kAll},
    {cxra, 0x0e, "cxdat_pcrd_stalls_link0", kAll},
    {cxra, 0x11, "external_chirsp_stalls", kAll},
    {cxra, 0x12, "external_chidat_stalls", kAll},
    {cxha, 0x21, "rddatbyp", kAll},
    {cxha, 0x22, "chirsp_up_stall", kAll},
    {cxha, 0x23, "chidat_up_stall", kAll},
    {cxha, 0x27, "reqtrk_occ", kAll},
    {cxha, 0x28, "rdb_occ", kAll},
    {cxha, 0x29, "rdbyp_occ", kAll},
    {cxha, 0x2a, "wdb_occ", kAll},
    {ccra, 0x41, "rht_occ", kAll},
    {ccra, 0x43, "rdb_occ", kAll},
    {ccra, 0x44, "wdb_occ", kAll},
    {ccra, 0x47, "req_chains", kAll},
    {ccra, 0x48, "req_chain_avglen", kAll},
    {ccra, 0x4b, "cxreq_pcrd_stalls_link0", kAll},
    {ccra, 0x4e, "cxdat_pcrd_stalls_link0", kAll},
    {ccra, 0x51, "external_chirsp_stalls", kAll},
    {ccra, 0x52, "external_chidat_stalls", kAll},
    {ccra, 0x56, "rht_alloc", kAll},
    {ccra, 0x58, "rdb_alloc", kAll},
    {ccra, 0x59, "wdb_alloc", kAll},
    {ccha, 0x61, "rddatbyp", kAll},
    {ccha, 0x62, "chirsp_up_stall", kAll},
    {ccha, 0x63, "chidat_up_stall", kAll},
    {ccha, 0x67, "reqtrk_occ", kAll},
    {ccha, 0x68, "rdb_occ", kAll},
    {ccha, 0x69, "rdbyp_occ", kAll},
    {ccha, 0x6a, "wdb_occ", kAll},
    {ccha, 0x6e, "reqtrk_alloc", kAll},
    {ccha, 0x6f, "rdb_alloc", kAll},
    {ccha, 0x70, "rdbyp_alloc", kAll},
    {ccha, 0x71, "wdb_alloc", kAll},
    {ccla, 0x21, "rx_cxs", kAll},
    {ccla, 0x22, "tx_cxs", kAll},
    {ccla, 0x23, "rx_cxs_avg_size", kAll},
    {ccla, 0x24, "tx_cxs_avg_size", kAll},
    {ccla, 0x25, "tx_cxs_lcrd_backpressure", kAll},
    {ccla, 0x26, "link_crdbuf_occ", kAll},
    {ccla, 0x27, "link_crdbuf_alloc", kAll},
};
/// Events that nothing makes happen, and that have a filter: if one did, hardware would filter it.
inline constexpr EventRow kNeverHappen[] = {
    {hn_f, 0x29, "class_cgnt_cmin", k700On, class_occup},
    {hn_f, 0x2a, "sn_throttle", k700On, cbusy},
    {hn_f, 0x2b, "sn_throttle_min", k700On, cbusy},
    {hn_s, 0x23, "snp_sent_cluster", kS3R2, snp_vc},
    {hn_s, 0x24, "sf_imprecise_evict", kS3R2, hbt_lbt},
    {hn_s, 0x29, "class_cgnt_cmin", kBeforeS3R2, class_occup},
    {hn_s, 0x2a, "sn_throttle", kAll, cbusy},
    {hn_s, 0x2b, "sn_throttle_min", kAll, cbusy},
    {hn_s, 0x38, "excl_sf_imprecise", kS3R2, hbt_lbt},
    {hn_s, 0x3e, "readonce_fwd_data_completed", kS3R2, enhanced_hbt_lbt},
    {hn_s, 0x40, "cbusy00", kS3R2, cbusy},
    {hn_s, 0x41, "cbusy01", kS3R2, cbusy},
    {hn_s, 0x42, "cbusy10", kS3R2, cbusy},
    {hn_s, 0x43, "cbusy11", kS3R2, cbusy},
    {hn_s, 0x44, "ro_rnsd_new_alloc_hint", kS3R2, enhanced_hbt_lbt},
    {dvm, 0x0d, "trk_occupancy_cxha", k700On, occup1},
    {dvm, 0x0e, "trk_occupancy_pdn", k700On, occup1},
};
}  // namespace event_rows

/// @return the row of an event, or nullptr: this product and revision have no such event, or nothing makes it happen.
[[nodiscard]] const EventRow* find_event(Product product, unsigned revision, NodeType node, unsigned id) noexcept;

/// @return the number of a node's event. An unknown name does not compile.
consteval std::uint8_t event_id(NodeType node, std::string_view name) {
  for (const EventRow& row : event_rows::kRows) {
    if (row.node == node && row.name == name) return row.id;
  }
  throw "no model makes an event of this name happen";
}

}  // namespace pmufab::cmn
