// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/cpmu/cpmu_parameters.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/cxl/cpmu/event_group.h"
#include "models/cxl/wire/event_names.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {
namespace {

constexpr unsigned kMaximumCounters = 64;
constexpr unsigned kMaximumGroups = 32;
constexpr unsigned kMessages = 16;
constexpr unsigned kQualifiers = 64;
constexpr unsigned kAnyNumber = 0xff;  // in a byte of filter 1

void check_shape(const DdrShape& shape, const std::string& field) {
  for (const unsigned count : {shape.channels, shape.ranks, shape.bank_groups, shape.banks}) {
    if (count == 0 || count > kAnyNumber) {
      throw SpecError(field, fmt::format("channels, ranks, bank_groups and banks are 1 to {} each", kAnyNumber));
    }
  }
  if (shape.ranks * shape.bank_groups * shape.banks > kQualifiers) {
    throw SpecError(field,
                    fmt::format("{} ranks of {} bank groups of {} banks are more than {} banks in a channel",
                                shape.ranks, shape.bank_groups, shape.banks, kQualifiers),
                    "ranks * bank_groups * banks is at most 64");
  }
}

void check_source(const EventGroup& group, const EventSource& source, const std::string& field) {
  if (source.bit >= 32 || (group.supported >> source.bit & 1U) == 0) {
    throw SpecError(field + ".bit",
                    fmt::format("event {} is not in the group's supported mask {:#x}", source.bit, group.supported));
  }
  if (source.probe == nullptr) {
    throw SpecError(field + ".probe", fmt::format("{} has no probe", event_name(group.vendor, group.group, source.bit)),
                    "leave the source out if the event never happens");
  }
  if (group.filter == EventFilter::ddr_location && source.channel >= group.shape.channels) {
    throw SpecError(field + ".channel", fmt::format("there is no channel {}", source.channel),
                    fmt::format("the group's shape has channels 0 to {}", group.shape.channels - 1));
  }
}

void check_group(const EventGroup& group, const std::string& field) {
  if (group.supported == 0) throw SpecError(field + ".supported", "a group has at least one event");
  if (group.filter == EventFilter::ddr_location) check_shape(group.shape, field + ".shape");
  if (group.vendor == kCxlVendor && group.group == 0 && (group.supported != 1 || !group.sources.empty()))
    throw SpecError(field, "group 0x0000 is clock_ticks alone, which the CPMU counts itself",
                    "supported is 1, and there are no sources");
  std::set<const Probe*> probes;
  for (std::size_t index = 0; index < group.sources.size(); ++index) {
    const std::string source = fmt::format("{}.sources[{}]", field, index);
    check_source(group, group.sources[index], source);
    if (!probes.insert(group.sources[index].probe).second) {
      throw SpecError(source + ".probe",
                      fmt::format("probe '{}' serves two events of the group", group.sources[index].probe->name()),
                      "events are added up where a mask has several, so each needs its own");
    }
  }
}

void check_counter(const CpmuCounterParameters& counter, const std::vector<EventGroup>& groups,
                   const std::string& field) {
  switch (counter.type) {
    case CounterType::configurable:
      if (counter.group != 0 || counter.events != 0 || counter.threshold != 0)
        throw SpecError(field, "group, events and threshold of a configurable counter are programmed by software",
                        "leave them out, or say fixed or free_running");
      return;
    case CounterType::fixed:
    case CounterType::free_running:
      break;
    default:
      throw SpecError(field + ".type", "there is no such type of counter");
  }
  if (counter.group >= groups.size()) {
    throw SpecError(field + ".group", fmt::format("there is no event group {}", counter.group),
                    fmt::format("the groups are 0 to {}", groups.size() - 1));
  }
  const std::uint32_t supported = groups[counter.group].supported;
  if (counter.events == 0 || (counter.events & ~supported) != 0) {
    throw SpecError(
        field + ".events",
        fmt::format("the mask {:#x} is empty or has events that group {} does not have", counter.events, counter.group),
        fmt::format("its events are {:#x}", supported));
  }
}

}  // namespace

void check(const CpmuParameters& parameters) {
  if (parameters.counters.empty() || parameters.counters.size() > kMaximumCounters) {
    throw SpecError("counters",
                    fmt::format("{} counters; a CPMU has 1 to {}", parameters.counters.size(), kMaximumCounters));
  }
  if (parameters.width < 1 || parameters.width > 64) {
    throw SpecError("width", fmt::format("a counter has 1 to 64 bits, not {}", parameters.width),
                    "48 is what products have; Linux's driver takes 1 to 63");
  }
  if (parameters.frequency_hz == 0 || parameters.frequency_hz > 1'000'000'000'000)
    throw SpecError("frequency_hz", "the clock runs at 1 Hz to 1 THz");
  if (parameters.message_number >= kMessages) {
    throw SpecError("message_number",
                    fmt::format("the field has four bits; there is no message {}", parameters.message_number),
                    "0 to 15; Linux takes 1 to 15");
  }
  if (parameters.writable_while_frozen && !parameters.freeze)
    throw SpecError("writable_while_frozen", "counters that cannot be frozen are not writable while frozen",
                    "set freeze too, or clear both");
}

void check(const CpmuParameters& parameters, const std::vector<EventGroup>& groups) {
  if (groups.empty() || groups.size() > kMaximumGroups) {
    throw SpecError("groups", fmt::format("{} event groups; a CPMU has 1 to {}", groups.size(), kMaximumGroups));
  }
  for (std::size_t index = 0; index < groups.size(); ++index) {
    check_group(groups[index], fmt::format("groups[{}]", index));
  }
  check(parameters);
  for (std::size_t index = 0; index < parameters.counters.size(); ++index) {
    check_counter(parameters.counters[index], groups, fmt::format("counters[{}]", index));
  }
}

std::string event_name(std::uint16_t vendor, std::uint16_t group, unsigned bit) {
  if (vendor == kCxlVendor) {
    const auto* const found = std::find_if(kEventNames.begin(), kEventNames.end(), [&](const EventName& known) {
      return known.group == group && known.bit == bit;
    });
    if (found != kEventNames.end()) return std::string(found->name);
  }
  return fmt::format("vendor {:#06x} group {:#06x} event {}", vendor, group, bit);
}

}  // namespace pmufab::cxl
