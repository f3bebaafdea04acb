// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/verify/platform_generator.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/soc/part/soc_rows.h"
#include "models/soc/wire/fabric_sources.h"
#include "testbench/fabrics/common/values.h"
#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/fabrics/soc/scenario/soc_fabric.h"
#include "testbench/fabrics/soc/verify/soc_generator.h"
#include "testbench/fabrics/soc/verify/soc_machine.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::verify {
namespace {

using driver_host::compare_versions;

soc::Event::Kind kind_of(pmufab::soc::EventDescription::Counts counts) {
  using Counts = pmufab::soc::EventDescription::Counts;
  switch (counts) {
    case Counts::occurrences:
      return soc::Event::Kind::occurrences;
    case Counts::sum:
      return soc::Event::Kind::sum;
    case Counts::outstanding:
      return soc::Event::Kind::outstanding;
    case Counts::cycles:
      break;
  }
  return soc::Event::Kind::cycles;
}

constexpr unsigned kNarrow = 32;     // below it, counters wrap soon
constexpr unsigned kNarrowest = 16;  // others may wrap twice before any driver can have looked

/// What happens at a source at most.
struct Rate {
  std::uint64_t each_microsecond;
  std::uint64_t largest;  // value of an attribute
  std::uint64_t at_once;  // outstanding
};
constexpr Rate kOfPlugin{1'000, 64, 64};     // nobody knows
constexpr Rate kOfStreams{40, 7, 40};        // as draw_streams() draws them
constexpr Rate kOfSlowStreams{5, 7, 8};      // beside narrow PMUs
constexpr Picoseconds kSlowAccess = 10'000;  // of the CPUs beside narrow PMUs
constexpr Picoseconds kLateInterrupt = 1'000'000;

/// @return whether counters of that width leave a driver time between two wraps
bool leaves_time(const pmufab::soc::PmuDescription& pmu, double each_microsecond) {
  constexpr double kHandled = 5;  // microseconds after a wrap, with the CPUs as above
  constexpr double kMargin = 4;
  const unsigned width = pmufab::soc::width_of(pmu);
  return width >= kNarrow || each_microsecond * kHandled * kMargin <= std::ldexp(1.0, static_cast<int>(width) - 1);
}

double cycles_each_microsecond(const pmufab::soc::PmuDescription& pmu) {
  return static_cast<double>(pmu.clock_hz) * 1e-6;
}

/// The same of one event.
bool leaves_time(const pmufab::soc::PmuDescription& pmu, const pmufab::soc::EventDescription& event,
                 const std::vector<pmufab::soc::SourceDescription>& sources) {
  using Counts = pmufab::soc::EventDescription::Counts;
  using Cause = pmufab::soc::Cause;
  if (event.counts == Counts::cycles) return leaves_time(pmu, cycles_each_microsecond(pmu));
  const Cause cause = sources[event.source].cause;
  if (cause != Cause::plugin && cause != Cause::streams) return true;  // no case has such traffic
  const Rate rate = cause == Cause::plugin ? kOfPlugin : kOfSlowStreams;
  switch (event.counts) {
    case Counts::sum:
      return leaves_time(pmu, static_cast<double>(rate.each_microsecond * rate.largest));
    case Counts::outstanding:
      return leaves_time(pmu, static_cast<double>(rate.at_once) * cycles_each_microsecond(pmu));
    case Counts::occurrences:
    case Counts::cycles:
      break;
  }
  return leaves_time(pmu, static_cast<double>(rate.each_microsecond));
}

/// @return whether it has counters that stay at their end
bool saturates(const pmufab::soc::PmuDescription& pmu) {
  return pmu.map && std::ranges::any_of(pmu.map->registers, [](const auto& reg) {
           return std::ranges::any_of(reg.fields, [](const auto& field) { return field.saturates; });
         });
}

/// @return whether the PMU's interrupt tells of each wrap. Drivers of CoreSight PMUs do not share a line
bool is_served(const pmufab::soc::PmuDescription& pmu) {
  return pmu.interrupt && (pmu.map || !pmu.interrupt->shared) && !saturates(pmu);
}

/// @param knows_64bit  the driver knows the 64-bit layout
bool is_offered(const platform::PlatformSpec& platform, const pmufab::soc::PmuDescription& pmu, bool knows_64bit) {
  if ((!pmu.map && !pmu.perf_name.empty()) || (pmu.is_64bit && !knows_64bit)) return false;
  const bool is_in_time = width_of(pmu) >= kNarrow || (width_of(pmu) >= kNarrowest && is_served(pmu));
  return is_in_time && std::ranges::any_of(pmu.events, [&](const auto& event) {
           return leaves_time(pmu, event, platform.of<platform::SocSpec>().sources);
         });
}

/// @return the terms of an event's number
scoreboard::EventTerms terms_of(const pmufab::soc::PmuDescription& pmu, std::uint64_t number) {
  if (!pmu.map) return {{"event", number}};
  scoreboard::EventTerms terms;
  std::uint64_t told = 0;  // bits: two terms may be names of the same
  for (const pmufab::soc::NumberTerm& term : pmu.map->number_terms) {
    const std::uint64_t bits = low_bits(term.bits.width) << term.bits.first;
    if ((told & bits) == 0) terms.push_back({term.name, number >> term.bits.first & low_bits(term.bits.width)});
    told |= bits;
  }
  return terms;
}

std::string text_of(const scoreboard::EventTerms& terms) {
  std::string text;
  for (const scoreboard::EventTerm& term : terms)
    text += fmt::format("{}{}={:#x}", text.empty() ? "" : ",", term.name, *term.value);
  return text;
}

/// @return whether a driver learns of wraps of an event's counters by another one's interrupt alone
bool is_silent(const pmufab::soc::PmuDescription& pmu, const pmufab::soc::EventDescription& event) {
  if (!pmu.map || !pmu.interrupt) return false;
  const unsigned counter = event.counters ? event.counters->first : 0;
  return std::ranges::any_of(pmu.map->registers, [&](const pmufab::soc::RegisterDescription& reg) {
    return std::ranges::any_of(reg.fields,
                               [&](const auto& field) { return field.silent && reg.stands_for(field, counter); });
  });
}

/// @return whether very many of an event's occurrences at once wrap its counter and no other one more than once. Of several
///         PMUs that count a source, one of the narrowest alone may be wrapped by it.
bool can_wrap(const platform::PlatformSpec& platform, const pmufab::soc::PmuDescription& pmu,
              const pmufab::soc::EventDescription& event) {
  using Counts = pmufab::soc::EventDescription::Counts;
  if (event.counts != Counts::occurrences || is_silent(pmu, event) ||
      !pmufab::soc::is_heard_itself(platform.of<platform::SocSpec>().sources[event.source]))
    return false;
  pmufab::Occurrence occurrence;
  try {
    occurrence = scoreboard::occurrence_of(
        scoreboard::soc_meaning(terms_of(pmu, event.number), pmu, platform.of<platform::SocSpec>().sources));
  } catch (const std::invalid_argument&) {  // without its filters, the event counts nothing
    return false;
  }
  const unsigned own = width_of(pmu);
  for (const pmufab::soc::PmuDescription& other : platform.of<platform::SocSpec>().pmus) {
    const unsigned width = width_of(other);
    for (const pmufab::soc::EventDescription& heard : other.events) {
      if (heard.counts == Counts::cycles || heard.source != event.source) continue;
      const bool is_other = &other != &pmu;
      if (is_other && (!is_served(other) || width < own)) return false;
      if (is_other && width == own && &other < &pmu) return false;
      if (heard.counts == Counts::sum && occurrence.attributes.at(heard.attribute) > 1) return false;
    }
  }
  return true;
}

/// @return the bits of an event's number that are in fields of all counters, such as a mode
std::uint64_t shared_bits(const pmufab::soc::PmuDescription& pmu) {
  std::uint64_t bits = 0;
  for (const pmufab::soc::RegisterDescription& reg : pmu.map->registers) {
    for (const pmufab::soc::FieldDescription& field : reg.fields) {
      if (field.role == pmufab::soc::Role::event && !field.chosen_by && reg.is_for_all(field))
        bits |= low_bits(field.bits.width) << field.shift;
    }
  }
  return bits;
}

/// Events that differ in a field of all counters count at different times: a case has those of one value, or takes one
/// event after the other.
void keep_apart(Random& random, const pmufab::soc::PmuDescription& description, soc::Pmu& pmu) {
  constexpr unsigned kOneByOne = 40;
  const std::uint64_t shared = description.counters > 1 ? shared_bits(description) : 0;
  if (shared == 0) return;
  const auto value_of = [&](const soc::Event& event) {
    const auto its = std::ranges::find(description.events, event.number, &pmufab::soc::EventDescription::number);
    return its->code.value_or(its->number) & shared;
  };
  const std::uint64_t kept = value_of(random.pick(pmu.events));
  const auto differs = [&](const soc::Event& event) { return value_of(event) != kept; };
  if (std::ranges::none_of(pmu.events, differs)) return;
  if (random.chance(kOneByOne)) {
    pmu.one_event = true;
  } else {
    std::erase_if(pmu.events, differs);
  }
}

/// What the driver of a PMU with a register map publishes. Filters that all counters share are in some cases, in which
/// events do not take turns: one event would change those of another.
/// @param is_still  there are no streams
void add_map(Random& random, const pmufab::soc::PmuDescription& description, bool is_still, soc::Pmu& pmu) {
  const pmufab::soc::RegisterMap& map = *description.map;
  pmu.is_mapped = true;
  pmu.refused = description.refused;
  pmu.takes_groups = map.device.takes_groups;
  pmu.refuses_groups = map.device.refuses_groups;
  pmu.reading_loses = map.device.reading_loses;
  pmu.one_event = map.device.one_event;
  keep_apart(random, description, pmu);
  pmu.keeps_cpu = map.device.keeps_cpu;
  pmu.is_still = map.device.overflow_loses && is_still;
  pmu.is_unserved = pmu.is_unserved || (map.device.overflow_loses && !is_still);
  if (saturates(description)) pmu.is_unserved = true;  // what wraps it is lost
  pmu.has_cycles = false;
  pmu.event_counters = description.counters;
  pmu.is_one_each = std::ranges::none_of(map.registers, [](const auto& reg) {
    return std::ranges::any_of(reg.fields, [](const auto& field) { return field.role == pmufab::soc::Role::event; });
  });
  pmu.has_twins = map.twins.has_value();
  if (map.twins) pmu.event_counters = map.twins->first;
  if (!map.device.needs.empty()) pmu.needs = "," + map.device.needs;
  constexpr unsigned kShared = 40;
  const bool has_shared = random.chance(kShared);
  for (const pmufab::soc::FilterDescription& filter : description.filters) {
    const bool is_shared = map.registers.at(filter.word).count == 1 && filter.repeat == 1;
    const bool is_other = map.device.needs.starts_with(filter.name + "=") || !filter.unless.empty();
    const bool is_known = std::ranges::find(pmu.terms, filter.name, &soc::Term::name) != pmu.terms.end();
    if (filter.format.empty() || is_other || is_known || (is_shared && !has_shared)) continue;
    if (!filter.terms.empty()) {
      pmu.terms.push_back({random.pick(filter.terms).first, 1, is_shared, {}, 0, false});
      continue;
    }
    // In streams, little happens in one clock.
    constexpr std::uint64_t kMostInClock = 3;
    const std::uint64_t greatest = filter.is_of_clocks() ? std::min(filter.greatest, kMostInClock) : filter.greatest;
    pmu.terms.push_back({filter.name, filter.bits.width, is_shared, filter.care_term,
                         filter.care ? filter.care->width : 0,
                         filter.match == pmufab::soc::FilterDescription::Match::between, greatest});
    if (!filter.invert_format.empty()) pmu.terms.push_back({filter.invert_term, 1, is_shared, {}, 0, false});
  }
}

/// @param description  one of the platform's
/// @param is_still     there are no streams
soc::Pmu pmu_of(Random& random, const std::string& name, const pmufab::soc::PmuDescription& description,
                const platform::PlatformSpec& platform, bool is_still) {
  soc::Pmu pmu;
  pmu.perf_names.assign(platform.sockets, name);
  pmu.is_64bit = description.is_64bit;
  pmu.counters = description.counters;
  pmu.width = width_of(description);
  pmu.is_atomic = description.atomic_64bit;
  pmu.has_cycles = description.cycle_counter && !description.is_64bit &&
                   leaves_time(description, cycles_each_microsecond(description));
  pmu.event_counters = description.counters - (description.cycle_counter ? 1 : 0);
  pmu.interrupt = description.interrupt.has_value();
  pmu.is_unserved = pmu.interrupt && description.interrupt->shared && !description.map;  // perhaps
  using Counts = pmufab::soc::EventDescription::Counts;
  // The clock does not stand still, and a counter may have got another event before the wrap is handled.
  const bool leaves_out_cycles =
      is_still && description.map && description.map->device.overflow_loses &&
      std::ranges::any_of(description.events, [](const auto& event) { return event.counts != Counts::cycles; });
  for (const pmufab::soc::EventDescription& event : description.events) {
    if (leaves_out_cycles && event.counts == Counts::cycles) continue;
    if (leaves_time(description, event, platform.of<platform::SocSpec>().sources))
      pmu.events.push_back({event.number, kind_of(event.counts), event.source, can_wrap(platform, description, event),
                            event.counters ? event.counters->width : 0, event.counters ? event.counters->first : 0,
                            text_of(terms_of(description, event.number))});
  }
  // The first one is that which wraps counters.
  random.shuffle(pmu.events);
  std::stable_partition(pmu.events.begin(), pmu.events.end(), [](const soc::Event& event) { return event.can_wrap; });
  if (description.map) {
    add_map(random, description, is_still, pmu);
    return pmu;
  }
  for (const pmufab::soc::FilterDescription& filter : description.filters) {
    using Register = pmufab::soc::FilterDescription::Register;
    if (filter.where == Register::implementation_defined) continue;  // no driver writes it
    pmu.filters.push_back({filter.where == Register::filter2, filter.bits.first, filter.bits.width, false});
  }
  return pmu;
}

scenario::Value draw_streams(Random& random, const platform::PlatformSpec& platform, const Rate& rate) {
  std::vector<scenario::Value> streams;
  for (const pmufab::soc::SourceDescription& source : platform.of<platform::SocSpec>().sources) {
    if (source.cause != pmufab::soc::Cause::streams) continue;
    for (unsigned socket = 0; socket < platform.sockets; ++socket) {
      scenario::Value attributes = scenario::Value::map();
      for (const std::string& attribute : source.attributes) attributes.add(attribute, word("0-7"));
      streams.push_back(map({{"name", word(fmt::format("{}-{}", source.name, socket))},
                             {"source", word(source.name)},
                             {"socket", number(socket)},
                             {"attributes", std::move(attributes)},
                             {"outstanding", word("10 ns-300 ns")},
                             {"pacing", map({{"kind", word(random.pick({"fixed", "exponential"}))},
                                             {"requests_per_us", number(random.number(2, rate.each_microsecond))}})}}));
    }
  }
  return list(std::move(streams));
}

}  // namespace

PlatformGenerator::PlatformGenerator(std::string file, platform::PlatformSpec platform,
                                     std::vector<std::string_view> modules)
    : file_(std::move(file)),
      platform_(std::move(platform)),
      modules_(std::move(modules)),
      name_("platform-" + platform_.name) {
  // It becomes part of names of files.
  for (char& letter : name_) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-' && letter != '_') letter = '-';
  }
}

