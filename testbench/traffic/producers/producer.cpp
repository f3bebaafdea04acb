// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/producers/producer.h"

#include <algorithm>

#include <fmt/format.h>

#include "testbench/traffic/producers/synthetic_producer.h"
#include "testbench/traffic/producers/trace_producer.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::traffic {

std::vector<std::unique_ptr<Producer>> make_producers(const TrafficSpec& spec, const std::vector<MemoryRange>& map,
                                                      unsigned sockets) {
  validate(spec, map, sockets);
  const auto tables = static_cast<std::uint64_t>(std::count_if(
      spec.generators.begin(), spec.generators.end(), [](const GeneratorSpec& one) { return one.trace.has_value(); }));
  std::vector<std::unique_ptr<Producer>> producers;
  std::uint64_t table = 0;
  for (std::size_t i = 0; i < spec.generators.size(); ++i) {
    const GeneratorSpec& generator = spec.generators[i];
    if (generator.trace) {
      producers.push_back(
          std::make_unique<TraceProducer>(generator, fmt::format("generators[{}]", i), map, table++, tables));
    } else {
      // By name, not by position: a generator's traffic stays the same when others are added.
      const std::uint64_t seed = generator.seed.value_or(mix_bits(spec.seed) ^ hash_of(generator.name));
      producers.push_back(std::make_unique<SyntheticProducer>(generator, map, seed));
    }
  }
  return producers;
}

}  // namespace pmufab::traffic
