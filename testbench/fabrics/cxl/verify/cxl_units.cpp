// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/verify/cxl_units.h"

#include <algorithm>
#include <bit>

#include "testbench/fabrics/common/values.h"
#include "testbench/fabrics/cxl/judge/cxl_event_names.h"
#include "testbench/fabrics/cxl/verify/cxl_known_defects.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

constexpr unsigned kCxlMostCounters = 64;

std::uint32_t supported_events(const CxlGroupKind& kind, const CxlDevice& device) {
  constexpr std::uint16_t kQueueOccupancy = 0x8001;
  if (kind.id == kQueueOccupancy) return device.memory.separate_queues ? 0xb : 0xc;
  return scoreboard::cxl_supported_events(kind.id);
}

std::vector<const CxlGroupKind*> kinds_of(const CxlDevice& device) {
  std::vector<const CxlGroupKind*> kinds;
  for (const CxlGroupKind& kind : cxl_group_kinds()) {
    if (!kind.needs_cache || device.cache) kinds.push_back(&kind);
  }
  return kinds;
}

CxlGroup vendor_group(Random& random, const CxlDevice& device) {
  CxlGroup group;
  group.vendor = random.pick<std::uint16_t>({0x1d0f, 0x8086, 0x19e5, 0x1e97, 0x9e98, 0x1});
  group.id = random.pick<std::uint16_t>({0x1, 0x10, 0x20, 0x25, 0x8000, 0xffff});
  std::vector<std::string> messages;
  for (const CxlGroupKind* const kind : kinds_of(device)) {
    if (!kind->of_messages) continue;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((scoreboard::cxl_supported_events(kind->id) >> bit & 1U) != 0)
        messages.emplace_back(scoreboard::cxl_event_name({kind->id, bit}));
    }
  }
  random.shuffle(messages);
  const std::uint64_t count = random.chance(15) ? 32 : random.number(1, 6);
  messages.resize(std::min<std::size_t>(messages.size(), count));
  group.events = std::move(messages);
  group.supported = static_cast<std::uint32_t>((std::uint64_t{1} << group.events.size()) - 1);
  return group;
}

unsigned group_count(Random& random) {
  const std::uint64_t kind = random.number(1, 100);
  if (kind <= 25) return 1;
  if (kind <= 70) return static_cast<unsigned>(random.number(2, 4));
  if (kind <= 90) return static_cast<unsigned>(random.number(5, 12));
  return static_cast<unsigned>(random.number(13, 32));
}

unsigned configurable_count(Random& random) {
  const std::uint64_t kind = random.number(1, 100);
  if (kind <= 15) return 0;
  if (kind <= 65) return static_cast<unsigned>(random.number(1, 4));
  if (kind <= 90) return static_cast<unsigned>(random.number(5, 16));
  if (kind <= 94) return static_cast<unsigned>(random.number(17, 32));
  if (kind <= 97) return static_cast<unsigned>(random.number(33, kCxlMostCounters));
  return kCxlMostCounters;
}

void add_groups(Random& random, const CxlDevice& device, CxlUnit& unit) {
  const unsigned count = group_count(random);
  while (unit.groups.size() < count) {
    if (!unit.groups.empty() && random.chance(20)) {
      const CxlGroup again = random.pick(unit.groups);
      unit.groups.push_back(again);
      continue;
    }
    CxlGroup group = cxl_group(random, device);
    // One number means one group.
    const bool clash = std::ranges::any_of(unit.groups, [&](const CxlGroup& other) {
      return other.vendor == group.vendor && other.id == group.id && other.events != group.events;
    });
    if (!clash) unit.groups.push_back(std::move(group));
  }
}

/// A scenario names the events of fixed counters. Those of some groups have no names.
bool has_names(const CxlGroup& group) {
  return group.vendor != kCxlVendorId ||
         !scoreboard::cxl_event_name({group.id, static_cast<unsigned>(std::countr_zero(group.supported))}).empty();
}

