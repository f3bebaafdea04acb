// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/cmn/description/event_rows.h"
#include "models/cmn/mesh.h"

namespace pmufab::cmn {

/// @return the number of a home's event by its name at an HN-S. HN-Fs have the same numbers, and no names of events that
///         are about another mesh.
consteval std::uint8_t home_event(std::string_view name) { return event_id(NodeType::hn_s, name); }

/// The classes of an event's occurrence for each kind of filter: bit c for code c.
struct HomeClasses {
  /// Make the classes of an occurrence that passes every filter.
  HomeClasses() noexcept { codes.fill(0xffff); }
  [[nodiscard]] std::uint16_t& of(FilterKind kind) noexcept { return codes[static_cast<unsigned>(kind)]; }
  [[nodiscard]] std::uint16_t of(FilterKind kind) const noexcept { return codes[static_cast<unsigned>(kind)]; }

  std::array<std::uint16_t, kFilterKinds> codes;
};

/// The output of a home: messages, which go after its latency, and events, which happen at once.
class HomeOutput {
 public:
  /// @param node     index in Layout::nodes() of the home
  /// @param device   its number at the mesh
  /// @param latency  of messages, in cycles
  HomeOutput(Mesh& mesh, unsigned node, unsigned device, unsigned latency);

  /// All further calls happen in this cycle.
  void begin(Cycle now) noexcept {
    if (now == now_) return;
    now_ = now;
    when_ = mesh_.time_of(now);
  }
  [[nodiscard]] Cycle now() const noexcept { return now_; }

  /// @param tell  call MeshDevice::sent() when the flit goes
  void post(Channel channel, const FlitFields& fields, bool tell = false) {
    mesh_.post(device_, channel, fields, now_ + latency_, tell);
  }
  void publish(std::uint8_t event, const HomeClasses& classes) {
    const Event& known = events_[event];
    if (!known.exists || !mesh_.pmu().listens(source_, event)) return;
    const EventFilters& filters = known.filters;
    mesh_.pmu().node_event(source_, event, classes.of(filters.first) | FilterClasses{classes.of(filters.second)} << 16,
                           1, when_);
  }
  /// An event that no filter restricts.
  void publish(std::uint8_t event) { publish(event, everything_); }
  /// Let an event count an occupancy (not owned).
  void add_occupancy(std::uint8_t event, const Occupancy& occupancy);
  /// Let an event count the cycles in which a flit of the channel is held.
  void count_holds(std::uint8_t event, Channel channel);

  /// @return true for an HN-S, false for an HN-F.
  [[nodiscard]] bool is_hn_s() const noexcept { return is_hn_s_; }

 private:
  struct Event {
    bool exists = false;  // on this product and revision
    EventFilters filters{};
  };

  Mesh& mesh_;
  unsigned device_;
  unsigned latency_;
  unsigned source_ = 0;
  bool is_hn_s_;
  std::array<Event, 0x80> events_{};  // by number
  HomeClasses everything_;
  Cycle now_ = kNoCycle;
  Picoseconds when_ = 0;
};

}  // namespace pmufab::cmn
