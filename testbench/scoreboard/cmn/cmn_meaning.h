// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/cmn/wire/topology.h"
#include "models/cmn/wire/types.h"
#include "testbench/scoreboard/cmn/watchpoint_image.h"
#include "testbench/scoreboard/core/event_truth.h"

namespace pmufab::scoreboard {

/// What a user's event text asks a CMN PMU to count.
struct CmnMeaning {
  enum class Kind : std::uint8_t { cycles, flits, watchpoint, node };
  Kind kind = Kind::cycles;
  std::optional<std::uint16_t> node;  ///< of this XP or node alone; otherwise of all

  // flits
  cmn::FlitEvent event = cmn::FlitEvent::valid;
  cmn::Interface interface = cmn::Interface::east;
  cmn::Channel channel = cmn::Channel::req;  ///< watchpoint: req, rsp, snp, dat

  // watchpoint
  bool upload = true;
  unsigned port = 0;
  unsigned group = 0;
  bool exclusive = false;
  unsigned combine = 0;  ///< not 0: matches count where both events of the same number match
  std::uint64_t value = 0;
  std::uint64_t mask = 0;  ///< 1: ignore the bit

  // node
  cmn::NodeType type = cmn::NodeType::hn_f;  ///< as event texts name it: of an RN-D rn_i
  unsigned event_id = 0;
  unsigned filter = 0;   ///< code the event's filter selects; 0 if it heeds none
  unsigned filter2 = 0;  ///< the same of its second filter

  std::string text;  ///< for reports
};

/// The kernel document's meaning of an event text: an event's name or `type=` and `eventid=`, `bynodeid=1,nodeid=`, and
/// the terms wp_* of watchpoints.
/// @param product  decides what ids and names of node events mean
/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, no event, or an event whose
///         truth this scoreboard does not know
[[nodiscard]] CmnMeaning cmn_meaning(const EventTerms& terms, WatchpointLayout product = WatchpointLayout::cmn700);

}  // namespace pmufab::scoreboard
