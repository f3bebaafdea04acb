// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// Something that acts at instants it asks its Engine for.
class Actor {
 public:
  virtual void act(Picoseconds now) = 0;

 protected:
  ~Actor() = default;
};

/// Something with what can wait until a process may look at it.
class Latecomer {
 public:
  /// Do what comes before `end`: the engine goes no further, and processes go on. What is left is for act().
  virtual void catch_up_before(Picoseconds end) = 0;

 protected:
  ~Latecomer() = default;
};

/// Lets the parts of CXL act in order of time, with one SystemC event for all of them.
///
/// Where nothing else can happen in between, the engine goes on beyond sc_time_stamp() in the same call: until just
/// before the next instant SystemC has something to do. So links and controllers tell of things with times that may lie
/// ahead of sc_time_stamp(), but never behind anything another process can see. Who must do something in SystemC
/// because of them (send an interrupt) sets an Alarm; the engine stops there.
/// At an instant at which other processes have something to do as well, what they do first comes first.
/// Only processes look at counters, not those who act: what merely adds to them may wait (Latecomer).
/// A plain sc_start(duration) does not bound it: let a process wait.
class Engine {
 public:
  Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Before or during simulation. At one instant actors act in the order in which they were added.
  /// @return its number
  unsigned add(Actor& actor);
  /// Let an actor act at `when`, not before now(), instead of when it asked for before. kNever: not at all.
  void set(unsigned actor, Picoseconds when) {
    if (actor == stale_) stale_ = kNobody;
    replay(actor, when);
    if (!running_) [[unlikely]]
      arm();
  }
  [[nodiscard]] Picoseconds time(unsigned actor) const noexcept { return nodes_[leaves_ + actor].when; }
  /// @return the instant of the present act(); outside, the later of it and sc_time_stamp().
  [[nodiscard]] Picoseconds now() const noexcept { return running_ ? now_ : std::max(now_, simulated_time()); }
  /// @return the number of the call within which actors act, of any length of simulated time; 0 outside.
  [[nodiscard]] std::uint64_t turn() const noexcept { return running_ ? turns_ : 0; }
  /// Call back, once, at the end of the present turn.
  void call_at_end(Latecomer& latecomer) { latecomers_.push_back(&latecomer); }
  /// @return calls of act() so far.
  [[nodiscard]] std::uint64_t acts() const noexcept { return acts_; }

 private:
  static constexpr unsigned kNobody = ~0U;
  static constexpr Picoseconds kLookahead = 10'000'000;  // ends each call, so that the kernel can stop

  /// The earliest of the actors below a node of the tournament.
  struct Node {
    Picoseconds when = kNever;
    std::uint32_t actor = 0;
  };

  void run();
  void arm();
  void end_turn(Picoseconds present, Picoseconds end);
  /// Without branches: which actor is the earlier one cannot be foreseen.
  void replay(unsigned actor, Picoseconds when) noexcept {
    std::size_t place = leaves_ + actor;
    std::uint32_t winner = actor;
    nodes_[place] = {when, winner};
    for (; place > 1; place /= 2) {
      const Node& other = nodes_[place ^ 1];
      // At one instant the left one wins.
      const std::uint64_t loses =
          static_cast<std::uint64_t>(other.when < when) | (static_cast<std::uint64_t>(other.when == when) & place & 1);
      when ^= (when ^ other.when) & -loses;
      winner ^= (winner ^ other.actor) & -static_cast<std::uint32_t>(loses);
      nodes_[place / 2] = {when, winner};
    }
  }

  std::vector<Actor*> actors_;
  std::size_t leaves_ = 1;   // a power of two
  std::vector<Node> nodes_;  // a tournament: 1 is the root, leaves_ + n the time of actor n
  Picoseconds now_ = 0;
  Picoseconds deferred_at_ = kNever;  // let other processes of that instant go first
  bool running_ = false;
  unsigned stale_ = kNobody;  // whose way to the root has not been replayed since it began to act
  std::uint64_t acts_ = 0;
  std::uint64_t turns_ = 0;
  std::vector<Latecomer*> latecomers_;
  Alarm alarm_;
};

}  // namespace pmufab::cxl
