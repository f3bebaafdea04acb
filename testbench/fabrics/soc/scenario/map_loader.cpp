// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/map_loader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/common/occurrence_values.h"
#include "testbench/fabrics/common/pci_address.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::scenario {
namespace {

using soc::BitRange;
using soc::Cleared;
using soc::FieldDescription;
using soc::PmuDescription;
using soc::RegisterDescription;
using soc::RegisterMap;
using soc::Role;

constexpr unsigned kMostBits = 64;
constexpr unsigned kMostBar = 5;
constexpr Picoseconds kLongestLatch = 1'000'000'000;

const Words<Role>& roles() {
  static const Words<Role> words = {{"keeps", Role::keeps},
                                    {"constant", Role::constant},
                                    {"counter", Role::counter},
                                    {"event", Role::event},
                                    {"enable", Role::enable},
                                    {"enable_set", Role::enable_set},
                                    {"enable_clear", Role::enable_clear},
                                    {"disable", Role::disable},
                                    {"interrupt_enable", Role::interrupt_enable},
                                    {"interrupt_set", Role::interrupt_set},
                                    {"interrupt_clear", Role::interrupt_clear},
                                    {"interrupt_mask", Role::interrupt_mask},
                                    {"overflow", Role::overflow},
                                    {"overflow_set", Role::overflow_set},
                                    {"overflow_clear", Role::overflow_clear},
                                    {"overflow_at_half", Role::overflow_at_half},
                                    {"chain", Role::chain},
                                    {"run", Role::run},
                                    {"stop", Role::stop},
                                    {"run_set", Role::run_set},
                                    {"run_clear", Role::run_clear},
                                    {"clear", Role::clear},
                                    {"latch", Role::latch},
                                    {"preload_counter", Role::preload_counter},
                                    {"preload", Role::preload},
                                    {"command", Role::command},
                                    {"pending", Role::pending},
                                    {"latching", Role::latching}};
  return words;
}

/// Roles of a bit that may be for a range of counters.
bool may_have_range(Role role) {
  constexpr std::array kRoles = {Role::run,
                                 Role::stop,
                                 Role::run_set,
                                 Role::run_clear,
                                 Role::clear,
                                 Role::latch,
                                 Role::enable,
                                 Role::enable_set,
                                 Role::enable_clear,
                                 Role::disable,
                                 Role::interrupt_set,
                                 Role::interrupt_clear,
                                 Role::interrupt_enable,
                                 Role::interrupt_mask};
  return std::ranges::find(kRoles, role) != kRoles.end();
}

/// The registers before this one may choose.
void read_choice(Reader& reader, const RegisterMap& map, soc::ChoiceDescription& choice) {
  choice.word = read_register_of(reader, "register", map, "no register before this one is");
  choice.bits = read_bits(reader, "bits");
  reader.number("repeat", choice.repeat, Quantity::count, 1, soc::kMaximumCounters);
  choice.step = choice.bits.width;
  if (choice.repeat > 1) reader.number("step", choice.step, Quantity::count, 1, kMostBits);
}

/// What a field does, and what goes with that.
void read_role(Reader& reader, const RegisterMap& map, FieldDescription& field) {
  reader.choice("role", field.role, roles());
  reader.number("value", field.value, Quantity::address, 0, std::numeric_limits<std::uint64_t>::max());
  const bool may_latch = field.role == Role::counter || field.role == Role::keeps || field.role == Role::constant;
  if (may_latch) reader.flag("latches", field.latches);
  if ((may_have_range(field.role) || (field.latches && field.role != Role::counter)) && reader.has("counters"))
    field.counters = read_bits(reader, "counters");
  if (field.role == Role::constant && !reader.has("value"))
    reader.fail("value", "is missing: a constant has one", "for example value: 0x30");
  if (field.role == Role::counter || field.role == Role::event)
    reader.number("shift", field.shift, Quantity::count, 0, kMostBits - 1);
  if (field.role == Role::counter) {
    reader.flag("free", field.is_free);
    reader.flag("stops", field.stops);
    reader.flag("needs_run", field.needs_run);
    reader.flag("begins", field.begins);
    reader.flag("selected", field.selected);
    reader.flag("read_only", field.read_only);
    reader.flag("down", field.down);
    reader.flag("saturates", field.saturates);
    reader.flag("latched", field.latched);
  }
  if (field.role == Role::preload_counter)
    reader.number("from", field.from, Quantity::count, 0, std::numeric_limits<std::uint32_t>::max());
  if (field.role == Role::event) {
    reader.flag("zero_stops", field.zero_stops);
    if (reader.has("for_number"))
      reader.number("for_number", field.for_number.emplace(), Quantity::address, 0,
                    std::numeric_limits<std::uint64_t>::max());
    reader.optional_object("chosen_by", [&](Reader& choice) { read_choice(choice, map, field.chosen_by.emplace()); });
  }
  if (field.role == Role::enable || field.role == Role::enable_set) reader.flag("from_zero", field.from_zero);
  if (field.role == Role::enable_clear || field.role == Role::interrupt_clear)
    reader.flag("write_only", field.write_only);
  if (field.role == Role::latch) reader.number("takes", field.takes, Quantity::duration, 0, kLongestLatch);
  if (field.role == Role::pending) reader.texts("of", field.of, Presence::required);
  if (field.role != Role::overflow) return;
  reader.flag("silent", field.silent);
  reader.choice("cleared", field.cleared,
                {{"by_one", Cleared::by_one},
                 {"by_zero", Cleared::by_zero},
                 {"by_read", Cleared::by_read},
                 {"apart", Cleared::apart}});
}

void read_field(Reader& reader, const RegisterMap& map, FieldDescription& field) {
  reader.text("name", field.name, Presence::required);
  field.bits = read_bits(reader, "bits");
  read_role(reader, map, field);
  if (reader.has("first")) reader.number("first", field.first.emplace(), Quantity::count, 0, soc::kMaximumCounters - 1);
  reader.number("repeat", field.repeat, Quantity::count, 1, kMostBits);
  field.step = field.bits.width;
  if (field.repeat > 1) reader.number("step", field.step, Quantity::count, 1, kMostBits);
}

unsigned read_window_of(Reader& reader, const RegisterMap& map) {
  std::vector<std::string> names;
  for (const soc::WindowDescription& window : map.windows) names.push_back(window.name);
  std::string name = names.front();
  reader.text("window", name);
  return number_among(reader, "window", name, names, names, "there is no window");
}

void read_register(Reader& reader, const RegisterMap& map, RegisterDescription& reg) {
  reader.text("name", reg.name, Presence::required);
  if (map.windows.size() > 1) reg.window = read_window_of(reader, map);
  reader.number("offset", reg.offset, Quantity::address, 0, std::numeric_limits<std::uint32_t>::max(),
                Presence::required);
  reader.choice("width", reg.width, {{"32", 32U}, {"64", 64U}});
  reader.flag("halves", reg.halves);
  reader.number("count", reg.count, Quantity::count, 1, soc::kMaximumRegisters);
  reg.stride = reg.width / 8;
  if (reg.count > 1) reader.number("stride", reg.stride, Quantity::address, 4, 1U << 16);
  reader.number("first", reg.first, Quantity::count, 0, soc::kMaximumCounters - 1);
  if (reader.has("fields")) {
    reader.list(
        "fields", [&](Reader& field, std::size_t) { read_field(field, map, reg.fields.emplace_back()); },
        Presence::required);
    if (reader.has("role")) reader.fail("role", "is that of a register without fields", "give it to one of the fields");
    return;
  }
  FieldDescription& whole = reg.fields.emplace_back();
  whole.name = reg.name;
  whole.bits = {0, reg.width};
  if (reader.has("bits")) whole.bits = read_bits(reader, "bits");
  read_role(reader, map, whole);
  whole.step = whole.bits.width;
  // The scenario that a run writes has each default: 0 is that of a register without it.
  if (reg.first != 0 && reg.count == 1 && whole.bits.width == 1) whole.first = reg.first;
}

void read_windows(Reader& reader, RegisterMap& map) {
  const auto read = [](Reader& from, soc::WindowDescription& window) {
    from.number("base", window.base, Quantity::address, 0, std::numeric_limits<std::uint64_t>::max(),
                Presence::required);
    from.number("size", window.size, Quantity::address, 0, std::numeric_limits<std::uint32_t>::max());
    from.number("bar", window.bar, Quantity::count, 0, kMostBar);
  };
  if (!reader.has("windows")) return read(reader, map.windows.emplace_back());
  reader.list("windows", [&](Reader& window, std::size_t) {
    window.text("name", map.windows.emplace_back().name, Presence::required);
    read(window, map.windows.back());
  });
}

void read_pci_function(Reader& reader, soc::PciFunctionDescription& function) {
  constexpr unsigned kLargestId = 0xffff;
  constexpr unsigned kLargestClass = 0xff'ffff;
  const PciAddress address = read_pci_address(reader, "address", {}, "a PCI function");
  function.segment = address.segment;
  function.bus = address.bus;
  function.device = address.device;
  function.function = address.function;
  reader.number("vendor", function.vendor_id, Quantity::address, 0, kLargestId, Presence::required);
  reader.number("device", function.device_id, Quantity::address, 0, kLargestId, Presence::required);
  reader.number("class", function.class_code, Quantity::address, 0, kLargestClass);
}

void read_pci(Reader& reader, soc::DeviceDescription& device) {
  constexpr unsigned kLastBus = 0xff;
  read_pci_function(reader, device.pci.emplace());
  reader.list("functions", [&](Reader& other, std::size_t) {
    read_pci_function(other, device.pci_others.emplace_back());
    if (other.has("bus_below"))
      other.number("bus_below", device.pci_others.back().bus_below.emplace(), Quantity::address, 0, kLastBus);
  });
}

void read_device(Reader& reader, soc::DeviceDescription& device) {
  reader.text("acpi", device.hid);
  reader.text("uid", device.uid);
  reader.text("tree", device.compatible);
  reader.optional_object("pci", [&](Reader& pci) { read_pci(pci, device); });
  reader.text("module", device.module, Presence::required);
  reader.flag("overflow_loses", device.overflow_loses);
  reader.flag("takes_groups", device.takes_groups);
  reader.flag("refuses_groups", device.refuses_groups);
  reader.flag("reading_loses", device.reading_loses);
  reader.flag("one_event", device.one_event);
  reader.flag("keeps_cpu", device.keeps_cpu);
  device.properties = read_numbers(reader, "properties");
  reader.optional_object("below", [&](Reader& below) {
    soc::ParentDescription& its = device.below.emplace();
    below.text("acpi", its.hid);
    below.text("uid", its.uid);
    below.text("tree", its.compatible);
    below.texts("windows", its.windows);
  });
  reader.text("needs", device.needs);
}

}  // namespace