void add_built_in(Random& random, CxlUnit& unit) {
  const unsigned first = unit.configurable > 0 ? cxl_known::kProgrammedGroup + 1 : 0;
  const auto groups = static_cast<unsigned>(unit.groups.size());
  const std::uint64_t fixed =
      unit.configurable == 0 || random.chance(50) ? random.number(1, random.chance(10) ? 30 : 6) : 0;
  for (std::uint64_t tries = 0; first < groups && tries < fixed && unit.counters() < kCxlMostCounters; ++tries) {
    CxlBuiltIn counter{static_cast<unsigned>(random.number(first, groups - 1)), 0, 0};
    const CxlGroup& group = unit.groups[counter.group];
    counter.mask = cxl_some(random, group.supported);
    if (random.chance(15)) counter.threshold = static_cast<unsigned>(random.number(1, 3));
    const auto same = [&](std::uint16_t vendor, std::uint16_t id, std::uint32_t mask) {
      return vendor == group.vendor && id == group.id && mask == counter.mask;
    };
    const bool twin = std::ranges::any_of(unit.fixed, [&](const CxlBuiltIn& other) {
      return same(unit.groups[other.group].vendor, unit.groups[other.group].id, other.mask);
    });
    if (!twin && has_names(group)) unit.fixed.push_back(counter);
  }
  // Fixed counters are the last ones. Of 64, the driver can use the last one without all the others.
  if (unit.configurable > 32 && !unit.fixed.empty() && random.chance(50))
    unit.configurable = static_cast<unsigned>(kCxlMostCounters - unit.fixed.size());
  if (!random.chance(20) || first >= groups) return;
  for (auto left = random.number(1, 2); left > 0 && unit.counters() < kCxlMostCounters; --left) {
    const auto index = static_cast<unsigned>(random.number(first, groups - 1));
    if (has_names(unit.groups[index]))
      unit.free_running.push_back({index, cxl_some(random, unit.groups[index].supported), 0});
  }
}

/// A value of the filter by place: each part any, or one that exists, or one that does not.
std::uint32_t some_place(Random& random, const CxlMemory& memory) {
  if (memory.banks > 1 && random.chance(10)) return 1;  // bank 1, and the first of all else
  std::uint32_t place = 0;
  for (const unsigned values : {memory.channels, memory.ranks, memory.bank_groups, memory.banks}) {
    const bool any = random.chance(55);
    place =
        place << 8 | static_cast<std::uint32_t>(any ? 0xff : random.number(0, random.chance(95) ? values - 1 : values));
  }
  return place;
}

}  // namespace

CxlGroup cxl_group(Random& random, const CxlDevice& device) {
  if (random.chance(15)) return vendor_group(random, device);
  // The more events a group has, the more often.
  std::vector<const CxlGroupKind*> kinds;
  for (const CxlGroupKind* const kind : kinds_of(device)) {
    const auto events = static_cast<std::size_t>(std::popcount(supported_events(*kind, device)));
    kinds.insert(kinds.end(), (events + 2) / 3, kind);
  }
  const CxlGroupKind& kind = *random.pick(kinds);
  return {kCxlVendorId, kind.id, supported_events(kind, device), std::string(kind.word), {}};
}

std::uint32_t cxl_some(Random& random, std::uint32_t mask) {
  const std::uint64_t kind = random.number(1, 100);
  if (kind > 90) return mask;
  std::uint32_t some = 1U << cxl_any_bit(random, mask);
  for (std::uint64_t more = kind <= 70 ? 0 : random.number(1, 3); more > 0; --more)
    some |= 1U << cxl_any_bit(random, mask);
  return some;
}

CxlUnit cxl_unit(Random& random, const CxlDevice& device, CxlProgram& program) {
  CxlUnit unit;
  add_groups(random, device, unit);
  unit.configurable = configurable_count(random);
  program = {cxl_some(random, unit.groups[0].supported), random.chance(30), random.chance(20)};
  add_built_in(random, unit);
  if (unit.configurable == 0 && unit.fixed.empty()) {  // no counter that the driver can use
    unit.free_running.clear();
    unit.configurable = 1;
  }
  unit.width = random.pick({cxl_known::kLeastFreeWidth, 33U, 40U, 47U, 48U, 48U, 56U, 63U, 64U});
  unit.clock = random.pick<std::uint64_t>(
      {1'000'000'000, 1'000'000'000, 500'000'000, 2'000'000'000, 100'000'000, 333'333'333, 1'200'000'000});
  unit.hdm_filter = random.chance(60);
  unit.ddr_filter = random.chance(60);
  return unit;
}

