// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/interrupt_probe.h"

namespace pmufab::testing {

namespace {
Picoseconds present() { return to_picoseconds(sc_core::sc_time_stamp()); }
}  // namespace

InterruptProbe::InterruptProbe(InterruptLine& line) : line_(line) {
  line_.listen([this](bool high) {
    changes_.push_back({present(), high});
    changed_.notify();
  });
}

InterruptProbe::~InterruptProbe() { line_.listen({}); }

bool InterruptProbe::wait_for(bool high, Picoseconds limit) {
  const Picoseconds end = present() + limit;
  while (line_.is_high() != high) {
    if (present() >= end) return false;
    sc_core::wait(to_sc_time(end - present()), changed_);
  }
  return true;
}

MessageProbe::MessageProbe(MessageInterrupt& interrupt) : interrupt_(interrupt) {
  interrupt_.listen([this](std::uint64_t address, std::uint32_t data) {
    messages_.push_back({present(), address, data});
  });
}

MessageProbe::~MessageProbe() { interrupt_.listen({}); }

}  // namespace pmufab::testing
