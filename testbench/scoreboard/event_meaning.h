#pragma once

#include <cstdint>
#include <string>

#include "testbench/scoreboard/event_truth.h"
#include "testbench/scoreboard/ucf_events.h"

namespace pmufab::scoreboard {

/// What a user's event text asks a UCF PMU to count.
struct UcfMeaning {
  enum class Kind : std::uint8_t { traffic, cycles, nothing };
  Kind kind = Kind::nothing;
  UcfEvent event = UcfEvent::slc_allocate;  ///< traffic only
  std::uint32_t sources = kAllSources;
  std::uint32_t destinations = kAllDestinations;
  std::string text;  ///< for reports: "slc_access_rd, src_loc_cpu -> all"
};

/// What a user's event text asks a CMEM latency PMU to count.
enum class CmemMeaning : std::uint8_t { cycles, rd_req, rd_cum_outs };

/// The kernel document's meaning of a UCF event text: a name of its list or `event=` number (an unknown number counts
/// nothing; 0x1d and the name bus_cycles are cycles, like 0x100000000 and the name cycles), filter terms src_* and
/// dst_*; no source = all sources, no destination = all destinations. `config` and `config1` are taken raw.
/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
[[nodiscard]] UcfMeaning ucf_meaning(const EventTerms& terms);

/// The same for cycles (0), rd_req (1), rd_cum_outs (2).
/// @throws std::invalid_argument as above, and for event 3, which the driver must refuse
[[nodiscard]] CmemMeaning cmem_meaning(const EventTerms& terms);

}  // namespace pmufab::scoreboard
