// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Opcodes and states of CHI (Arm IHI 0050) as the judge knows them; the models have their own.
namespace pmufab::scoreboard::chi {

namespace req {
inline constexpr std::uint8_t kReadShared = 0x01;
inline constexpr std::uint8_t kReadClean = 0x02;
inline constexpr std::uint8_t kReadOnce = 0x03;
inline constexpr std::uint8_t kReadNoSnp = 0x04;
inline constexpr std::uint8_t kReadUnique = 0x07;
inline constexpr std::uint8_t kCleanShared = 0x08;
inline constexpr std::uint8_t kCleanInvalid = 0x09;
inline constexpr std::uint8_t kMakeInvalid = 0x0a;
inline constexpr std::uint8_t kCleanUnique = 0x0b;
inline constexpr std::uint8_t kMakeUnique = 0x0c;
inline constexpr std::uint8_t kEvict = 0x0d;
inline constexpr std::uint8_t kDvmOp = 0x14;
inline constexpr std::uint8_t kWriteEvictFull = 0x15;
inline constexpr std::uint8_t kWriteCleanFull = 0x17;
inline constexpr std::uint8_t kWriteUniquePtl = 0x18;
inline constexpr std::uint8_t kWriteUniqueFull = 0x19;
inline constexpr std::uint8_t kWriteBackFull = 0x1b;
inline constexpr std::uint8_t kWriteNoSnpPtl = 0x1c;
inline constexpr std::uint8_t kWriteNoSnpFull = 0x1d;
inline constexpr std::uint8_t kStashOnceShared = 0x22;
inline constexpr std::uint8_t kStashOnceUnique = 0x23;
inline constexpr std::uint8_t kReadNotSharedDirty = 0x26;
inline constexpr std::uint8_t kCleanSharedPersist = 0x27;
inline constexpr std::uint8_t kPrefetchTgt = 0x3a;
inline constexpr std::uint8_t kAtomicStore = 0x28;  // to 0x2f
inline constexpr std::uint8_t kAtomicLoad = 0x30;   // to 0x37
inline constexpr std::uint8_t kAtomicSwap = 0x38;
inline constexpr std::uint8_t kAtomicCompare = 0x39;

[[nodiscard]] constexpr bool is_atomic(std::uint8_t opcode) {
  return opcode >= kAtomicStore && opcode <= kAtomicCompare;
}
[[nodiscard]] constexpr bool is_atomic_store(std::uint8_t opcode) {
  return opcode >= kAtomicStore && opcode < kAtomicLoad;
}
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

namespace rsp {
inline constexpr std::uint8_t kSnpResp = 0x01;
inline constexpr std::uint8_t kCompAck = 0x02;
inline constexpr std::uint8_t kRetryAck = 0x03;
inline constexpr std::uint8_t kComp = 0x04;
inline constexpr std::uint8_t kCompDbidResp = 0x05;
inline constexpr std::uint8_t kDbidResp = 0x06;
inline constexpr std::uint8_t kPCrdGrant = 0x07;
inline constexpr std::uint8_t kSnpRespFwded = 0x09;
}  // namespace rsp

namespace snp {
inline constexpr std::uint8_t kShared = 0x01;
inline constexpr std::uint8_t kClean = 0x02;
inline constexpr std::uint8_t kOnce = 0x03;
inline constexpr std::uint8_t kNotSharedDirty = 0x04;
inline constexpr std::uint8_t kUnique = 0x07;
inline constexpr std::uint8_t kCleanShared = 0x08;
inline constexpr std::uint8_t kCleanInvalid = 0x09;
inline constexpr std::uint8_t kMakeInvalid = 0x0a;
inline constexpr std::uint8_t kStashUnique = 0x0b;
inline constexpr std::uint8_t kStashShared = 0x0c;
inline constexpr std::uint8_t kDvmOp = 0x0d;
inline constexpr std::uint8_t kForwarding = 0x10;  // added to Shared, Clean, Once, NotSharedDirty, Unique
}  // namespace snp

namespace dat {
inline constexpr std::uint8_t kSnpRespData = 0x01;
inline constexpr std::uint8_t kCopyBackWrData = 0x02;
inline constexpr std::uint8_t kNonCopyBackWrData = 0x03;
inline constexpr std::uint8_t kCompData = 0x04;
inline constexpr std::uint8_t kSnpRespDataFwded = 0x06;
inline constexpr std::uint8_t kWriteDataCancel = 0x07;
}  // namespace dat

inline constexpr std::uint8_t kI = 0;
inline constexpr std::uint8_t kSc = 1;
inline constexpr std::uint8_t kUc = 2;
inline constexpr std::uint8_t kUdPd = 6;
inline constexpr std::uint8_t kPassDirty = 4;  ///< bit of Resp

}  // namespace pmufab::scoreboard::chi
