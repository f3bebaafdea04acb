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

/// Products and revisions with the same events, as bits.
using NodeReleases = std::uint16_t;
namespace node_releases {
inline constexpr NodeReleases k600R0 = 1;  ///< r0p0 to r1p1
inline constexpr NodeReleases k600R1p2 = 2;
inline constexpr NodeReleases k600R1p3 = 4;  ///< and later
inline constexpr NodeReleases k650R0 = 8;    ///< all but r2p0
inline constexpr NodeReleases k650R2 = 16;   ///< r2p0
inline constexpr NodeReleases k700R0 = 32;
inline constexpr NodeReleases k700R1 = 64;
inline constexpr NodeReleases k700R2 = 128;  ///< and later
inline constexpr NodeReleases kCi700 = 256;
inline constexpr NodeReleases kS3 = 512;     ///< r0 and r1
inline constexpr NodeReleases kS3R2 = 1024;  ///< and later
inline constexpr NodeReleases k600R1p2On = k600R1p2 | k600R1p3;
inline constexpr NodeReleases k600 = k600R0 | k600R1p2On;
inline constexpr NodeReleases k650 = k650R0 | k650R2;
inline constexpr NodeReleases k700 = k700R0 | k700R1 | k700R2;
inline constexpr NodeReleases kS3All = kS3 | kS3R2;
inline constexpr NodeReleases kNot600 = k650 | k700 | kCi700 | kS3All;
inline constexpr NodeReleases kAll = k600 | kNot600;
inline constexpr NodeReleases kBeforeR2 = kAll & ~kS3R2;
}  // namespace node_releases
/// @return one bit
[[nodiscard]] NodeReleases release_of(WatchpointLayout product, unsigned revision, bool is_ci);

/// An event of a node, by its name in the driver's documents.
struct NodeEvent {
  cmn::NodeType type;
  unsigned id;
  std::string_view root;  ///< name without its type's prefix and its filter's suffix
  NodeFilter filter;
  NodeReleases releases;     ///< that show the event with this name and filter
  std::string_view never{};  ///< why nothing makes it happen; empty: docs/cmn-nodes.md says when it happens
};
/// @return all of all products
[[nodiscard]] std::span<const NodeEvent> all_node_events();

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

/// @return all events of a product that happen
[[nodiscard]] std::vector<NodeEvent> node_events(WatchpointLayout product);
/// @param name  with prefix and suffix: "hns_slc_eviction_hbt_mu"
/// @return nothing if the judge does not know such an event of the product
[[nodiscard]] std::optional<NodeEventChoice> find_node_event(std::string_view name, WatchpointLayout product);
/// The same by numbers. A filter that does not apply to the event has no effect.
[[nodiscard]] std::optional<NodeEventChoice> find_node_event(std::uint64_t type, std::uint64_t id, unsigned filter,
                                                             unsigned filter2, WatchpointLayout product);
/// @return why an event is not counted, in a few words; empty: it happens. Nothing: that release has no such event. Drivers
///         hide events of early revisions; where documents do not say that an early revision lacks them, it has them here.
[[nodiscard]] std::optional<std::string_view> why_never(cmn::NodeType type, unsigned id, NodeReleases release);
/// @return none for an unknown event
[[nodiscard]] NodeFilter node_filter(cmn::NodeType type, unsigned id, WatchpointLayout product);

/// @return "hnf", "rnid", ..., the prefix of event names; "node" for a type without events.
[[nodiscard]] std::string_view node_type_name(cmn::NodeType type);

}  // namespace pmufab::scoreboard