BitRange read_bits(Reader& reader, std::string_view key) {
  std::string text;
  reader.text(key, text, Presence::required);
  if (text.empty()) return {};
  try {
    const std::size_t dash = text.find('-');
    const std::uint64_t first = parse_quantity(text.substr(0, dash), Quantity::count);
    const std::uint64_t last =
        dash == std::string::npos ? first : parse_quantity(text.substr(dash + 1), Quantity::count);
    if (first <= last && last < kMostBits)
      return {static_cast<unsigned>(first), static_cast<unsigned>(last - first + 1)};
  } catch (const std::invalid_argument&) {
    // the message is the same
  }
  reader.fail(key, fmt::format("'{}' is no range of bits", text), "for example 4, or 0-3");
}

std::vector<std::pair<std::string, std::uint64_t>> read_numbers(Reader& reader, std::string_view key) {
  std::vector<std::pair<std::string, std::uint64_t>> numbers;
  const Value* const value = reader.take(key);
  if (value == nullptr) return numbers;
  if (value->kind != Value::Kind::map) reader.fail(key, "must be a map of numbers");
  for (const Value::Entry& entry : value->entries)
    numbers.emplace_back(entry.key, read_whole(entry.value, fmt::format("{}.{}", reader.path_of(key), entry.key)));
  reader.put(key, *value);
  return numbers;
}

