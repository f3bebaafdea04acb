#pragma once

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

/// Lets the parts of CXL act in order of time, with one SystemC event for all of them.
///
/// Where nothing else can happen in between, the engine goes on beyond sc_time_stamp() in the same call: until just
/// before the next instant SystemC has something to do. So links and controllers tell of things with times that may lie
/// ahead of sc_time_stamp(), but never behind anything another process can see. Who must do something in SystemC
/// because of them (send an interrupt) sets an Alarm; the engine stops there.
/// At an instant at which other processes have something to do as well, what they do first comes first.
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
    times_[actor] = when;
    if (actor == stale_) stale_ = kNobody;
    replay(actor);
    if (!running_) [[unlikely]]
      arm();
  }
  [[nodiscard]] Picoseconds time(unsigned actor) const noexcept { return times_[actor]; }
  /// @return the instant of the present act(); outside, the later of it and sc_time_stamp().
  [[nodiscard]] Picoseconds now() const noexcept;
  /// @return calls of act() so far.
  [[nodiscard]] std::uint64_t acts() const noexcept { return acts_; }

 private:
  static constexpr unsigned kNobody = ~0U;
  static constexpr Picoseconds kLookahead = 10'000'000;  // ends each call, so that the kernel can stop

  void run();
  void arm();
  void replay(unsigned actor) noexcept {
    for (std::size_t node = (actor + leaves_) / 2; node > 0; node /= 2) {
      const std::uint32_t left = winners_[2 * node];
      const std::uint32_t right = winners_[2 * node + 1];
      winners_[node] = times_[right] < times_[left] ? right : left;
    }
  }

  std::vector<Actor*> actors_;
  std::size_t leaves_ = 1;              // a power of two
  std::vector<Picoseconds> times_;      // by actor, padded to leaves_
  std::vector<std::uint32_t> winners_;  // a tournament: the earliest below each node; 1 is the root
  Picoseconds now_ = 0;
  Picoseconds deferred_at_ = kNever;  // let other processes of that instant go first
  bool running_ = false;
  unsigned stale_ = kNobody;  // whose way to the root has not been replayed since it began to act
  std::uint64_t acts_ = 0;
  Alarm alarm_;
};

}  // namespace pmufab::cxl
