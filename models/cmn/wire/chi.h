// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The messages between nodes: opcodes and states of CHI (Arm IHI 0050), as flits carry them.
namespace pmufab::cmn::chi {

/// Opcodes of REQ flits.
namespace req {
inline constexpr std::uint8_t kReadShared = 0x01;
inline constexpr std::uint8_t kReadClean = 0x02;
inline constexpr std::uint8_t kReadOnce = 0x03;
inline constexpr std::uint8_t kReadNoSnp = 0x04;
inline constexpr std::uint8_t kPCrdReturn = 0x05;
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
inline constexpr std::uint8_t kAtomicStore = 0x28;  ///< the first of eight: ADD, CLR, EOR, SET, SMAX, SMIN, UMAX, UMIN
inline constexpr std::uint8_t kAtomicLoad = 0x30;   ///< the first of eight, in the same order
inline constexpr std::uint8_t kAtomicSwap = 0x38;
inline constexpr std::uint8_t kAtomicCompare = 0x39;
inline constexpr std::uint8_t kPrefetchTgt = 0x3a;

/// @return true for AtomicStore, AtomicLoad, AtomicSwap and AtomicCompare.
[[nodiscard]] constexpr bool is_atomic(std::uint8_t opcode) noexcept {
  return opcode >= kAtomicStore && opcode <= kAtomicCompare;
}
[[nodiscard]] constexpr bool is_atomic_store(std::uint8_t opcode) noexcept {
  return opcode >= kAtomicStore && opcode < kAtomicLoad;
}
}  // namespace req

/// Opcodes of RSP flits.
namespace rsp {
inline constexpr std::uint8_t kSnpResp = 0x01;
inline constexpr std::uint8_t kCompAck = 0x02;
inline constexpr std::uint8_t kRetryAck = 0x03;
inline constexpr std::uint8_t kComp = 0x04;
inline constexpr std::uint8_t kCompDbidResp = 0x05;
inline constexpr std::uint8_t kDbidResp = 0x06;
inline constexpr std::uint8_t kPCrdGrant = 0x07;
inline constexpr std::uint8_t kReadReceipt = 0x08;
inline constexpr std::uint8_t kSnpRespFwded = 0x09;
}  // namespace rsp

/// Opcodes of SNP flits.
namespace snp {
inline constexpr std::uint8_t kSnpShared = 0x01;
inline constexpr std::uint8_t kSnpClean = 0x02;
inline constexpr std::uint8_t kSnpOnce = 0x03;
inline constexpr std::uint8_t kSnpNotSharedDirty = 0x04;
inline constexpr std::uint8_t kSnpUnique = 0x07;
inline constexpr std::uint8_t kSnpCleanShared = 0x08;
inline constexpr std::uint8_t kSnpCleanInvalid = 0x09;
inline constexpr std::uint8_t kSnpMakeInvalid = 0x0a;
inline constexpr std::uint8_t kSnpStashUnique = 0x0b;
inline constexpr std::uint8_t kSnpStashShared = 0x0c;
inline constexpr std::uint8_t kSnpDvmOp = 0x0d;
inline constexpr std::uint8_t kSnpSharedFwd = 0x11;
inline constexpr std::uint8_t kSnpCleanFwd = 0x12;
inline constexpr std::uint8_t kSnpOnceFwd = 0x13;
inline constexpr std::uint8_t kSnpNotSharedDirtyFwd = 0x14;
inline constexpr std::uint8_t kSnpUniqueFwd = 0x17;
}  // namespace snp

/// Opcodes of DAT flits.
namespace dat {
inline constexpr std::uint8_t kSnpRespData = 0x01;
inline constexpr std::uint8_t kCopyBackWrData = 0x02;
inline constexpr std::uint8_t kNonCopyBackWrData = 0x03;
inline constexpr std::uint8_t kCompData = 0x04;
inline constexpr std::uint8_t kSnpRespDataFwded = 0x06;
inline constexpr std::uint8_t kWriteDataCancel = 0x07;
}  // namespace dat

/// Resp and FwdState: the state of a line, and whether responsibility for dirty data is passed with it ("PD").
namespace resp {
inline constexpr std::uint8_t kI = 0;
inline constexpr std::uint8_t kSc = 1;
inline constexpr std::uint8_t kUc = 2;  ///< in a snoop response: UC or UD
inline constexpr std::uint8_t kSd = 3;
inline constexpr std::uint8_t kIPd = 4;        ///< in snoop responses
inline constexpr std::uint8_t kScPd = 5;       ///< in snoop responses
inline constexpr std::uint8_t kUcPd = 6;       ///< in snoop responses
inline constexpr std::uint8_t kUdPd = 6;       ///< in data to a requester and in CopyBackWrData
inline constexpr std::uint8_t kPassDirty = 4;  ///< the bit of "PD"
}  // namespace resp

inline constexpr std::uint64_t kLineBytes = 64;
inline constexpr std::uint8_t kSizeOfLine = 6;

/// @return the line an address is in.
[[nodiscard]] constexpr std::uint64_t line_of(std::uint64_t address) noexcept { return address / kLineBytes; }
/// @return the number of DAT flits of a message (REQ's Size field: 2^size bytes).
[[nodiscard]] constexpr unsigned data_flits(std::uint8_t size) noexcept { return size >= kSizeOfLine ? 2 : 1; }

/// MemAttr.
namespace memattr {
inline constexpr std::uint8_t kEarlyWriteAck = 1;
inline constexpr std::uint8_t kDevice = 2;
inline constexpr std::uint8_t kCacheable = 4;
inline constexpr std::uint8_t kAllocate = 8;
}  // namespace memattr

}  // namespace pmufab::cmn::chi
