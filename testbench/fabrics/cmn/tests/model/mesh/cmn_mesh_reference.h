// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "models/cmn/engine/mesh_flit.h"
#include "models/cmn/engine/mesh_parameters.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// The mesh by the rules in mesh_engine.h, with queues, counters and loops over everything. It is slow and shares no
/// code with the engine. Credits are counters, and each credit on its way back is an entry in a list.
class ReferenceMesh {
 public:
  struct Event {
    std::uint32_t handle;
    unsigned xp;
    unsigned interface;
    unsigned channel;
    bool stall;
    auto operator<=>(const Event&) const = default;
  };
  struct Arrived {
    std::uint32_t handle;
    unsigned xp;
    unsigned port;
    unsigned channel;
    auto operator<=>(const Arrived&) const = default;
  };

  explicit ReferenceMesh(const MeshParameters& parameters);

  [[nodiscard]] bool ready(Channel channel, unsigned xp, unsigned port) const;
  void upload(Channel channel, unsigned xp, unsigned port, const Flit& flit);
  void take(Channel channel, unsigned xp, unsigned port);
  /// Simulate one cycle. `events` and `arrived` are its results.
  void step();

  std::vector<Event> events;
  std::vector<Arrived> arrived;
  std::map<Event, std::uint64_t> totals;  ///< by event, with handle 0
  [[nodiscard]] bool empty() const { return in_flight_ == 0; }

 private:
  struct Travelling {
    Flit flit;
    Cycle when;  ///< it may leave, or it reaches the device
  };
  /// A buffer (XP and side) or a device (XP and port), with the credits of its only sender.
  struct Queue {
    std::deque<Travelling> flits;
    unsigned credits = 0;
    std::deque<Cycle> returning;  ///< times at which credits are back
  };
  struct Output {
    unsigned first = 0;              ///< the first in the next round
    std::optional<unsigned> holder;  ///< buffer of the packet in transit
  };
  using Place = std::tuple<unsigned, unsigned, unsigned>;  ///< channel, XP, interface

  [[nodiscard]] unsigned output_of(const Flit& flit, unsigned xp) const;
  [[nodiscard]] Queue& destination(unsigned channel, unsigned xp, unsigned output);

  MeshParameters parameters_;
  std::map<Place, Queue> buffers_;
  std::map<Place, Queue> devices_;
  std::map<Place, Output> outputs_;
  std::map<Place, Cycle> uploaded_;
  Cycle now_ = 0;
  unsigned in_flight_ = 0;
};

}  // namespace pmufab::cmn
