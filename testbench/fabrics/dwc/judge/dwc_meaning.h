// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/dwc/wire/description.h"
#include "models/dwc/wire/link.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/publication.h"

namespace pmufab::scoreboard {

/// The directions and kinds of data that time-based analysis measures.
enum class DwcData : std::uint8_t { tx_pcie, rx_pcie, tx_ccix, rx_ccix };
inline constexpr unsigned kDwcDataKinds = 4;

/// What an event text of a DesignWare root port means, by the kernel's document dwc_pcie_pmu.rst.
struct DwcMeaning {
  enum class Kind : std::uint8_t {
    nothing,  ///< no such event
    cycles,   ///< of the core's clock
    state,    ///< cycles in a state of the link
    data,     ///< bytes of payload, in whole units of 16
    lane,     ///< occurrences on a lane
  };
  Kind kind = Kind::nothing;
  bool is_timed = true;  ///< of time-based analysis, whatever it counts
  dwc::LinkState state = dwc::LinkState::l0;
  DwcData data = DwcData::tx_pcie;
  unsigned id = 0;    ///< of the event
  unsigned lane = 0;  ///< of an event of lanes
  std::string text;
};

/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
[[nodiscard]] DwcMeaning dwc_meaning(const EventTerms& terms, const dwc::RootPortDescription& port);

/// @return whether an event of a lane is payload of that kind.
[[nodiscard]] bool is_dwc_data(unsigned id, DwcData data) noexcept;

/// @return what drivers must show of such a PMU.
[[nodiscard]] Publication dwc_publication();

}  // namespace pmufab::scoreboard