void cxl_remove_spilling(CxlUnit& unit) {
  std::uint32_t built_in = 0;
  for (const CxlBuiltIn& counter : unit.fixed) built_in |= 1U << counter.group;
  std::erase_if(unit.fixed, [&](const CxlBuiltIn& counter) {
    for (unsigned index = 0; unit.configurable > 0 && index < unit.groups.size(); ++index) {
      const bool same = unit.groups[index].vendor == unit.groups[counter.group].vendor &&
                        unit.groups[index].id == unit.groups[counter.group].id;
      if (same && (built_in >> index & 1U) == 0) return true;
    }
    return false;
  });
}

bool cxl_takes(const CxlUnit& unit, std::uint16_t vendor, std::uint16_t group, std::uint32_t mask) {
  std::uint32_t built_in = 0;
  for (const CxlBuiltIn& counter : unit.fixed) {
    const CxlGroup& own = unit.groups[counter.group];
    if (own.vendor == vendor && own.id == group && counter.mask == mask) return true;
    built_in |= 1U << counter.group;
  }
  for (unsigned index = 0; unit.configurable > 0 && index < unit.groups.size(); ++index) {
    const CxlGroup& own = unit.groups[index];
    if ((built_in >> index & 1U) == 0 && own.vendor == vendor && own.id == group && (mask & ~own.supported) == 0)
      return true;
  }
  return false;
}

void cxl_add_filters(Random& random, const CxlDevice& device, const CxlUnit& unit, std::string_view kernel,
                     CxlRequest& request) {
  if (unit.hdm_filter && random.chance(40)) {
    const auto decoders = static_cast<std::uint32_t>((1U << device.decoders.size()) - 1);
    request.hdm = random.chance(10)   ? static_cast<std::uint32_t>(random.number(0, 0xffff))
                  : random.chance(10) ? 0xffffU
                                      : static_cast<std::uint32_t>(random.number(1, decoders));
  }
  const CxlGroupKind* const kind = cxl_group_kind(request.vendor, request.group);
  if (unit.ddr_filter && cxl_has_place_filter(kernel) && kind != nullptr && kind->filter == CxlFilter::place &&
      std::has_single_bit(request.mask) && random.chance(50))
    request.crb = some_place(random, device.memory);
}

CxlRequest cxl_configurable_request(Random& random, const CxlDevice& device, const CxlUnit& unit,
                                    const CxlProgram& program, std::string_view kernel) {
  const CxlGroup& group = unit.groups[cxl_known::kProgrammedGroup];
  CxlRequest request{group.vendor, group.id, program.mask, 0, program.invert, program.edge, {}, {}};
  // An edge needs a condition, which a threshold makes.
  if (program.edge || random.chance(30))
    request.threshold =
        static_cast<unsigned>(random.chance(5) ? random.number(1, cxl_known::kMostThreshold) : random.number(1, 3));
  cxl_add_filters(random, device, unit, kernel, request);
  return request;
}

CxlRequest cxl_fixed_request(Random& random, const CxlDevice& device, const CxlUnit& unit, const CxlBuiltIn& counter,
                             std::string_view kernel) {
  const CxlGroup& group = unit.groups[counter.group];
  CxlRequest request{group.vendor, group.id, counter.mask, counter.threshold, false, false, {}, {}};
  cxl_add_filters(random, device, unit, kernel, request);
  return request;
}

namespace {

/// @return an event with a filter by place that the hardware has not, or not for this group, or not for several events;
///         nothing if the driver must take it, or refuses it for another reason
std::optional<std::string> refused_place(Random& random, const std::string& pmu, const CxlUnit& unit,
                                         const CxlRequest& request) {
  if (!cxl_takes(unit, request.vendor, request.group, request.mask)) return std::nullopt;
  const CxlGroupKind* const kind = cxl_group_kind(request.vendor, request.group);
  const bool right =
      unit.ddr_filter && kind != nullptr && kind->filter == CxlFilter::place && std::has_single_bit(request.mask);
  if (right) return std::nullopt;
  return fmt::format("{}/config={:#x},config1={:#x},config2={:#x}/", pmu,
                     cxl_config(request.vendor, request.group, request.mask), 1U << 19,
                     random.number(0, ~std::uint32_t{0}) << 32);
}

}  // namespace

