// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/cmn/wire/node_types.h"
#include "testbench/fabrics/cmn/judge/watchpoint_image.h"

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
  busy,             ///< cbusy_snthrottle_sel
};

/// An event of a node, by its name in the driver's documents.
struct NodeEvent {
  cmn::NodeType type;
  unsigned id;
  std::string_view root;  ///< name without its type's prefix and its filter's suffix
  NodeFilter filter;
};

/// Products that have an event, as bits.
namespace node_products {
inline constexpr unsigned k600 = 1;
inline constexpr unsigned k650 = 2;
inline constexpr unsigned k700 = 4;  ///< CI-700, too
inline constexpr unsigned kS3 = 8;
inline constexpr unsigned kR2 = 16;     ///< S3 r2
inline constexpr unsigned kNotCi = 32;  ///< a bit beside k700: not CI-700
inline constexpr unsigned kAll = k600 | k650 | k700 | kS3 | kR2;
inline constexpr unsigned kNot600 = kAll & ~k600;
inline constexpr unsigned k700On = k700 | kS3 | kR2;
inline constexpr unsigned kBeforeR2 = kAll & ~kR2;
}  // namespace node_products

struct NodeEventRow {
  NodeEvent event;
  unsigned products;
};

/// The events that docs/cmn-nodes.md describes.
[[nodiscard]] std::span<const NodeEventRow> described_node_events();
/// Further events of the technical reference manuals, which nothing here causes or counts: names and numbers alone.
[[nodiscard]] std::span<const NodeEventRow> further_node_events();

/// A suffix of an event's name, and the code of its filter that it stands for.
struct FilterCode {
  std::string_view name;
  unsigned code;
};
/// @return all of a filter's; of evict_state those of its first filter
[[nodiscard]] std::span<const FilterCode> filter_codes(NodeFilter filter);
/// @return those of the second filter of evict_state.
[[nodiscard]] std::span<const FilterCode> evict_state_codes();

/// An event, and the codes of its filters.
struct NodeEventChoice {
  cmn::NodeType type = cmn::NodeType::hn_f;
  unsigned id = 0;
  unsigned filter = 0;
  unsigned filter2 = 0;
};

/// @return all events that the judge knows of a product
[[nodiscard]] std::vector<NodeEvent> node_events(WatchpointLayout product);
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
