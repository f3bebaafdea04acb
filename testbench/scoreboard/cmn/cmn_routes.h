// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/cmn/wire/flit_image.h"
#include "models/cmn/wire/types.h"
#include "testbench/scoreboard/cmn/cmn_node_ids.h"
#include "testbench/scoreboard/core/pmu_judge.h"

namespace pmufab::scoreboard {

/// Follows every flit of a mesh: the way it takes, the order in which buffers give their flits, one flit per interface
/// and cycle, and that something waits where something stalls.
class CmnRoutes {
 public:
  /// @param spec  and chronicle outlive the routes
  CmnRoutes(const CmnJudgeSpec& spec, Chronicle& chronicle);

  void uploaded(Picoseconds when, unsigned xp, unsigned port, cmn::Channel channel, std::uint32_t flit,
                const cmn::FlitFields& fields);
  /// @return the fields of a flit that leaves the mesh by this; nullptr if it goes on, or never came in
  const cmn::FlitFields* transmitted(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel,
                                     std::uint32_t flit);
  void stalled(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel);
  /// Flits that entered the mesh and never left it are lost.
  void finish();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr Picoseconds kNever = ~Picoseconds{0};

  /// A flit on its way.
  struct Flight {
    bool present = false;
    cmn::Channel channel = cmn::Channel::req;
    std::uint8_t xp = 0;
    cmn::Interface input = cmn::Interface::port0;  // the buffer it is in
    cmn::Interface target_port = cmn::Interface::port0;
    std::uint8_t target_xp = 0;
    std::uint32_t next = kNone;  // behind it in the buffer
    Picoseconds since = 0;       // when it came there
    cmn::FlitFields fields{};
  };
  /// What waits at an XP, come from a neighbour or a device.
  struct Buffer {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Position {
    std::uint8_t x;
    std::uint8_t y;
  };

  [[nodiscard]] std::size_t index(unsigned xp, cmn::Interface interface, cmn::Channel channel) const {
    return (std::size_t{xp} * cmn::kInterfaces + static_cast<std::size_t>(interface)) * cmn::kChannels +
           static_cast<std::size_t>(channel);
  }
  [[nodiscard]] cmn::Interface way(const Flight& flight) const;
  void enter_buffer(std::uint32_t flit, Picoseconds when);
  void leave_buffer(std::uint32_t flit, Picoseconds when);
  /// An interface works once in a cycle.
  void use(unsigned xp, cmn::Interface interface, cmn::Channel channel, Picoseconds when);
  void fail(const std::string& kind, const std::string& text, Picoseconds when) const;

  const CmnJudgeSpec& spec_;
  Chronicle& chronicle_;
  CmnNodeIds ids_;
  std::vector<Position> positions_;  // by XP
  std::vector<Flight> flights_;      // by number of the flit
  std::vector<Buffer> buffers_;      // by XP, interface they come from, channel
  std::vector<Picoseconds> used_;    // by XP, interface, channel: when it last transmitted or stalled
};

}  // namespace pmufab::scoreboard
