// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/verify/cmn_case.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/verify/cmn_generator.h"
#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {

using scenario::Value;

namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;
constexpr unsigned kMeasures = 6;

/// Add events that fit beside those before them.
std::vector<std::string> events_of(Random& random, const GeneratedMachine& machine, bool is_group) {
  std::vector<std::string> all;
  for (const PmuOffer& pmu : machine.pmus) {
    std::vector<std::string> chosen;
    for (std::uint64_t left = random.number(1, pmu.counters); left > 0; --left) {
      chosen.push_back(pmu.event(random));
      if (!pmu.fits(chosen, is_group)) chosen.pop_back();
    }
    if (is_group && chosen.size() > 1) chosen.assign({fmt::format("{{{}}}", fmt::join(chosen, ","))});
    all.insert(all.end(), chosen.begin(), chosen.end());
  }
  if (all.empty()) all.push_back(machine.pmus.front().event(random));  // a pair, which fits into no group
  return all;
}

Value texts_of(const std::vector<std::string>& texts) {
  Value list = Value::sequence();
  for (const std::string& one : texts) list.items.push_back(word(one));
  return list;
}

void add_measures(Random& random, const GeneratedMachine& machine, Value& scenario) {
  Value& measures = scenario.add("measure", Value::sequence());
  Value injections = Value::sequence();
  Picoseconds begin = kMicrosecond;
  for (unsigned index = 0; index < kMeasures; ++index) {
    Value& measure = measures.items.emplace_back(Value::map());
    measure.add("name", word(fmt::format("measure {}", index)));
    if (index == 0) measure.add("start", time(begin));
    if (index > 0) measure.add("follows", flag(true));
    const PmuOffer& pmu = random.pick(machine.pmus);
    const auto refused = random.chance(25) ? pmu.refused(random) : std::nullopt;
    const Picoseconds window = refused ? kMicrosecond : machine.window;
    measure.add("window", time(window));
    if (refused) {
      measure.add("open_error", word(refused->error));
      measure.add("events", texts_of({refused->events}));
    } else {
      measure.add("events", texts_of(events_of(random, machine, random.chance(40))));
      if (machine.host && random.chance(30)) measure.add("interval", time(window / 3));
      const auto bulk = pmu.bulk && random.chance(60) ? pmu.bulk(random) : std::nullopt;
      if (bulk) {
        Value& item = injections.items.emplace_back(Value::map());
        item.add("at", time(begin + window / 2));
        std::vector<std::string> sources{bulk->source};
        sources.insert(sources.end(), bulk->more.begin(), bulk->more.end());
        item.add("source", texts_of(sources));
        item.add("count", number(bulk->count));
      }
    }
    begin += window;
  }
  if (!injections.items.empty()) scenario.add("inject", std::move(injections));
  scenario.add("duration", time(begin + kMicrosecond));
}

}  // namespace

Value cmn_case(std::uint64_t seed, std::string_view kernel) {
  Random random(seed);
  const GeneratedMachine machine = CmnGenerator().make(random, kernel, {});
  Value scenario = Value::map();
  scenario.add("name", word(fmt::format("cmn-{}", seed)));
  scenario.add("seed", number(seed));
  scenario.add("platform", machine.platform);
  for (const auto& [key, value] : machine.traffic) scenario.add(key, value);
  scenario.add("host", machine.host ? *machine.host : Value::map());
  add_measures(random, machine, scenario);
  return scenario;
}

}  // namespace pmufab::verify
