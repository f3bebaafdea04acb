// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/nodes/requester/rn_f.h"

// Properties of opcodes and states that all parts of an RN-F use. Not a public header.
namespace pmufab::cmn {

inline bool is_read(std::uint8_t opcode) {
  return opcode == chi::req::kReadShared || opcode == chi::req::kReadClean || opcode == chi::req::kReadOnce ||
         opcode == chi::req::kReadNoSnp || opcode == chi::req::kReadUnique || opcode == chi::req::kReadNotSharedDirty;
}

/// @return true for requests after which the line may be in the cache: the home waits for CompAck.
inline bool has_comp_ack(std::uint8_t opcode) {
  return (is_read(opcode) && opcode != chi::req::kReadOnce && opcode != chi::req::kReadNoSnp) ||
         opcode == chi::req::kCleanUnique || opcode == chi::req::kMakeUnique;
}

inline bool is_unique(LineState state) { return state == LineState::unique_clean || state == LineState::unique_dirty; }

}  // namespace pmufab::cmn
