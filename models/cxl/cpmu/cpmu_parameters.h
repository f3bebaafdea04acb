// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/cxl/cpmu/event_group.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// How much of a counter software can program; the values are those of the type field (CXL 3.1, 8.2.7.2.1).
enum class CounterType : std::uint8_t {
  free_running = 0,  ///< counts always, cannot be stopped or frozen
  fixed = 1,         ///< counts a mask that cannot change
  configurable = 2   ///< counts what software selects
};

/// One counter of a CPMU.
struct CpmuCounterParameters {
  CounterType type = CounterType::configurable;
  // The remaining members are for fixed and free-running counters, which software cannot program.
  unsigned group = 0;          ///< event group index: which of the CPMU's groups
  std::uint32_t events = 0;    ///< mask within the group
  std::uint8_t threshold = 0;  ///< 0: every event counts; 1: every clock with an event
};

/// The design choices of a CPMU (CXL 3.1, 8.2.7.1.1).
struct CpmuParameters {
  std::vector<CpmuCounterParameters> counters = std::vector<CpmuCounterParameters>(8);  ///< 1 ... 64
  unsigned width = 48;                         ///< bits of a counter, 1 ... 64. Linux accepts up to 63
  std::uint64_t frequency_hz = 1'000'000'000;  ///< of the CPMU's clock, for clock_ticks, thresholds and edges
  bool writable_while_frozen = true;           ///< Linux needs it
  bool freeze = true;                          ///< freeze register and global freeze on overflow; Linux needs it
  bool interrupt = true;                       ///< messages on overflow; Linux needs it
  unsigned message_number = 1;                 ///< MSI-X: table entry, 0 ... 15. Linux does not accept 0
  bool hdm_filter = false;                     ///< filter 0: HDM decoder
  bool ddr_filter = false;                     ///< filter 1: channel, rank, bank group, bank
  Picoseconds latency = 0;                     ///< latency of one register access
};

/// Check everything that does not depend on the event groups.
/// @throws SpecError if `parameters` are impossible or contradict each other: the field is that of CpmuParameters
void check(const CpmuParameters& parameters);

/// Check everything, with the groups.
/// @throws SpecError if `parameters` contradict themselves, each other or `groups`: the field is the path within
///         CpmuParameters ("counters[3].group"), or "groups[i]..." for the event groups
void check(const CpmuParameters& parameters, const std::vector<EventGroup>& groups);

/// @return the name of an event of the CXL specification (for example "m2s_req_memrd"; CXL 3.1, table 13-5; message
///         classes and opcodes: chapter 3), spelled as in the sysfs of Linux 7.3. For other events, vendor, group and
///         bit as numbers.
[[nodiscard]] std::string event_name(std::uint16_t vendor, std::uint16_t group, unsigned bit);

}  // namespace pmufab::cxl
