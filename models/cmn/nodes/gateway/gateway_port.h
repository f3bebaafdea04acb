// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "models/cmn/mesh.h"

namespace pmufab::cmn {

/// Shared by the parts of a gateway: the port they send through, and the event select registers of its nodes.
class GatewayPort {
 public:
  /// Event sources, as numbered by Layout::sources().
  struct Sources {
    std::optional<unsigned> ra;   ///< CXRA or CCRA
    std::optional<unsigned> ha;   ///< CXHA or CCHA
    std::optional<unsigned> la;   ///< CCLA, or that half of a CCLA_RNI; a CXLA has none
    std::optional<unsigned> rni;  ///< the RN-I half of a CCLA_RNI
    bool is_ccg = false;          ///< nodes of a CCG: more events, different numbers
  };

  /// @param device   attached to `mesh` with `node_id`
  /// @param latency  cycles from a decision until the flit is ready, at least 1
  GatewayPort(Mesh& mesh, unsigned device, std::uint16_t node_id, unsigned latency, const Sources& sources)
      : mesh_(mesh), device_(device), node_id_(node_id), latency_(latency), sources_(sources) {}

  [[nodiscard]] std::uint16_t node_id() const noexcept { return node_id_; }
  [[nodiscard]] unsigned latency() const noexcept { return latency_; }
  [[nodiscard]] const Sources& sources() const noexcept { return sources_; }
  [[nodiscard]] Mesh& mesh() noexcept { return mesh_; }
  [[nodiscard]] Picoseconds time_of(Cycle cycle) const noexcept { return mesh_.clock().time_of_edge(cycle); }

  /// Send a flit `latency` cycles after `now`.
  void post(Channel channel, const FlitFields& fields, Cycle now, bool tell = false) {
    mesh_.post(device_, channel, fields, now + latency_, tell);
  }
  /// Let the gateway run in cycle `when`.
  void call(Cycle when) { mesh_.call(device_, when); }
  void fire(std::optional<unsigned> source, unsigned id, Cycle now, std::uint64_t amount = 1) {
    if (source && mesh_.pmu().listens(*source, id))
      mesh_.pmu().node_event(*source, id, kEveryClass, amount, time_of(now));
  }
  void add_occupancy(std::optional<unsigned> source, unsigned id, const Occupancy& occupancy) {
    if (source) mesh_.pmu().add_occupancy(*source, id, occupancy);
  }
  /// Count an event for each cycle in which a condition holds.
  void add_cycles(std::optional<unsigned> source, unsigned id, const CycleCondition& condition) {
    if (source) mesh_.pmu().add_cycles(*source, id, condition);
  }
  void count_holds(Channel channel, std::optional<unsigned> source, unsigned id) {
    if (source) mesh_.count_holds(device_, channel, *source, id);
  }

 private:
  Mesh& mesh_;
  unsigned device_;
  std::uint16_t node_id_;
  unsigned latency_;
  Sources sources_;
};

}  // namespace pmufab::cmn
