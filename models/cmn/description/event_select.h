// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/cmn/description/product.h"
#include "models/cmn/description/topology.h"

namespace pmufab::cmn {

/// The meaning of a filter field of an event select register. One value serves all four slots of the register.
enum class FilterKind : std::uint8_t {
  none,
  occup1,            ///< occup1_id: kind of the request an entry holds
  class_occup,       ///< class_occup_id: QoS class 0 ... 3
  hbt_lbt,           ///< hbt_lbt_sel: home-bound or local
  sn_home,           ///< sn_home_sel: to memory or to another home
  cbusy,             ///< cbusy_snthrottle_sel: group and direction
  snp_vc,            ///< snp_vc_sel: SNP channel
  enhanced_hbt_lbt,  ///< enhanced_hbt_lbt_sel: origin of the request
  evict_state,       ///< evict_state_sel: state of the evicted line
};
inline constexpr unsigned kFilterKinds = 9;

/// Where a filter field lies in the 64-bit event select register.
struct FilterField {
  FilterKind kind;
  std::uint8_t lsb;
  std::uint8_t width;
  std::string_view name;
};

/// The filters that apply to an event: none, one, or (evictions of S3 r2) two.
struct EventFilters {
  FilterKind first = FilterKind::none;
  FilterKind second = FilterKind::none;
};

/// The classes of one occurrence of an event: bit c for code c of the event's first filter in bits 15:0, of its second
/// in 31:16. An occurrence may have several classes (a read that is also home-bound).
using FilterClasses = std::uint32_t;
/// Classes of an occurrence that passes every filter value; also for events without filter.
inline constexpr FilterClasses kEveryClass = ~FilterClasses{0};

/// @return the classes of an occurrence with one code per filter.
constexpr FilterClasses filter_classes(unsigned first, unsigned second = 0) noexcept {
  return FilterClasses{1} << first | FilterClasses{1} << (16 + second);
}

/// @param events  type whose event ids apply: EventSource::events
/// @return the filter fields of the event select register (arm-cmn.c, arm_cmn_filter and arm_cmn_filters).
[[nodiscard]] std::span<const FilterField> filter_fields(Product product, unsigned revision, NodeType events) noexcept;
/// @return the filters that apply to an event; none for an undocumented event.
[[nodiscard]] EventFilters filters_of(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept;
/// @return the valid bits of one event id, 5 to 8.
[[nodiscard]] unsigned event_id_bits(Product product, unsigned revision, NodeType events) noexcept;

/// @param value    of the filter field
/// @param classes  16 bits: those of this filter
/// @param vc2_is_all  snp_vc_sel 2, the reset value, means every channel and not a third one (not documented)
/// @return true if an occurrence passes.
constexpr bool passes(FilterKind kind, unsigned value, std::uint16_t classes, bool vc2_is_all = true) noexcept {
  switch (kind) {
    case FilterKind::none:
      return true;
    case FilterKind::class_occup:
      break;  // 0 is class 0
    case FilterKind::snp_vc:
      if (value == 2 && vc2_is_all) return true;
      break;
    default:
      if (value == 0) return true;  // all
  }
  return (classes >> value & 1U) != 0;
}

}  // namespace pmufab::cmn
