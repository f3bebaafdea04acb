// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/transaction/fabric_extension.h"

namespace pmufab::tegra410 {

/// The class of an opcode, for events that do not distinguish opcodes.
enum class OpcodeClass : std::uint8_t { read, write, dataless, atomic };

constexpr OpcodeClass class_of(FabricOpcode opcode) noexcept {
  switch (opcode) {
    case FabricOpcode::read_shared:
    case FabricOpcode::read_unique:
    case FabricOpcode::read_once:
      return OpcodeClass::read;
    case FabricOpcode::write_unique_full:
    case FabricOpcode::write_unique_ptl:
    case FabricOpcode::write_back_full:
      return OpcodeClass::write;
    case FabricOpcode::evict:
    case FabricOpcode::clean_unique:
    case FabricOpcode::clean_invalid:
      return OpcodeClass::dataless;
    case FabricOpcode::atomic_store:
      break;
  }
  return OpcodeClass::atomic;
}

}  // namespace pmufab::tegra410
