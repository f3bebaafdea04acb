// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/quantity.h"
#include "testbench/run/yaml/reader.h"
#include "testbench/traffic/producers/occurrence_stream.h"

/// What loaders of traffic share that lets things happen at sources. Not a public header.
namespace pmufab::scenario {

/// @return which of `names` the word is. @param words  to suggest @throws InputError for none
[[nodiscard]] unsigned number_among(Reader& reader, std::string_view key, const std::string& word,
                                    const std::vector<std::string>& names, const std::vector<std::string>& words,
                                    std::string_view complaint);
/// @return the range of "7" (7 to 7) or "0-15". @throws InputError if the text is neither
[[nodiscard]] traffic::ValueRange read_range(const std::string& text, const Source& source, const std::string& path,
                                             Quantity quantity);
/// @throws InputError if it is no whole number
[[nodiscard]] std::uint64_t read_whole(const Value& value, const std::string& path);
/// @return what a scalar says, or the keys of a map, with its weights. @throws InputError for too large a weight, or none
/// @param range_of   of a scalar or a key
/// @param complaint  about anything else
[[nodiscard]] traffic::ValueRanges read_shares(
    const Value& value, const std::string& path,
    const std::function<traffic::ValueRange(const std::string& text, const Source& source)>& range_of,
    const std::string& complaint, const std::string& suggestion = {});
/// @return a value, a range, or a map of either to weights. @throws InputError for anything else
[[nodiscard]] traffic::ValueRanges read_ranges(const Value& value, const std::string& path, Quantity quantity);
/// Read the keys that pace a stream: pacing, burst, count, duration, and phases.
void read_stream_phases(Reader& reader, traffic::StreamSpec& stream);
/// Read a map from attributes to something. @throws InputError for an attribute that is not in the list
void read_attributes(Reader& reader, std::string_view key, const std::vector<std::string>& attributes,
                     const std::function<void(unsigned attribute, const Value& value)>& read);

}  // namespace pmufab::scenario
