// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// The attributes that a source may have.
inline constexpr unsigned kMaximumAttributes = 8;

/// Something that a source of a chip lets happen: the values of its attributes, in the order of the description.
struct Occurrence {
  std::array<std::uint64_t, kMaximumAttributes> attributes{};
  Picoseconds duration = 0;  ///< it is outstanding for so long
  std::uint64_t repeat = 1;  ///< it happens so many times at once
};

/// Hears each occurrence before a PMU counts it.
class OccurrenceObserver {
 public:
  virtual ~OccurrenceObserver() = default;
  /// @param source  its number: that in the description times the number of sockets, plus the socket
  virtual void on_occurrence(unsigned source, const Occurrence& occurrence, Picoseconds when) = 0;
};

}  // namespace pmufab
