// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/event_select.h"

#include <algorithm>
#include <span>

#include "models/cmn/description/event_rows.h"

namespace pmufab::cmn {

namespace {

using enum FilterKind;

constexpr FilterField kOccupancy3[] = {{occup1, 32, 3, "pmu_occup1_id"}};
constexpr FilterField kOccupancy4[] = {{occup1, 32, 4, "pmu_occup1_id"}};
constexpr FilterField kHnF700[] = {{occup1, 32, 3, "pmu_occup1_id"},
                                   {class_occup, 35, 2, "pmu_class_occup_id"},
                                   {cbusy, 42, 3, "pmu_cbusy_snthrottle_sel"}};
constexpr FilterField kHnS[] = {{occup1, 32, 3, "pmu_occup1_id"},
                                {class_occup, 35, 2, "pmu_class_occup_id"},
                                {hbt_lbt, 37, 2, "pmu_hbt_lbt_sel"},
                                {sn_home, 39, 2, "pmu_sn_home_sel"},
                                {cbusy, 42, 3, "pmu_cbusy_snthrottle_sel"}};
constexpr FilterField kHnSOfS3R2[] = {{occup1, 32, 4, "pmu_occup1_id"},
                                      {class_occup, 36, 2, "pmu_class_occup_id"},
                                      {hbt_lbt, 38, 2, "pmu_hbt_lbt_sel"},
                                      {sn_home, 40, 2, "pmu_sn_home_sel"},
                                      {cbusy, 42, 4, "pmu_cbusy_snthrottle_sel"},
                                      {snp_vc, 46, 2, "pmu_snp_vc_sel"},
                                      {enhanced_hbt_lbt, 48, 4, "pmu_enhanced_hbt_lbt_sel"},
                                      {evict_state, 52, 3, "pmu_evict_state_sel"}};

bool is_s3_r2(Product product, unsigned revision) { return product == Product::s3 && revision >= 3; }

/// Products and revisions that have the same events: one of the bits of `releases`.
std::uint16_t release_of(Product product, unsigned revision) noexcept {
  using namespace releases;
  // Revision codes, PID2[7:4].
  constexpr unsigned k650R2p0 = 3;
  constexpr unsigned k650R1p2 = 4;
  constexpr unsigned k700R1p0 = 1;
  constexpr unsigned k700R2p0 = 2;
  switch (product) {
    case Product::cmn600:
      return k600;
    case Product::cmn650:
      return revision < k650R2p0 || revision == k650R1p2 ? k650R0 : k650R2;
    case Product::cmn700:
      if (revision < k700R1p0) return k700R0;
      return revision < k700R2p0 ? k700R1 : k700R2On;
    case Product::ci700:
      return kCi700;
    case Product::s3:
      break;
  }
  return is_s3_r2(product, revision) ? kS3R2 : kS3;
}

const EventRow* find_among(std::span<const EventRow> rows, Product product, unsigned revision, NodeType node,
                           unsigned id) noexcept {
  if (node == NodeType::rn_d) node = NodeType::rn_i;
  const std::uint16_t release = release_of(product, revision);
  const auto row = std::ranges::find_if(
      rows, [&](const EventRow& one) { return one.node == node && one.id == id && (one.releases & release) != 0; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

std::span<const FilterField> filter_fields(Product product, unsigned revision, NodeType events) noexcept {
  switch (events) {
    case NodeType::dvm:
    case NodeType::cxra:
    case NodeType::cxha:
    case NodeType::ccra:
    case NodeType::ccha:
      return kOccupancy4;
    case NodeType::hn_f:
      if (is_700_or_s3(product)) return kHnF700;
      return kOccupancy3;
    case NodeType::hn_s:
      if (is_s3_r2(product, revision)) return kHnSOfS3R2;
      return kHnS;
    default:
      return {};
  }
}

const EventRow* find_event(Product product, unsigned revision, NodeType node, unsigned id) noexcept {
  return find_among(event_rows::kRows, product, revision, node, id);
}

EventFilters filters_of(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept {
  const EventRow* row = find_event(product, revision, events, event_id);
  if (row == nullptr) row = find_among(event_rows::kNeverHappen, product, revision, events, event_id);
  return row == nullptr ? EventFilters{} : EventFilters{row->filter, row->filter2};
}

unsigned event_id_bits(Product product, unsigned revision, NodeType events) noexcept {
  switch (events) {
    case NodeType::ccra:
    case NodeType::ccha:
    case NodeType::ccla:
      return 8;
    case NodeType::hn_s:
    case NodeType::rn_i:
    case NodeType::rn_d:
      return is_s3_r2(product, revision) ? 7 : 6;
    case NodeType::dvm:
      return is_s3_r2(product, revision) ? 6 : 5;
    default:
      return 6;
  }
}

}  // namespace pmufab::cmn
