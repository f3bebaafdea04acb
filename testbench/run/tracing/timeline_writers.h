// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace pmufab::scenario {

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

}  // namespace pmufab::scenario
