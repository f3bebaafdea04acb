// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "models/cxl/memory/ddr_controller.h"
#include "testbench/support/probe_log.h"

namespace pmufab::cxl {

// Event ids of group 0x8000.
inline constexpr unsigned kAct = 0;
inline constexpr unsigned kPre = 1;
inline constexpr unsigned kRead = 2;
inline constexpr unsigned kWrite = 3;
inline constexpr unsigned kRefresh = 4;
inline constexpr unsigned kSelfRefresh = 5;
inline constexpr unsigned kRfm = 6;
inline constexpr unsigned kReadAp = 7;
inline constexpr unsigned kWriteAp = 8;
inline constexpr unsigned kRefreshAll = 9;
inline constexpr unsigned kRefreshSame = 10;
inline constexpr unsigned kPowerDown = 11;
inline constexpr unsigned kPowerUp = 12;
inline constexpr unsigned kSwitch = 13;
inline constexpr unsigned kIncomingRead = 14;
inline constexpr unsigned kIncomingWrite = 15;

/// A controller of one channel, and all its commands.
struct Ddr final : public DdrClient {
  struct Command {
    unsigned bit;
    Picoseconds when;
    unsigned qualifier;
    bool any_bank = false;
    bool operator==(const Command& other) const {
      return bit == other.bit && when == other.when && qualifier == other.qualifier;
    }
    friend std::ostream& operator<<(std::ostream& stream, const Command& command) {
      return stream << command.bit << " at " << command.when << " (" << command.qualifier << ")";
    }
  };

  explicit Ddr(const DdrParameters& parameters) : controller("ddr", engine, parameters, *this, 0, 1) {
    group = controller.event_group();
    for (const EventSource& source : group.sources) {
      if (source.bit == kRefresh || source.bit == kIncomingRead || source.bit == kIncomingWrite) continue;
      logs_.push_back(std::make_unique<testing::ProbeLog>(
          *source.probe, [this, source](std::uint64_t, unsigned qualifier, Picoseconds when) {
            commands.push_back({source.bit, when, qualifier, source.any_bank});
          }));
    }
  }
  void access_done(std::uint32_t ticket, Picoseconds now) override { done.push_back({ticket, now, 0}); }
  std::vector<Command> take() {
    std::vector<Command> taken;
    taken.swap(commands);
    return taken;
  }

  Engine engine;
  DdrController controller;
  EventGroup group;
  std::vector<Command> commands;
  std::vector<Command> done;

