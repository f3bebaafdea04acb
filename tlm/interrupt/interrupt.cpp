// SPDX-License-Identifier: Apache-2.0
#include "tlm/interrupt/interrupt.h"

#include <utility>

namespace pmufab {

void InterruptLine::drive(bool high) {
  if (high == high_) return;
  high_ = high;
  if (high) ++rising_edges_;
  if (listener_) listener_(high);
}

void InterruptLine::listen(Listener listener) {
  listener_ = std::move(listener);
  if (listener_ && high_) listener_(true);
}

void MessageInterrupt::send(std::uint64_t address, std::uint32_t data) {
  ++sent_;
  if (listener_) listener_(address, data);
}

}  // namespace pmufab
