// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "models/cmn/engine/mesh_flit.h"
#include "models/cmn/engine/mesh_parameters.h"
#include "models/cmn/engine/mesh_plane.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// Moves flits through a mesh of crosspoints (XP), cycle by cycle. Knows nothing of CHI, of the PMU or of SystemC.
///
/// Rules, for each channel by itself (channels share nothing):
/// - Dimension order: a flit goes along x, then along y, then down to its port. East is where x grows, north where y
/// does.
/// - Each XP has a buffer per neighbour and device port. The first flit of a buffer wants one output; an output takes
/// one
///   flit per cycle, and a buffer gives one.
/// - Buffers take turns at an output: the first in the order east, west, north, south, port 0 ... port 5, counted from
///   behind the buffer that was last served. From a packet's head flit to its tail flit the output serves no other
///   buffer.
/// - A flit leaves only with a credit: a place in the buffer it goes to, or in the device at a port. credit_delay
/// cycles
///   later its own place in the buffer it left can be given to another flit. MeshParameters says how long the ways are.
/// - FlitEvent::valid is the cycle in which a flit leaves by an interface. FlitEvent::stall is a cycle in which there
/// is a
///   flit whose turn it is, but no credit: at most one for an interface in a cycle.
///
/// Time: now() is the cycle whose work comes next. In it upload() and take() as much as there is, then step() does the
/// cycle's work and makes the next one now(). What the step brought (delivered(), pulses()) is there until the next
/// step; a device can react in now(), the cycle after.
///
///     while (engine.next_cycle() != kNoCycle) {
///       engine.skip_to(engine.next_cycle());  // costs nothing however many cycles there are between
///       engine.step();
///       for (const Delivery& delivery : engine.delivered()) engine.take(delivery.channel, delivery.xp, delivery.port);
///     }
///
/// The order of deliveries and pulses is that of channels as the parameters list them, then of XPs, then of interfaces.
/// Nothing is allocated after construction. Calls with an XP, port or channel the mesh does not have are the caller's
/// bug, and asserted.
class MeshEngine {
 public:
  /// @throws SpecError if there can be no such mesh
  explicit MeshEngine(const MeshParameters& parameters);

  [[nodiscard]] const MeshParameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] bool has(Channel channel) const noexcept { return index_[static_cast<unsigned>(channel)] != kNone; }
  /// @return the cycle whose work step() will do.
  [[nodiscard]] Cycle now() const noexcept { return now_; }

  /// @return whether the device may upload a flit in this cycle: there is a credit, and it has not uploaded one yet.
  [[nodiscard]] bool ready(Channel channel, unsigned xp, unsigned port) const noexcept {
    assert(has_port(xp, port));
    return plane(channel).ready(xp, port, now_);
  }
  /// Give a flit to the XP in this cycle. Only if ready(). The flits of a packet follow each other.
  void upload(Channel channel, unsigned xp, unsigned port, const Flit& flit) noexcept {
    assert(has_port(xp, port) && has_port(flit.target_xp, flit.target_port));
    plane(channel).upload(xp, port, flit, now_);
  }
  /// The device takes the earliest of the flits delivered to it that it has not taken: its place can be given again.
  void take(Channel channel, unsigned xp, unsigned port) noexcept {
    assert(has_port(xp, port));
    plane(channel).take(xp, port, now_);
  }

  /// Do the work of this cycle; now() is the next one then.
  void step() noexcept;
  /// Step until now() is `end` or a step brought deliveries or pulses, skipping cycles without work.
  void step_to(Cycle end) noexcept;
  /// Let cycles pass in which there is no work. `cycle` is not before now() and not behind next_cycle().
  void skip_to(Cycle cycle) noexcept {
    assert(cycle >= now_ && cycle <= next_cycle());
    now_ = cycle;
    delivered_ = {};
    pulse_count_ = 0;
  }
  /// @return the first cycle from now() on in which there is work, or kNoCycle if nothing moves.
  [[nodiscard]] Cycle next_cycle() const noexcept;

  /// What reached its device in the last step.
  [[nodiscard]] std::span<const Delivery> delivered() const noexcept { return delivered_; }
  /// What happened in the last step at the interfaces that are watched.
  [[nodiscard]] std::span<const MeshPulse> pulses() const noexcept { return {pulses_.data(), pulse_count_}; }

  /// Switch an event on or off for pulses(). Nobody counts how often it was switched on.
  void watch(unsigned xp, Interface interface, Channel channel, FlitEvent event, bool on) noexcept {
    assert(xp < parameters_.xps());
    plane(channel).watch(xp, interface, event, on);
  }
  /// Put every event into pulses(), or only what watch() asked for again.
  void watch_everything(bool on) noexcept;

  /// Truth: how often an event happened since the beginning, watched or not.
  [[nodiscard]] std::uint64_t tally(unsigned xp, Interface interface, Channel channel, FlitEvent event) const noexcept {
    assert(xp < parameters_.xps());
    const MeshPlane& of = plane(channel);
    return event == FlitEvent::valid ? of.valid(xp, interface) : of.stall(xp, interface);
  }

 private:
  static constexpr std::uint8_t kNone = 0xff;

  [[nodiscard]] bool has_port(unsigned xp, unsigned port) const noexcept {
    return xp < parameters_.xps() && port < parameters_.ports_of(xp);
  }
  [[nodiscard]] MeshPlane& plane(Channel channel) noexcept {
    assert(has(channel));
    return planes_[index_[static_cast<unsigned>(channel)]];
  }
  [[nodiscard]] const MeshPlane& plane(Channel channel) const noexcept {
    assert(has(channel));
    return planes_[index_[static_cast<unsigned>(channel)]];
  }

  MeshParameters parameters_;
  std::vector<std::uint8_t> routes_;  // never moves: planes look at it
  std::vector<MeshPlane> planes_;
  std::array<std::uint8_t, kChannels> index_;  ///< of a channel in planes_, or kNone
  Cycle now_ = 0;

  std::vector<Delivery> deliveries_;  ///< a list for each of the next cycles
  unsigned delivery_room_ = 0;        ///< entries of a list
  std::vector<std::uint32_t> delivery_counts_;
  unsigned wheel_mask_;
  std::uint64_t wheel_used_ = 0;  ///< lists that are not empty
  std::span<const Delivery> delivered_;

  std::vector<MeshPulse> pulses_;
  std::uint32_t pulse_count_ = 0;
};

}  // namespace pmufab::cmn
