// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "tlm/probe/probe.h"

namespace pmufab::testing {

/// Hears each event of a probe by itself. It watches the probe with a full counter of one bit for each qualifier, so
/// that every event wraps one.
class ProbeLog {
 public:
  using Heard = std::function<void(std::uint64_t amount, unsigned qualifier, Picoseconds when)>;

  /// @param probe  outlives the log
  ProbeLog(Probe& probe, Heard heard);
  ~ProbeLog();
  ProbeLog(const ProbeLog&) = delete;
  ProbeLog& operator=(const ProbeLog&) = delete;

 private:
  struct Tap {
    ProbeLog* log = nullptr;
    unsigned qualifier = 0;
    EventSink sink{1};
  };
  static void wrapped(void* context, std::uint64_t wraps, Picoseconds when);

  Probe& probe_;
  Heard heard_;
  std::array<Tap, 64> taps_;
};

}  // namespace pmufab::testing
