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
/// Rules, for each channel separately (channels share nothing):
/// - Dimension order: a flit goes along x, then along y, then down to its port. x grows to the east, y to the north.
/// - Each XP has a buffer per neighbour and device port. The first flit of a buffer requests one output. An output
///   takes one flit per cycle, and a buffer gives one.
/// - Buffers take turns at an output. The order is east, west, north, south, port 0 ... port 5, and starts after the
///   buffer that was last served. From a packet's head flit to its tail flit the output serves no other buffer.
/// - A flit leaves only with a credit: a place in the buffer it goes to, or in the device at a port. credit_delay
///   cycles later, the place it left in its own buffer can be given to another flit. MeshParameters holds the delays.
/// - FlitEvent::valid is the cycle in which a flit leaves by an interface. FlitEvent::stall is a cycle in which a flit
///   has its turn but no credit: at most one per interface and cycle.
///
/// Time: now() is the cycle whose work comes next. In it, call upload() and take() as often as needed; then step() does
/// the cycle's work and makes the next cycle now(). The results of the step (delivered(), pulses()) are valid until the
/// next step. A device can react in now(), the cycle after.
///
///     while (engine.next_cycle() != kNoCycle) {
///       engine.skip_to(engine.next_cycle());  // constant cost, however many cycles lie between
///       engine.step();
///       for (const Delivery& delivery : engine.delivered()) engine.take(delivery.channel, delivery.xp, delivery.port);
///     }
///
/// Deliveries and pulses are ordered by channel (as the parameters list them), then XP, then interface. Nothing is
/// allocated after construction. Calls with an XP, port or channel that the mesh does not have are bugs of the caller,
/// and asserted.
class MeshEngine {
 public:
  /// @throws SpecError if the parameters are impossible
  explicit MeshEngine(const MeshParameters& parameters);

  [[nodiscard]] const MeshParameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] bool has(Channel channel) const noexcept { return index_[static_cast<unsigned>(channel)] != kNone; }
  /// @return the cycle whose work step() will do.
  [[nodiscard]] Cycle now() const noexcept { return now_; }

  /// @return true if the device may upload a flit in this cycle: there is a credit, and it has not uploaded one yet.
  [[nodiscard]] bool ready(Channel channel, unsigned xp, unsigned port) const noexcept {
    assert(has_port(xp, port));
    return plane(channel).ready(xp, port, now_);
  }
  /// Give a flit to the XP in this cycle. Only if ready(). The flits of a packet are uploaded one after another.
  void upload(Channel channel, unsigned xp, unsigned port, const Flit& flit) noexcept {
    assert(has_port(xp, port) && has_port(flit.target_xp, flit.target_port));
    plane(channel).upload(xp, port, flit, now_);
  }
  /// The device takes the earliest flit delivered to it and not yet taken. The flit's place becomes free.
  void take(Channel channel, unsigned xp, unsigned port) noexcept {
    assert(has_port(xp, port));
    plane(channel).take(xp, port, now_);
  }

  /// Do the work of this cycle; now() is then the next cycle.
  void step() noexcept;
  /// Step until now() is `end`, or a step produced deliveries or pulses. Skips cycles without work.
  void step_to(Cycle end) noexcept;
  /// Skip cycles without work. `cycle` is not before now() and not after next_cycle().
  void skip_to(Cycle cycle) noexcept {
    assert(cycle >= now_ && cycle <= next_cycle());
    now_ = cycle;
    delivered_ = {};
    pulse_count_ = 0;
  }
  /// @return the first cycle from now() on in which there is work, or kNoCycle if nothing moves.
  [[nodiscard]] Cycle next_cycle() const noexcept;

  /// @return the flits that reached their device in the last step.
  [[nodiscard]] std::span<const Delivery> delivered() const noexcept { return delivered_; }
  /// @return the events of the last step at watched interfaces.
  [[nodiscard]] std::span<const MeshPulse> pulses() const noexcept { return {pulses_.data(), pulse_count_}; }

  /// Switch an event on or off for pulses(). Switching on is not counted: one switch-off undoes any number of them.
  void watch(unsigned xp, Interface interface, Channel channel, FlitEvent event, bool on) noexcept {
    assert(xp < parameters_.xps());
    plane(channel).watch(xp, interface, event, on);
  }
  /// Put every event into pulses(), or, when off, only those that watch() switched on.
  void watch_everything(bool on) noexcept;

  /// @return how often an event has happened since the beginning, watched or not.
  [[nodiscard]] std::uint64_t tally(unsigned xp, Interface interface, Channel channel, FlitEvent event) const noexcept {
    assert(xp < parameters_.xps());
    const MeshPlane& mesh_plane = plane(channel);
    return event == FlitEvent::valid ? mesh_plane.valid(xp, interface) : mesh_plane.stall(xp, interface);
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
  std::vector<std::uint8_t> routes_;  // never moves, because planes point to it
  std::vector<MeshPlane> planes_;
  std::array<std::uint8_t, kChannels> index_;  ///< index in planes_ by channel, or kNone
  Cycle now_ = 0;

  std::vector<Delivery> deliveries_;  ///< one list for each of the next cycles
  unsigned delivery_room_ = 0;        ///< entries per list
  std::vector<std::uint32_t> delivery_counts_;
  unsigned wheel_mask_;
  std::uint64_t wheel_used_ = 0;  ///< bits of lists that are not empty
  std::span<const Delivery> delivered_;

  std::vector<MeshPulse> pulses_;
  std::uint32_t pulse_count_ = 0;
};

}  // namespace pmufab::cmn
