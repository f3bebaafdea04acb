// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/cmn/wire/topology.h"

namespace pmufab::cmn {

/// @param events    whose event: EventSource::events, or xp
/// @param event_id  as software selects it
/// @return whether the models make this event happen. Only such may be counted where counts are checked.
[[nodiscard]] bool is_modelled(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept;

/// @return why an event is not modelled, in a few words; empty for one that is.
[[nodiscard]] std::string_view reason_not_modelled(Product product, unsigned revision, NodeType events,
                                                   unsigned event_id) noexcept;

/// What a family's answer is for an id the product does not have.
inline constexpr std::string_view kNoSuchEvent = "this product has no such event";

/// What reason_not_modelled() asks, one source file per family of nodes; empty for an event that is modelled.
/// @{
/// HN-F and HN-S.
[[nodiscard]] std::string_view reason_of_home_event(Product product, unsigned revision, NodeType events,
                                                    unsigned event_id) noexcept;
/// HN-I, HN-P, SBSX, MTSX, RN-I (of CCLA_RNI too), RN-D, DVM.
[[nodiscard]] std::string_view reason_of_io_event(Product product, unsigned revision, NodeType events,
                                                  unsigned event_id) noexcept;
/// CXRA, CXHA, CCRA, CCHA, CCLA.
[[nodiscard]] std::string_view reason_of_gateway_event(Product product, unsigned revision, NodeType events,
                                                       unsigned event_id) noexcept;
/// @}

}  // namespace pmufab::cmn
