// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "testbench/fabrics/common/pattern_loader.h"
#include "testbench/fabrics/soc/scenario/soc_loader.h"
#include "testbench/fabrics/soc/scenario/soc_values.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"

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

void read_stream(Reader& reader, const TrafficContext& context, StreamSpec& stream) {
  reader.text("name", stream.name, Presence::required);
  const std::vector<soc::SourceDescription>& sources = context.platform.soc.sources;
  std::vector<std::string> names;
  for (const soc::SourceDescription& source : sources) {
    if (source.cause == soc::Cause::streams) names.push_back(source.name);  // those of fabrics come last
  }
  std::string source;
  reader.text("source", source, Presence::required);
  if (source.empty()) reader.fail("source", "is missing", "one of " + quoted_list(names));
  for (const soc::SourceDescription& fabric : fabric_sources_of(context.platform)) {
    if (fabric.name == source)
      reader.fail(
          "source", fmt::format("'{}' is the platform's fabric: its own traffic lets things happen there", source),
          names.empty() ? "describe a source under the platform's key sources" : "one of " + quoted_list(names));
  }
  stream.source = number_among(reader, "source", source, names, names, "the platform has no source");
  reader.number("socket", stream.socket, Quantity::count, 0, context.platform.sockets - 1);
  reader.number("start", stream.start, Quantity::duration);
  reader.number("repeat", stream.repeat, Quantity::count, 1, 1U << 20);
  const std::vector<std::string>& attributes = sources[stream.source].attributes;
  stream.attributes.resize(attributes.size());
  read_attributes(reader, "attributes", attributes, [&](unsigned attribute, const Value& value) {
    stream.attributes[attribute] =
        read_ranges(value, reader.path_of("attributes") + "." + attributes[attribute], Quantity::count);
  });
  if (const Value* const outstanding = reader.take("outstanding"); outstanding != nullptr) {
    stream.outstanding = read_ranges(*outstanding, reader.path_of("outstanding"), Quantity::duration);
    reader.put("outstanding", *outstanding);
  }
  read_stream_phases(reader, stream);
  context.names.take(reader, stream.name);
}

}  // namespace

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

void read_streams(Reader& reader, const TrafficContext& context, std::vector<StreamSpec>& streams) {
  if (!reader.has("soc_traffic")) return;
  if (context.platform.soc.sources.empty())
    reader.fail("soc_traffic", "there is nothing it could happen at: the platform has no sources",
                "describe them under the platform's key sources");
  reader.list("soc_traffic", [&](Reader& item, std::size_t) { read_stream(item, context, streams.emplace_back()); });
}

}  // namespace pmufab::scenario
