// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/cmn/wire/node_types.h"
#include "testbench/scoreboard/cmn/watchpoint_image.h"

namespace pmufab::scoreboard {

/// The filter of its node's event select that applies to an event.
enum class NodeFilter : std::uint8_t {
  none,
  occupancy,        ///< occup1_id
  dvm_occupancy,    ///< occup1_id of a DVM node
  qos_class,        ///< class_occup_id
  hbt_lbt,          ///< hbt_lbt_sel
  sn_home,          ///< sn_home_sel
  virtual_channel,  ///< snp_vc_sel
  enhanced,         ///< enhanced_hbt_lbt_sel
  evict_state,      ///< hbt_lbt_sel, and evict_state_sel as the second
};

/// An event of a node, by its name in the driver's documents.
struct NodeEvent {
  cmn::NodeType type;
  unsigned id;
  std::string_view root;  ///< name without its type's prefix and its filter's suffix
  NodeFilter filter;
};

/// An event, and the codes of its filters.
struct NodeEventChoice {
  cmn::NodeType type = cmn::NodeType::hn_f;
  unsigned id = 0;
  unsigned filter = 0;
  unsigned filter2 = 0;
};

/// @return all events that the judge knows of a product
[[nodiscard]] std::vector<NodeEvent> node_events(WatchpointLayout product);
/// @return the names of an event's filter codes, and the codes: "read" and 1. Of evict_state, those of the first filter.
[[nodiscard]] std::vector<std::pair<std::string_view, unsigned>> filter_codes(NodeFilter filter);
/// @return the same for the second filter of evict_state
[[nodiscard]] std::vector<std::pair<std::string_view, unsigned>> evict_state_codes();
/// @param name  with prefix and suffix: "hns_slc_eviction_hbt_mu"
/// @return nothing if the judge does not know such an event of the product
[[nodiscard]] std::optional<NodeEventChoice> find_node_event(std::string_view name, WatchpointLayout product);
/// The same by numbers. A filter that does not apply to the event has no effect.
[[nodiscard]] std::optional<NodeEventChoice> find_node_event(std::uint64_t type, std::uint64_t id, unsigned filter,
                                                             unsigned filter2, WatchpointLayout product);
/// @return none for an unknown event
[[nodiscard]] NodeFilter node_filter(cmn::NodeType type, unsigned id, WatchpointLayout product);

/// @return "hnf", "rnid", ..., the prefix of event names; "node" for a type without events.
[[nodiscard]] std::string_view node_type_name(cmn::NodeType type);

}  // namespace pmufab::scoreboard
