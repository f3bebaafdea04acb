// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/cxl/cpmu/event_group.h"
#include "models/cxl/memory/interleave.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

/// How memory of a device is kept coherent (CXL 3.1, 2.2).
enum class Coherency : std::uint8_t {
  hdm_h,  ///< by the host only
  hdm_d,  ///< by the device, with CXL.cache (Type 2)
  hdm_db  ///< by the device, with back-invalidate
};

/// The range of one committed HDM decoder.
struct HdmRange {
  std::uint64_t base = 0;         ///< host physical address
  std::uint64_t size = 0;         ///< bytes; 0: the decoder is not committed
  std::uint64_t device_base = 0;  ///< device physical address of the first byte
  Interleave interleave{};
  Coherency coherency = Coherency::hdm_h;
  HdmTargets targets{};  ///< for a switch: number of the downstream port, for each way
};

/// The committed HDM decoders of a component. The owner of the decoders' registers sets them here.
class HdmMap {
 public:
  static constexpr unsigned kDecoders = 10;

  /// An address, and the decoder that claims it.
  struct Claim {
    const HdmRange* range = nullptr;  ///< nullptr: no decoder claims it
    std::uint64_t device_address = 0;
  };

  /// Set the range of decoder `number`.
  /// @throws SpecError for an impossible interleave
  void set(unsigned number, const HdmRange& range) {
    const std::optional<EncodedInterleave> encoded = encode(range.interleave);
    if (!encoded) throw SpecError("interleave", "is not possible in CXL", "use 1, 2, 3, 4, 6, 8, 12 or 16 ways");
    encoded_[number] = *encoded;
    ranges_[number] = range;
    count_ = kDecoders;
    while (count_ > 0 && ranges_[count_ - 1].size == 0) --count_;
  }
  [[nodiscard]] const HdmRange& range(unsigned number) const { return ranges_[number]; }

  /// @return the number of the lowest decoder that claims `address`, or kNoHdmDecoder.
  [[nodiscard]] unsigned decoder(std::uint64_t address) const noexcept {
    for (unsigned number = 0; number < count_; ++number) {
      if (address - ranges_[number].base < ranges_[number].size) return number;
    }
    return kNoHdmDecoder;
  }
  [[nodiscard]] Claim claim(std::uint64_t address) const noexcept {
    const unsigned number = decoder(address);
    if (number == kNoHdmDecoder) return {};
    const HdmRange& range = ranges_[number];
    return {&range, range.device_base + device_offset(encoded_[number], address - range.base)};
  }
  /// @return the port for the address; empty if no decoder claims it.
  [[nodiscard]] std::optional<unsigned> target(std::uint64_t address) const noexcept {
    const unsigned number = decoder(address);
    if (number == kNoHdmDecoder) return std::nullopt;
    const HdmRange& range = ranges_[number];
    return range.targets[way_of(encoded_[number], address - range.base) % kMostTargets];
  }

 private:
  std::array<HdmRange, kDecoders> ranges_{};
  std::array<EncodedInterleave, kDecoders> encoded_{};
  unsigned count_ = 0;
};

}  // namespace pmufab::cxl
