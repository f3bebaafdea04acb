// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/cmn/description/topology.h"

namespace pmufab::cmn {

/// The events of a home node, by their names in the driver. Those with `_local` have no suffix on an HN-F (mc_retries
/// and so on).
enum class HomeEvent : std::uint8_t {
  cache_miss,
  slc_sf_cache_access,
  cache_fill,
  pocq_retry,
  pocq_reqs_recvd,
  sf_hit,
  sf_evictions,
  dir_snoops_sent,
  brd_snoops_sent,
  slc_eviction,
  slc_fill_invalid_way,
  mc_retries_local,
  mc_reqs_local,
  qos_hh_retry,
  qos_pocq_occupancy,
  pocq_addrhaz,
  pocq_atomic_addrhaz,
  txdat_stall,
  txrsp_stall,
  seq_hit,
  snp_sent,
  sfbi_dir_snp_sent,
  sfbi_brd_snp_sent,
  intv_dirty,
  stash_snp_sent,
  stash_data_pull,
  snp_fwded,
  sf_evict_shared_line,
  pocq_class_occup,
  pocq_class_retry,
  class_mc_reqs_local,
  snp_intv_cln,
  mc_retries_remote,
  mc_reqs_remote,
  class_mc_reqs_remote,
  readonce_hazard_detected,
};
inline constexpr unsigned kHomeEvents = 36;

/// Ids by which software selects the events; 0 for events that a home of this product and revision does not have.
using HomeEventIds = std::array<std::uint8_t, kHomeEvents>;

/// @param events  hn_f or hn_s
/// @return the ids (arm-cmn.c, arm_cmn_event_attrs and arm_cmn_event_attr_is_visible; ids are the same for both types).
[[nodiscard]] HomeEventIds home_event_ids(Product product, unsigned revision, NodeType events) noexcept;

}  // namespace pmufab::cmn
