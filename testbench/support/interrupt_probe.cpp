// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/interrupt_probe.h"

#include <utility>

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

ProbeLog::ProbeLog(Probe& probe, Heard heard) : probe_(probe), heard_(std::move(heard)) {
  for (unsigned qualifier = 0; qualifier < taps_.size(); ++qualifier) {
    Tap& tap = taps_[qualifier];
    tap.log = this;
    tap.qualifier = qualifier;
    tap.sink.set_value(1);
    tap.sink.on_wrap(&ProbeLog::wrapped, &tap);
    probe_.watch(tap.sink, std::uint64_t{1} << qualifier);
  }
}

ProbeLog::~ProbeLog() {
  for (const Tap& tap : taps_) probe_.unwatch(tap.sink);
}

void ProbeLog::wrapped(void* context, std::uint64_t wraps, Picoseconds when) {
  Tap& tap = *static_cast<Tap*>(context);
  const std::uint64_t amount = 2 * wraps + tap.sink.value() - 1;  // the counter was full: 1
  tap.sink.set_value(1);
  tap.log->heard_(amount, tap.qualifier, when);
}

}  // namespace pmufab::testing
