// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// A counter that software reads has passed its maximum.
struct CounterWrap {
  std::string_view place;  ///< the PMU, by the name of its model; of a mesh, the interrupt line of the DTC
  unsigned counter = 0;    ///< its number in the overflow status
  Picoseconds when = 0;    ///< may lie before the present, or after it
};

/// Tells one listener of each wrap in this process. For observation alone, such as coverage; no verdict depends on it.
/// Without a listener a wrap costs one comparison.
class WrapWatch {
 public:
  using Function = void (*)(void* context, const CounterWrap& wrap);

  /// @param function  nullptr removes it. It may change nothing in the simulation
  static void listen(Function function, void* context) noexcept {
    function_ = function;
    context_ = context;
  }
  static void tell(const CounterWrap& wrap) {
    if (function_ != nullptr) function_(context_, wrap);
  }

 private:
  static inline Function function_ = nullptr;
  static inline void* context_ = nullptr;
};

}  // namespace pmufab
