// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "models/cmn/description/product.h"
#include "models/cmn/pmu/flit_image.h"

namespace pmufab::cmn {

/// A field of a flit in the 64 bits a watchpoint compares.
struct FlitPosition {
  FlitField field;
  std::uint8_t group;
  std::uint8_t msb;
  std::uint8_t lsb;
};

/// All positions of a channel. Fields that never occur together share bits.
/// @{
[[nodiscard]] std::span<const FlitPosition> req_positions(FlitFormat format) noexcept;
[[nodiscard]] std::span<const FlitPosition> rsp_positions(FlitFormat format) noexcept;
[[nodiscard]] std::span<const FlitPosition> snp_positions(FlitFormat format) noexcept;
[[nodiscard]] std::span<const FlitPosition> dat_positions(FlitFormat format) noexcept;
/// @}

}  // namespace pmufab::cmn