 private:
  std::vector<std::unique_ptr<testing::ProbeLog>> logs_;
};

/// Two ranks of two bank groups of two banks; rows of two lines. Times in ps that are easy to add up.
inline DdrParameters small() {
  DdrParameters parameters;
  parameters.shape = {1, 2, 2, 2};
  parameters.row_bytes = 128;
  parameters.refresh_mode = RefreshMode::none;
  parameters.power_down_after = 0;
  parameters.self_refresh_after = 0;
  DdrTiming& timing = parameters.timing;
  timing.act_to_cas = 10;
  timing.act_to_pre = 30;
  timing.act_to_act = 4;
  timing.pre_to_act = 12;
  timing.read_to_pre = 6;
  timing.write_to_pre = 40;
  timing.cas_to_cas = 3;
  timing.read_to_write = 8;
  timing.write_to_read = 20;
  timing.cas_latency = 15;
  timing.refresh_interval = 1000;
  timing.refresh = 100;
  timing.refresh_same_bank = 50;
  timing.refresh_management = 60;
  timing.power_down_exit = 5;
  timing.self_refresh_exit = 150;
  return parameters;
}

/// @return the address of a place in small().
inline std::uint64_t place(unsigned rank, unsigned bank_group, unsigned bank, std::uint64_t row, unsigned column = 0) {
  return ((((row * 2 + rank) * 2 + bank) * 2 + column) * 2 + bank_group) * 64;
}

/// DDR's rules for commands, whoever sends them: states and distances of small().
class Rules {
 public:
  explicit Rules(const DdrParameters& parameters) : parameters_(parameters), timing_(parameters.timing) {
    ranks_.resize(parameters.shape.ranks);
    for (Rank& rank : ranks_) rank.banks.resize(parameters.shape.bank_groups * parameters.shape.banks);
  }
  // NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
  void check(const Ddr::Command& command) {
    const Picoseconds when = command.when;
    EXPECT_GE(when, last_) << "out of order";
    last_ = when;
    const std::size_t per_rank = ranks_[0].banks.size();
    Rank& rank = ranks_[command.qualifier / per_rank];
    Bank& bank = rank.banks[command.qualifier % per_rank];
    if (command.bit == kReadAp || command.bit == kWriteAp || command.bit == kSwitch) return;
    if (command.bit == kPowerDown || command.bit == kPowerUp) {
      EXPECT_EQ(rank.down, command.bit == kPowerUp);
      EXPECT_FALSE(rank.asleep);
      rank.down = command.bit == kPowerDown;
      rank.ready = std::max(rank.ready, when + (rank.down ? 0 : timing_.power_down_exit));
      return;
    }
    EXPECT_FALSE(rank.down) << command.bit << " at " << when;
    EXPECT_GE(when, rank.ready) << command.bit;
    rank.asleep = false;
    switch (command.bit) {
      case kAct:
        EXPECT_FALSE(bank.open);
        EXPECT_GE(when, bank.closed) << "tRP, tRFC, tRFM";
        if (rank.acts++ > 0) {
          EXPECT_GE(when, rank.last_act + timing_.act_to_act);
        }
        rank.last_act = when;
        bank.open = parameters_.page_policy == PagePolicy::open;
        bank.opened = when;
        bank.can_close = when + timing_.act_to_pre;
        break;
      case kRead:
      case kWrite: {
        const bool write = command.bit == kWrite;
        EXPECT_TRUE(bank.open || parameters_.page_policy == PagePolicy::closed);
        EXPECT_GE(when, bank.opened + timing_.act_to_cas);
        if (accesses_++ > 0) {
          EXPECT_GE(when - last_cas_, write == last_write_ ? timing_.cas_to_cas
                                      : write              ? timing_.read_to_write
                                                           : timing_.write_to_read);
        }
        last_cas_ = when;
        last_write_ = write;
        bank.can_close = std::max(bank.can_close, when + (write ? timing_.write_to_pre : timing_.read_to_pre));
        if (parameters_.page_policy == PagePolicy::closed) bank.closed = bank.can_close + timing_.pre_to_act;
        break;
      }
      case kPre:
        for (Bank& one : rank.banks) {
          if (!command.any_bank && &one != &bank) continue;
          EXPECT_TRUE(one.open || command.any_bank);
          if (!one.open) continue;
          EXPECT_GE(when, one.can_close);
          one.open = false;
          one.closed = when + timing_.pre_to_act;
        }
        break;
      default:  // refreshes of a kind
        for (std::size_t i = 0; i < per_rank; ++i) {
          Bank& one = rank.banks[i];
          if (command.bit == kRfm && &one != &bank) continue;
          if (command.bit == kRefreshSame && i % parameters_.shape.banks != command.qualifier % parameters_.shape.banks)
            continue;
          EXPECT_FALSE(one.open);
          EXPECT_GE(when, one.closed);
          one.closed = when + (command.bit == kRfm           ? timing_.refresh_management
                               : command.bit == kRefreshSame ? timing_.refresh_same_bank
                                                             : timing_.refresh);
        }
        if (command.bit == kSelfRefresh) {
          rank.asleep = true;
          rank.ready = when + timing_.self_refresh_exit;
        }
        break;
    }
  }

 private:
  struct Bank {
    bool open = false;
    Picoseconds opened = 0;
    Picoseconds can_close = 0;
    Picoseconds closed = 0;  // ACT from then on
  };
  struct Rank {
    bool down = false;
    bool asleep = false;
    Picoseconds ready = 0;
    Picoseconds last_act = 0;
    unsigned acts = 0;
    std::vector<Bank> banks{};
  };
  DdrParameters parameters_;
  DdrTiming timing_;
  std::vector<Rank> ranks_;
  Picoseconds last_ = 0;
  Picoseconds last_cas_ = 0;
  bool last_write_ = false;
  unsigned accesses_ = 0;
};

}  // namespace pmufab::cxl
