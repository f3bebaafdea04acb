// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/cxl/memory/ddr_controller.h"

namespace pmufab::cxl {

/// The place of an access in a channel.
struct DdrPlace {
  unsigned rank;
  unsigned bank_group;
  unsigned bank;
  std::uint64_t row;
};

/// One channel of a DdrController: states of its ranks and banks, and commands whose time has not come.
class DdrChannel final : private Actor, private Latecomer {
 public:
  DdrChannel(const std::string& name, DdrController& controller);

  void access(const DdrPlace& place, bool write, std::uint32_t ticket);
  void add_sources(std::uint8_t channel, EventGroup& group);
  void add_other_sources(std::uint8_t channel, EventGroup& queues, EventGroup& residency, EventGroup& retries);
  /// Publish the events that count clocks.
  void sample(Picoseconds edge);
  [[nodiscard]] std::uint64_t pending() const noexcept { return completions_.size(); }
  /// @return the time that CAS commands take of the data bus: tCCD for each access, those that wait included.
  [[nodiscard]] Picoseconds busy() const noexcept { return accesses_ * timing_.cas_to_cas; }
  /// @return the time in which an access waited for its CAS, or will wait.
  [[nodiscard]] Picoseconds waited() const noexcept { return waited_; }

 private:
  enum class Power : std::uint8_t { active, power_down, self_refresh };
  static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};
  struct Bank {
    std::uint64_t row = kNoRow;
    Picoseconds pre_ready = 0;
    Picoseconds act_ready = 0;
    Picoseconds cas_ready = 0;
    unsigned acts = 0;  // since the last refresh or RFM
  };
  struct Rank {
    Power power = Power::active;
    bool activated = false;
    Picoseconds last_act = 0;
    Picoseconds busy = 0;
    Picoseconds ready = 0;  // awake
    Picoseconds last_use = 0;
    Picoseconds refresh_due = kNever;
    Picoseconds asleep = 0;  // start of self refresh
    Picoseconds down = 0;    // start of the last power-down
    Picoseconds up = 0;      // end of the last power-down
    unsigned next_bank = 0;  // next one to refresh
    std::vector<Bank> banks{};
  };
  /// Probes. Each serves one event only, because a mask of several events adds their probes up.
  enum Event : std::uint8_t {
    act_event,
    pre_event,
    read_event,
    write_event,
    self_refresh_event,
    rfm_event,
    read_ap_event,
    write_ap_event,
    refresh_all_event,
    refresh_same_event,
    power_down_entry_event,
    power_down_exit_event,
    turnaround_event,
    incoming_read_event,
    incoming_write_event,
    pre_all_event,
    refresh_of_all_event,   // all-bank part of ddr_refresh
    refresh_of_same_event,  // same-bank part of ddr_refresh
    read_queue_event,
    write_queue_event,
    merged_queue_event,
    power_down_event,
    read_residency_event,
    write_residency_event,
    read_crc_event,
    write_crc_event,
    parity_event,
    ecc_event,
  };
  static constexpr unsigned kEvents = ecc_event + 1;
  /// @return false for events published when an access enters, or once per clock.
  static constexpr bool is_command(unsigned event) noexcept {
    return event < incoming_read_event || (event > incoming_write_event && event < read_queue_event) ||
           event > write_residency_event;
  }
  /// An access, until its data has passed.
  struct Queued {
    Picoseconds entered;
    Picoseconds cas;
    Picoseconds data;
    std::uint8_t qualifier;
    bool write;
  };
  struct Command {
    Picoseconds when;
    std::uint8_t event;
    std::uint8_t qualifier;
    static bool is_after(const Command& one, const Command& other) noexcept { return one.when > other.when; }
  };
  struct Completion {
    Picoseconds when;
    std::uint32_t ticket;
  };

  void act(Picoseconds now) override;
  void catch_up_before(Picoseconds end) override;
  /// Called before a watch of commands begins: earlier commands are not counted by it.
  void begin_watch();
  [[nodiscard]] bool is_watched() const noexcept;
  void publish_before(Picoseconds when) {
    while (!commands_.empty() && commands_.front().when < when) {
      const Command command = commands_.pop();
      probes_[command.event].publish(1, command.qualifier, command.when);
    }
  }
  void issue(Picoseconds when, Event event, unsigned qualifier) {
    if (when <= now_) {
      probes_[event].publish(1, qualifier, when);
    } else if (watched_) {
      commands_.insert({when, event, static_cast<std::uint8_t>(qualifier)}, Command::is_after);
    } else {
      commands_.push({when, event, static_cast<std::uint8_t>(qualifier)});
    }
  }
  [[nodiscard]] std::optional<Event> error(bool write) noexcept;
  Picoseconds retry(Picoseconds cas, bool write, unsigned qualifier);
  void catch_up(Picoseconds now);
  [[nodiscard]] Picoseconds power_down_due(const Rank& rank) const noexcept;
  [[nodiscard]] Picoseconds self_refresh_due(const Rank& rank) const noexcept;
  void update_timer() noexcept;
  void wake();
  [[nodiscard]] bool may_wait();
  [[nodiscard]] bool only_adds() const noexcept;
  Picoseconds leave_power_down(Rank& rank, unsigned number, Picoseconds when);
  Picoseconds open_row(Rank& rank, Bank& bank, const DdrPlace& place, Picoseconds start, unsigned qualifier);
  Picoseconds close_all(Rank& rank, unsigned number, Picoseconds start);
  void refresh_all(Rank& rank, unsigned number);
  void refresh_same(Rank& rank, unsigned number);
  void enter_self_refresh(Rank& rank, unsigned number, Picoseconds when);
  [[nodiscard]] unsigned first_qualifier(unsigned rank) const noexcept { return shape_.qualifier(rank, 0, 0); }

  DdrController& controller_;
  Engine& engine_;
  const DdrParameters& parameters_;
  const DdrTiming& timing_;
  DdrShape shape_;
  unsigned actor_;
  std::vector<Rank> ranks_;
  Picoseconds now_ = 0;         // commands up to here are issued at once
  Picoseconds timer_ = kNever;  // the earliest of all ranks
  Picoseconds last_cas_ = 0;
  bool any_cas_ = false;
  bool last_write_ = false;
  std::deque<Probe> probes_;
  Ring<Command> commands_;  // sorted by time, while watched
  bool watched_ = false;    // if false, commands are published in bulk
  std::uint64_t turn_ = 0;  // the engine's turn in which commands were last watched
  unsigned wakes_ = 0;      // wake-ups in that turn
  bool waiting_ = false;    // in that turn: commands are published in bulk, at its end at the latest
  Ring<Completion> completions_;
  Ring<Queued> queued_;  // in the order of entering, which is that of CAS
  std::uint64_t accesses_ = 0;
  Picoseconds waited_ = 0;
  Picoseconds waited_until_ = 0;
  std::uint64_t reads_ = 0;  // counted only if some fail
  std::uint64_t writes_ = 0;
};

}  // namespace pmufab::cxl
