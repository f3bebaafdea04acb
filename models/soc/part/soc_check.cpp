// SPDX-License-Identifier: Apache-2.0
// What makes described PMUs impossible.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/platform/platform_spec.h"
#include "models/soc/part/map_check.h"
#include "models/soc/part/pci_places.h"
#include "models/soc/part/soc_rows.h"
#include "models/soc/wire/fabric_sources.h"
#include "tlm/registers/register_spec.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {
namespace {

using soc::BitRange;
using soc::EventDescription;
using soc::FilterDescription;
using soc::PmuDescription;

constexpr unsigned kHalf = 32;

/// Back-ends of Linux, by the implementer in PMIIDR. They name their PMUs.
struct BackEnd {
  std::uint32_t implementer;
  const char* module;
};
constexpr std::array<BackEnd, 2> kBackEnds = {{{0x36b, "nvidia_cspmu"}, {0xa16, "ampere_cspmu"}}};

void check_identity(const std::string& field, const PmuDescription& pmu) {
  const bool has_pidr = std::any_of(pmu.pmpidr.begin(), pmu.pmpidr.end(), [](auto byte) { return byte != 0; });
  if (pmu.pmiidr == 0 && !has_pidr && pmu.implementation_id == 0)
    throw SpecError(field + "pmiidr", "is missing: a driver could not tell what it is",
                    "for example 0x1230_043b, implementer Arm");
  const std::uint32_t pidr_implementer = static_cast<std::uint32_t>(pmu.pmpidr[1] >> 4) |
                                         static_cast<std::uint32_t>(pmu.pmpidr[2] & 7U) << 4 |
                                         static_cast<std::uint32_t>(pmu.pmpidr[4] & 0xfU) << 8;
  const std::uint32_t seen = pmu.implementation_id != 0 ? pmu.implementation_id : pmu.pmiidr;
  const std::uint32_t implementer = seen != 0 ? seen & 0xfffU : pidr_implementer;
  for (const BackEnd& back_end : kBackEnds) {
    if (back_end.implementer == implementer && pmu.perf_name.empty())
      throw SpecError(field + "pmiidr",
                      fmt::format("the driver's back-end {} serves implementer {:#x}, and names the PMU",
                                  back_end.module, implementer),
                      "give that name as perf_name, for example nvidia_scf_pmu_{socket}");
  }
}

void check_layout(const std::string& field, const PmuDescription& pmu) {
  check_between(field + "width", pmu.width, 8, 64, "bits of a counter");
  check_between(field + "counters", pmu.counters, pmu.cycle_counter ? 2 : 1, soc::kMaximumCounters,
                pmu.cycle_counter ? "the cycle counter is one of them" : "");
  if (pmu.is_64bit && pmu.width <= kHalf)
    throw SpecError(field + "width",
                    fmt::format("is {}; the 64-bit layout has counters of more than 32 bits", pmu.width),
                    "give 33 to 64, or layout: 32-bit");
  constexpr std::uint32_t kPresent = 1U << 20;
  const std::uint32_t part = pmu.pmdevarch & 0xfffU;
  const bool is_told = (pmu.pmdevarch & kPresent) != 0 && (part == 0xaf4 || part == 0xaf5);
  if (pmu.is_64bit && !pmu.pmcnten && !is_told)
    throw SpecError(field + "pmdevarch",
                    "does not tell of the 64-bit layout, and there is no PMCNTEN: no driver could find it out",
                    "for example 0x4770_0af4");
  if (!pmu.is_64bit && is_told)
    throw SpecError(field + "pmdevarch", fmt::format("{:#x} tells drivers of the 64-bit layout", pmu.pmdevarch),
                    "give layout: 64-bit, or another pmdevarch");
  check_between(field + "event_bits", pmu.event_bits, 1, pmu.is_64bit ? 64 : kHalf);
  check_between(field + "implementation_defined", pmu.implementation_defined, 0, soc::kImplementationDefined);
  check_between(field + "clock", pmu.clock_hz, 1, kMaximumClock, "hertz");
}

void check_pages(const std::string& field, const PmuDescription& pmu) {
  const auto check = [&](const std::string& name, std::uint64_t base) {
    if (base % kRegisterPage != 0)
      throw SpecError(field + name, fmt::format("{:#x} is not a multiple of a page (0x1000)", base),
                      fmt::format("{:#x} is", base / kRegisterPage * kRegisterPage));
    if (base >> default_map::kSocketShift != 0)
      throw SpecError(field + name, fmt::format("{:#x} is beyond the addresses of a socket, which end at {:#x}", base,
                                                std::uint64_t{1} << default_map::kSocketShift));
  };
  check("base", pmu.base);
  if (pmu.page1) check("page1", *pmu.page1);
}

void check_soc_place(const std::string& field, const PmuDescription& pmu, const PlatformSpec& spec) {
  constexpr std::size_t kHidSize = 8;
  check_module_name(field + "name", pmu.name);
  std::set<unsigned> sockets;
  for (std::size_t index = 0; index < pmu.sockets.size(); ++index) {
    const std::string socket = fmt::format("{}sockets[{}]", field, index);
    if (pmu.sockets[index] >= spec.sockets)
      throw SpecError(
          socket, fmt::format("is {}, but the platform has sockets 0 ... {}", pmu.sockets[index], spec.sockets - 1));
    if (!sockets.insert(pmu.sockets[index]).second) throw SpecError(socket, "names a socket twice");
  }
  if (!pmu.map && pmu.type == ApmtNode::Type::acpi_device && pmu.hid.size() != kHidSize)
    throw SpecError(field + "hid", fmt::format("'{}' has not eight characters", pmu.hid), "for example ACME0001");
  if (pmu.type != ApmtNode::Type::acpi_device && !pmu.hid.empty())
    throw SpecError(field + "hid", "is for type: acpi only", "leave it out");
  if (pmu.cpu) check_between(field + "cpu", *pmu.cpu, 0, spec.cpus_per_socket - 1);
  if (pmu.interrupt && pmu.interrupt->is_wired() && pmu.interrupt->lines.empty() && pmu.interrupt->number == 0)
    throw SpecError(field + "interrupt.number", "is 0, which in the firmware table means none",
                    "leave out the interrupt");
}

/// An event counts what happens at its source.
void check_counts(const std::string& field, const EventDescription& event,
                  const std::vector<soc::SourceDescription>& sources) {
  if (event.counts == EventDescription::Counts::cycles) return;
  if (event.source >= sources.size()) throw SpecError(field + "source", "is not in the list of sources");
  const soc::SourceDescription& source = sources[event.source];
  if (event.counts == EventDescription::Counts::sum && !soc::can_be_summed(source))
    throw SpecError(field + "counts", fmt::format("is a sum; {} has occurrences alone", source.name), "leave it out");
  if (event.times != 1 && source.cause != soc::Cause::streams)
    throw SpecError(field + "times", "is for cycles, and for events of sources with streams");
  if (event.unit == 0) throw SpecError(field + "unit", "is 0", "leave it out, or give the number that makes a unit");
  if (event.unit != 1 && (event.counts != EventDescription::Counts::sum || source.cause != soc::Cause::streams))
    throw SpecError(field + "unit", fmt::format("is for a sum of what streams let happen; {} is none", event.name),
                    "leave it out");
  if (event.counts == EventDescription::Counts::outstanding && !soc::lasts(source))
    throw SpecError(field + "counts", fmt::format("nothing at {} is ever outstanding", source.name), "leave it out");
}

void check_event(const std::string& field, const PmuDescription& pmu, const EventDescription& event) {
  const std::uint64_t code = event.code.value_or(event.number);
  if (code > low_bits(pmu.event_bits))
    throw SpecError(field + (event.code ? "code" : "number"),
                    fmt::format("{:#x} does not fit into the {} bits of an event's number", code, pmu.event_bits),
                    "give event_bits");
  for (const EventDescription& other : pmu.events) {
    if (&other == &event) break;
    const auto first_of = [](const EventDescription& one) { return one.counters ? one.counters->first : 0; };
    const unsigned both = std::max(first_of(event), first_of(other));
    const auto has_it = [&](const EventDescription& one) { return one.is_selected_by(code, ~std::uint64_t{0}, both); };
    if ((event.code || other.code) && has_it(event) && has_it(other))
      throw SpecError(field + "code",
                      fmt::format("{:#x} is that of {}, which the same counters can count", code, other.name));
  }
}

void check_events(const std::string& field, const PmuDescription& pmu,
                  const std::vector<soc::SourceDescription>& sources) {
  std::map<std::uint64_t, std::size_t> numbers;
  std::map<std::string, std::size_t> names;
  for (std::size_t index = 0; index < pmu.events.size(); ++index) {
    const EventDescription& event = pmu.events[index];
    const std::string at = fmt::format("{}events[{}].", field, index);
    check_event(at, pmu, event);
    check_counts(at, event, sources);
    if (const auto [other, fresh] = numbers.emplace(event.number, index); !fresh)
      throw SpecError(at + "number", fmt::format("{:#x} is that of events[{}], {}", event.number, other->second,
                                                 pmu.events[other->second].name));
    // A name of several events is made whole by terms of their numbers.
    if (pmu.map && pmu.map->number_terms.size() > 1) continue;
    if (const auto [other, fresh] = names.emplace(event.name, index); !fresh)
      throw SpecError(at + "name", fmt::format("events[{}] has it already", other->second));
  }
}

/// Which bits of which register are taken already.
class TakenBits {
 public:
  /// A bit that switches filters on and off, of which several may use the same.
  void take_switch(const std::string& field, const FilterDescription& filter, unsigned bit, unsigned width) {
    if (switches_.contains({filter.where, filter.word, bit})) return;
    take(field, filter, {bit, 1}, width);
    switches_.insert({filter.where, filter.word, bit});
  }
  void take(const std::string& field, const FilterDescription& filter, const BitRange& bits, unsigned width) {
    take(field, filter, filter.where, bits, width);
  }
  /// Bits of the register that holds the bits that matter.
  void take_care(const std::string& field, const FilterDescription& filter, const BitRange& bits, unsigned width) {
    FilterDescription there = filter;
    there.word = filter.care_word.value_or(filter.word);
    take(field, there, filter.care_register(), bits, width);
  }
  void take(const std::string& field, const FilterDescription& filter, FilterDescription::Register where,
            const BitRange& bits, unsigned width) {
    if (bits.first + bits.width > width)
      throw SpecError(field, fmt::format("reach bit {}; the register has {} bits", bits.first + bits.width - 1, width));
    const std::uint64_t mask = low_bits(bits.width) << bits.first;
    std::vector<Place>& places = taken_[std::make_pair(where, filter.word)];
    std::uint64_t all = 0;
    for (const Place& place : places) all |= place.mask;
    for (const Place& place : places) {
      if ((place.mask & mask) != 0 && !never_together(place.when, filter.when))
        throw SpecError(field, fmt::format("overlap those of filter {}", place.owner),
                        free_bits(all, bits.width, width));
    }
    places.push_back({mask, filter.name, filter.when});
  }

