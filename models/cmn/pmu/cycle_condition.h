// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// A condition that holds in some cycles, for events that fire in each such cycle. Cycles are computed, not stepped.
class CycleCondition {
 public:
  virtual ~CycleCondition() = default;
  /// @return the number of cycles before `end` in which it held. `end` is not after the running cycle.
  [[nodiscard]] virtual std::uint64_t cycles(Cycle end) const noexcept = 0;
};

/// A condition that its owner sets and clears. The last setting in a cycle counts for that cycle.
class Level final : public CycleCondition {
 public:
  void set(bool on, Cycle now) noexcept {
    if (on == on_) return;
    if (on_) sum_ += now - since_;
    since_ = now;
    on_ = on;
  }
  [[nodiscard]] std::uint64_t cycles(Cycle end) const noexcept override {
    return on_ && end > since_ ? sum_ + (end - since_) : sum_;
  }

 private:
  std::uint64_t sum_ = 0;  // cycles before since_
  Cycle since_ = 0;
  bool on_ = false;
};

}  // namespace pmufab::cmn
