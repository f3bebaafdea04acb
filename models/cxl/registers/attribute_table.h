// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/cxl/registers/memory_device_commands.h"

namespace pmufab::cxl {

/// The Coherent Device Attribute Table (CDAT 1.03) of a memory expander: its ranges of memory (DSMAS) and what they are
/// to be used for (DSEMTS). Latencies and bandwidths (DSLBIS) are not in it: they depend on the traffic.
class AttributeTable {
 public:
  static constexpr std::uint8_t kTableAccess = 2;  ///< type of its data objects, vendor 0x1e98 (CXL 3.1, 8.1.11)

  explicit AttributeTable(const MemoryCommandsParameters& memory);

  /// The protocol Table Access: read the entry that the request names.
  /// @return nothing if there is no such entry
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> read(std::span<const std::uint32_t> request) const;

 private:
  std::vector<std::vector<std::uint32_t>> entries_;  // the first is the header
};

}  // namespace pmufab::cxl
