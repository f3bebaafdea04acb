// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// An object that acts at instants it requests from its Engine.
class Actor {
 public:
  virtual void act(Picoseconds now) = 0;

 protected:
  ~Actor() = default;
};

/// An object with work that can wait until a process may see its results.
class Latecomer {
 public:
  /// Do the work before `end`: the engine stops there, and processes continue. Later work remains for act().
  virtual void catch_up_before(Picoseconds end) = 0;

 protected:
  ~Latecomer() = default;
};

/// Runs the CXL models in order of time, with one SystemC event for all of them.
///
/// The engine continues beyond sc_time_stamp() in the same call while nothing else can happen, until just before the
/// next instant with SystemC activity. Links and controllers therefore report events with times that may lie ahead of
/// sc_time_stamp(), but never behind anything another process can see. A listener that must act in SystemC (send an
/// interrupt) sets an Alarm; the engine stops there. At an instant at which other processes have activity too, those go
/// first. Only processes read counters, never actors, so work that only adds to counters may wait (Latecomer). A plain
/// sc_start(duration) does not bound the engine: let a process wait instead.
class Engine {
 public:
  Engine();
  Engine& operator=(Engine&&) = delete;

  /// Add an actor, before or during simulation. At one instant actors act in the order in which they were added.
  /// @return its number
  unsigned add(Actor& actor);
  /// Let an actor act at `when`, which is not before now(). Replaces its earlier request. kNever: not at all.
  void set(unsigned actor, Picoseconds when) {
    if (actor == stale_) stale_ = kNobody;
    replay(actor, when);
    if (!running_) [[unlikely]]
      arm();
  }
  [[nodiscard]] Picoseconds time(unsigned actor) const noexcept { return nodes_[leaves_ + actor].when; }
  /// @return the instant of the present act(); outside of act(), the later of its last instant and sc_time_stamp().
  [[nodiscard]] Picoseconds now() const noexcept { return running_ ? now_ : std::max(now_, simulated_time()); }
  /// @return the number of the present call of the engine, which may span any length of simulated time; 0 outside of a
  ///         call.
  [[nodiscard]] std::uint64_t turn() const noexcept { return running_ ? turns_ : 0; }
  /// Call back once, at the end of the present turn.
  void call_at_end(Latecomer& latecomer) { latecomers_.push_back(&latecomer); }
  /// @return the number of calls of act().
  [[nodiscard]] std::uint64_t acts() const noexcept { return acts_; }

 private:
  static constexpr unsigned kNobody = ~0U;
  static constexpr Picoseconds kLookahead = 10'000'000;  // bounds each call, so that the kernel can stop

  /// The earliest actor below a node of the tournament tree.
  struct Node {
    Picoseconds when = kNever;
    std::uint32_t actor = 0;
  };

  void run();
  void arm();
  void end_turn(Picoseconds present, Picoseconds end);
  /// Without branches, because the comparison is unpredictable.
  void replay(unsigned actor, Picoseconds when) noexcept {
    std::size_t place = leaves_ + actor;
    std::uint32_t winner = actor;
    nodes_[place] = {when, winner};
    for (; place > 1; place /= 2) {
      const Node& other = nodes_[place ^ 1];
      // At equal times the left one wins.
      const std::uint64_t loses =
          static_cast<std::uint64_t>(other.when < when) | (static_cast<std::uint64_t>(other.when == when) & place & 1);
      when ^= (when ^ other.when) & -loses;
      winner ^= (winner ^ other.actor) & -static_cast<std::uint32_t>(loses);
      nodes_[place / 2] = {when, winner};
    }
  }

  std::vector<Actor*> actors_;
  std::size_t leaves_ = 1;   // a power of two
  std::vector<Node> nodes_;  // a tournament tree: 1 is the root, leaves_ + n the time of actor n
  Picoseconds now_ = 0;
  Picoseconds deferred_at_ = kNever;  // instant at which other processes go first
  bool running_ = false;
  unsigned stale_ = kNobody;  // an actor that began to act and whose path to the root is not replayed yet
  std::uint64_t acts_ = 0;
  std::uint64_t turns_ = 0;
  std::vector<Latecomer*> latecomers_;
  Alarm alarm_;
};

}  // namespace pmufab::cxl
