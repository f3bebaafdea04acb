// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "testbench/fabrics/cmn/client/counter_request.h"
#include "testbench/fabrics/cmn/client/mesh.h"

namespace pmufab::cmn_client {

/// A field in the upper half of an event select register. It restricts those events of the node that it belongs to, in
/// all four slots.
struct FilterField {
  unsigned low = 0;    ///< its lowest bit in the register
  unsigned width = 0;  ///< 0: no field
  bool operator==(const FilterField&) const = default;
};

/// The fields that an event has: none, one, or two.
using EventFilters = std::array<FilterField, 2>;

/// @param type   of the node: EventNode::type
/// @param event  number of the event
/// @return the fields that restrict the event (technical reference manuals, pmu_event_sel)
[[nodiscard]] EventFilters filters_of(const Mesh& mesh, unsigned type, unsigned event);

/// Who has which counters, watchpoints and filters of a mesh. Touches no register.
class Counters {
 public:
  static constexpr unsigned kLocals = 4;       // of a DTM
  static constexpr unsigned kWatchpoints = 4;  // of a DTM: two for uploads, then two for downloads
  static constexpr unsigned kGlobals = 8;      // of a DTC

  /// @param mesh  must outlive the object
  explicit Counters(const Mesh& mesh);

  /// Take what a request needs.
  /// @return nothing if that is not free, or the mesh cannot count it
  std::optional<Placement> take(const CounterRequest& request);
  /// Free what take() has returned for the request.
  void give_back(const Placement& placement, const CounterRequest& request);

  /// @return true if a watchpoint of a DTM is taken
  [[nodiscard]] bool has_watchpoint(unsigned dtm, unsigned number) const {
    return dtms_[dtm].watchpoints[number].has_value();
  }
  /// @return the upper half of a node's event select for the filters in use
  [[nodiscard]] std::uint32_t filter_word(unsigned node) const;

 private:
  struct DtmState {
    std::array<bool, kLocals> taken{};
    std::array<std::optional<unsigned>, kWatchpoints> watchpoints{};  // the pair of one that is taken
  };
  struct DtcState {
    std::array<bool, kGlobals> taken{};
    bool cycles = false;
  };
  struct FilterState {
    FilterField field{};
    unsigned value = 0;
    unsigned users = 0;
  };

  [[nodiscard]] bool take_cycles(Placement& placement);
  [[nodiscard]] bool take_sources(const CounterRequest& request, Placement& placement);
  [[nodiscard]] bool take_local(const CounterRequest& request, unsigned source, unsigned dtm, Placement& placement);
  [[nodiscard]] std::optional<unsigned> take_watchpoint(const CounterRequest::Watchpoint& request, DtmState& dtm);
  [[nodiscard]] bool take_filters(const CounterRequest& request, unsigned node);
  [[nodiscard]] bool take_globals(Placement& placement);
  [[nodiscard]] bool is_encodable(const CounterRequest& request) const;

  const Mesh* mesh_;
  std::vector<DtmState> dtms_;
  std::vector<DtcState> dtcs_;
  std::map<unsigned, std::vector<FilterState>> filters_;  // by node
};

}  // namespace pmufab::cmn_client
