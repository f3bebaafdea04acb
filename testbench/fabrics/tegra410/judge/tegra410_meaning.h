// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/ucf_events.h"
#include "testbench/judge/events/event_truth.h"

namespace pmufab::scoreboard {

/// What a UCF PMU must count for a user's event text.
struct UcfMeaning {
  enum class Kind : std::uint8_t { traffic, cycles, nothing };
  Kind kind = Kind::nothing;
  UcfEvent event = UcfEvent::slc_allocate;  ///< traffic only
  std::uint32_t sources = kAllSources;
  std::uint32_t destinations = kAllDestinations;
  bool on_cycle_counter = false;  ///< cycles, and not bus_cycles, which any other counter counts
  std::string text;               ///< for reports: "slc_access_rd, src_loc_cpu -> all"
};

/// What a CMEM latency PMU must count for a user's event text.
enum class CmemMeaning : std::uint8_t { cycles, rd_req, rd_cum_outs };

/// What the PMU of a chip-to-chip interface must count for a user's event text.
struct C2cMeaning {
  unsigned event = 0;  ///< 0 cycles; 1 ... 8: incoming reads, incoming writes, outgoing reads, outgoing writes, of each
                       ///< outstanding (odd) and requests (even)
  std::uint32_t gpus = 0;  ///< a bit for each selected GPU; 0: all, and for a peer without GPUs
  [[nodiscard]] bool is_cycles() const noexcept { return event == 0; }
  [[nodiscard]] bool is_requests() const noexcept { return event % 2 == 0; }
  /// 0 incoming reads, 1 incoming writes, 2 outgoing reads, 3 outgoing writes.
  [[nodiscard]] unsigned traffic() const noexcept { return (event - 1) / 2; }
};
inline constexpr unsigned kC2cEvents = 9;
inline constexpr unsigned kC2cTraffic = 4;
/// @return the event's name in the kernel's document, in small letters: "in_rd_cum_outs".
[[nodiscard]] std::string_view c2c_event_name(unsigned event);

/// The kernel document's meaning of a UCF event text: a name of its list or `event=` number (an unknown number counts
/// nothing; 0x1d and the name bus_cycles are cycles, like 0x100000000 and the name cycles), filter terms src_* and
/// dst_*; no source = all sources, no destination = all destinations. `config` and `config1` are taken raw.
/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
[[nodiscard]] UcfMeaning ucf_meaning(const EventTerms& terms);

/// The same for cycles (0), rd_req (1), rd_cum_outs (2).
/// @throws std::invalid_argument as above, and for event 3, which the driver must refuse
[[nodiscard]] CmemMeaning cmem_meaning(const EventTerms& terms);

/// The same for a chip-to-chip PMU. Every number up to 8 is an event of the hardware, listed or not. `gpu_mask` is a
/// term where GPUs are the peer; 0 or no mask means all of them.
/// @throws std::invalid_argument as above, and for events from 9 on, which the driver must refuse
[[nodiscard]] C2cMeaning c2c_meaning(const EventTerms& terms, bool has_gpus);

/// @param places  a bit for each value of the enumeration `Place`
/// @return their names: "loc_cmem+rem"
template <typename Place>
[[nodiscard]] std::string places_text(std::uint32_t places) {
  std::string text;
  for (unsigned bit = 0; places >> bit != 0; ++bit) {
    if ((places >> bit & 1U) != 0)
      text += fmt::format("{}{}", text.empty() ? "" : "+", to_string(static_cast<Place>(bit)));
  }
  return text;
}

}  // namespace pmufab::scoreboard
