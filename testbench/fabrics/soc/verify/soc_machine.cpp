// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/verify/soc_machine.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/common/values.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::verify::soc {
namespace {

using scenario::Value;

constexpr unsigned kHalf = 32;
constexpr std::array<const char*, 5> kTypes = {"mc", "smmu", "pcie", "acpi", "cache"};

std::string attribute_name(std::size_t index) { return fmt::format("a{}", index); }

Value draw_source(Random& random, const std::string& name, bool is_slow, Source& source) {
  source.name = name;
  const std::uint64_t attributes = random.number(1, 4);
  std::vector<Value> names;
  for (std::uint64_t index = 0; index < attributes; ++index) {
    const bool is_summed = index + 1 == attributes;
    source.largest.push_back(is_summed ? (is_slow ? 63 : random.number(0, 4096))
                                       : random.pick({1U, 3U, 7U, 15U, 255U}));
    names.push_back(word(attribute_name(index)));
  }
  return map({{"name", word(name)}, {"attributes", list(std::move(names))}});
}

/// Numbers that differ in every part, if they have 64 bits.
std::uint64_t draw_number(Random& random, const Pmu& pmu, std::set<std::uint64_t>& taken) {
  for (;;) {
    std::uint64_t number = random.number(0, random.chance(50) ? 0xff : 0xffff);
    if (pmu.is_64bit && random.chance(50)) number |= random.number(1, 0xffff'ffffU) << kHalf;
    if (taken.insert(number).second) return number;
  }
}

Value draw_event(Random& random, const Machine& machine, const Pmu& pmu, std::set<std::uint64_t>& taken, Event& event) {
  event.number = draw_number(random, pmu, taken);
  Value value = Value::map();
  value.add("name", word(fmt::format("event_{:x}", event.number)));
  value.add("number", hexadecimal(event.number));
  if (random.chance(8)) {
    event.kind = Event::Kind::cycles;
    value.add("counts", word("cycles"));
    return value;
  }
  event.source = random.pick(pmu.sources);
  const Source& source = machine.sources[event.source];
  value.add("source", word(source.name));
  if (random.chance(35)) {
    event.kind = Event::Kind::sum;
    value.add("counts", word(attribute_name(source.largest.size() - 1)));
  } else if (random.chance(20)) {
    event.kind = Event::Kind::outstanding;
    value.add("counts", word("outstanding"));
  }
  if (source.largest.size() > 1 && random.chance(30)) {
    const std::uint64_t last = random.number(0, source.largest.front());
    value.add("where", map({{attribute_name(0), word(fmt::format("{}-{}", random.number(0, last), last))}}));
  }
  return value;
}

/// A filter in bits that no other filter has. @return nothing if there are none
Value draw_filter(Random& random, std::size_t index, const Machine& machine, const Pmu& pmu, unsigned& next,
                  bool is_second, Filter& filter) {
  const unsigned bits = pmu.is_64bit ? 2 * kHalf : kHalf;
  filter.is_second = is_second;
  filter.first = next + static_cast<unsigned>(random.number(0, 3));
  filter.width = static_cast<unsigned>(random.number(1, 12));
  filter.has_enable = random.chance(25);
  next = filter.first + filter.width + (filter.has_enable ? 1 : 0);
  if (next > bits) return {};
  const auto most = std::ranges::max_element(
      machine.sources, [](const Source& a, const Source& b) { return a.largest.size() < b.largest.size(); });
  const std::size_t attribute = random.number(0, most->largest.size() - 1);
  const std::string match = random.pick({"mask", "mask", "value", "at_least"});
  Value value = map({{"name", word(fmt::format("filter_{}", index))},
                     {"register", word(is_second ? "filter2" : "filter")},
                     {"bits", word(fmt::format("{}-{}", filter.first, filter.first + filter.width - 1))},
                     {"attribute", word(attribute_name(attribute))},
                     {"match", word(match)}});
  if (filter.has_enable) {
    value.add("enable", scenario::Value::of(fmt::format("{}", filter.first + filter.width)));
  } else if (match == "value" && attribute > 0 && random.chance(30)) {
    value.add("zero", word("literal"));  // never so that an event without filters counts nothing
  }
  return value;
}

/// A threshold in two bits that no filter has, and the bit above them for its edges.
void add_clocks(unsigned next, Pmu& pmu, std::vector<Value>& filters) {
  constexpr unsigned kWidth = 2;
  constexpr unsigned kHighest = kHalf - kWidth - 1;
  if (next > kHighest) return;
  pmu.filters.push_back({false, next, kWidth + 1, false});
  filters.push_back(map({{"name", word("threshold")},
                         {"bits", word(fmt::format("{}-{}", next, next + kWidth - 1))},
                         {"match", word("threshold")}}));
  filters.push_back(map({{"name", word("edge")}, {"bits", number(next + kWidth)}, {"match", word("edge")}}));
}

void draw_layout(Random& random, const Machine& machine, Pmu& pmu, Value& value) {
  pmu.is_64bit = !machine.is_slow && machine.has_layout64 && random.chance(45);
  if (pmu.is_64bit) {
    value.add("layout", word("64-bit"));
    if (random.chance(25)) {
      value.add("pmcnten", flag(false));
      value.add("pmdevarch", hexadecimal(random.pick({0x4770'0af4U, 0x4770'0af5U})));
    }
  }
  pmu.counters = random.pick({2U, 3U, 4U, 5U, 8U, 8U, 16U, 24U, 31U, 32U, 33U, 40U, 64U});
  const bool has_counter = !random.chance(35);
  pmu.has_cycles = has_counter && !pmu.is_64bit;
  pmu.event_counters = pmu.counters - (has_counter ? 1 : 0);
  value.add("counters", number(pmu.counters));
  value.add("cycle_counter", flag(has_counter));
  if (machine.is_slow) {
    pmu.width = random.pick({16U, 17U, 20U, 24U, 32U});
  } else if (pmu.is_64bit) {
    pmu.width = random.pick({33U, 36U, 40U, 48U, 56U, 63U, 64U, 64U});
  } else {
    pmu.width = random.pick({32U, 33U, 36U, 40U, 48U, 56U, 63U, 64U, 64U});
  }
  value.add("width", number(pmu.width));
  pmu.is_atomic = random.chance(50);
  value.add("atomic_64bit", flag(pmu.is_atomic));
}

/// A line of its own, none, or that of the first PMU. Who shares it gets no interrupt from the driver, which bears that
/// of counters of 64 bits only, and from Linux 7.3 on.
void draw_interrupt(Random& random, Machine& machine, const std::string& type, Pmu& pmu, Value& value) {
  const std::size_t index = machine.pmus.size() - 1;
  const bool is_first = index == 0 && machine.shares_line;
  if (is_first) machine.has_first_node = type == kTypes[0];
  // Nodes of memory controllers come before all others.
  const bool is_later = index > 0 && (machine.has_first_node || type != kTypes[0]);
  pmu.is_unserved = is_later && machine.shares_line && pmu.width == 64 && random.chance(80);
  // Without an interrupt somebody has to read in time: nobody does with narrow counters.
  pmu.interrupt = machine.is_slow || is_first || pmu.is_unserved || !random.chance(20);
  if (!pmu.interrupt) return;
  Value interrupt = map({{"number", number(pmu.is_unserved ? 200 : 200 + 4 * index)},
                         {"trigger", word(machine.shares_line ? "level" : random.pick({"level", "edge"}))}});
  if (is_first || pmu.is_unserved) interrupt.add("shared", flag(true));
  value.add("interrupt", std::move(interrupt));
}

Value draw_pmu(Random& random, Machine& machine, unsigned index, std::map<std::string, unsigned>& order, Pmu& pmu) {
  Value value = Value::map();
  value.add("name", word(fmt::format("pmu{}", index)));
  value.add("pmiidr", hexadecimal(random.number(1, 0xfffff) << 12 | 0x43b));
  const std::uint64_t base = 0x2000'0000 + std::uint64_t{index} * 0x1'0000;
  value.add("base", hexadecimal(base));
  if (random.chance(50)) value.add("page1", hexadecimal(base + random.number(1, 15) * 0x1000));
  draw_layout(random, machine, pmu, value);
  value.add("clock", word(machine.is_slow ? random.pick({"25 MHz", "100 MHz", "133333333 Hz"})
                                          : random.pick({"300 MHz", "1 GHz", "2400 MHz", "3333333333 Hz"})));
  const std::string type = random.chance(60) ? "acpi" : kTypes.at(static_cast<std::size_t>(random.number(0, 4)));
  draw_interrupt(random, machine, type, pmu, value);
  const std::string hid = fmt::format("VRFY{:04}", index);
  value.add("type", word(type));
  if (type == "acpi") value.add("hid", word(hid));
  const std::string name = type == "acpi" ? "acpi_" + hid : type;
  for (unsigned socket = 0; socket < machine.sockets; ++socket)
    pmu.perf_names.push_back(fmt::format("arm_cspmu_{}_{}", name, order[name]++));
  std::set<std::uint64_t> taken;
  std::vector<Value> events;
  const std::uint64_t wanted = random.number(2, 12);
  for (std::uint64_t i = 0; i < wanted; ++i)
    events.push_back(draw_event(random, machine, pmu, taken, pmu.events.emplace_back()));
  // One that can be injected is always there.
  if (pmu.events.front().kind != Event::Kind::occurrences) {
    pmu.events.push_back({draw_number(random, pmu, taken), Event::Kind::occurrences, pmu.sources.front()});
    events.push_back(map({{"name", word(fmt::format("event_{:x}", pmu.events.back().number))},
                          {"number", hexadecimal(pmu.events.back().number)},
                          {"source", word(machine.sources[pmu.sources.front()].name)}}));
    std::swap(pmu.events.front(), pmu.events.back());
    std::swap(events.front(), events.back());
  }
  value.add("events", list(std::move(events)));
  std::vector<Value> filters;
  for (const bool is_second : {false, true}) {
    if (is_second && !machine.has_second_filter) continue;
    unsigned next = static_cast<unsigned>(random.number(0, pmu.is_64bit ? 40 : 8));
    for (std::uint64_t i = random.number(0, 3); i > 0; --i) {
      Filter filter;
      Value one = draw_filter(random, filters.size(), machine, pmu, next, is_second, filter);
      if (one.kind != Value::Kind::map) break;
      pmu.filters.push_back(filter);
      filters.push_back(std::move(one));
    }
    if (!is_second && random.chance(30)) add_clocks(next, pmu, filters);
  }
  if (!filters.empty()) value.add("filters", list(std::move(filters)));
  return value;
}

}  // namespace

Machine draw_machine(Random& random, std::string_view kernel, Value& platform) {
  Machine machine;
  machine.has_layout64 = driver_host::compare_versions(kernel, "7.3") >= 0;
  machine.has_second_filter = driver_host::compare_versions(kernel, "7.2") >= 0;
  machine.sockets = random.pick({1U, 1U, 2U, 3U});
  machine.cpus_per_socket = static_cast<unsigned>(random.number(1, 4));
  machine.is_slow = random.chance(25);
  const unsigned pmus_wanted = static_cast<unsigned>(random.number(1, 3));
  machine.shares_line = machine.has_layout64 && !machine.is_slow && pmus_wanted > 1 && random.chance(35);
  std::vector<Value> sources;
  for (std::uint64_t count = pmus_wanted + random.number(0, 2), i = 0; i < count; ++i)
    sources.push_back(draw_source(random, fmt::format("source{}", i), machine.is_slow, machine.sources.emplace_back()));
  std::vector<Value> pmus;
  std::map<std::string, unsigned> order;
  for (unsigned i = 0; i < pmus_wanted; ++i) {
    Pmu& pmu = machine.pmus.emplace_back();
    for (unsigned source = i; source < machine.sources.size(); source += pmus_wanted) pmu.sources.push_back(source);
    pmus.push_back(draw_pmu(random, machine, i, order, pmu));
  }
  platform = map({{"kind", word("soc")},
                  {"name", word("verify")},
                  {"sockets", number(machine.sockets)},
                  {"cpus_per_socket", number(machine.cpus_per_socket)},
                  {"sources", list(std::move(sources))},
                  {"coresight_pmus", list(std::move(pmus))}});
  return machine;
}

Value draw_traffic(Random& random, const Machine& machine) {
  std::vector<Value> streams;
  for (unsigned socket = 0; socket < machine.sockets; ++socket) {
    for (const Source& source : machine.sources) {
      Value attributes = Value::map();
      for (std::size_t index = 0; index < source.largest.size(); ++index)
        attributes.add(attribute_name(index), word(fmt::format("0-{}", source.largest[index])));
      const std::uint64_t rate = machine.is_slow ? random.number(1, 5) : random.number(2, 40);
      Value stream =
          map({{"name", word(fmt::format("{}-{}", source.name, socket))},
               {"source", word(source.name)},
               {"socket", number(socket)},
               {"attributes", std::move(attributes)},
               {"outstanding", word(fmt::format("{} ns-300 ns", random.number(1, 300)))},
               {"pacing",
                map({{"kind", word(random.pick({"fixed", "exponential"}))}, {"requests_per_us", number(rate)}})}});
      if (random.chance(30)) stream.add("burst", map({{"on", word("2 us")}, {"off", word("1 us")}}));
      streams.push_back(std::move(stream));
    }
  }
  return list(std::move(streams));
}

}  // namespace pmufab::verify::soc
