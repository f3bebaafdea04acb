// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cxl/host/host.h"
#include "models/cxl/memory/hdm_map.h"

namespace pmufab::cxl {

/// Selects the root port for an address: the HDM decoders of the host bridge above its root ports. A range may be
/// interleaved over several root ports.
class HostBridge {
 public:
  /// @param host  the one above the root port with the next number; must outlive the bridge
  void add(Host& host) { hosts_.push_back(&host); }
  /// Add a range; HdmRange::targets are numbers of root ports.
  /// @throws SpecError for an impossible interleave
  void add(const HdmRange& range) {
    const std::optional<EncodedInterleave> encoded = encode(range.interleave);
    if (!encoded) throw SpecError("interleave", "is not possible in CXL", "use 1, 2, 4 or 8 ways");
    ranges_.push_back({range.base, range.size, *encoded, range.targets});
  }

  /// @return the host for an operation on that address; `otherwise` if no range holds it.
  [[nodiscard]] Host& route(std::uint64_t address, Host& otherwise) const noexcept {
    for (const Range& range : ranges_) {
      const std::uint64_t offset = address - range.base;  // an address below the range wraps to a large offset
      if (offset < range.size) return *hosts_[range.targets[way_of(range.encoded, offset) % kMostTargets]];
    }
    return otherwise;
  }

 private:
  struct Range {
    std::uint64_t base;
    std::uint64_t size;
    EncodedInterleave encoded;
    HdmTargets targets;
  };
  std::vector<Host*> hosts_;
  std::vector<Range> ranges_;
};

}  // namespace pmufab::cxl
