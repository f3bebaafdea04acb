// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/wire/flit_fields.h"
#include "models/cmn/wire/types.h"

namespace pmufab::scoreboard {

/// The layouts of a watchpoint's comparison value in the products.
enum class WatchpointLayout : std::uint8_t { cmn600, cmn650, cmn700, s3, s3_r2 };

/// @return what a watchpoint compares of a flit: the 64 bits of one match group, assembled from the technical reference
///         manuals' tables of match groups. Undefined bits are 0.
/// @param upload  seen on its way from the device into the mesh: TgtID is compared; otherwise SrcID
[[nodiscard]] std::uint64_t watchpoint_image(WatchpointLayout layout, cmn::Channel channel, unsigned group, bool upload,
                                             const cmn::FlitFields& flit);

}  // namespace pmufab::scoreboard
