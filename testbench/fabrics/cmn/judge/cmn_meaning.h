// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/cmn/wire/node_types.h"
#include "models/cmn/wire/types.h"
#include "testbench/fabrics/cmn/judge/watchpoint_image.h"
#include "testbench/judge/events/event_truth.h"

namespace pmufab::scoreboard {

/// What a CMN PMU must count for a user's event text.
struct CmnMeaning {
  enum class Kind : std::uint8_t { cycles, flits, watchpoint, node };
  Kind kind = Kind::cycles;
  std::optional<std::uint16_t> node;  ///< only this XP or node; otherwise all

  // for flits
  cmn::FlitEvent event = cmn::FlitEvent::valid;
  cmn::Interface interface = cmn::Interface::east;
  cmn::Channel channel = cmn::Channel::req;  ///< for a watchpoint: req, rsp, snp, dat

  // for a watchpoint
  bool upload = true;
  unsigned port = 0;
  unsigned group = 0;
  bool exclusive = false;
  unsigned combine = 0;  ///< not 0: counts flits that both events with this number match
  std::uint64_t value = 0;
  std::uint64_t mask = 0;  ///< 1: ignore the bit

  // for a node
  cmn::NodeType type = cmn::NodeType::hn_f;  ///< as in event texts: rn_i for an RN-D
  unsigned event_id = 0;
  unsigned filter = 0;   ///< code that the event's filter selects; 0 without a filter
  unsigned filter2 = 0;  ///< the same for its second filter

  std::string text;  ///< for reports
};

/// @return "p0", "e", as in the names of a crosspoint's events; "p5" for an interface that no event names
[[nodiscard]] std::string xp_interface_name(cmn::Interface interface);
/// @return "req2", as in those names
[[nodiscard]] std::string xp_channel_name(cmn::Channel channel);

/// Filters of node events and terms of watchpoints share bits.
/// @param numbers  the event's other fields, `type` among them
/// @return whether an event of this type has the field
[[nodiscard]] bool cmn_has_term(std::string_view term, const EventTerms& numbers);

/// The kernel document's meaning of an event text: an event's name or `type=` and `eventid=`, `bynodeid=1,nodeid=`, and
/// the terms wp_* of watchpoints.
/// @param product  selects the ids and names of node events
/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, no event, or an event whose
///         truth this scoreboard does not know
[[nodiscard]] CmnMeaning cmn_meaning(const EventTerms& terms, WatchpointLayout product = WatchpointLayout::cmn700);

}  // namespace pmufab::scoreboard
