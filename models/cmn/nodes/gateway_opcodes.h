#pragma once

#include <cstdint>

/// Opcodes a gateway sends and understands (Arm IHI 0050, chapter 13).
namespace pmufab::cmn::opcode {

inline constexpr std::uint8_t kReadOnce = 0x03;
inline constexpr std::uint8_t kReadNoSnp = 0x04;
inline constexpr std::uint8_t kWriteUniquePtl = 0x18;
inline constexpr std::uint8_t kWriteUniqueFull = 0x19;
inline constexpr std::uint8_t kWriteNoSnpPtl = 0x1c;
inline constexpr std::uint8_t kWriteNoSnpFull = 0x1d;

inline constexpr std::uint8_t kCompAck = 0x02;
inline constexpr std::uint8_t kRetryAck = 0x03;
inline constexpr std::uint8_t kCompDbidResp = 0x05;
inline constexpr std::uint8_t kPCrdGrant = 0x07;

inline constexpr std::uint8_t kNonCopyBackWrData = 0x03;
inline constexpr std::uint8_t kCompData = 0x04;

}  // namespace pmufab::cmn::opcode
