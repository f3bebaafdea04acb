// SPDX-License-Identifier: Apache-2.0
#pragma once

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
                                     std::uint32_t flit);
  void stalled(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel);
  /// Report the flits that entered the mesh and never left it as lost.
  void finish();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr Picoseconds kNever = ~Picoseconds{0};

  /// A flit on its route.
  struct Flight {
    bool present = false;
    cmn::Channel channel = cmn::Channel::req;
    std::uint8_t xp = 0;
    cmn::Interface input = cmn::Interface::port0;  // its present buffer
    cmn::Interface target_port = cmn::Interface::port0;
    std::uint8_t target_xp = 0;
    std::uint32_t next = kNone;  // the next flit in the buffer
    Picoseconds since = 0;       // when it entered the buffer
    cmn::FlitFields fields{};
  };
  /// The flits at an XP that came from one neighbour or device.
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
  /// Check that an interface is used once per cycle.
  void use(unsigned xp, cmn::Interface interface, cmn::Channel channel, Picoseconds when);
  void fail(const std::string& kind, const std::string& text, Picoseconds when) const;

  const CmnJudgeSpec& spec_;
  Chronicle& chronicle_;
  CmnNodeIds ids_;
  std::vector<Position> positions_;  // by XP
  std::vector<Flight> flights_;      // by number of the flit
  std::vector<Buffer> buffers_;      // by XP, input interface, channel
  std::vector<Picoseconds> used_;    // by XP, interface, channel: when it last transmitted or stalled
};

}  // namespace pmufab::scoreboard
