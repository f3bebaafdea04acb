// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include <systemc>

#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/probe/probe.h"

namespace pmufab::testing {

/// Listens to one interrupt line (it uses the line's one listener) and records every change.
class InterruptProbe {
 public:
  struct Change {
    Picoseconds when;
    bool high;
    bool operator==(const Change&) const = default;
  };

  explicit InterruptProbe(InterruptLine& line);
  ~InterruptProbe();
  InterruptProbe& operator=(InterruptProbe&&) = delete;

  [[nodiscard]] bool is_high() const noexcept { return line_.is_high(); }
  [[nodiscard]] const std::vector<Change>& changes() const noexcept { return changes_; }
  /// Forget the changes so far.
  void clear() { changes_.clear(); }

  /// Wait, within a story, until the line has the level. @return false if it does not within `limit`
  bool wait_for(bool high, Picoseconds limit);

 private:
  InterruptLine& line_;
  std::vector<Change> changes_;
  sc_core::sc_event changed_;
};

/// Listens to one message-signalled interrupt and records every message.
class MessageProbe {
 public:
  struct Message {
    Picoseconds when;
    std::uint64_t address;
    std::uint32_t data;
    bool operator==(const Message&) const = default;
  };

  explicit MessageProbe(MessageInterrupt& interrupt);
  ~MessageProbe();
  MessageProbe& operator=(MessageProbe&&) = delete;

  [[nodiscard]] const std::vector<Message>& messages() const noexcept { return messages_; }

 private:
  MessageInterrupt& interrupt_;
  std::vector<Message> messages_;
};

/// Hears each event of a probe by itself. It watches the probe with a full counter of one bit for each qualifier, so
/// that every event wraps one.
class ProbeLog {
 public:
  using Heard = std::function<void(std::uint64_t amount, unsigned qualifier, Picoseconds when)>;

  /// @param probe  outlives the log
  ProbeLog(Probe& probe, Heard heard);
  ~ProbeLog();
  ProbeLog& operator=(ProbeLog&&) = delete;

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
