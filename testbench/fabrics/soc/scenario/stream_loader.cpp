// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "models/soc/part/soc_rows.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/fabrics/common/occurrence_values.h"
#include "testbench/fabrics/soc/scenario/soc_loader.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {
namespace {

using traffic::StreamSpec;

void read_stream(Reader& reader, const TrafficContext& context, StreamSpec& stream) {
  reader.text("name", stream.name, Presence::required);
  const std::vector<soc::SourceDescription>& sources = context.platform.of<platform::SocSpec>().sources;
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

void read_streams(Reader& reader, const TrafficContext& context, std::vector<StreamSpec>& streams) {
  if (!reader.has("soc_traffic")) return;
  if (context.platform.of<platform::SocSpec>().sources.empty())
    reader.fail("soc_traffic", "there is nothing it could happen at: the platform has no sources",
                "describe them under the platform's key sources");
  reader.list("soc_traffic", [&](Reader& item, std::size_t) { read_stream(item, context, streams.emplace_back()); });
}

}  // namespace pmufab::scenario
