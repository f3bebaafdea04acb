// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cxl/host/host.h"
#include "models/cxl/memory/interleave.h"
#include "models/cxl/registers/component_registers.h"

namespace pmufab::cxl {

/// Selects the root port for an address, as the HDM decoders of the host bridge above its root ports say. A range may be
/// interleaved over several root ports.
class HostBridge {
 public:
  /// @param host  the one above the root port with the next number; must outlive the bridge
  void add(Host& host) { hosts_.push_back(&host); }
  /// Keep the ranges equal to the decoders of these registers from now on. Their targets are numbers of root ports.
  /// @param registers  of the host bridge; not more ports than hosts
  void follow(ComponentRegisters& registers) {
    registers.on_claim([this](unsigned decoder, const HdmClaim& claim) {
      ranges_[decoder] = {claim.base, claim.size, *encode(claim.interleave), claim.targets};
      count_ = ComponentRegisters::kMostBridgeDecoders;
      while (count_ > 0 && ranges_[count_ - 1].size == 0) --count_;
    });
  }

  /// @return the host for an operation on that address; `otherwise` if no range holds it.
  [[nodiscard]] Host& route(std::uint64_t address, Host& otherwise) const noexcept {
    for (unsigned decoder = 0; decoder < count_; ++decoder) {
      const Range& range = ranges_[decoder];
      const std::uint64_t offset = address - range.base;  // an address below the range wraps to a large offset
      if (offset < range.size) return *hosts_[range.targets[way_of(range.encoded, offset) % kMostTargets]];
    }
    return otherwise;
  }

 private:
  struct Range {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    EncodedInterleave encoded{};
    HdmTargets targets{};
  };
  std::vector<Host*> hosts_;
  std::array<Range, ComponentRegisters::kMostBridgeDecoders> ranges_{};
  unsigned count_ = 0;  // of the first ranges: behind them none is claimed
};

}  // namespace pmufab::cxl
