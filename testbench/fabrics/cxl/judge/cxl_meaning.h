// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/judge/events/event_truth.h"

namespace pmufab::scoreboard {

/// What a counter of a CPMU must count: by a user's event text, or by what a driver wrote into its registers.
struct CxlProgram {
  std::uint16_t vendor = kCxlVendor;
  std::uint16_t group = 0;
  std::uint32_t mask = 0;
  unsigned threshold = 0;  ///< 0: every event; T: clocks with at least (inverted: at most) T events
  bool invert = false;
  bool edge = false;                        ///< counts only the clocks at which the condition becomes true
  std::optional<std::uint32_t> hdm{};       ///< decoders whose events count; empty: all, including events of no decoder
  std::optional<std::uint32_t> location{};  ///< filter 1: channel, rank, bank group, bank; 0xff in a byte for any

  bool operator==(const CxlProgram&) const = default;
};

/// @return the program in words: "m2s_req_memrd + m2s_req_memrddata, decoders 0x3, threshold 2".
[[nodiscard]] std::string to_string(const CxlProgram& program);

/// The meaning of a user's event text: a name of the kernel's list, or vid=, gid= and mask=, or config=; threshold,
/// invert, edge; hdm_filter_en and hdm, crb_filter_en and crb where the CPMU has the filter; config1=, config2=. A
/// missing vid is 0, as in perf.
/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
[[nodiscard]] CxlProgram cxl_meaning(const EventTerms& terms, const CxlPmuSpec& pmu);

}  // namespace pmufab::scoreboard
