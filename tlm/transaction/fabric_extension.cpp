// SPDX-License-Identifier: Apache-2.0
#include "tlm/transaction/fabric_extension.h"

#include <array>
#include <cstddef>

namespace pmufab {
namespace {

template <typename Words>
std::string_view word_of(const Words& words, std::size_t number) noexcept {
  return number < words.size() ? words[number] : "?";
}

}  // namespace

std::string_view to_string(FabricOpcode opcode) noexcept {
  constexpr auto kNames =
      std::to_array<std::string_view>({"ReadShared", "ReadUnique", "ReadOnce", "WriteUniqueFull", "WriteUniquePtl",
                                       "WriteBackFull", "Evict", "CleanUnique", "CleanInvalid", "AtomicStore"});
  static_assert(kNames.size() == kFabricOpcodeCount);
  return word_of(kNames, static_cast<std::size_t>(opcode));
}

std::string_view to_string(RequesterKind kind) noexcept {
  constexpr auto kNames = std::to_array<std::string_view>({"cpu", "gpu", "pcie"});
  return word_of(kNames, static_cast<std::size_t>(kind));
}

}  // namespace pmufab