unsigned read_register_of(Reader& reader, std::string_view key, const RegisterMap& map, std::string_view complaint) {
  std::vector<std::string> names;
  for (const RegisterDescription& reg : map.registers) names.push_back(reg.name);
  std::string name;
  reader.text(key, name, Presence::required);
  return number_among(reader, key, name, names, names, complaint);
}

/// @return how many bits the number, or the code, of an event has
unsigned event_bits_of(const RegisterMap& map) {
  unsigned bits = 0;
  if (map.number_terms.size() > 1) {
    for (const soc::NumberTerm& term : map.number_terms) bits = std::max(bits, term.bits.first + term.bits.width);
    for (const RegisterDescription& reg : map.registers) {
      for (const FieldDescription& field : reg.fields) {
        if (field.role == Role::event) bits = std::max(bits, field.shift + field.bits.width);
      }
    }
    return bits;
  }
  bits = kMostBits;
  unsigned shifted = 0;
  for (const RegisterDescription& reg : map.registers) {
    for (const FieldDescription& field : reg.fields) {
      if (field.role == Role::event && field.shift == 0) bits = std::min(bits, field.bits.width);
      if (field.role == Role::event && field.shift != 0) shifted = std::max(shifted, field.shift + field.bits.width);
    }
  }
  return std::max(bits, shifted);
}

