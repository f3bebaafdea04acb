// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/event_select.h"

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

EventFilters filters_of_hn_s(unsigned event_id) {
  switch (event_id) {
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x0a:
    case 0x0b:
    case 0x10:  // the 7.3 driver filters these two; older ones leave the field as it is
    case 0x11:
      return {hbt_lbt, none};
    case 0x0d:
    case 0x3b:
      return {sn_home, none};
    case 0x0f:
      return {occup1, none};
    case 0x26:
    case 0x27:
    case 0x28:
    case 0x29:
    case 0x3c:
      return {class_occup, none};
    case 0x2a:
    case 0x2b:
      return {cbusy, none};
    default:
      return {};
  }
}

EventFilters filters_of_hn_s_of_s3_r2(unsigned event_id) {
  switch (event_id) {
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x06:
    case 0x0b:
    case 0x10:
    case 0x11:
    case 0x3d:
    case 0x3e:
    case 0x44:
      return {enhanced_hbt_lbt, none};
    case 0x04:
    case 0x05:
    case 0x0f:
      return {occup1, none};
    case 0x07:
    case 0x0a:
      return {hbt_lbt, evict_state};
    case 0x08:
    case 0x09:
    case 0x18:
    case 0x19:
    case 0x1a:
    case 0x1f:
    case 0x23:
      return {snp_vc, none};
    case 0x0c:
    case 0x0d:
    case 0x3a:
    case 0x3b:
      return {sn_home, none};
    case 0x24:
    case 0x38:
      return {hbt_lbt, none};
    case 0x26:
    case 0x27:
    case 0x28:
    case 0x3c:
      return {class_occup, none};
    case 0x2a:
    case 0x2b:
    case 0x40:
    case 0x41:
    case 0x42:
    case 0x43:
      return {cbusy, none};
    default:
      return {};
  }
}

EventFilters filters_of_hn_f(Product product, unsigned event_id) {
  if (event_id == 0x0f) return {occup1, none};
  if (!is_700_or_s3(product)) return {};
  if (event_id >= 0x26 && event_id <= 0x29) return {class_occup, none};
  if (event_id == 0x2a || event_id == 0x2b) return {cbusy, none};
  return {};
}

EventFilters filters_of_dn(Product product, unsigned event_id) {
  if (product == Product::cmn600) return {event_id == 0x05 ? occup1 : none, none};
  const bool occupancy = event_id == 0x0c || (is_700_or_s3(product) && (event_id == 0x0d || event_id == 0x0e));
  return {occupancy ? occup1 : none, none};
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

EventFilters filters_of(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept {
  switch (events) {
    case NodeType::dvm:
      return filters_of_dn(product, event_id);
    case NodeType::hn_f:
      return filters_of_hn_f(product, event_id);
    case NodeType::hn_s:
      return is_s3_r2(product, revision) ? filters_of_hn_s_of_s3_r2(event_id) : filters_of_hn_s(event_id);
    default:
      return {};
  }
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
