// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/wire/chi.h"

/// What the judge makes of CHI's opcodes (Arm IHI 0050). The opcodes themselves are what crosses the wires.
namespace pmufab::scoreboard::chi {

namespace req {
using namespace cmn::chi::req;
[[nodiscard]] constexpr bool is_stash(std::uint8_t opcode) {
  return opcode == kStashOnceShared || opcode == kStashOnceUnique;
}
[[nodiscard]] constexpr bool is_read(std::uint8_t opcode) {
  return (opcode >= kReadShared && opcode <= kReadNoSnp) || opcode == kReadUnique || opcode == kReadNotSharedDirty;
}
[[nodiscard]] constexpr bool is_shared_read(std::uint8_t opcode) {
  return opcode == kReadShared || opcode == kReadClean || opcode == kReadNotSharedDirty;
}
/// Reads of a coherent line.
[[nodiscard]] constexpr bool reads_line(std::uint8_t opcode) {
  return is_shared_read(opcode) || opcode == kReadUnique || opcode == kReadOnce;
}
[[nodiscard]] constexpr bool is_copy_back(std::uint8_t opcode) {
  return opcode == kWriteEvictFull || opcode == kWriteCleanFull || opcode == kWriteBackFull;
}
[[nodiscard]] constexpr bool is_write_no_snp(std::uint8_t opcode) {
  return opcode == kWriteNoSnpPtl || opcode == kWriteNoSnpFull;
}
[[nodiscard]] constexpr bool is_write_unique(std::uint8_t opcode) {
  return opcode == kWriteUniquePtl || opcode == kWriteUniqueFull;
}
[[nodiscard]] constexpr bool is_write(std::uint8_t opcode) {
  return is_copy_back(opcode) || is_write_no_snp(opcode) || is_write_unique(opcode);
}
[[nodiscard]] constexpr bool is_cmo(std::uint8_t opcode) {
  return opcode == kCleanShared || opcode == kCleanInvalid || opcode == kMakeInvalid || opcode == kCleanSharedPersist;
}
}  // namespace req

namespace rsp = cmn::chi::rsp;
namespace dat = cmn::chi::dat;

namespace snp {
using namespace cmn::chi::snp;
inline constexpr std::uint8_t kForwarding = 0x10;  // added to Shared, Clean, Once, NotSharedDirty, Unique
}  // namespace snp

using namespace cmn::chi::resp;

}  // namespace pmufab::scoreboard::chi
