// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"

#include <algorithm>
#include <array>
#include <span>

namespace pmufab::scoreboard {

using cmn::NodeType;

namespace {

using node_products::k600;
using node_products::k700;
using node_products::k700On;
using node_products::kAll;
using node_products::kBeforeR2;
using node_products::kNot600;
using node_products::kNotCi;
using node_products::kR2;

// The events that docs/cmn-nodes.md describes.
constexpr std::array<NodeEventRow, 239> kRows{{
    {{NodeType::hn_f, 0x1, "cache_miss", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x2, "slc_sf_cache_access", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x3, "cache_fill", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x4, "pocq_retry", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x5, "pocq_reqs_recvd", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x6, "sf_hit", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x7, "sf_evictions", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x8, "dir_snoops_sent", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x9, "brd_snoops_sent", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0xa, "slc_eviction", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0xb, "slc_fill_invalid_way", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0xc, "mc_retries", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0xd, "mc_reqs", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0xe, "qos_hh_retry", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0xf, "qos_pocq_occupancy", NodeFilter::occupancy}, kAll},
    {{NodeType::hn_f, 0x10, "pocq_addrhaz", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x11, "pocq_atomic_addrhaz", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x14, "txdat_stall", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x15, "txrsp_stall", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x17, "seq_hit", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x18, "snp_sent", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x19, "sfbi_dir_snp_sent", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x1a, "sfbi_brd_snp_sent", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x1c, "intv_dirty", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x1d, "stash_snp_sent", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x1e, "stash_data_pull", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x1f, "snp_fwded", NodeFilter::none}, kAll},
    {{NodeType::hn_f, 0x25, "sf_evict_shared_line", NodeFilter::none}, kNot600 | kNotCi},
    {{NodeType::hn_f, 0x26, "pocq_class_occup", NodeFilter::qos_class}, k700On | kNotCi},
    {{NodeType::hn_f, 0x27, "pocq_class_retry", NodeFilter::qos_class}, k700On | kNotCi},
    {{NodeType::hn_f, 0x28, "class_mc_reqs", NodeFilter::qos_class}, k700On | kNotCi},
    {{NodeType::hn_f, 0x2d, "snp_intv_cln", NodeFilter::none}, k700On | kNotCi},
    {{NodeType::hn_s, 0x1, "cache_miss", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x1, "cache_miss", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_s, 0x2, "slc_sf_cache_access", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x2, "slc_sf_cache_access", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_s, 0x3, "cache_fill", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x3, "cache_fill", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_s, 0x6, "sf_hit", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x6, "sf_hit", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_s, 0xb, "slc_fill_invalid_way", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0xb, "slc_fill_invalid_way", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_s, 0x4, "pocq_retry", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x4, "pocq_retry", NodeFilter::occupancy}, kR2},
    {{NodeType::hn_s, 0x5, "pocq_reqs_recvd", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x5, "pocq_reqs_recvd", NodeFilter::occupancy}, kR2},
    {{NodeType::hn_s, 0x7, "sf_evictions", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x7, "sf_evictions", NodeFilter::evict_state}, kR2},
    {{NodeType::hn_s, 0xa, "slc_eviction", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0xa, "slc_eviction", NodeFilter::evict_state}, kR2},
    {{NodeType::hn_s, 0x8, "dir_snoops_sent", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x8, "dir_snoops_sent", NodeFilter::virtual_channel}, kR2},
    {{NodeType::hn_s, 0x9, "brd_snoops_sent", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x9, "brd_snoops_sent", NodeFilter::virtual_channel}, kR2},
    {{NodeType::hn_s, 0x18, "snp_sent", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x18, "snp_sent", NodeFilter::virtual_channel}, kR2},
    {{NodeType::hn_s, 0x19, "sfbi_dir_snp_sent", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x19, "sfbi_dir_snp_sent", NodeFilter::virtual_channel}, kR2},
    {{NodeType::hn_s, 0x1a, "sfbi_brd_snp_sent", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x1a, "sfbi_brd_snp_sent", NodeFilter::virtual_channel}, kR2},
    {{NodeType::hn_s, 0x1f, "snp_fwded", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x1f, "snp_fwded", NodeFilter::virtual_channel}, kR2},
    {{NodeType::hn_s, 0xc, "mc_retries_local", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0xc, "mc_retries_local", NodeFilter::sn_home}, kR2},
    {{NodeType::hn_s, 0x3a, "mc_retries_remote", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x3a, "mc_retries_remote", NodeFilter::sn_home}, kR2},
    {{NodeType::hn_s, 0xd, "mc_reqs_local", NodeFilter::sn_home}, kAll},
    {{NodeType::hn_s, 0x3b, "mc_reqs_remote", NodeFilter::sn_home}, kAll},
    {{NodeType::hn_s, 0xe, "qos_hh_retry", NodeFilter::none}, kAll},
    {{NodeType::hn_s, 0xf, "qos_pocq_occupancy", NodeFilter::occupancy}, kAll},
    {{NodeType::hn_s, 0x10, "pocq_addrhaz", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x10, "pocq_addrhaz", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_s, 0x11, "pocq_atomic_addrhaz", NodeFilter::hbt_lbt}, kBeforeR2},
    {{NodeType::hn_s, 0x11, "pocq_atomic_addrhaz", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_s, 0x14, "txdat_stall", NodeFilter::none}, kAll},
    {{NodeType::hn_s, 0x15, "txrsp_stall", NodeFilter::none}, kAll},
    {{NodeType::hn_s, 0x17, "seq_hit", NodeFilter::none}, kAll},
    {{NodeType::hn_s, 0x1c, "intv_dirty", NodeFilter::none}, kAll},
    {{NodeType::hn_s, 0x25, "sf_evict_shared_line", NodeFilter::none}, kAll},
    {{NodeType::hn_s, 0x2d, "snp_intv_cln", NodeFilter::none}, kAll},
    {{NodeType::hn_s, 0x1d, "stash_snp_sent", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x1e, "stash_data_pull", NodeFilter::none}, kBeforeR2},
    {{NodeType::hn_s, 0x26, "pocq_class_occup", NodeFilter::qos_class}, kAll},
    {{NodeType::hn_s, 0x27, "pocq_class_retry", NodeFilter::qos_class}, kAll},
    {{NodeType::hn_s, 0x28, "class_mc_reqs_local", NodeFilter::qos_class}, kAll},
    {{NodeType::hn_s, 0x3c, "class_mc_reqs_remote", NodeFilter::qos_class}, kAll},
    {{NodeType::hn_s, 0x3d, "readonce_hazard_detected", NodeFilter::enhanced}, kR2},
    {{NodeType::hn_i, 0x20, "rrt_rd_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x21, "rrt_wr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x22, "rdt_rd_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x23, "rdt_wr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x24, "wdb_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x25, "rrt_rd_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x26, "rrt_wr_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x27, "rdt_rd_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x28, "rdt_wr_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x29, "wdb_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x2a, "txrsp_retryack", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x2b, "arvalid_no_arready", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x2c, "arready_no_arvalid", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x2d, "awvalid_no_awready", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x2e, "awready_no_awvalid", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x2f, "wvalid_no_wready", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x30, "txdat_stall", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x31, "nonpcie_serialization", NodeFilter::none}, kAll},
    {{NodeType::hn_i, 0x32, "pcie_serialization", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x1, "rrt_wr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x2, "rdt_wr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x3, "wdb_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x4, "rrt_wr_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x5, "rdt_wr_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x6, "wdb_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x7, "awvalid_no_awready", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x8, "awready_no_awvalid", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x9, "wvalid_no_wready", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x11, "rrt_rd_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x12, "rdt_rd_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x13, "rrt_rd_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x14, "rdt_rd_alloc", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x15, "arvalid_no_arready", NodeFilter::none}, kAll},
    {{NodeType::hn_p, 0x16, "arready_no_arvalid", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x1, "rd_req", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x2, "wr_req", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x3, "cmo_req", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x4, "txrsp_retryack", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x5, "txdat_flitv", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x6, "txrsp_flitv", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x11, "rd_req_trkr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x12, "wr_req_trkr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x13, "cmo_req_trkr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x14, "wdb_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x15, "rd_axi_trkr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x16, "cmo_axi_trkr_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x21, "arvalid_no_arready", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x22, "awvalid_no_awready", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x23, "wvalid_no_wready", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x24, "txdat_stall", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x25, "txrsp_stall", NodeFilter::none}, kAll},
    {{NodeType::sbsx, 0x17, "rdb_occ_cnt_ovfl", NodeFilter::none}, kNot600},
    {{NodeType::rn_i, 0x1, "s0_rdata_beats", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x2, "s1_rdata_beats", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x3, "s2_rdata_beats", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x4, "rxdat_flits", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x5, "txdat_flits", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x6, "txreq_flits_total", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x7, "txreq_flits_retried", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x8, "rrt_occ_ovfl", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x9, "wrt_occ_ovfl", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0xb, "wrcancel_sent", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0xc, "s0_wdata_beats", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0xd, "s1_wdata_beats", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0xe, "s2_wdata_beats", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0xf, "rrt_alloc", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x10, "wrt_alloc", NodeFilter::none}, kAll},
    {{NodeType::rn_i, 0x13, "rrt_occup_ovfl_slice1", NodeFilter::none}, kNot600},
    {{NodeType::rn_i, 0x14, "rrt_occup_ovfl_slice2", NodeFilter::none}, kNot600},
    {{NodeType::rn_i, 0x15, "rrt_occup_ovfl_slice3", NodeFilter::none}, kNot600},
    {{NodeType::rn_i, 0x18, "rrt_rd_req_occup_ovfl_slice0", NodeFilter::none}, k700 | kNotCi},
    {{NodeType::rn_i, 0x19, "rrt_rd_req_occup_ovfl_slice1", NodeFilter::none}, k700 | kNotCi},
    {{NodeType::rn_i, 0x1a, "rrt_rd_req_occup_ovfl_slice2", NodeFilter::none}, k700 | kNotCi},
    {{NodeType::rn_i, 0x1b, "rrt_rd_req_occup_ovfl_slice3", NodeFilter::none}, k700 | kNotCi},
    {{NodeType::mtsx, 0x1, "tc_lookup", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x2, "tc_fill", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x3, "tc_miss", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x4, "tdb_forward", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x5, "tcq_hazard", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x6, "tcq_rd_alloc", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x7, "tcq_wr_alloc", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x8, "tcq_cmo_alloc", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0x9, "axi_rd_req", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0xa, "axi_wr_req", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0xb, "tcq_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::mtsx, 0xc, "tdb_occ_cnt_ovfl", NodeFilter::none}, kAll},
    {{NodeType::dvm, 0x1, "rxreq_dvmop", NodeFilter::none}, k600},
    {{NodeType::dvm, 0x2, "rxreq_dvmsync", NodeFilter::none}, k600},
    {{NodeType::dvm, 0x3, "rxreq_dvmop_vmid_filtered", NodeFilter::none}, k600},
    {{NodeType::dvm, 0x4, "rxreq_retried", NodeFilter::none}, k600},
    {{NodeType::dvm, 0x5, "rxreq_trk_occupancy", NodeFilter::dvm_occupancy}, k600},
    {{NodeType::dvm, 0x1, "dvmop_tlbi", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x2, "dvmop_bpi", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x3, "dvmop_pici", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x4, "dvmop_vici", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x5, "dvmsync", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x6, "vmid_filtered", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x7, "rndop_filtered", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x8, "retry", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0x9, "txsnp_flitv", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0xa, "txsnp_stall", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0xb, "trkfull", NodeFilter::none}, kNot600},
    {{NodeType::dvm, 0xc, "trk_occupancy", NodeFilter::dvm_occupancy}, kNot600},
    {{NodeType::dvm, 0xf, "trk_alloc", NodeFilter::none}, k700On | kNotCi},
    {{NodeType::dvm, 0x12, "txsnp_stall_limit", NodeFilter::none}, k700On | kNotCi},
    {{NodeType::dvm, 0x14, "txsnp_sync_stall_op", NodeFilter::none}, k700On | kNotCi},
    {{NodeType::cxra, 0x1, "rht_occ", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0x3, "rdb_occ", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0x4, "wdb_occ", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0x7, "req_chains", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0x8, "req_chain_avglen", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0xb, "cxreq_pcrd_stalls_link0", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0xe, "cxdat_pcrd_stalls_link0", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0x11, "external_chirsp_stalls", NodeFilter::none}, kAll},
    {{NodeType::cxra, 0x12, "external_chidat_stalls", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x41, "rht_occ", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x43, "rdb_occ", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x44, "wdb_occ", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x47, "req_chains", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x48, "req_chain_avglen", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x4b, "cxreq_pcrd_stalls_link0", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x4e, "cxdat_pcrd_stalls_link0", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x51, "external_chirsp_stalls", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x52, "external_chidat_stalls", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x56, "rht_alloc", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x58, "rdb_alloc", NodeFilter::none}, kAll},
    {{NodeType::ccra, 0x59, "wdb_alloc", NodeFilter::none}, kAll},
    {{NodeType::cxha, 0x21, "rddatbyp", NodeFilter::none}, kAll},
    {{NodeType::cxha, 0x22, "chirsp_up_stall", NodeFilter::none}, kAll},
    {{NodeType::cxha, 0x23, "chidat_up_stall", NodeFilter::none}, kAll},
    {{NodeType::cxha, 0x27, "reqtrk_occ", NodeFilter::none}, kAll},
    {{NodeType::cxha, 0x28, "rdb_occ", NodeFilter::none}, kAll},
    {{NodeType::cxha, 0x29, "rdbyp_occ", NodeFilter::none}, kAll},
    {{NodeType::cxha, 0x2a, "wdb_occ", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x61, "rddatbyp", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x62, "chirsp_up_stall", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x63, "chidat_up_stall", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x67, "reqtrk_occ", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x68, "rdb_occ", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x69, "rdbyp_occ", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x6a, "wdb_occ", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x6e, "reqtrk_alloc", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x6f, "rdb_alloc", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x70, "rdbyp_alloc", NodeFilter::none}, kAll},
    {{NodeType::ccha, 0x71, "wdb_alloc", NodeFilter::none}, kAll},
    {{NodeType::ccla, 0x21, "rx_cxs", NodeFilter::none}, kAll},
    {{NodeType::ccla, 0x22, "tx_cxs", NodeFilter::none}, kAll},
    {{NodeType::ccla, 0x23, "rx_cxs_avg_size", NodeFilter::none}, kAll},
    {{NodeType::ccla, 0x24, "tx_cxs_avg_size", NodeFilter::none}, kAll},
    {{NodeType::ccla, 0x25, "tx_cxs_lcrd_backpressure", NodeFilter::none}, kAll},
    {{NodeType::ccla, 0x26, "link_crdbuf_occ", NodeFilter::none}, kAll},
    {{NodeType::ccla, 0x27, "link_crdbuf_alloc", NodeFilter::none}, kAll},
}};

constexpr std::array<FilterCode, 12> kOccupancy{{{"all", 0},
                                                 {"read", 1},
                                                 {"write", 2},
                                                 {"atomic", 3},
                                                 {"stash", 4},
                                                 {"rxsnp", 5},
                                                 {"lbt", 6},
                                                 {"hbt", 7},
                                                 {"rnf", 8},
                                                 {"rni", 9},
                                                 {"ccglcn", 10},
                                                 {"ccgrn", 11}}};
constexpr std::array<FilterCode, 3> kDvmOccupancy{{{"all", 0}, {"dvmop", 1}, {"dvmsync", 2}}};
constexpr std::array<FilterCode, 4> kClasses{{{"class0", 0}, {"class1", 1}, {"class2", 2}, {"class3", 3}}};
constexpr std::array<FilterCode, 3> kHbtLbt{{{"all", 0}, {"hbt", 1}, {"lbt", 2}}};
constexpr std::array<FilterCode, 3> kSnHome{{{"all", 0}, {"sn", 1}, {"home", 2}}};
constexpr std::array<FilterCode, 3> kVirtualChannels{{{"vc0", 0}, {"vc1", 1}, {"vc2", 2}}};
constexpr std::array<FilterCode, 7> kEnhanced{
    {{"all", 0}, {"hbt", 1}, {"lbt", 2}, {"rnf", 3}, {"rni", 4}, {"ccglcn", 5}, {"ccgrn", 6}}};
constexpr std::array<FilterCode, 7> kEvictStates{
    {{"all", 0}, {"eu", 1}, {"en", 2}, {"su", 3}, {"sn", 4}, {"mu", 5}, {"mn", 6}}};

constexpr std::array<FilterCode, 12> kBusy{{{"all", 0},
                                            {"group0_read", 1},
                                            {"group0_write", 2},
                                            {"group1_read", 3},
                                            {"group1_write", 4},
                                            {"read", 5},
                                            {"write", 6},
                                            {"ccg_read", 9},
                                            {"ccg_write", 10},
                                            {"lbt_read", 11},
                                            {"lbt_write", 12},
                                            {"lbt", 13}}};

std::span<const FilterCode> codes_of(NodeFilter filter) {
  switch (filter) {
    case NodeFilter::none:
      break;
    case NodeFilter::occupancy:
      return kOccupancy;
    case NodeFilter::dvm_occupancy:
      return kDvmOccupancy;
    case NodeFilter::qos_class:
      return kClasses;
    case NodeFilter::hbt_lbt:
    case NodeFilter::evict_state:
      return kHbtLbt;
    case NodeFilter::sn_home:
      return kSnHome;
    case NodeFilter::virtual_channel:
      return kVirtualChannels;
    case NodeFilter::enhanced:
      return kEnhanced;
    case NodeFilter::busy:
      return kBusy;
  }
  return {};
}

std::optional<unsigned> code_named(std::span<const FilterCode> codes, std::string_view name) {
  const auto found =
      std::find_if(codes.begin(), codes.end(), [&](const FilterCode& code) { return code.name == name; });
  return found == codes.end() ? std::nullopt : std::optional(found->code);
}

struct Prefix {
  NodeType type;
  std::string_view text;
};
constexpr std::array<Prefix, 13> kPrefixes{{{NodeType::hn_f, "hnf_"},
                                            {NodeType::hn_s, "hns_"},
                                            {NodeType::hn_i, "hni_"},
                                            {NodeType::hn_p, "hnp_"},
                                            {NodeType::sbsx, "sbsx_"},
                                            {NodeType::rn_i, "rnid_"},
                                            {NodeType::mtsx, "mtsx_"},
                                            {NodeType::dvm, "dn_"},
                                            {NodeType::cxra, "cxra_"},
                                            {NodeType::cxha, "cxha_"},
                                            {NodeType::ccra, "ccra_"},
                                            {NodeType::ccha, "ccha_"},
                                            {NodeType::ccla, "ccla_"}}};

bool is_there(const NodeEventRow& row, WatchpointLayout product) {
  return (row.products >> static_cast<unsigned>(product) & 1U) != 0;
}

/// @return the event if the text after its root selects a filter code.
std::optional<NodeEventChoice> chosen(const NodeEvent& event, std::string_view rest) {
  NodeEventChoice choice{event.type, event.id};
  // Before 7.3 the driver had names without a suffix for events with a filter: they mean all.
  if (rest.empty()) return choice;
  if (event.filter == NodeFilter::none || !rest.starts_with('_')) return std::nullopt;
  rest.remove_prefix(1);
  if (event.filter == NodeFilter::evict_state) {
    const std::size_t split = rest.find('_');
    if (split == std::string_view::npos) return std::nullopt;
    const std::optional<unsigned> state = code_named(kEvictStates, rest.substr(split + 1));
    if (!state) return std::nullopt;
    choice.filter2 = *state;
    rest = rest.substr(0, split);
  }
  const std::optional<unsigned> code = code_named(codes_of(event.filter), rest);
  if (!code) return std::nullopt;
  choice.filter = *code;
  return choice;
}

}  // namespace

std::span<const NodeEventRow> described_node_events() { return kRows; }

std::span<const FilterCode> filter_codes(NodeFilter filter) { return codes_of(filter); }

std::span<const FilterCode> evict_state_codes() { return kEvictStates; }

std::optional<NodeEventChoice> find_node_event(std::string_view name, WatchpointLayout product) {
  const auto* const prefix = std::find_if(kPrefixes.begin(), kPrefixes.end(),
                                          [&](const Prefix& known) { return name.starts_with(known.text); });
  if (prefix == kPrefixes.end()) return std::nullopt;
  name.remove_prefix(prefix->text.size());
  for (const NodeEventRow& row : kRows) {
    if (row.event.type != prefix->type || !is_there(row, product) || !name.starts_with(row.event.root)) continue;
    if (const auto choice = chosen(row.event, name.substr(row.event.root.size()))) return choice;
  }
  return std::nullopt;
}

std::optional<NodeEventChoice> find_node_event(std::uint64_t type, std::uint64_t id, unsigned filter, unsigned filter2,
                                               WatchpointLayout product) {
  constexpr std::uint64_t kRnD = 0xd;  // software treats RN-D as RN-I
  const auto of_type = static_cast<NodeType>(type == kRnD ? static_cast<std::uint64_t>(NodeType::rn_i) : type);
  for (const NodeEventRow& row : kRows) {
    if (row.event.type != of_type || row.event.id != id || !is_there(row, product)) continue;
    NodeEventChoice choice{of_type, row.event.id};
    if (row.event.filter != NodeFilter::none) choice.filter = filter;
    if (row.event.filter == NodeFilter::evict_state) choice.filter2 = filter2;
    return choice;
  }
  return std::nullopt;
}

NodeFilter node_filter(NodeType type, unsigned id, WatchpointLayout product) {
  const auto* const found = std::find_if(kRows.begin(), kRows.end(), [&](const NodeEventRow& row) {
    return row.event.type == type && row.event.id == id && is_there(row, product);
  });
  return found == kRows.end() ? NodeFilter::none : found->event.filter;
}

std::vector<NodeEvent> node_events(WatchpointLayout product) {
  std::vector<NodeEvent> events;
  for (const NodeEventRow& row : kRows) {
    if (is_there(row, product)) events.push_back(row.event);
  }
  return events;
}

std::string_view node_type_name(NodeType type) {
  if (type == NodeType::rn_d) type = NodeType::rn_i;
  const auto* const found =
      std::find_if(kPrefixes.begin(), kPrefixes.end(), [&](const Prefix& known) { return known.type == type; });
  if (found == kPrefixes.end()) return "node";
  return found->text.substr(0, found->text.size() - 1);
}

}  // namespace pmufab::scoreboard
