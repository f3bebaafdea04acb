// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/cmn/wire/flit_fields.h"
#include "models/cmn/wire/types.h"
#include "testbench/fabrics/cmn/judge/cmn_node_ids.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

/// Follows every flit of a mesh. It checks routes, the order of flits in buffers, that an interface sends at most one
/// flit per cycle, and that a stall has a waiting flit.
class CmnRoutes {
 public:
  /// @param spec  it and chronicle must outlive the routes
  CmnRoutes(const CmnJudgeSpec& spec, Chronicle& chronicle);

  void uploaded(Picoseconds when, unsigned xp, unsigned port, cmn::Channel channel, std::uint32_t flit,
                const cmn::FlitFields& fields);
  /// What XPs transmit in a cycle, and where flits wait for a credit.
  /// @param leave  called with the pulse and the fields of each flit that leaves the mesh
  template <typename Leave>
  void cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses, Leave leave) {
    if (when != turn_began_) next_turn(when);
    for (const cmn::MeshPulse& pulse : pulses) {
      if (pulse.event != cmn::FlitEvent::valid) {
        stalled(when, pulse);
      } else if (move(when, pulse)) {
        leave(pulse, fields_[pulse.handle]);
      }
    }
  }
  /// Report the flits that entered the mesh and never left it as lost.
  void finish();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// Places of interfaces in tables, by channel, XP and interface.
  using Place = std::uint32_t;
  static constexpr Place kNowhere = ~Place{0};

  /// A flit on its route. Its fields are elsewhere, so that many flights fit into the cache.
  struct Flight {
    Picoseconds since = 0;       // when it entered the buffer
    Place leaves_by = kNowhere;  // interface by which it must leave its XP; kNowhere: it is not in the mesh
    Place buffer = 0;            // the interface by which it came
    std::uint32_t next = kNone;  // the next flit in the buffer
    std::uint8_t xp = 0;
    std::uint8_t target_xp = 0;
    cmn::Interface target_port = cmn::Interface::port0;
    cmn::Channel channel = cmn::Channel::req;
    [[nodiscard]] bool is_present() const noexcept { return leaves_by != kNowhere; }
  };
  /// The flits at an XP that came from one neighbour or device.
  struct Buffer {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  /// The way to a neighbour.
  struct Step {
    int xps;               // its number minus this one's
    cmn::Interface input;  // where the flit comes in there
  };

  [[nodiscard]] Place place_of(unsigned xp, cmn::Interface interface, cmn::Channel channel) const noexcept {
    return (static_cast<Place>(channel) * xps_ + xp) * cmn::kInterfaces + static_cast<Place>(interface);
  }
  void stalled(Picoseconds when, const cmn::MeshPulse& pulse);
  /// @return whether the flit leaves the mesh by this transmission; not if it continues, or never entered
  bool move(Picoseconds when, const cmn::MeshPulse& pulse) {
    const Place place = place_of(pulse.xp, pulse.interface, pulse.channel);
    use(place, when, pulse);
    const std::uint32_t number = pulse.handle;
    if (number >= flights_.size() || !flights_[number].is_present()) [[unlikely]] {
      from_nowhere(pulse.xp, number, when);
      return false;
    }
    Flight& flight = flights_[number];
    if (flight.leaves_by != place) [[unlikely]]
      off_route(number, pulse.xp, pulse.interface, when);
    leave_buffer(number, when);
    if (is_port(pulse.interface)) {
      flight.leaves_by = kNowhere;
      return true;
    }
    const Step& step = steps_[static_cast<std::size_t>(pulse.interface)];
    const auto xp = static_cast<std::uint8_t>(flight.xp + step.xps);
    if (xp >= xps_) [[unlikely]] {
      // It left the mesh, which was reported above.
      flight.leaves_by = kNowhere;
      return false;
    }
    enter_buffer(number, xp, step.input, when);
    return false;
  }

  /// A flit comes to an XP, from a neighbour or a device. Its channel and target are set.
  void enter_buffer(std::uint32_t flit, std::uint8_t xp, cmn::Interface input, Picoseconds when) {
    Flight& flight = flights_[flit];
    const cmn::Interface way = ways_[xp * xps_ + flight.target_xp];
    if (is_port(way)) __builtin_prefetch(&fields_[flit]);  // it leaves the mesh soon
    flight.xp = xp;
    flight.leaves_by = place_of(xp, is_port(way) ? flight.target_port : way, flight.channel);
    flight.buffer = place_of(xp, input, flight.channel);
    flight.next = kNone;
    flight.since = when;
    Buffer& buffer = buffers_[flight.buffer];
    (buffer.first == kNone ? buffer.first : flights_[buffer.last].next) = flit;
    buffer.last = flit;
  }
  void leave_buffer(std::uint32_t flit, Picoseconds when) {
    const Flight& flight = flights_[flit];
    Buffer& buffer = buffers_[flight.buffer];
    if (buffer.first != flit) [[unlikely]] {
      leave_out_of_order(buffer, flit, when);
      return;
    }
    buffer.first = flight.next;
  }
  /// Check that an interface is used once per cycle. @param place  that of the pulse
  void use(Place place, Picoseconds when, const cmn::MeshPulse& pulse) {
    std::uint8_t& used = used_[place];
    if (used == turn_) [[unlikely]]
      used_twice(pulse.xp, pulse.interface, pulse.channel, when);
    used = turn_;
  }
  /// A cycle begins. Cycles have short numbers, so that used_ fits into the smallest cache.
  void next_turn(Picoseconds when) {
    turn_began_ = when;
    if (++turn_ != kUnused) return;
    std::fill(used_.begin(), used_.end(), kUnused);
    ++turn_;
  }

  /// @name What was found
  /// @{
  void from_nowhere(unsigned xp, std::uint32_t flit, Picoseconds when) const;
  void off_route(std::uint32_t flit, unsigned xp, cmn::Interface interface, Picoseconds when) const;
  void leave_out_of_order(Buffer& buffer, std::uint32_t flit, Picoseconds when);
  void used_twice(unsigned xp, cmn::Interface interface, cmn::Channel channel, Picoseconds when) const;
  void fail(const std::string& kind, const std::string& text, Picoseconds when) const;
  /// @}

  const CmnJudgeSpec& spec_;
  Chronicle& chronicle_;
  CmnNodeIds ids_;
  unsigned xps_;
  std::vector<cmn::Interface> ways_;     // by XP and target XP; port0 stands for all ports
  std::array<Step, 4> steps_;            // by interface
  std::vector<Flight> flights_;          // by number of the flit
  std::vector<cmn::FlitFields> fields_;  // the same
  std::vector<Buffer> buffers_;          // by channel, XP and input interface
  static constexpr std::uint8_t kUnused = 0;
  Picoseconds turn_began_ = ~Picoseconds{0};
  std::uint8_t turn_ = kUnused;     // number of the cycle; after 255 the next is 1
  std::vector<std::uint8_t> used_;  // by channel, XP and interface: the cycle in which it last transmitted or stalled
};

}  // namespace pmufab::scoreboard
