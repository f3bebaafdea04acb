// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/transaction/fabric_extension.h"

namespace pmufab::scoreboard {

/// Kinds of requests, as events distinguish them. An atomic is none of these.
/// @{
[[nodiscard]] inline bool is_read(FabricOpcode opcode) noexcept {
  return opcode == FabricOpcode::read_shared || opcode == FabricOpcode::read_unique ||
         opcode == FabricOpcode::read_once;
}

[[nodiscard]] inline bool is_write(FabricOpcode opcode) noexcept {
  return opcode == FabricOpcode::write_unique_full || opcode == FabricOpcode::write_unique_ptl ||
         opcode == FabricOpcode::write_back_full;
}

[[nodiscard]] inline bool is_dataless(FabricOpcode opcode) noexcept {
  return opcode == FabricOpcode::evict || opcode == FabricOpcode::clean_unique || opcode == FabricOpcode::clean_invalid;
}
/// @}

}  // namespace pmufab::scoreboard
