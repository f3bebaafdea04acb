// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/pmu/alarm.h"
#include "models/pmu/counter_input.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab {

/// The counters of a PMU behind its registers: enables, overflow status, and the overflow interrupt. The owner's registers
/// say what software asks for.
///
/// A stopped counter watches nothing. The interrupt line is high while a counter's overflow status and overflow interrupt
/// enable are both set, whether the block runs or not. The line changes at the exact instant of the cause, also if the
/// traffic that overflowed a counter was issued ahead of simulated time. A wrap of a counter of clock edges or outstanding
/// requests shows one picosecond after the edge (see CycleCount). A block may have several lines, each for some counters.
///
/// Masks are words of 32 counters. Times are those of the access or event that causes the call.
class CounterBlock {
 public:
  static constexpr unsigned kWord = 32;         ///< counters of a mask's word
  static constexpr unsigned kMost = 8 * kWord;  ///< counters of a block

  struct Options {
    std::string name;                       ///< of the PMU, for WrapWatch
    unsigned width = 64;                    ///< bits of every counter
    std::map<unsigned, unsigned> widths{};  ///< of counters that have others, by number
    /// By number, whether there is such a counter.
    std::vector<bool> counters;
    std::optional<unsigned> cycle_counter{};  ///< counts the clock whatever is programmed
    std::uint64_t free = 0;                   ///< a bit for each counter that counts whether the block runs or not
    std::uint64_t down = 0;                   ///< a bit for each counter that counts down
    std::uint64_t saturating = 0;             ///< a bit for each counter that stays at its end in place of wrapping
    std::uint64_t stoppers = 0;               ///< a bit for each counter that stops the block as it wraps
  };
  /// @return what a counter counts under its present program. Called when a counter starts to run with a new program, and
  ///         for each running counter on refresh(). What it names must outlive the block.
  using Resolver = std::function<CounterInput(unsigned counter)>;

  /// @param clock  counted by the cycle counter and by clock-type events; must outlive the block
  CounterBlock(Options options, const ClockDomain& clock, Resolver resolve);
  ~CounterBlock();
  CounterBlock& operator=(CounterBlock&&) = delete;

  /// Drive `line`, too, with the overflow interrupt of `count` counters from `first` on. Without a line the block works, but
  /// raises no interrupt.
  void connect_interrupt(InterruptLine& line, unsigned first = 0, unsigned count = kMost);
  /// Set every counter and the interrupt to the state after power-up: all zero, nothing counting.
  void reset();
  /// Let `cycles` cycles of the clock pass at once, for the counters that count them now. Counters of outstanding
  /// requests, and of another clock, do not see these cycles.
  void pass_cycles(std::uint64_t cycles, Picoseconds when);
  /// Call the resolver again for every running counter, because something outside the programs changed their meaning.
  void refresh();

  /// Let the counters that are enabled run, or none.
  void run(bool runs, Picoseconds when);
  [[nodiscard]] bool runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t free() const noexcept { return options_.free; }
  void put_enables(unsigned word, std::uint32_t enables, Picoseconds when);
  [[nodiscard]] std::uint32_t enables(unsigned word) const { return enables_.at(word); }
  void put_interrupt_enables(unsigned word, std::uint32_t enables, Picoseconds when);
  [[nodiscard]] std::uint32_t interrupt_enables(unsigned word) const { return interrupt_enables_.at(word); }
  void set_overflow(unsigned word, std::uint32_t bits, Picoseconds when);
  /// Set the overflow status of counters, or do so no longer, when their highest bit becomes 1, too.
  /// @param which, on  a bit for each of the first 64 counters: those that change, and those of them that do
  void overflow_at_half(std::uint64_t which, std::uint64_t on, Picoseconds when);
  /// Let each wrap of the counter before them add 1 to counters that run, or do so no longer. Bits as above.
  void chain(std::uint64_t which, std::uint64_t on) { chained_ = (chained_ & ~which) | on; }
  void clear_overflow(unsigned word, std::uint32_t bits, Picoseconds when);
  [[nodiscard]] std::uint32_t overflow(unsigned word, Picoseconds when) const;
  /// Set the counters of a kind to 0.
  void clear_counters(bool events, bool cycles, Picoseconds when);
  /// @param mask  the bits that change
  void write_counter(unsigned counter, std::uint64_t value, std::uint64_t mask, Picoseconds when);
  /// @return the value of a counter (0 if there is none).
  [[nodiscard]] std::uint64_t value(unsigned counter, Picoseconds when) const;
  /// A register that says what the counter counts has changed.
  void program_changed(unsigned counter, Picoseconds when);

  /// @return whether there is such a counter
  [[nodiscard]] bool has(unsigned counter) const noexcept { return counter < slots_.size() && slots_[counter]; }
  /// @return one more than the largest number of a counter
  [[nodiscard]] unsigned numbers() const noexcept { return static_cast<unsigned>(slots_.size()); }
  [[nodiscard]] bool is_running(unsigned counter) const noexcept;

 private:
  struct Slot;  // one counter
  struct LineChange {
    Picoseconds when;
    bool high;
  };
  struct PendingOverflow {
    Picoseconds when;
    unsigned counter;
  };
  using Mask = std::array<std::uint32_t, kMost / kWord>;  // one bit per counter
  struct Line {
    InterruptLine* line;
    Mask counters{};
    bool high = false;                  // level after all of changes
    std::vector<LineChange> changes{};  // not yet driven; sorted
  };

  [[nodiscard]] bool is_cycle_counter(unsigned counter) const noexcept { return options_.cycle_counter == counter; }
  void apply(Slot& slot, Picoseconds when);
  static void select(Slot& slot, Picoseconds when);
  void start(Slot& slot, Picoseconds when);
  void stop(Slot& slot, Picoseconds when);
  void predict_overflow(Slot& slot, Picoseconds when);

  static void counter_wrapped(void* context, std::uint64_t wraps, Picoseconds when);
  static void overflow_nearer(void* context);
  [[nodiscard]] bool has_overflowed(unsigned counter) const noexcept;
  void wrap(unsigned counter, std::uint64_t wraps, Picoseconds when);
  void carry(const Slot& from, std::uint64_t wraps, Picoseconds when);
  [[nodiscard]] bool carries(unsigned counter) const noexcept {
    return counter + 1 < 64 && (chained_ >> (counter + 1) & 1U) != 0 && has(counter + 1);
  }
  void settle(Picoseconds when);  // take overflows up to `when` into the status
  void note_wrap(unsigned counter, Picoseconds when);
  void halt();
  [[nodiscard]] bool is_asserted(const Line& line) const noexcept;
  void update_lines(Picoseconds when);  // record changes of the interrupt
  [[nodiscard]] Picoseconds next_change() const noexcept;
  void finish();  // drive the changes that are due, and set the alarm for the others

  Options options_;
  const ClockDomain& clock_;
  Resolver resolve_;
  std::vector<Line> lines_;
  Mask implemented_{};

  std::vector<std::unique_ptr<Slot>> slots_;  // by number; null where there is none
  bool runs_ = false;
  std::uint64_t chained_ = 0;             // one bit per counter that counts the wraps of the one before
  std::optional<Picoseconds> halt_at_{};  // a counter has wrapped that stops the block
  Mask enables_{}, interrupt_enables_{}, overflow_status_{};

  Picoseconds next_timed_overflow_ = kNever;  // earliest overflow_time of the slots
  bool predictions_changed_ = false;          // next_timed_overflow_ must be computed again
  std::vector<PendingOverflow> pending_;      // overflows of traffic ahead of simulated time; sorted
  Alarm alarm_;
};

}  // namespace pmufab
