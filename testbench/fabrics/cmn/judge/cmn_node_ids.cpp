// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/cmn_node_ids.h"

#include <algorithm>
#include <bit>

namespace pmufab::scoreboard {

CmnNodeIds::CmnNodeIds(const CmnJudgeSpec& spec)
    : columns_(spec.columns),
      rows_(spec.rows),
      ports_in_use_(spec.ports_in_use),
      // At least two bits, as in hardware.
      bits_(std::max(2U, static_cast<unsigned>(std::bit_width((spec.columns - 1U) | (spec.rows - 1U))))) {
  // Node ids have 16 bits; there are none beyond the last column.
  const std::uint64_t end = std::uint64_t{columns_} << (bits_ + 3U);
  for (std::uint64_t id = 0; id < end; ++id) places_.push_back(find(id));
}

std::optional<CmnPlace> CmnNodeIds::find(std::uint64_t id) const {
  if (columns_ * rows_ == 1) return CmnPlace{0, port_interface(static_cast<unsigned>(id >> 2U & 7U))};
  const auto x = static_cast<unsigned>(id >> (bits_ + 3U));
  const auto y = static_cast<unsigned>(id >> 3U & ((1U << bits_) - 1U));
  if (x >= columns_ || y >= rows_) return std::nullopt;
  const unsigned xp = y * columns_ + x;
  const auto low = static_cast<unsigned>(id & 7U);
  return CmnPlace{xp, port_interface(ports_in_use_[xp] > 2 ? low >> 1U : low >> 2U)};
}

}  // namespace pmufab::scoreboard
