// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/verify/soc_generator.h"
#include "testbench/fabrics/soc/scenario/soc_kind.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/soc/verify/soc_machine.h"

namespace pmufab::verify {
namespace {

using soc::Event;
using soc::Filter;
using soc::Machine;
using soc::Pmu;
using soc::Term;

using SharedMachine = std::shared_ptr<const Machine>;
constexpr unsigned kLowBits = 32;

/// What a filter register holds: some fields of filters, and now and then bits that belong to none.
std::uint64_t draw_register(Random& random, const Pmu& pmu, bool is_second) {
  std::uint64_t value = 0;
  if (random.chance(4)) return pmu.is_64bit ? ~std::uint64_t{0} : 0xffff'ffffU;
  for (const Filter& filter : pmu.filters) {
    if (filter.is_second != is_second || random.chance(40)) continue;
    value |= random.number(0, (std::uint64_t{1} << filter.width) - 1) << filter.first;
    if (filter.has_enable && random.chance(70)) value |= std::uint64_t{1} << (filter.first + filter.width);
  }
  if (random.chance(5)) value |= random.number(0, 0xffff'ffffU) << (pmu.is_64bit && random.chance(50) ? kLowBits : 0);
  return value;
}

std::string plain_event(const Pmu& pmu, const std::string& name, const Event& event) {
  const std::string terms = event.terms.empty() ? fmt::format("event={:#x}", event.number) : event.terms;
  return fmt::format("{}/{}{}/", name, terms, pmu.needs);
}

/// The value of a filter, of which most streams draw some that pass, and that of the term beside it.
std::string draw_term(Random& random, const Term& term) {
  const unsigned usual = term.is_shared ? 3 : 4;  // streams draw three bits
  const bool is_wide = term.is_shared && random.chance(25);
  const std::uint64_t most = std::min(term.greatest, low_bits(is_wide ? term.width : std::min(term.width, usual)));
  const std::uint64_t value = random.number(term.is_shared ? 1 : 0, most);
  std::string text = fmt::format(",{}={:#x}", term.name, value);
  if (term.care.empty()) return text;
  const std::uint64_t ones = low_bits(term.care_width);
  const std::uint64_t least = term.is_span ? value : 1;
  return text + fmt::format(",{}={:#x}", term.care, random.chance(50) ? ones : random.number(least, ones));
}

/// @return whether an event has all of these terms, "pmu/event=0x1,port=0x3/"
bool has_terms(std::string event, const pmufab::soc::RefusedTerms& refused) {
  std::ranges::replace(event, '/', ',');
  return std::ranges::all_of(refused.terms, [&](const auto& term) {
    const bool is_absent = event.find(fmt::format(",{}=", term.first)) == std::string::npos;
    return (term.second == 0 && is_absent) ||
           event.find(fmt::format(",{}={:#x},", term.first, term.second)) != std::string::npos;
  });
}

/// An event of a PMU with a register map.
std::string draw_mapped_event(Random& random, const Pmu& pmu, const std::string& name) {
  constexpr int kTries = 100;
  std::string event;
  for (int tries = 0; tries < kTries; ++tries) {
    std::string terms;
    for (const Term& term : pmu.terms) {
      if (random.chance(50)) terms += draw_term(random, term);
    }
    event = fmt::format("{}/{}{}{}/", name, random.pick(pmu.events).terms, pmu.needs, terms);
    if (std::ranges::none_of(pmu.refused, [&](const auto& one) { return has_terms(event, one); })) break;
  }
  return event;
}

/// An event with terms that its driver must not take together. They replace those of the same name.
RefusedEvent draw_refused_terms(Random& random, const Pmu& pmu, const std::string& name) {
  const pmufab::soc::RefusedTerms& refused = random.pick(pmu.refused);
  std::string text = random.pick(pmu.events).terms + pmu.needs + ",";
  for (const auto& [term, value] : refused.terms) {
    const std::size_t at = text.starts_with(term + "=") ? 0 : text.find(fmt::format(",{}=", term));
    if (at != std::string::npos) text.erase(at == 0 ? 0 : at + 1, text.find(',', at + 1) - at + (at == 0 ? 1 : 0));
    text += fmt::format("{}={:#x},", term, value);
  }
  text.pop_back();
  return {fmt::format("{}/{}/", name, text), refused.error, {}};
}

/// @return whether counters that alone can count an event are enough for those of `events` that need them
bool has_counters_for(const Event& event, const Pmu& pmu, const std::string& name,
                      const std::vector<std::string>& events) {
  if (event.counters == 0) return true;
  const auto is_within = [&](const std::string& text) {
    return std::ranges::any_of(pmu.events, [&](const Event& other) {
      const std::string beginning = fmt::format("{}/{}", name, other.terms);
      return other.counters != 0 && other.first >= event.first &&
             other.first + other.counters <= event.first + event.counters && text.starts_with(beginning) &&
             (text[beginning.size()] == '/' || text[beginning.size()] == ',');
    });
  };
  return static_cast<unsigned>(std::ranges::count_if(events, is_within)) <= event.counters;
}

std::string draw_event(Random& random, const Machine& machine, const Pmu& pmu, const std::string& name) {
  if (pmu.is_mapped) return draw_mapped_event(random, pmu, name);
  if (random.chance(3)) return fmt::format("{}/event=0xfffe/", name);  // most likely no event: it counts nothing
  const bool is_cycles = pmu.has_cycles && random.chance(12);
  if (is_cycles && random.chance(60)) return name + "/cycles/";
  std::string terms;  // cycles are counted whatever filters say
  if (const std::uint64_t filter = draw_register(random, pmu, false); filter != 0 || random.chance(10))
    terms += fmt::format(",filter={:#x}", filter);
  if (machine.has_second_filter) {
    if (const std::uint64_t filter = draw_register(random, pmu, true); filter != 0 || random.chance(10))
      terms += fmt::format(",filter2={:#x}", filter);
  }
  if (is_cycles) return fmt::format("{}/cycles{}/", name, terms);
  return fmt::format("{}/event={:#x}{}/", name, random.pick(pmu.events).number, terms);
}

/// @return cycles, or an event of another source, so that what wraps one counter does not wrap the other
std::optional<std::string> draw_other(Random& random, const Pmu& pmu, const std::string& name, const Event& wrapped,
                                      const std::string& event) {
  const std::string cycles = name + "/cycles/";
  std::vector<std::string> others;
  if (pmu.has_cycles && event != cycles) others.push_back(cycles);
  for (const Event& other : pmu.events) {
    const bool is_apart = event == cycles || other.source != wrapped.source;
    if (is_apart && other.kind == Event::Kind::occurrences && other.can_wrap)
      others.push_back(plain_event(pmu, name, other));
  }
  if (others.empty()) return std::nullopt;
  return random.pick(others);
}

/// @return an event that can wrap counters; of a described CoreSight PMU, always the same
const Event& draw_wrapped(Random& random, const Pmu& pmu) {
  if (!pmu.is_mapped) return pmu.events.front();
  const auto able = std::ranges::find_if_not(pmu.events, &Event::can_wrap) - pmu.events.begin();
  return pmu.events[able == 0 ? 0 : random.number(0, static_cast<std::uint64_t>(able) - 1)];
}

/// Occurrences from a fresh counter, which the driver lets begin one below half its range, to its wrap.
std::optional<BulkEvent> draw_bulk(Random& random, const Pmu& pmu, const std::string& name) {
  const Event& wrapped = draw_wrapped(random, pmu);
  if (pmu.is_unserved || (!wrapped.can_wrap && !pmu.has_cycles)) return std::nullopt;
  BulkEvent bulk;
  const bool is_cycles = pmu.has_cycles && (random.chance(15) || !wrapped.can_wrap);
  bulk.source = is_cycles ? name + "/cycles/" : plain_event(pmu, name, wrapped);
  // Two of them are a whole turn of 33 bits, of which the counter tells one wrap.
  const bool is_low_word = pmu.width > kLowBits + 1 && random.chance(pmu.is_mapped ? 10 : 40);
  const std::uint64_t half = std::uint64_t{1} << (pmu.width - 1);
  bulk.count = is_low_word ? std::uint64_t{1} << kLowBits : pmu.width == 64 ? half : half + 1;
  constexpr unsigned kWidest = 63;  // perf's own counts have 64 bits
  bulk.once = !pmu.interrupt || (pmu.width >= kWidest && !is_low_word);
  // While the handler of another counter's wrap is at work, which has stopped the PMU from its second access on.
  if (const auto other = draw_other(random, pmu, name, wrapped, bulk.source); pmu.interrupt && !pmu.is_still && other) {
    bulk.in_calls = {*other};
    bulk.in_calls_count = half + (pmu.width == 64 ? 0 : random.number(0, 1'000));
  }
  return bulk;
}

/// Groups that do not fit, and other sockets' CPUs.
std::optional<RefusedEvent> draw_refused(Random& random, const Machine& machine, const Pmu& pmu,
                                         const std::string& name, unsigned socket) {
  if (!pmu.refused.empty() && random.chance(50)) return draw_refused_terms(random, pmu, name);
  const std::string event = plain_event(pmu, name, pmu.events.front());
  if (pmu.is_one_each || pmu.has_twins || !pmu.takes_groups || pmu.one_event || !pmu.refuses_groups)
    return std::nullopt;
  if (!pmu.is_mapped && machine.sockets > 1 && random.chance(30)) {
    const unsigned other = (socket + 1) % machine.sockets;
    return RefusedEvent{event, "EINVAL", other * machine.cpus_per_socket};
  }
  if (pmu.has_cycles && pmu.event_counters > 0 && random.chance(30))
    return RefusedEvent{fmt::format("{{{0}/cycles/,{1},{0}/cycles/}}", name, event), "EINVAL", {}};
  std::string group = event;  // one more than there are counters for
  for (unsigned i = 0; i < pmu.event_counters; ++i) group += "," + event;
  return RefusedEvent{"{" + group + "}", "EINVAL", {}};
}

}  // namespace

PmuOffer soc_offer(const SharedMachine& machine, const Pmu& pmu, unsigned socket) {
  PmuOffer offer;
  const std::string& name = pmu.perf_names[socket];
  offer.pmu = name;
  offer.counters = pmu.one_event ? 1 : pmu.event_counters + (pmu.has_cycles ? 1 : 0);
  offer.shares = !pmu.one_event && std::ranges::none_of(pmu.terms, &Term::is_shared);
  offer.reading_loses = pmu.reading_loses;
  offer.beside_clocks = pmu.takes_groups;
  offer.reads_halves = pmu.width > kLowBits && !pmu.is_64bit && !pmu.is_atomic;
  for (unsigned i = 0; i < (pmu.keeps_cpu ? 1 : machine->cpus_per_socket); ++i)
    offer.cpus.push_back(socket * machine->cpus_per_socket + i);
  offer.event = [machine, &pmu, name](Random& random) { return draw_event(random, *machine, pmu, name); };
  offer.fits = [&pmu, machine, name](const std::vector<std::string>& events, bool is_group) {
    if (events.size() > 1 && (pmu.one_event || (is_group && !pmu.takes_groups))) return false;
    const bool is_alone = std::ranges::any_of(pmu.terms, [&](const Term& term) {
      return term.is_shared && std::ranges::any_of(events, [&](const std::string& event) {
               return event.find(fmt::format(",{}=", term.name)) != std::string::npos;
             });
    });
    if (is_alone && events.size() > 1) return false;
    const auto has_room = [&](const Event& event) { return has_counters_for(event, pmu, name, events); };
    if (!std::ranges::all_of(pmu.events, has_room)) return false;
    if (pmu.is_one_each && std::set(events.begin(), events.end()).size() != events.size()) return false;
    const auto cycles = std::ranges::count_if(
        events, [](const std::string& event) { return event.find("/cycles") != std::string::npos; });
    return cycles <= 1 && events.size() - static_cast<std::size_t>(cycles) <= pmu.event_counters;
  };
  offer.refused = [machine, &pmu, name, socket](Random& random) {
    return draw_refused(random, *machine, pmu, name, socket);
  };
  offer.bulk = [machine, &pmu, name](Random& random) { return draw_bulk(random, pmu, name); };
  return offer;
}

namespace {

class SocGenerator final : public FabricGenerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "soc"; }
  [[nodiscard]] std::vector<std::string_view> driver_modules() const override {
    return scenario::soc_kind().driver_modules();
  }

  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view kernel,
                                      const Wishes& /*wishes*/) const override {
    GeneratedMachine made;
    const auto machine = std::make_shared<const Machine>(soc::draw_machine(random, kernel, made.platform));
    made.traffic.emplace_back("soc_traffic", soc::draw_traffic(random, *machine));
    for (const Pmu& pmu : machine->pmus) {
      for (unsigned socket = 0; socket < machine->sockets; ++socket)
        made.pmus.push_back(soc_offer(machine, pmu, socket));
    }
    made.cpus = machine->sockets * machine->cpus_per_socket;
    if (machine->is_slow) {
      made.slowest_access = 10'000;
      made.longest_interrupt = 1'000'000;
    }
    return made;
  }
};

}  // namespace

const FabricGenerator& soc_generator() {
  static const SocGenerator generator;
  return generator;
}

}  // namespace pmufab::verify
