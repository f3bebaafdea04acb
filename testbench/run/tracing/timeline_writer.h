// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {

/// The words of a line of Timeline's file.
using TimelineRow = std::vector<std::string>;
/// The last word of the line that declares an interrupt line. That of another signal is empty.
inline constexpr const char* kInterruptSignal = "interrupt";

/// A format of time lines. Each function returns text, which may be empty.
class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;
  /// Everything that there is, before anything happens: so a format can declare it.
  virtual void announce(const TimelineRow& line) = 0;
  virtual std::string head(const std::string& title) = 0;
  virtual std::string value(Picoseconds when, unsigned signal, std::uint64_t value) = 0;
  virtual std::string begin(Picoseconds when, unsigned cpu, const std::string& name, const std::string& detail) = 0;
  virtual std::string end(Picoseconds when, unsigned cpu) = 0;
  virtual std::string instant(Picoseconds when, unsigned cpu, const std::string& name, const std::string& value) = 0;
  /// @return what marks that from this time on everything is left out
  virtual std::string cut(Picoseconds /*when*/) { return {}; }
  virtual std::string tail(Picoseconds when, std::uint64_t left_out) = 0;
};

}  // namespace pmufab::scenario
