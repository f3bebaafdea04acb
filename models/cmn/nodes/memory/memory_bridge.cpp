// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/memory_bridge.h"

#include <stdexcept>

#include <fmt/core.h>

#include "models/cmn/nodes/chi.h"

namespace pmufab::cmn {

bool is_memory_write(std::uint8_t opcode) noexcept {
  return opcode == chi::req::kWriteNoSnpFull || opcode == chi::req::kWriteNoSnpPtl;
}

bool is_memory_cmo(std::uint8_t opcode) noexcept {
  return opcode == chi::req::kCleanShared || opcode == chi::req::kCleanInvalid || opcode == chi::req::kMakeInvalid ||
         opcode == chi::req::kCleanSharedPersist;
}

void refuse_message(std::string_view who, const Arrival& arrival) {
  throw std::logic_error(fmt::format("{} (node {:#x}) has no use for what node {:#x} sends: {} opcode {:#x}", who,
                                     arrival.fields.tgtid, arrival.fields.srcid, to_string(arrival.channel),
                                     arrival.fields.opcode));
}

}  // namespace pmufab::cmn