bool PlatformGenerator::has_pmus(std::string_view kernel) const {
  const bool knows_64bit = compare_versions(kernel, "7.3") >= 0;
  const auto& pmus = platform_.of<platform::SocSpec>().pmus;
  return std::ranges::any_of(pmus, [&](const auto& pmu) { return is_offered(platform_, pmu, knows_64bit); });
}

GeneratedMachine PlatformGenerator::make(Random& random, std::string_view kernel, const Wishes& /*wishes*/) const {
  const auto machine = std::make_shared<soc::Machine>();
  machine->sockets = platform_.sockets;
  machine->cpus_per_socket = platform_.cpus_per_socket;
  machine->has_layout64 = compare_versions(kernel, "7.3") >= 0;
  machine->has_second_filter = compare_versions(kernel, "7.2") >= 0;
  std::vector<unsigned> sockets;
  const std::vector<platform::SocPmuRow> rows = platform::soc_pmus(platform_);
  const scoreboard::SocJudgeSpec named = scenario::soc_judge_spec(platform_, kernel);  // in the same order
  constexpr unsigned kStill = 35;
  const bool is_still =
      std::ranges::any_of(platform_.of<platform::SocSpec>().pmus,
                          [](const auto& pmu) { return pmu.map && pmu.map->device.overflow_loses; }) &&
      random.chance(kStill);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const pmufab::soc::PmuDescription& description = platform_.of<platform::SocSpec>().pmus[rows[index].pmu];
    if (!is_offered(platform_, description, machine->has_layout64)) continue;
    machine->pmus.push_back(pmu_of(random, named.pmus[index].name, description, platform_, is_still));
    machine->is_slow = machine->is_slow || width_of(description) < kNarrow;
    sockets.push_back(rows[index].socket);
  }
  GeneratedMachine made;
  made.platform = scenario::Value::of(file_, true);
  if (is_still) {
    // What happens is what wraps counters.
  } else if (scenario::Value streams = draw_streams(random, platform_, machine->is_slow ? kOfSlowStreams : kOfStreams);
             !streams.items.empty())
    made.traffic.emplace_back("soc_traffic", std::move(streams));
  for (std::size_t index = 0; index < machine->pmus.size(); ++index)
    made.pmus.push_back(soc_offer(machine, machine->pmus[index], sockets[index]));
  made.cpus = machine->sockets * machine->cpus_per_socket;
  if (machine->is_slow) {
    made.slowest_access = kSlowAccess;
    made.longest_interrupt = kLateInterrupt;
  }
  return made;
}

}  // namespace pmufab::verify