std::optional<std::string> cxl_refused(Random& random, const std::string& pmu, const CxlUnit& unit,
                                       std::string_view kernel) {
  const CxlGroup& group = random.pick(unit.groups);
  CxlRequest request{group.vendor, group.id, cxl_some(random, group.supported), 0, false, false, {}, {}};
  const bool has_place_filter = cxl_has_place_filter(kernel);
  if (has_place_filter && random.chance(40)) {
    request.mask = 1U << cxl_any_bit(random, group.supported);
    if (random.chance(60)) request.mask |= 1U << cxl_any_bit(random, group.supported);
    if (auto refused = refused_place(random, pmu, unit, request)) return refused;
  }
  switch (random.number(0, 5)) {
    case 0:
      request.mask |= 1U << random.number(0, 31);
      break;
    case 1:
      request.mask = 1U << random.number(0, 31);
      break;
    case 2:
      request.group = random.pick(cxl_group_kinds()).id;
      break;
    case 3:
      request.group ^= static_cast<std::uint16_t>(1U << random.number(0, 15));
      break;
    case 4:
      request.vendor ^= static_cast<std::uint16_t>(1U << random.number(0, 15));
      break;
    default:
      break;  // perhaps a part of a fixed counter's mask
  }
  if (!cxl_takes(unit, request.vendor, request.group, request.mask))
    return cxl_event_text(random, pmu, request, kernel, false);
  if (!has_place_filter) return std::nullopt;
  return refused_place(random, pmu, unit, request);
}

namespace {

Value built_in_value(const CxlUnit& unit, const CxlBuiltIn& counter) {
  const CxlGroup& group = unit.groups[counter.group];
  Value names = Value::sequence();
  for (unsigned bit = 0; bit < 32; ++bit) {
    if ((counter.mask >> bit & 1U) == 0) continue;
    names.items.push_back(word(group.vendor == kCxlVendorId ? std::string(scoreboard::cxl_event_name({group.id, bit}))
                                                            : group.events[bit]));
  }
  Value value = map({{"group", number(counter.group)}, {"events", std::move(names)}});
  if (counter.threshold != 0) value.add("threshold", number(counter.threshold));
  return value;
}

Value group_value(const CxlGroup& group) {
  if (group.vendor == kCxlVendorId) return map({{"group", word(group.word)}});
  Value names = Value::sequence();
  for (const std::string& name : group.events) names.items.push_back(word(name));
  return map({{"vendor", hexadecimal(group.vendor)}, {"id", hexadecimal(group.id)}, {"events", std::move(names)}});
}

}  // namespace

Value cxl_unit_value(const CxlUnit& unit) {
  Value groups = Value::sequence();
  for (const CxlGroup& group : unit.groups) groups.items.push_back(group_value(group));
  Value value = map({{"groups", std::move(groups)}, {"counters", number(unit.configurable)}});
  const auto add = [&](const char* key, const std::vector<CxlBuiltIn>& counters) {
    if (counters.empty()) return;
    Value& items = value.add(key, Value::sequence());
    for (const CxlBuiltIn& counter : counters) items.items.push_back(built_in_value(unit, counter));
  };
  add("fixed", unit.fixed);
  add("free_running", unit.free_running);
  value.add("width", number(unit.width));
  value.add("clock", number(unit.clock));
  value.add("message_number", number(unit.message_number));
  if (unit.hdm_filter) value.add("hdm_filter", flag(true));
  if (unit.ddr_filter) value.add("ddr_filter", flag(true));
  if (!unit.writable_while_frozen) value.add("writable_while_frozen", flag(false));
  if (!unit.freeze) value.add("freeze", flag(false));
  if (!unit.interrupt) value.add("interrupt", flag(false));
  return value;
}

}  // namespace pmufab::verify
