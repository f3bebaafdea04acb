// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/probe_log.h"

#include <utility>

namespace pmufab::testing {

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