 private:
  using Setting = std::optional<soc::FilterSetting>;
  struct Place {
    std::uint64_t mask;
    std::string owner;
    Setting when;
  };
  static bool never_together(const Setting& a, const Setting& b) {
    return a && b && a->word == b->word && a->bits.first == b->bits.first && a->bits.width == b->bits.width &&
           a->value != b->value;
  }
  static std::string free_bits(std::uint64_t taken, unsigned wanted, unsigned width) {
    for (unsigned first = 0; first + wanted <= width; ++first) {
      if ((taken >> first & low_bits(wanted)) != 0) continue;
      return wanted == 1 ? fmt::format("bit {} is free", first)
                         : fmt::format("bits {}-{} are free", first, first + wanted - 1);
    }
    return "no such range is free in this register";
  }

  std::map<std::pair<FilterDescription::Register, unsigned>, std::vector<Place>> taken_;
  std::set<std::tuple<FilterDescription::Register, unsigned, unsigned>> switches_;  // register, and bit
};

unsigned register_width(const PmuDescription& pmu, FilterDescription::Register which, unsigned word) {
  if (which == FilterDescription::Register::described) return pmu.map->registers[word].width;
  return pmu.is_64bit && which != FilterDescription::Register::implementation_defined ? 64 : kHalf;
}

/// What acts on clocks needs to know of each event by itself when it happens.
void check_clocks(const std::string& field, const PmuDescription& pmu,
                  const std::vector<soc::SourceDescription>& sources) {
  const auto filter = std::ranges::find_if(pmu.filters, &FilterDescription::is_of_clocks);
  if (filter == pmu.filters.end()) return;
  for (std::size_t index = 0; index < pmu.events.size(); ++index) {
    const EventDescription& event = pmu.events[index];
    if (event.counts == EventDescription::Counts::cycles) continue;
    if (!soc::is_heard_itself(sources[event.source]))
      throw SpecError(fmt::format("{}events[{}].source", field, index),
                      fmt::format("is a fabric, on whose events {} does not act", filter->name),
                      "name a source of the platform file, or remove that filter");
  }
}

void check_filters(const std::string& field, const PmuDescription& pmu) {
  TakenBits taken;
  for (std::size_t index = 0; index < pmu.filters.size(); ++index) {
    const FilterDescription& filter = pmu.filters[index];
    const std::string at = fmt::format("{}filters[{}].", field, index);
    const auto has_name = [&](const FilterDescription& other) {
      return other.name == filter.name &&
             (!filter.counters || !other.counters || filter.counters->overlaps(*other.counters));
    };
    if (std::ranges::any_of(std::span(pmu.filters).first(index), has_name))
      throw SpecError(at + "name", fmt::format("'{}' is that of another filter", filter.name),
                      pmu.map ? "filters of different counters may share one" : "");
    if (filter.counters && filter.counters->first + filter.counters->width > pmu.counters)
      throw SpecError(at + "counters",
                      fmt::format("names counter {}; the PMU has 0 ... {}",
                                  filter.counters->first + filter.counters->width - 1, pmu.counters - 1));
    const bool is_own = filter.where == FilterDescription::Register::implementation_defined;
    if (is_own && filter.word >= pmu.implementation_defined)
      throw SpecError(at + "register", fmt::format("there is no implementation-defined register {}", filter.word),
                      fmt::format("give implementation_defined: {}", filter.word + 1));
    const unsigned width = register_width(pmu, filter.where, filter.word);
    for (unsigned copy = 0; copy < filter.repeat; ++copy)
      taken.take(at + (copy == 0 ? "bits" : "repeat"), filter,
                 {filter.bits.first + copy * filter.step, filter.bits.width}, width);
    if ((filter.fallback & ~low_bits(filter.bits.width)) != 0)
      throw SpecError(at + "default",
                      fmt::format("{:#x} does not fit into {} bits", filter.fallback, filter.bits.width));
    if (filter.care_where && !filter.care) throw SpecError(at + "care_register", "is there, but no care");
    if (filter.care)
      taken.take_care(at + "care", filter, *filter.care,
                      register_width(pmu, filter.care_register(), filter.care_word.value_or(filter.word)));
    if (filter.when) {
      const BitRange& bits = filter.when->bits;
      if (bits.first + bits.width > pmu.map->registers[filter.when->word].width)
        throw SpecError(at + "when.bits",
                        fmt::format("reach bit {}; the register has {} bits", bits.first + bits.width - 1,
                                    pmu.map->registers[filter.when->word].width));
      if (filter.when->value > low_bits(bits.width))
        throw SpecError(at + "when.value",
                        fmt::format("{:#x} does not fit into {} bits", filter.when->value, bits.width));
    }
    if (filter.enable) taken.take_switch(at + "enable", filter, *filter.enable, width);
    if (filter.disable) taken.take_switch(at + "disable", filter, *filter.disable, width);
    if (filter.invert && filter.match != FilterDescription::Match::value &&
        filter.match != FilterDescription::Match::at_least)
      throw SpecError(at + "invert", "is for match: value, and at_least");
    if (filter.invert && *filter.invert >= pmu.map->registers[filter.invert_word].width)
      throw SpecError(at + "invert", fmt::format("is bit {}; {} has {} bits", *filter.invert,
                                                 pmu.map->registers[filter.invert_word].name,
                                                 pmu.map->registers[filter.invert_word].width));
    if (filter.match == FilterDescription::Match::edge && filter.bits.width != 1)
      throw SpecError(at + "bits", "are several; match: edge is for one");
    if (filter.care && filter.match != FilterDescription::Match::value &&
        filter.match != FilterDescription::Match::between)
      throw SpecError(at + "care", "is for match: value, and between");
    if (!filter.care && filter.match == FilterDescription::Match::between)
      throw SpecError(at + "care", "is missing: it gives the greatest value");
  }
}

/// "coresight_pmus[0]"
std::string place_of(const PlatformSpec& spec, std::size_t pmu) {
  std::string field = field_of(spec.of<SocSpec>(), pmu);
  field.pop_back();
  return field;
}

void check_names(const PlatformSpec& spec) {
  std::map<std::string, std::size_t> names;
  std::map<std::string, std::size_t> perf_names;
  std::map<std::uint32_t, std::size_t> ids;
  std::map<std::uint32_t, std::size_t> interrupts;
  for (const SocPmuRow& row : soc_pmus(spec)) {
    const std::string field = field_of(spec.of<SocSpec>(), row.pmu);
    if (const auto [other, fresh] = names.emplace(row.name, row.pmu); !fresh)
      throw SpecError(field + "name", fmt::format("'{}' is that of {}", spec.of<SocSpec>().pmus[row.pmu].name,
                                                  place_of(spec, other->second)));
    // Before names: drivers name most types by the id.
    if (const auto [other, fresh] = row.device ? std::pair(ids.end(), true) : ids.emplace(row.apmt.id, row.pmu); !fresh)
      throw SpecError(field + "id", fmt::format("{} is that of {}", row.apmt.id, place_of(spec, other->second)),
                      "socket s adds s to the number");
    if (const auto [other, fresh] = perf_names.emplace(row.perf_name, row.pmu); !fresh)
      throw SpecError(field + (spec.of<SocSpec>().pmus[row.pmu].perf_name.empty() ? "instance" : "perf_name"),
                      fmt::format("drivers would call it {}, as {}", row.perf_name, place_of(spec, other->second)),
                      spec.of<SocSpec>().pmus[row.pmu].perf_name.empty() ? "socket s adds s to the number"
                                                                         : "write {socket} into the name");
    const auto& its = spec.of<SocSpec>().pmus[row.pmu].interrupt;
    if (!its) continue;
    for (const std::uint32_t number : its->numbers(row.socket)) {
      const auto other = interrupts.emplace(number, row.pmu).first;
      const auto& others = spec.of<SocSpec>().pmus[other->second].interrupt;
      const std::string how =
          fmt::format("differs from that of {}, which shares interrupt {}", place_of(spec, other->second), number);
      if (others->shared != its->shared) throw SpecError(field + "interrupt.shared", how, "say shared: true of both");
      if (others->trigger != its->trigger) throw SpecError(field + "interrupt.trigger", how);
    }
  }
}

/// A register shows interrupts of PMUs that are there.
void check_pending(const std::string& field, const PmuDescription& pmu, const std::vector<PmuDescription>& all) {
  for (const soc::RegisterDescription& reg : pmu.map->registers) {
    for (const soc::FieldDescription& one : reg.fields) {
      for (const std::string& name : one.of) {
        if (std::ranges::find(all, name, &PmuDescription::name) == all.end())
          throw SpecError(field + "registers",
                          fmt::format("{} shows interrupts of '{}', which is no PMU", reg.name, name));
      }
    }
  }
}

}  // namespace

void check_soc(const PlatformSpec& spec) {
  for (std::size_t index = 0; index < spec.of<SocSpec>().pmus.size(); ++index) {
    const PmuDescription& pmu = spec.of<SocSpec>().pmus[index];
    const std::string field = field_of(spec.of<SocSpec>(), index);
    check_soc_place(field, pmu, spec);
    if (pmu.map) {
      check_map(field, pmu);
      check_pending(field, pmu, spec.of<SocSpec>().pmus);
    } else {
      check_identity(field, pmu);
      check_layout(field, pmu);
      check_pages(field, pmu);
    }
    check_events(field, pmu, spec.of<SocSpec>().sources);
    check_filters(field, pmu);
    check_clocks(field, pmu, spec.of<SocSpec>().sources);
  }
  check_names(spec);
  check_pci_places(spec);
}

}  // namespace pmufab::platform
