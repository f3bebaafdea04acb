// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/occurrence_traffic.h"

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::scenario {

void OccurrenceTraffic::add(const traffic::StreamSpec& stream, traffic::OccurrenceStream::Happen happen,
                            std::uint64_t seed) {
  streams_.push_back(std::make_unique<traffic::OccurrenceStream>(fmt::format("{}{}", module_, streams_.size()).c_str(),
                                                                 std::move(happen), stream, seed));
  streams_.back()->on_end([this] { idle_.notify(sc_core::SC_ZERO_TIME); });
}

void OccurrenceTraffic::start() {
  for (const auto& stream : streams_) stream->start();
}

void OccurrenceTraffic::stop() {
  for (const auto& stream : streams_) stream->stop();
}

bool OccurrenceTraffic::is_busy() const {
  return std::ranges::any_of(streams_, [](const auto& stream) { return !stream->done(); });
}

void OccurrenceTraffic::report(Json& list) const {
  for (const auto& stream : streams_) list.push_back({{"name", stream->label()}, {"issued", stream->issued()}});
}

void OccurrenceTraffic::add_gauges(std::vector<Gauge>& gauges) const {
  for (const auto& stream : streams_)
    gauges.push_back(
        {fmt::format("traffic.{}.{}", stream->label(), what_), true, [one = stream.get()] { return one->issued(); }});
}

TrafficEnd end_of_streams(const std::vector<traffic::StreamSpec>& streams) {
  if (streams.empty()) return {};
  for (const traffic::StreamSpec& stream : streams) {
    if (!stream.phases.back().count && !stream.phases.back().duration)
      return {TrafficEnd::Kind::never, fmt::format("the traffic '{}' never ends", stream.name),
              "add duration: 100 us, or a count or duration to its last phase"};
  }
  return {TrafficEnd::Kind::ends, {}, {}};
}

}  // namespace pmufab::scenario
