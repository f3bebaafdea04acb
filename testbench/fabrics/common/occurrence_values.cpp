// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/occurrence_values.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/fabrics/common/loaders.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

using traffic::StreamPhase;
using traffic::StreamSpec;
using traffic::ValueRange;
using traffic::ValueRanges;

void read_stream_phase(Reader& reader, StreamPhase& phase) {
  reader.object("pacing", [&](Reader& pacing) { read_pacing(pacing, phase.pacing); });
  reader.optional_object("burst", [&](Reader& burst) { read_burst(burst, phase.burst.emplace()); });
  if (reader.has("count")) reader.number("count", phase.count.emplace(), Quantity::count, 1);
  if (reader.has("duration")) reader.number("duration", phase.duration.emplace(), Quantity::duration, 1);
}

void read_phases(Reader& reader, StreamSpec& stream) {
  const StreamPhase& all = stream.phases.front();
  std::vector<StreamPhase> phases;
  reader.list("phases", [&](Reader& item, std::size_t) {
    StreamPhase phase = all;
    phase.count.reset();
    phase.duration.reset();
    read_stream_phase(item, phase);
    phases.push_back(phase);
  });
  if (phases.empty()) return;
  if (all.count || all.duration)
    reader.fail(all.count ? "count" : "duration", "is that of a stream without phases", "give it to the last phase");
  for (std::size_t index = 0; index + 1 < phases.size(); ++index) {
    if (!phases[index].count && !phases[index].duration)
      reader.fail("phases", fmt::format("[{}] never ends, and others come after it", index),
                  "give it count or duration");
  }
  stream.phases = std::move(phases);
}

}  // namespace

unsigned number_among(Reader& reader, std::string_view key, const std::string& word,
                      const std::vector<std::string>& names, const std::vector<std::string>& words,
                      std::string_view complaint) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    std::string suggestion = did_you_mean(word, words);
    if (suggestion.empty() && !words.empty()) suggestion = "one of " + quoted_list(words);
    reader.fail(key, fmt::format("{} '{}'", complaint, word), suggestion);
  }
  return static_cast<unsigned>(found - names.begin());
}

traffic::ValueRange read_range(const std::string& text, const Source& source, const std::string& path,
                               Quantity quantity) {
  const auto number = [&](const std::string& part) { return parse_quantity(part, quantity); };
  try {
    const std::size_t dash = text.find('-');
    traffic::ValueRange range;
    range.first = number(text.substr(0, dash));
    range.last = dash == std::string::npos ? range.first : number(text.substr(dash + 1));
    if (range.first <= range.last) return range;
  } catch (const std::invalid_argument&) {
    // the message is the same
  }
  const bool is_time = quantity == Quantity::duration;
  throw InputError(source, path, fmt::format("'{}' is neither a value nor a range of values", text),
                   is_time ? "for example 80 ns, or 50 ns-120 ns" : "for example 7, or 0-15");
}

std::uint64_t read_whole(const Value& value, const std::string& path) {
  try {
    return parse_quantity(value.kind == Value::Kind::scalar ? value.scalar : std::string(), Quantity::count);
  } catch (const std::invalid_argument& error) {
    throw InputError(value.source, path, fmt::format("'{}' {}", value.scalar, error.what()),
                     std::string(example_of(Quantity::count)));
  }
}

void read_attributes(Reader& reader, std::string_view key, const std::vector<std::string>& attributes,
                     const std::function<void(unsigned attribute, const Value& value)>& read) {
  const Value* const map = reader.take(key);
  if (map == nullptr) return;
  if (map->kind != Value::Kind::map)
    reader.fail(key, fmt::format("must be a map of attributes, not {}", describe(map->kind)));
  for (const Value::Entry& entry : map->entries) {
    const auto found = std::find(attributes.begin(), attributes.end(), entry.key);
    if (found == attributes.end()) {
      std::string suggestion = did_you_mean(entry.key, attributes);
      if (suggestion.empty())
        suggestion = attributes.empty() ? "the source has none" : "one of " + quoted_list(attributes);
      throw InputError(entry.source, reader.path_of(key), fmt::format("the source has no attribute '{}'", entry.key),
                       suggestion);
    }
    read(static_cast<unsigned>(found - attributes.begin()), entry.value);
  }
  reader.put(key, *map);
}

ValueRanges read_shares(const Value& value, const std::string& path,
                        const std::function<ValueRange(const std::string& text, const Source& source)>& range_of,
                        const std::string& complaint, const std::string& suggestion) {
  if (value.kind == Value::Kind::scalar) return {range_of(value.scalar, value.source)};
  if (value.kind != Value::Kind::map || value.entries.empty())
    throw InputError(value.source, path, complaint, suggestion);
  ValueRanges ranges;
  std::uint64_t sum = 0;
  for (const Value::Entry& entry : value.entries) {
    ValueRange range = range_of(entry.key, entry.source);
    const std::uint64_t weight = read_whole(entry.value, path);
    if (weight > std::numeric_limits<std::uint32_t>::max())
      throw InputError(entry.value.source, path, fmt::format("the weight {} is too large", weight));
    range.weight = static_cast<std::uint32_t>(weight);
    sum += weight;
    ranges.push_back(range);
  }
  if (sum == 0) throw InputError(value.source, path, "has no weight above 0");
  return ranges;
}

ValueRanges read_ranges(const Value& value, const std::string& path, Quantity quantity) {
  return read_shares(
      value, path,
      [&](const std::string& text, const Source& source) { return read_range(text, source, path, quantity); },
      "must be a value, a range, or a map of them to weights", "for example 7, 0-15, or {0: 3, 1-7: 1}");
}

void read_stream_phases(Reader& reader, StreamSpec& stream) {
  read_stream_phase(reader, stream.phases.emplace_back());
  read_phases(reader, stream);
}

}  // namespace pmufab::scenario
