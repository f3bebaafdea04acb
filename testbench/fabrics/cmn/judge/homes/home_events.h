// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "models/cmn/wire/flit_fields.h"
#include "testbench/fabrics/cmn/judge/nodes/node_event_rows.h"

namespace pmufab::scoreboard {

/// @return the number of a home's event by its name at an HN-S. An unknown name does not compile.
consteval unsigned home_event(std::string_view name) {
  for (const NodeEvent& row : node_event_rows::kRows) {
    if (row.type == cmn::NodeType::hn_s && row.root == name && row.never.empty()) return row.id;
  }
  throw "docs/cmn-nodes.md does not say when an event of this name happens";
}

/// Section 3, rule 8: 0 QoS 15, 1 QoS 12-14, 2 QoS 8-11, 3 QoS 0-7.
[[nodiscard]] constexpr unsigned qos_class(const cmn::FlitFields& request) {
  if (request.qos == 15) return 0;
  if (request.qos >= 12) return 1;
  return request.qos >= 8 ? 2 : 3;
}

}  // namespace pmufab::scoreboard
