// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::driver_host {

/// Between the platform's interrupt lines and a CPU: says which interrupt is to be taken next.
///
/// A level interrupt is pending while its line is high, and is taken again and again until the device drops it. An edge
/// interrupt is remembered until it is taken once; further edges before that add nothing. Both can be taken `delay`
/// after the line rose. An interrupt nobody handles 99,900 times out of 100,000 is disabled, as Linux does it. So is
/// one that leaves the CPU no time for anything else: a level still high after 1,000 calls of its handlers, or an
/// interrupt taken 100,000 times at one instant. A message is an edge of the number it carries.
class InterruptController {
 public:
  explicit InterruptController(Picoseconds delay) : delay_(delay) {}

  /// Connect an interrupt number to a line. Lines of one number are wired together. Null lines are ignored.
  void connect(std::uint32_t number, InterruptLine* line);

  /// A message-signalled interrupt has come.
  void message(std::uint32_t number);

  /// Notified when an interrupt may have become deliverable.
  [[nodiscard]] sc_core::sc_event& changed() noexcept { return changed_; }
  /// Notify changed() when the next interrupt that only waits for its delay can be taken.
  void rearm();

  /// @param wanted  whether somebody listens to an interrupt number
  /// @return the number of an interrupt to take now, lowest first
  [[nodiscard]] std::optional<std::uint32_t> next(const std::function<bool(std::uint32_t)>& wanted) const;
  /// The CPU goes into the handlers of `number`.
  void taken(std::uint32_t number);
  /// The handlers are done. @return what the kernel says if it gives up on this interrupt, else ""
  [[nodiscard]] std::string finished(std::uint32_t number, bool handled);

  [[nodiscard]] std::uint64_t handled() const noexcept { return handled_; }
  [[nodiscard]] std::uint64_t unhandled() const noexcept { return unhandled_; }
  /// @return how many interrupts have been disabled.
  [[nodiscard]] unsigned disabled() const noexcept;

 private:
  struct Source {
    std::uint32_t number;
    std::vector<InterruptLine*> lines;
    InterruptTrigger trigger;
    bool latched = false;      // edge: seen and not taken yet
    Picoseconds due = 0;       // when it can be taken
    bool disabled = false;     // nobody cared
    unsigned taken = 0;        // of the last 100,000
    unsigned not_handled = 0;  // of those
    Picoseconds last = 0;      // when it was taken last
    unsigned at_once = 0;      // how often at that instant
    unsigned in_vain = 0;      // handler calls since the line rose
  };

  Source* find(std::uint32_t number);
  void on_line(Source& source, bool high);
  [[nodiscard]] static bool is_pending(const Source& source);

  Picoseconds delay_;
  std::deque<Source> sources_;  // elements stay where they are
  sc_core::sc_event changed_;
  std::uint64_t handled_ = 0;
  std::uint64_t unhandled_ = 0;
};

}  // namespace pmufab::driver_host
