// SPDX-License-Identifier: Apache-2.0
#include "tlm/transaction/fabric_extension.h"

namespace pmufab {

std::string_view to_string(FabricOpcode opcode) noexcept {
  switch (opcode) {
    case FabricOpcode::read_shared:
      return "ReadShared";
    case FabricOpcode::read_unique:
      return "ReadUnique";
    case FabricOpcode::read_once:
      return "ReadOnce";
    case FabricOpcode::write_unique_full:
      return "WriteUniqueFull";
    case FabricOpcode::write_unique_ptl:
      return "WriteUniquePtl";
    case FabricOpcode::write_back_full:
      return "WriteBackFull";
    case FabricOpcode::evict:
      return "Evict";
    case FabricOpcode::clean_unique:
      return "CleanUnique";
    case FabricOpcode::clean_invalid:
      return "CleanInvalid";
    case FabricOpcode::atomic_store:
      return "AtomicStore";
  }
  return "?";
}

std::string_view to_string(RequesterKind kind) noexcept {
  switch (kind) {
    case RequesterKind::cpu:
      return "cpu";
    case RequesterKind::gpu:
      return "gpu";
    case RequesterKind::pcie:
      return "pcie";
  }
  return "?";
}

}  // namespace pmufab
