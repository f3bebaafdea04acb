// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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

/// What a time line is written as.
enum class TimelineFormat : std::uint8_t {
  vcd,   ///< value change dump of IEEE 1800, for GTKWave and others
  json,  ///< trace event format, for Perfetto and Chrome
  svg,   ///< a picture, for documents and bug reports
};

/// Make a file of what a Timeline has recorded. A record that ends early makes a whole file of what it has.
/// @param record  Timeline's file
/// @param title   of the run
/// @param room    bytes for the first part of the result
/// @param put     receives the text, in pieces
/// @return the number of lines that are left out, those that the record lacks included
std::uint64_t write_timeline(TimelineFormat format, const std::filesystem::path& record, const std::string& title,
                             std::uint64_t room, const std::function<void(const std::string& text)>& put);

/// A picture of a time line: a row for each signal that changes, each kind of call, each register that is written. Its size
/// does not grow with the number of changes, and it has at most so many rows; it says how many are left out.
[[nodiscard]] std::unique_ptr<TimelineWriter> make_svg_writer();

}  // namespace pmufab::scenario