void read_map(Reader& reader, TermFormats& formats, PmuDescription& pmu) {
  RegisterMap& map = pmu.map.emplace();
  read_windows(reader, map);
  if (map.windows.empty()) reader.fail("windows", "are missing: registers need addresses");
  reader.number("counters", pmu.counters);
  reader.number("width", pmu.width);
  reader.list("widths", [&](Reader& width, std::size_t) {
    soc::WidthDescription& its = pmu.widths.emplace_back();
    its.counters = read_bits(width, "counters");
    width.number("width", its.width, Quantity::count, 1, kMostBits, Presence::required);
  });
  pmu.cycle_counter = false;
  reader.text("perf_name", pmu.perf_name, Presence::required);
  reader.text("identifier", pmu.identifier);
  reader.object("device", [&](Reader& device) { read_device(device, map.device); });
  if (reader.has("number_terms")) {
    map.number_terms.clear();
    const auto read = [&](Reader& from, std::size_t) {
      soc::NumberTerm& term = map.number_terms.emplace_back();
      from.text("name", term.name, Presence::required);
      from.text("format", term.format, Presence::required);
      term.bits = read_bits(from, "bits");
      formats.add(from,
                  {.name = term.name, .format = term.format, .most = low_bits(term.bits.width), .is_number = true});
    };
    reader.list("number_terms", read, Presence::required);
  } else {
    soc::NumberTerm& term = map.number_terms.front();
    reader.text("event_format", term.format, reader.has("event_format") ? Presence::required : Presence::optional);
    term.bits.width = formats.add(
        reader, {.name = term.name, .format_key = "event_format", .format = term.format, .is_number = true});
  }
  reader.list("terms", [&](Reader& term, std::size_t) {
    soc::TermDescription& its = pmu.terms.emplace_back();
    term.text("name", its.name, Presence::required);
    term.text("format", its.format, Presence::required);
    term.number("counters", its.counters, Quantity::count, 1, soc::kMaximumCounters);
    formats.add(term, {.name = its.name, .format = its.format});
  });
  reader.optional_object("twins", [&](Reader& twins) {
    soc::TwinDescription& its = map.twins.emplace();
    twins.number("first", its.first, Quantity::count, 1, soc::kMaximumCounters - 1, Presence::required);
    twins.number("number", its.number, Quantity::address, 1, std::numeric_limits<std::uint64_t>::max(),
                 Presence::required);
  });
  reader.list("registers", [&](Reader& from, std::size_t) {
    RegisterDescription reg;
    read_register(from, map, reg);
    map.registers.push_back(std::move(reg));
  });
  const auto lets_run = [](const FieldDescription& field) {
    return field.role == Role::run || field.role == Role::stop || field.role == Role::run_set;
  };
  map.runs_by_event = std::ranges::none_of(
      map.registers, [&](const RegisterDescription& reg) { return std::ranges::any_of(reg.fields, lets_run); });
  reader.flag("runs_by_event", map.runs_by_event);
  pmu.event_bits = event_bits_of(map);
  if (map.twins) pmu.event_bits = std::max(pmu.event_bits, static_cast<unsigned>(std::bit_width(map.twins->number)));
}

}  // namespace pmufab::scenario
