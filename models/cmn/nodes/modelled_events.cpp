// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/modelled_events.h"

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

namespace {

/// XP event ids are composed: event in bits 1:0, interface in 4:2, channel above.
std::string_view reason_of_xp(unsigned event_id) noexcept {
  if ((event_id & 3U) == 0) return kNoSuchEvent;
  if ((event_id & 3U) == 3) return "the mesh does not tell partial DAT flits from whole ones";
  return {};
}

}  // namespace

std::string_view reason_not_modelled(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept {
  switch (events) {
    case NodeType::xp:
      return reason_of_xp(event_id);
    case NodeType::dtc:
      return {};  // the cycle counter, whatever the id
    case NodeType::hn_f:
    case NodeType::hn_s:
      return reason_of_home_event(product, revision, events, event_id);
    case NodeType::hn_i:
    case NodeType::hn_p:
    case NodeType::sbsx:
    case NodeType::mtsx:
    case NodeType::rn_i:
    case NodeType::rn_d:
    case NodeType::dvm:
      return reason_of_io_event(product, revision, events, event_id);
    case NodeType::cxra:
    case NodeType::cxha:
    case NodeType::ccra:
    case NodeType::ccha:
    case NodeType::ccla:
      return reason_of_gateway_event(product, revision, events, event_id);
    default:
      return "such nodes have no events";
  }
}

bool is_modelled(Product product, unsigned revision, NodeType events, unsigned event_id) noexcept {
  return reason_not_modelled(product, revision, events, event_id).empty();
}

}  // namespace pmufab::cmn
