// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/cmn/wire/flit_fields.h"
#include "models/cmn/wire/types.h"
#include "testbench/scoreboard/cmn/cmn_node_ids.h"
#include "testbench/scoreboard/core/pmu_judge.h"

namespace pmufab::scoreboard {

/// Follows every flit of a mesh. It checks routes, the order of flits in buffers, that an interface sends at most one
/// flit per cycle, and that a stall has a waiting flit.
class CmnRoutes {
 public:
  /// @param spec  it and chronicle must outlive the routes
  CmnRoutes(const CmnJudgeSpec& spec, Chronicle& chronicle);

  void uploaded(Picoseconds when, unsigned xp, unsigned port, cmn::Channel channel, std::uint32_t flit,
                const cmn::FlitFields& fields);
  /// @return the fields of a flit that leaves the mesh by this transmission; nullptr if it continues, or never entered
  const cmn::FlitFields* transmitted(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel,
                                     std::uint32_t flit) {
    use(xp, interface, channel, when);
    if (flit >= flights_.size() || !flights_[flit].present) [[unlikely]] {
      from_nowhere(xp, flit, when);
      return nullptr;
    }
    Flight& flight = flights_[flit];
    if (flight.xp != xp || flight.channel != channel || way(flight) != interface) [[unlikely]]
      off_route(flit, xp, interface, when);
    leave_buffer(flit, when);
    if (is_port(interface)) {
      flight.present = false;
      return &fields_[flit];
    }
    const Step& step = steps_[static_cast<std::size_t>(interface)];
    flight.xp = static_cast<std::uint8_t>(flight.xp + step.xps);
    if (flight.xp >= xps_) [[unlikely]] {
      // It left the mesh, which was reported above.
      flight.present = false;
      return nullptr;
    }
    flight.input = step.input;
    enter_buffer(flit, when);
    return nullptr;
  }
  void stalled(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel);
  /// Report the flits that entered the mesh and never left it as lost.
  void finish();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr Picoseconds kNever = ~Picoseconds{0};

  /// A flit on its route. Its fields are elsewhere, so that many flights fit into the cache.
  struct Flight {
    Picoseconds since = 0;       // when it entered the buffer
    std::uint32_t next = kNone;  // the next flit in the buffer
    bool present = false;
    cmn::Channel channel = cmn::Channel::req;
    std::uint8_t xp = 0;
    cmn::Interface input = cmn::Interface::port0;  // its present buffer
    cmn::Interface target_port = cmn::Interface::port0;
    std::uint8_t target_xp = 0;
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

  [[nodiscard]] std::size_t index(unsigned xp, cmn::Interface interface, cmn::Channel channel) const {
    return (static_cast<std::size_t>(channel) * xps_ + xp) * cmn::kInterfaces + static_cast<std::size_t>(interface);
  }
  /// @return the interface by which the flight must leave its XP.
  [[nodiscard]] cmn::Interface way(const Flight& flight) const {
    const cmn::Interface way = ways_[flight.xp * xps_ + flight.target_xp];
    return is_port(way) ? flight.target_port : way;
  }
  void enter_buffer(std::uint32_t flit, Picoseconds when) {
    Flight& flight = flights_[flit];
    flight.next = kNone;
    flight.since = when;
    Buffer& buffer = buffers_[index(flight.xp, flight.input, flight.channel)];
    (buffer.first == kNone ? buffer.first : flights_[buffer.last].next) = flit;
    buffer.last = flit;
  }
  void leave_buffer(std::uint32_t flit, Picoseconds when) {
    const Flight& flight = flights_[flit];
    Buffer& buffer = buffers_[index(flight.xp, flight.input, flight.channel)];
    if (buffer.first != flit) [[unlikely]] {
      leave_out_of_order(buffer, flit, when);
      return;
    }
    buffer.first = flight.next;
  }
  /// Check that an interface is used once per cycle.
  void use(unsigned xp, cmn::Interface interface, cmn::Channel channel, Picoseconds when) {
    Picoseconds& used = used_[index(xp, interface, channel)];
    if (used == when) [[unlikely]]
      used_twice(xp, interface, channel, when);
    used = when;
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
  std::vector<Picoseconds> used_;        // by channel, XP and interface: when it last transmitted or stalled
};

}  // namespace pmufab::scoreboard
