// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/cmn/description/topology.h"

namespace pmufab::cmn {

/// @param events    type whose event ids apply: EventSource::events, or xp
/// @param event_id  as software selects it
/// @return true if the models make this event happen. Where counts are checked, only such events may be counted.
[[nodiscard]] bool is_modelled(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept;

/// @return why an event is not modelled, in a few words; empty for a modelled event.
[[nodiscard]] std::string_view reason_not_modelled(Product product, unsigned revision, NodeType events,
                                                   unsigned event_id) noexcept;

/// The answer of a family for an id that the product does not have.
inline constexpr std::string_view kNoSuchEvent = "this product has no such event";

/// The parts of reason_not_modelled(), one source file per family of nodes; empty for a modelled event.
/// @{ HN-F and HN-S.
[[nodiscard]] std::string_view reason_of_home_event(Product product, unsigned revision, NodeType events,
                                                    unsigned event_id) noexcept;
/// HN-I, HN-P, SBSX, MTSX, RN-I (also that of CCLA_RNI), RN-D, DVM.
[[nodiscard]] std::string_view reason_of_io_event(Product product, unsigned revision, NodeType events,
                                                  unsigned event_id) noexcept;
/// CXRA, CXHA, CCRA, CCHA, CCLA.
[[nodiscard]] std::string_view reason_of_gateway_event(Product product, unsigned revision, NodeType events,
                                                       unsigned event_id) noexcept;
/// @}

}  // namespace pmufab::cmn
