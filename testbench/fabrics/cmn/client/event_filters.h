// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

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

}  // namespace pmufab::cmn_client
