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

/// The mesh as its rules are written in mesh_engine.h, by queues, counters and loops over everything: slow, and without
/// anything of the engine's. Credits are counters, and each return of one is an entry in a list.
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
  /// One cycle; `events` and `arrived` are what happened in it.
  void step();

  std::vector<Event> events;
  std::vector<Arrived> arrived;
  std::map<Event, std::uint64_t> totals;  ///< by event, with handle 0
  [[nodiscard]] bool empty() const { return in_flight_ == 0; }

 private:
  struct Travelling {
    Flit flit;
    Cycle when;  ///< it may leave, or reaches the device
  };
  /// A buffer (XP, from where) or a device (XP, port), each with the credits its one sender holds.
  struct Queue {
    std::deque<Travelling> flits;
    unsigned credits = 0;
    std::deque<Cycle> returning;  ///< when credits are back
  };
  struct Output {
    unsigned first = 0;              ///< whose turn it is
    std::optional<unsigned> holder;  ///< buffer of the packet that is going through
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
