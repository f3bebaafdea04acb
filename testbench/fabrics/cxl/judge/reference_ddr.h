// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/fabrics/cxl/judge/reference_load.h"
#include "testbench/judge/queue.h"

namespace pmufab::scoreboard {

/// A command of the DDR interface, or clocks with a certain state of a queue or the device: an event of group 0x30, 0x31,
/// or 0x8000 ... 0x8004.
struct DdrCommand {
  Picoseconds when = 0;  ///< of the first
  unsigned bit = 0;
  std::uint8_t channel = 0;
  std::uint8_t rank = 0;
  std::uint8_t bank_group = 0;
  std::uint8_t bank = 0;
  bool whole_rank = false;     ///< not for a single bank
  bool whole_channel = false;  ///< nor for a single rank
  std::uint16_t group = kDdrGroup;
  std::uint64_t clocks = 1;  ///< such events, at one edge after the other of CxlDdrSpec::clock_period
};

/// Computes the commands that the accesses of a memory controller cause, and their times: docs/cxl-messages.md, section
/// 6.
///
/// Commands are reported out of order of time, at the latest when the first later access enters or advance() has passed
/// them.
class ReferenceDdr final : private ReferenceLoad::Listener {
 public:
  class Listener {
   public:
    virtual void on_command(const DdrCommand& command) = 0;
    /// No command before `when` will come. It is called from time to time, so that a listener can settle.
    virtual void on_passed(Picoseconds /*when*/) {}

   protected:
    ~Listener() = default;
  };

  explicit ReferenceDdr(const CxlDdrSpec& spec);
  ReferenceDdr& operator=(ReferenceDdr&&) = delete;

  /// An access enters. Times of accesses never run backwards.
  void access(Picoseconds when, bool write, std::uint64_t device_address);
  /// No access before `when` will come: let timers run.
  void advance(Picoseconds when);

  /// @return the load of the device whose memory it is.
  [[nodiscard]] ReferenceLoad& load() noexcept { return load_; }

  /// @return the time at which the data of the last access has passed.
  [[nodiscard]] Picoseconds last_data() const noexcept { return last_cas_ + spec_.cas_latency; }

  /// @return the time from one edge to the next, for events that count clocks.
  [[nodiscard]] Picoseconds clock_period() const noexcept { return spec_.clock_period; }

  /// @return the instant before which no command will come, as far as listeners know.
  [[nodiscard]] Picoseconds passed() const noexcept { return passed_; }

  /// How far before the present nobody asks what came: users may see instants this much ahead of the wires.
  static constexpr Picoseconds kMemory = 10'000'000;

  /// Add a listener for all commands from now on, and for those of the last microseconds.
  void add(Listener& listener);
  void remove(Listener& listener) { std::erase(listeners_, &listener); }

  struct Place {
    unsigned channel;
    unsigned rank;
    unsigned bank_group;
    unsigned bank;
    std::uint64_t row;
  };
  [[nodiscard]] Place place(std::uint64_t device_address) const;

 private:
  struct Bank {
    std::optional<std::uint64_t> row;
    Picoseconds pre_ready = 0;
    Picoseconds act_ready = 0;
    Picoseconds cas_ready = 0;
    unsigned acts = 0;
  };
  enum class Power : std::uint8_t { up, down, self_refresh };
  struct Rank {
    std::vector<Bank> banks;  // by bank group, then bank
    Picoseconds busy = 0;
    Picoseconds ready = 0;  // after power-down or self refresh
    Picoseconds last_use = 0;
    Power power = Power::up;
    Picoseconds clocks_told = 0;  // of power-down: reported up to here
    Picoseconds self_refresh_since = 0;
    std::optional<Picoseconds> last_act;
    Picoseconds refresh_due = 0;
    unsigned refresh_bank = 0;
  };
  struct Channel {
    std::vector<Rank> ranks;
    std::optional<Picoseconds> last_cas;
    bool last_was_write = false;
    std::array<std::uint64_t, 2> count{};         // reads, writes
    std::array<Picoseconds, 2> residency_told{};  // of reads, writes: reported up to here
  };
  struct Throttling {
    std::deque<Picoseconds> entered;  // within the window
    Picoseconds until = 0;
  };
  enum class Timer : std::uint8_t { refresh, power_down, self_refresh };
  struct Due {
    Picoseconds when;
    unsigned rank;
    Timer timer;
  };
  struct At {
    unsigned channel;
    unsigned rank;
    unsigned bank_group = 0;
    unsigned bank = 0;
  };

  [[nodiscard]] Picoseconds refresh_interval() const;
  [[nodiscard]] Bank& bank(Rank& rank, unsigned bank_group, unsigned bank) const {
    return rank.banks[bank_group * spec_.banks + bank];
  }
  [[nodiscard]] std::optional<Due> next_due(const Channel& channel) const;
  void run_timers(unsigned channel, Picoseconds until);
  void refresh(const At& at, Rank& rank, Picoseconds due);
  void refresh_all(const At& at, Rank& rank, Picoseconds start);
  void refresh_one(const At& at, Rank& rank, Picoseconds start);
  void leave_power_down(const At& at, Rank& rank, Picoseconds when);
  void enter_self_refresh(const At& at, Rank& rank, Picoseconds due);
  /// Close all open rows of a rank. @return the earliest time at which all its banks can be activated
  Picoseconds precharge_all(const At& at, Rank& rank, Picoseconds start);
  void open(const At& at, Rank& rank, Bank& bank, std::uint64_t row, Picoseconds start);
  void throttle(Picoseconds when);
  [[nodiscard]] std::optional<unsigned> error(Channel& channel, bool write) const;
  void queue(const At& at, Channel& channel, bool write, Picoseconds entered, Picoseconds cas);
  void power_down_clocks(const At& at, Rank& rank, Picoseconds until);
  /// Report an event in each clock whose edge is after `after` and not after `until`.
  void clocks(DdrCommand event, Picoseconds after, Picoseconds until);
  void on_clocks(Picoseconds first, std::uint64_t edges, std::uint16_t group, unsigned bit) override;
  /// Let the timers of all channels, and the load, run.
  void run_all(Picoseconds until);
  /// Tell the listeners how far they can settle, if that is far enough since the last time.
  void pass();
  void tell(const DdrCommand& command);
  void tell(unsigned bit, const At& at, Picoseconds when, bool whole_rank = false);

  const CxlDdrSpec spec_;
  std::vector<Channel> channels_;
  std::array<Throttling, 2> throttlings_;
  ReferenceLoad load_;
  Picoseconds last_cas_ = 0;
  Picoseconds reached_ = 0;  // commands of accesses that wait lie ahead of it
  Picoseconds passed_ = 0;   // the listeners know
  std::vector<Listener*> listeners_;
  Queue<DdrCommand> recent_;
};

}  // namespace pmufab::scoreboard
