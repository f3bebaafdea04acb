// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/cmn/description/layout.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/verify/cmn_driver.h"
#include "testbench/fabrics/cmn/verify/mesh_plan.h"
#include "testbench/fabrics/common/random.h"

namespace pmufab::verify {

/// A place at which an event is counted: a node, or a crosspoint.
struct EventPlace {
  unsigned node = 0;         ///< its node id
  unsigned domain = 0;       ///< of its DTC
  unsigned dtm = 0;          ///< whose counter it takes
  unsigned checked_dtm = 0;  ///< the DTM that the driver thinks of when it checks groups
};

/// An event of a mesh that its driver must take.
struct MeshEvent {
  enum class Kind : std::uint8_t { cycles, flits, watchpoint, node };
  using Filter = std::pair<scoreboard::NodeFilter, unsigned>;  // and its code

  Kind kind = Kind::cycles;
  std::string text;                ///< of perf
  std::vector<EventPlace> places;  ///< none for cycles
  std::vector<Filter> filters;     ///< of a node's event
  bool upload = false;             ///< of a watchpoint
  unsigned group = 0;
  bool combined = false;          ///< its flits must also match another watchpoint's
  bool exclusive = false;         ///< it, or one of its pair, counts flits that do not match
  std::vector<MeshEvent> pair{};  ///< both of a combined pair. The text is their group
  std::string key;                ///< the occurrence without its place: "node 5 1"
  /// Text of the same occurrence at one place; empty: it cannot be injected.
  std::string source;  ///< with {} for the node id
};

/// Makes events of a mesh.
class EventMaker {
 public:
  /// @param number  of the mesh: 0 for arm_cmn_0
  EventMaker(Random& random, const MeshPlan& plan, const CmnDriver& driver, unsigned number);

  /// @return a random event of any kind but cycles
  [[nodiscard]] MeshEvent make();
  [[nodiscard]] MeshEvent cycles() const;
  [[nodiscard]] MeshEvent flits();
  [[nodiscard]] MeshEvent watchpoint();
  [[nodiscard]] std::optional<MeshEvent> node();
  /// @return the last node's event with another code of its filter, most likely; nothing if it has none
  [[nodiscard]] std::optional<MeshEvent> other_code();

  [[nodiscard]] const std::string& pmu() const { return pmu_; }
  [[nodiscard]] const cmn::Layout& layout() const { return layout_; }

 private:
  struct TypeNodes {
    cmn::NodeType type;  // as events name it: rn_i for an RN-D
    std::vector<EventPlace> places;
  };
  void list_nodes();
  [[nodiscard]] MeshEvent made_of(const scoreboard::NodeEvent& event, const std::vector<EventPlace>& places);
  [[nodiscard]] bool is_offered(const scoreboard::NodeEvent& event) const;
  [[nodiscard]] bool driver_filters(const scoreboard::NodeEvent& event) const;
  [[nodiscard]] std::string node_text(const scoreboard::NodeEvent& event, unsigned code, unsigned code2);
  [[nodiscard]] std::pair<unsigned, unsigned> draw_codes(const scoreboard::NodeEvent& event, MeshEvent& made);
  [[nodiscard]] std::string flits_text(unsigned id);
  [[nodiscard]] unsigned draw_interface();
  [[nodiscard]] cmn::Channel draw_channel();
  struct Comparison {
    std::uint64_t value = 0;
    std::uint64_t mask = 0;
  };
  [[nodiscard]] Comparison draw_comparison(cmn::Channel channel, unsigned group, bool upload);
  [[nodiscard]] std::vector<EventPlace> crosspoints(unsigned port) const;
  /// Count at all places, or at one.
  void choose_places(MeshEvent& event, std::vector<EventPlace> places, const std::string& terms, bool one_only);

  Random& random_;
  bool is_linked_;
  const MeshPlan& plan_;
  const CmnDriver& driver_;
  std::string pmu_;
  cmn::Layout layout_;
  scoreboard::WatchpointLayout product_;
  std::vector<TypeNodes> types_;
  std::optional<scoreboard::NodeEvent> last_;
  std::vector<EventPlace> last_places_;
  std::optional<unsigned> last_state_;  // of the last event with two filters
  unsigned combine_;                    // the number of all pairs
  bool exclusives_;
  std::vector<unsigned> used_ports_;  // by crosspoint
};

/// Whether events of a mesh fit together.
class CmnFit {
 public:
  CmnFit(const CmnDriver& driver, cmn::Product product, unsigned dtcs);
  /// @param is_group  as one group: the driver's check is stricter than its hardware
  [[nodiscard]] bool fits(const std::vector<const MeshEvent*>& events, bool is_group) const;
  /// Why a driver refuses a group.
  enum class Refusal : std::uint8_t { cycles, dtc_full, dtm_full, filter, watchpoints_full, combination };
  /// @return why the driver refuses the last event of a group that it takes without it; none: it takes it. Some groups it
  ///         takes, and they never count.
  [[nodiscard]] std::set<Refusal> refusals(const std::vector<const MeshEvent*>& events) const;

 private:
  struct Checked;
  [[nodiscard]] std::set<Refusal> refusals(const MeshEvent& event, const Checked& others) const;
  void add(const MeshEvent& event, Checked& others) const;
  /// Where the driver does not see domains, an event is in all of them.
  [[nodiscard]] unsigned domain_of(const EventPlace& place) const { return sees_domains_ ? place.domain : 0; }
  [[nodiscard]] bool dtcs_have_room(const std::vector<const MeshEvent*>& events, bool is_group) const;
  [[nodiscard]] bool dtms_have_room(const std::vector<const MeshEvent*>& events, bool is_group) const;
  [[nodiscard]] bool watchpoints_fit(const std::vector<const MeshEvent*>& events, bool is_group) const;
  [[nodiscard]] static bool filters_fit(const std::vector<const MeshEvent*>& events, bool is_group);

  bool full_dtc_alone_;
  bool watchpoints_by_group_;
  bool combines_;
  bool sees_domains_;
  unsigned dtcs_;
};

}  // namespace pmufab::verify
