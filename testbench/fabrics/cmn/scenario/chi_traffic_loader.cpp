// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/scenario/cmn_loader.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {

namespace {

using traffic::ChiPattern;
using traffic::ChiRange;
using traffic::ChiTrafficSpec;

/// A list of small numbers.
void read_numbers(Reader& reader, std::string_view key, std::vector<unsigned>& numbers) {
  if (!reader.has(key)) return;
  std::vector<std::string> texts;
  reader.texts(key, texts);
  numbers.clear();
  for (const std::string& text : texts) {
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();
    try {
      number = parse_quantity(text, Quantity::count);
    } catch (const std::invalid_argument&) {
      // refused below
    }
    if (number > 0xffff) reader.fail(key, fmt::format("'{}' is not a number", text), "for example [0, 1]");
    numbers.push_back(static_cast<unsigned>(number));
  }
}

void read_range(Reader& reader, ChiRange& range) {
  reader.number("base", range.base, Quantity::address);
  reader.number("size", range.size, Quantity::bytes, 64, std::numeric_limits<std::uint64_t>::max(), Presence::required);
  reader.choice("sharing", range.is_private, {{"shared", false}, {"private", true}});
  Words<ChiPattern> patterns;
  for (const ChiPattern pattern : {ChiPattern::uniform, ChiPattern::stream, ChiPattern::hot_set})
    patterns.emplace_back(traffic::to_string(pattern), pattern);
  reader.choice("pattern", range.pattern, patterns);
  if (range.pattern == ChiPattern::hot_set) {
    reader.real("hot_share", range.hot_share, 0, 1);
    reader.number("hot_size", range.hot_size, Quantity::bytes, 64);
  }
  reader.number("weight", range.weight, Quantity::count, 1, 1'000'000);
}

constexpr std::uint64_t kMostCycles = 1'000'000;

}  // namespace

void read_chi_traffic(Reader& reader, ChiTrafficSpec& spec) {
  reader.text("name", spec.name, Presence::required);
  reader.number("mesh", spec.mesh);
  reader.choice("requesters", spec.requesters,
                {{"rn_f", cmn::DeviceKind::rn_f}, {"rn_i", cmn::DeviceKind::rn_i}, {"rn_d", cmn::DeviceKind::rn_d}});
  read_numbers(reader, "numbers", spec.numbers);
  read_operation_mix(reader, cmn::kOperationKinds, spec.mix, &traffic::ChiOperationShare::kind, traffic::to_string);
  reader.list("ranges", [&](Reader& item, std::size_t) { read_range(item, spec.ranges.emplace_back()); });
  if (reader.has("rate")) {
    reader.real("rate", spec.rate.emplace(), traffic::GeometricGaps::kSmallestProbability, 1);
    spec.outstanding = 0;
  }
  reader.number("outstanding", spec.outstanding, Quantity::count, 0, 65536);
  read_numbers(reader, "qos", spec.qos);
  reader.number("size", spec.size, Quantity::bytes, 1, 64);
  reader.flag("allocate", spec.allocate);
  read_numbers(reader, "lpid", spec.lpid);
  reader.real("cancel_share", spec.cancel_share, 0, 1);
  reader.number("start", spec.start, Quantity::duration);
  if (reader.has("duration")) reader.number("duration", spec.duration.emplace(), Quantity::duration, 1);
  if (reader.has("count")) reader.number("count", spec.count.emplace(), Quantity::count, 1);
  if (reader.has("seed")) reader.number("seed", spec.seed.emplace());
}

void read_nodes(Reader& reader, cmn::NodeParameters& nodes) {
  reader.object("rn_f", [&](Reader& r) {
    cmn::RnFParameters& parameters = nodes.rn_f;
    r.number("cache_sets", parameters.cache_sets, Quantity::count, 1, 1 << 20);
    r.number("cache_ways", parameters.cache_ways, Quantity::count, 1, 64);
    r.number("outstanding", parameters.outstanding, Quantity::count, 2, 1024);
    r.number("latency", parameters.latency, Quantity::count, 0, kMostCycles);
    r.flag("write_evict", parameters.write_evict);
  });
  reader.object("sn_f", [&](Reader& r) {
    cmn::SnFParameters& parameters = nodes.sn_f;
    r.number("entries", parameters.entries, Quantity::count, 1, 1024);
    r.number("latency", parameters.latency, Quantity::count, 0, kMostCycles);
    r.number("response_latency", parameters.response_latency, Quantity::count, 0, kMostCycles);
    r.number("cycles_per_request", parameters.cycles_per_request, Quantity::count, 1, kMostCycles);
  });
  reader.object("home", [&](Reader& r) {
    cmn::HomeParameters& parameters = nodes.home;
    r.number("slc_sets", parameters.slc_sets, Quantity::count, 1, 1 << 20);
    r.number("slc_ways", parameters.slc_ways, Quantity::count, 1, 64);
    r.number("sf_sets", parameters.sf_sets, Quantity::count, 1, 1 << 20);
    r.number("sf_ways", parameters.sf_ways, Quantity::count, 1, 64);
    r.number("pocq_entries", parameters.pocq_entries, Quantity::count, 1, 256);
    r.number("latency", parameters.latency, Quantity::count, 1, cmn::HomeParameters::kMaximumLatency);
    r.flag("forwarding", parameters.forwarding);
  });
  read_io_nodes(reader, nodes);
}

}  // namespace pmufab::scenario
