// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace pmufab::cxl {

/// How consecutive addresses are interleaved over devices: `granularity` bytes to one, the next to the next.
struct Interleave {
  unsigned ways = 1;           ///< 1, 2, 4, 8, 16, 3, 6 or 12
  unsigned granularity = 256;  ///< bytes, 256 ... 16 KiB, a power of two
};

/// Encoded ways and granularity of an HDM decoder's control register (CXL 3.1, 8.2.4.20.7): granularity is
/// 256 << encoded (0 ... 6), ways are 1 << encoded (0 ... 4) or 3 << (encoded - 8) (8 ... 10).
struct EncodedInterleave {
  unsigned ways;
  unsigned granularity;
};

/// Most ports that a decoder of a switch or a host bridge interleaves over.
inline constexpr unsigned kMostTargets = 8;
using HdmTargets = std::array<std::uint8_t, kMostTargets>;

/// @return the encoding, or nothing if there is none.
constexpr std::optional<EncodedInterleave> encode(const Interleave& interleave) {
  for (unsigned granularity = 0; granularity <= 6; ++granularity) {
    if (interleave.granularity != 256U << granularity) continue;
    for (unsigned ways = 0; ways <= 4; ++ways) {
      if (interleave.ways == 1U << ways) return EncodedInterleave{ways, granularity};
    }
    for (unsigned ways = 8; ways <= 10; ++ways) {
      if (interleave.ways == 3U << (ways - 8)) return EncodedInterleave{ways, granularity};
    }
  }
  return std::nullopt;
}

/// @return the decoded values, or nothing if the encoding is reserved.
constexpr std::optional<Interleave> decode(const EncodedInterleave& encoded) {
  if (encoded.granularity > 6) return std::nullopt;
  const unsigned granularity = 256U << encoded.granularity;
  if (encoded.ways <= 4) return Interleave{1U << encoded.ways, granularity};
  if (encoded.ways >= 8 && encoded.ways <= 10) return Interleave{3U << (encoded.ways - 8), granularity};
  return std::nullopt;
}

/// @return the offset within one device's share of an offset within the interleaved range (CXL 3.1, 8.2.4.20.13): bits
///         below the granularity stay, those that select the device are removed.
constexpr std::uint64_t device_offset(const EncodedInterleave& encoded, std::uint64_t offset) {
  const unsigned low = encoded.granularity + 8;
  const std::uint64_t within = offset & ((std::uint64_t{1} << low) - 1);
  const std::uint64_t chunk = offset >> low;
  const std::uint64_t share = encoded.ways < 8 ? chunk >> encoded.ways : (chunk >> (encoded.ways - 8)) / 3;
  return share << low | within;
}

/// @return the way of an offset within the interleaved range.
constexpr unsigned way_of(const EncodedInterleave& encoded, std::uint64_t offset) {
  const std::uint64_t chunk = offset >> (encoded.granularity + 8);
  const unsigned ways = encoded.ways < 8 ? 1U << encoded.ways : 3U << (encoded.ways - 8);
  return static_cast<unsigned>(encoded.ways < 8 ? chunk & (ways - 1) : chunk % ways);
}

}  // namespace pmufab::cxl
