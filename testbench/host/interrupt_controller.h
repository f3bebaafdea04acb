// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::driver_host {

/// Times of a CPU complex that differ from one occasion to the next. Asked in the order in which things happen.
class CpuTimes {
 public:
  virtual ~CpuTimes() = default;
  /// An interrupt leaves its device. @return how long it takes to the CPU; nothing: it never arrives
  [[nodiscard]] virtual std::optional<Picoseconds> interrupt_delay() = 0;
  /// A handler begins. @return how long it takes besides its register accesses
  [[nodiscard]] virtual Picoseconds handler_time() = 0;
  /// @return when the CPU goes on, if it does nothing at present; otherwise `now`
  [[nodiscard]] virtual Picoseconds goes_on_at(Picoseconds now) = 0;
};

/// Handlers that left the CPU hardly any time for anything else. They took 90 % of the time of a hundred calls in a
/// row, and of each ten calls that follow.
struct InterruptStorm {
  Picoseconds begin = 0;
  Picoseconds end = 0;
  Picoseconds busy = 0;  ///< of that time, in handlers
  std::uint64_t calls = 0;
  std::uint32_t number = 0;  ///< the interrupt that took most of it at the beginning
  std::string pmu;           ///< whose it is; empty: not known

  [[nodiscard]] double share() const noexcept { return static_cast<double>(busy) / static_cast<double>(end - begin); }
};

/// The interrupt controller between the platform's interrupt lines and a CPU: selects the interrupt to take next.
///
/// A level interrupt is pending while its line is high, and is taken repeatedly until the device drops it. An edge
/// interrupt is latched until it is taken once; further edges before that add nothing. Both can be taken `delay` after
/// the line rose. A message is an edge of the number it carries. `times` may let one be lost: a level then stays unseen
/// until its line has dropped.
///
/// As in Linux, an interrupt that is not handled 99,900 times out of 100,000 is disabled. So is one that leaves the CPU
/// no time for anything else: a level still high after 1,000 calls of its handlers, or an interrupt taken 100,000 times
/// at one instant.
class InterruptController {
 public:
  /// @param times  null: each interrupt arrives after `delay`; otherwise when these say
  InterruptController(Picoseconds delay, CpuTimes* times) : delay_(delay), times_(times) {}

  /// Connect an interrupt number to a line. Lines with the same number are wired together. Null lines are ignored.
  void connect(std::uint32_t number, InterruptLine* line);

  /// A message-signalled interrupt has arrived.
  void message(std::uint32_t number);

  /// Notified when an interrupt may have become deliverable.
  [[nodiscard]] sc_core::sc_event& changed() noexcept { return changed_; }
  /// Notify changed() when the next interrupt that waits for its delay can be taken.
  void rearm();

  /// @param wanted  returns true if a driver listens to an interrupt number
  /// @return the number of an interrupt to take now, lowest first
  [[nodiscard]] std::optional<std::uint32_t> next(const std::function<bool(std::uint32_t)>& wanted) const;
  /// The CPU enters the handlers of `number`.
  void taken(std::uint32_t number);
  /// The handlers have returned. @return the kernel's message if it gives up on this interrupt, else ""
  [[nodiscard]] std::string finished(std::uint32_t number, bool handled);

  [[nodiscard]] std::uint64_t handled() const noexcept { return handled_; }
  [[nodiscard]] std::uint64_t unhandled() const noexcept { return unhandled_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  /// @return the time that handlers have taken so far
  [[nodiscard]] Picoseconds busy() const noexcept { return busy_; }
  /// @return the first few storms
  [[nodiscard]] const std::vector<InterruptStorm>& storms() const noexcept { return storms_; }
  /// The handler that has begun is that of a PMU.
  void handles(const char* pmu);
  /// @return the number of disabled interrupts.
  [[nodiscard]] unsigned disabled() const noexcept;

 private:
  struct Source {
    std::uint32_t number;
    std::vector<InterruptLine*> lines;
    InterruptTrigger trigger;
    bool lost = false;         // level: it is high, and the CPU never hears of it
    bool latched = false;      // edge: seen and not taken yet
    Picoseconds due = 0;       // when it can be taken
    bool disabled = false;     // given up
    unsigned taken = 0;        // number taken of the last 100,000
    unsigned not_handled = 0;  // of those, not handled
    Picoseconds last = 0;      // when it was taken last
    unsigned at_once = 0;      // times taken at that instant
    unsigned in_vain = 0;      // handler calls since the line rose
    std::string pmu{};         // whose handler was called first
    Picoseconds busy = 0;      // time of its handlers since watch_.begin
  };

  /// Handler calls that are looked at together.
  struct Watch {
    Picoseconds begin = 0;
    Picoseconds busy = 0;
    unsigned calls = 0;
  };
  Source* find(std::uint32_t number);
  void watch(Picoseconds begin);
  void on_line(Source& source, bool high);
  /// Keep a source among those that may be pending, or drop it.
  void follow(Source& source);
  [[nodiscard]] static bool is_high(const Source& source);
  [[nodiscard]] static bool is_pending(const Source& source);

  Picoseconds delay_;
  CpuTimes* times_;
  std::deque<Source> sources_;  // a deque, so elements keep their addresses
  /// By number: those that are high or latched. Of thousands few are, and software asks at each access.
  std::map<std::uint32_t, Source*> raised_;
  sc_core::sc_event changed_;
  std::uint64_t handled_ = 0;
  std::uint64_t unhandled_ = 0;
  std::uint64_t lost_ = 0;
  Picoseconds busy_ = 0;
  Source* inside_ = nullptr;  // whose handlers the CPU is in
  Picoseconds entered_ = 0;
  Watch watch_;
  bool is_storm_ = false;  // the last calls that were looked at
  std::vector<InterruptStorm> storms_;
};

}  // namespace pmufab::driver_host
