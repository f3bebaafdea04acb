// SPDX-License-Identifier: Apache-2.0
// What makes a described map of registers impossible.
#include "models/soc/part/map_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/platform/platform_spec.h"
#include "tlm/registers/register_spec.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {
namespace {

using soc::BitRange;
using soc::FieldDescription;
using soc::FilterDescription;
using soc::PmuDescription;
using soc::RegisterDescription;
using soc::RegisterMap;
using soc::Role;

constexpr std::uint64_t kMostBytes = 0x10'0000;  // of a window
constexpr unsigned kNarrowestCounter = 8;

void check_windows(const std::string& field, const RegisterMap& map) {
  if (map.windows.empty())
    throw SpecError(field + "windows", "are missing: registers need addresses", "for example base: 0x2000_0000");
  std::set<std::string> names;
  for (std::size_t index = 0; index < map.windows.size(); ++index) {
    const soc::WindowDescription& window = map.windows[index];
    const std::string at = fmt::format("{}windows[{}].", field, index);
    if (window.base % kRegisterPage != 0)
      throw SpecError(at + "base", fmt::format("{:#x} is not a multiple of a page (0x1000)", window.base),
                      fmt::format("{:#x} is", window.base / kRegisterPage * kRegisterPage));
    check_between(at + "size", window.size, 4, kMostBytes, "bytes");
    if (window.size % 4 != 0) throw SpecError(at + "size", fmt::format("{:#x} is not a multiple of 4", window.size));
    if ((window.base + window.size) >> default_map::kSocketShift != 0)
      throw SpecError(at + "base", fmt::format("{:#x} is beyond the addresses of a socket, which end at {:#x}",
                                               window.base, std::uint64_t{1} << default_map::kSocketShift));
    if (!names.insert(window.name).second)
      throw SpecError(at + "name",
                      window.name.empty() ? "is missing" : fmt::format("'{}' is that of another window", window.name),
                      "each of several windows needs a name");
  }
}

void check_hid(const std::string& field, const std::string& hid) {
  constexpr std::size_t kShort = 7;
  constexpr std::size_t kLong = 8;
  if (!hid.empty() && hid.size() != kShort && hid.size() != kLong)
    throw SpecError(field + "acpi", fmt::format("'{}' is no hardware id of seven or eight characters", hid),
                    "for example ACME0001");
}

void check_below(const std::string& field, const RegisterMap& map) {
  const soc::DeviceDescription& device = map.device;
  const soc::ParentDescription& below = *device.below;
  if (below.hid.empty() == below.compatible.empty() || below.hid.empty() != device.hid.empty() || device.pci)
    throw SpecError(field + "acpi", "or tree: a device is below one that firmware tells of in the same way",
                    device.hid.empty() ? "give tree, and no acpi" : "give acpi, and no tree");
  check_hid(field, below.hid);
  if (below.uid.find('/') != std::string::npos)
    throw SpecError(field + "uid",
                    fmt::format("is '{}': a device that others are below is in no container", below.uid));
  for (const std::string& name : below.windows) {
    if (std::ranges::find(map.windows, name, &soc::WindowDescription::name) == map.windows.end())
      throw SpecError(field + "windows", fmt::format("there is no window '{}'", name), "name windows of the PMU");
  }
}

void check_device(const std::string& field, const soc::DeviceDescription& device) {
  const int ways = (device.hid.empty() ? 0 : 1) + (device.compatible.empty() ? 0 : 1) + (device.pci ? 1 : 0);
  if (ways != 1)
    throw SpecError(field + "acpi",
                    ways == 0 ? "is missing, and so are tree and pci: no driver could find the PMU"
                              : "and tree or pci are several ways to tell of one device",
                    "give the hardware id, or what the node of a device tree is compatible with, or a PCI function");
  check_hid(field, device.hid);
  if (device.module.empty())
    throw SpecError(field + "module", "is missing",
                    "give the kernel module that drives the PMU, for example fujitsu_uncore_pmu");
}

/// Windows of a PCI function are its BARs, and its interrupts messages.
void check_bars(const std::string& field, const PmuDescription& pmu) {
  constexpr std::uint64_t kLeastBar = 0x1000;
  const bool is_pci = pmu.map->device.pci.has_value();
  if (pmu.interrupt && pmu.interrupt->message.has_value() != is_pci)
    throw SpecError(
        field + "interrupt",
        is_pci ? "has a number, but a PCI function sends messages" : "is a message, which a PCI function alone sends",
        is_pci ? "give message: 0" : "give a number, or the registers that hold the message: address, data");
  std::set<unsigned> bars;
  for (std::size_t index = 0; index < pmu.map->windows.size(); ++index) {
    const soc::WindowDescription& window = pmu.map->windows[index];
    const std::string at = fmt::format("{}windows[{}].", field, index);
    if (!is_pci && window.bar != 0) throw SpecError(at + "bar", "is for a PCI function");
    if (!is_pci) continue;
    if (window.bar % 2 != 0)
      throw SpecError(at + "bar", fmt::format("{} holds the upper half of an address", window.bar), "0, 2 or 4");
    if (!bars.insert(window.bar).second)
      throw SpecError(at + "bar", fmt::format("{} is that of another window", window.bar));
    if (window.size < kLeastBar || !std::has_single_bit(window.size))
      throw SpecError(at + "size",
                      fmt::format("{:#x} is no power of two from 0x1000 on, which BARs have", window.size));
    if (window.base % window.size != 0)
      throw SpecError(at + "base",
                      fmt::format("{:#x} is not a multiple of the BAR's size, {:#x}", window.base, window.size));
  }
}

/// Each of the first counters has one twin.
void check_twins(const std::string& field, const PmuDescription& pmu) {
  if (pmu.map->twins && pmu.counters != 2 * pmu.map->twins->first)
    throw SpecError(field + "twins.first",
                    fmt::format("is {}: with as many twins, the PMU would have {} counters, not {}",
                                pmu.map->twins->first, 2 * pmu.map->twins->first, pmu.counters));
}

/// Each counter is in one line of the interrupt.
void check_lines(const std::string& field, const PmuDescription& pmu) {
  const std::vector<soc::LineDescription>& lines = pmu.interrupt->lines;
  std::set<std::uint32_t> numbers = {0};
  std::uint64_t told = 0;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const auto& [number, counters] = lines[index];
    const std::string at = fmt::format("{}lines[{}].", field, index);
    if (!numbers.insert(number).second)
      throw SpecError(at + "number",
                      number == 0 ? "is 0, which in the firmware table means none"
                                  : fmt::format("{} is that of another line", number),
                      "give each line a number of its own");
    if (counters.first + counters.width > pmu.counters)
      throw SpecError(at + "counters", fmt::format("names counter {}; the PMU has 0 ... {}",
                                                   counters.first + counters.width - 1, pmu.counters - 1));
    const std::uint64_t its = low_bits(counters.width) << counters.first;
    if ((told & its) != 0)
      throw SpecError(at + "counters", fmt::format("{} is in another line", std::countr_zero(told & its)),
                      "each counter interrupts by one line");
    told |= its;
  }
  if (!lines.empty() && told != low_bits(pmu.counters))
    throw SpecError(field + "lines", fmt::format("have no counter {}", std::countr_one(told)),
                    "each counter interrupts by one line");
}

/// Roles of fields that do something as they are written, and hold nothing.
constexpr std::array<Role, 12> kOrders = {Role::enable_set,      Role::enable_clear, Role::interrupt_set,
                                          Role::interrupt_clear, Role::overflow_set, Role::overflow_clear,
                                          Role::run_set,         Role::run_clear,    Role::clear,
                                          Role::latch,           Role::preload,      Role::command};

/// @return the bits of a register on which the copies of a field lie
std::uint64_t mask_of(const FieldDescription& field) {
  std::uint64_t mask = low_bits(field.bits.width) << field.bits.first;
  for (unsigned copy = 1; copy < field.repeat; ++copy) mask |= low_bits(field.bits.width) << field.bits_of(copy).first;
  return mask;
}

void check_choice(const std::string& here, const RegisterDescription& reg, const FieldDescription& field,
                  const PmuDescription& pmu) {
  const soc::ChoiceDescription& choice = *field.chosen_by;
  const std::string at = here + "chosen_by";
  if (reg.count > 1 || field.first || reg.first != 0)
    throw SpecError(at, "is there: the field is no counter's own, so it stands in no array and has no first",
                    "give repeat: how many copies there are");
  if (field.zero_stops) throw SpecError(here + "zero_stops", "is there: the field is no counter's own", "leave it out");
  const RegisterDescription& its = pmu.map->registers.at(choice.word);
  if (its.count > 1 || its.first != 0)
    throw SpecError(at + ".register", fmt::format("is {}, whose elements are those of counters", its.name),
                    "the fields of all counters stand in one register");
  if (choice.repeat > 1 && choice.step < choice.bits.width)
    throw SpecError(at + ".step",
                    fmt::format("is {}: fields of {} bits would overlap", choice.step, choice.bits.width));
  const unsigned last = choice.bits.first + (choice.repeat - 1) * choice.step + choice.bits.width - 1;
  if (last >= its.width)
    throw SpecError(at + ".bits", fmt::format("reach bit {}; {} has {} bits", last, its.name, its.width));
  if (choice.repeat > pmu.counters)
    throw SpecError(at + ".repeat", fmt::format("is {}; the PMU has {} counters", choice.repeat, pmu.counters));
  for (unsigned counter = 0; counter < choice.repeat; ++counter) {
    const std::uint64_t bits = low_bits(choice.bits.width) << (choice.bits.first + counter * choice.step);
    const auto holds = [&](const FieldDescription& one) {
      return (one.role == Role::keeps || one.role == Role::event) && (bits & ~mask_of(one)) == 0;
    };
    if (std::ranges::none_of(its.fields, holds))
      throw SpecError(at + ".bits",
                      fmt::format("of counter {} lie on no field of {} that holds what is written", counter, its.name),
                      "give one the role keeps");
  }
  const auto needs_run = [](const FieldDescription& one) { return one.needs_run; };
  if (std::ranges::any_of(pmu.map->registers,
                          [&](const auto& one) { return std::ranges::any_of(one.fields, needs_run); }))
    throw SpecError(at, "is there, and counters need the PMU to run to be written: pmufab does not know such a PMU");
}

/// Whether a field acts on the counter that `first` names, and on that one alone.
bool may_have_first(const FieldDescription& field) {
  constexpr std::array kOfNone = {Role::keeps,   Role::constant,        Role::stop,    Role::run_set, Role::run_clear,
                                  Role::preload, Role::preload_counter, Role::command, Role::pending, Role::latching};
  return field.latches || std::ranges::find(kOfNone, field.role) == kOfNone.end();
}

/// Whether `first` of a register says something: a field, or a filter, tells counters apart.
bool tells_apart(const RegisterDescription& reg, std::size_t number, const PmuDescription& pmu) {
  const auto has_own = [&](const FieldDescription& field) {
    return !reg.is_for_all(field) || field.role == Role::counter;
  };
  return reg.count > 1 || std::ranges::any_of(reg.fields, has_own) ||
         std::ranges::any_of(
             pmu.filters, [&](const FilterDescription& filter) { return filter.word == number && filter.repeat > 1; });
}

void check_fields(const std::string& at, const RegisterDescription& reg, const PmuDescription& pmu) {
  std::uint64_t taken = 0;
  std::set<std::string> names;
  for (std::size_t index = 0; index < reg.fields.size(); ++index) {
    const FieldDescription& field = reg.fields[index];
    const std::string here = fmt::format("{}fields[{}].", at, index);
    if (!names.insert(field.name).second)
      throw SpecError(here + "name", fmt::format("'{}' is that of another field of the register", field.name));
    if (field.repeat > 1 && field.step < field.bits.width)
      throw SpecError(here + "step",
                      fmt::format("is {}: a field of {} bits would overlap the next", field.step, field.bits.width));
    for (unsigned copy = 0; copy < field.repeat; ++copy) {
      const BitRange bits = field.repeat > 1 ? field.bits_of(copy) : field.bits;
      if (bits.first + bits.width > reg.width)
        throw SpecError(here + "bits",
                        fmt::format("reach bit {}; the register has {}", bits.first + bits.width - 1, reg.width));
      const std::uint64_t mask = low_bits(bits.width) << bits.first;
      if ((taken & mask) != 0)
        throw SpecError(here + "bits", fmt::format("of {} overlap those of another field", field.name));
      taken |= mask;
    }
    if ((field.value & ~low_bits(field.bits.width)) != 0)
      throw SpecError(here + "value", fmt::format("{:#x} does not fit into {} bits", field.value, field.bits.width));
    const bool is_order = std::ranges::find(kOrders, field.role) != kOrders.end();
    if (field.value != 0 && is_order)
      throw SpecError(here + "value",
                      fmt::format("is {:#x}, but {} acts as it is written, and holds nothing", field.value, field.name),
                      "leave it out");
    if (field.chosen_by) check_choice(here, reg, field, pmu);
    if (field.selected && (field.first || reg.first != 0))
      throw SpecError(here + "first", "is there: the field shows the counter that preload_counter names",
                      "leave it out");
    if (field.latches && (field.repeat > 1 || field.selected))
      throw SpecError(here + "latches", "is for a field that stands once in a register",
                      "give each counter a register");
    if (field.counters && field.first)
      throw SpecError(here + "first", "stands beside counters, and both say which counters the field is for",
                      "leave one of them out");
    if (field.counters && !reg.is_for_all(field))
      throw SpecError(here + "counters", "are those of one bit that stands once, in no array",
                      "give first: the counter of the first bit");
    if (field.first && !may_have_first(field))
      throw SpecError(here + "first", fmt::format("is there, but {} is for no single counter", field.name),
                      "leave it out, or give another role");
    if (field.counters && field.counters->first + field.counters->width > pmu.counters)
      throw SpecError(here + "counters",
                      fmt::format("names counter {}; the PMU has 0 ... {}",
                                  field.counters->first + field.counters->width - 1, pmu.counters - 1));
    const bool is_of_counter = field.role != Role::keeps && field.role != Role::constant && !reg.is_for_all(field);
    const unsigned last = reg.counter_of(field, reg.count - 1, field.counters_in() - 1);
    if (is_of_counter && reg.counter_of(field, 0, 0) >= pmu.counters)
      throw SpecError(here + "first", fmt::format("names counter {}; the PMU has 0 ... {}", reg.counter_of(field, 0, 0),
                                                  pmu.counters - 1));
    if ((field.role == Role::counter || field.role == Role::event) && last >= pmu.counters)
      throw SpecError(here + "role",
                      fmt::format("stands for counters up to {}; the PMU has 0 ... {}", last, pmu.counters - 1),
                      fmt::format("give counters: {}", last + 1));
  }
}

/// Where a register lies.
struct Extent {
  std::uint64_t begin;
  std::uint64_t end;
  const RegisterDescription* reg;
};

void check_registers(const std::string& field, const PmuDescription& pmu) {
  const RegisterMap& map = *pmu.map;
  if (map.registers.empty()) throw SpecError(field + "registers", "are missing");
  std::set<std::string> names;
  std::map<unsigned, std::vector<Extent>> places;
  std::size_t all = 0;
  for (std::size_t index = 0; index < map.registers.size(); ++index) {
    const RegisterDescription& reg = map.registers[index];
    const std::string at = fmt::format("{}registers[{}].", field, index);
    if (!names.insert(reg.name).second)
      throw SpecError(at + "name", fmt::format("'{}' is that of another register", reg.name));
    const unsigned bytes = reg.width / 8;
    const unsigned alignment = reg.halves ? 4 : bytes;
    if (reg.halves && reg.width != 64)
      throw SpecError(at + "halves", "are those of a register of 64 bits", "give width: 64");
    if (reg.offset % alignment != 0)
      throw SpecError(at + "offset", fmt::format("{:#x} is not a multiple of {}", reg.offset, alignment));
    check_between(at + "count", reg.count, 1, soc::kMaximumRegisters);
    if (reg.count > 1 && (reg.stride < bytes || reg.stride % alignment != 0))
      throw SpecError(at + "stride", fmt::format("is {}: elements have {} bytes", reg.stride, bytes));
    all += reg.count;
    if (all > soc::kMaximumRegisters)
      throw SpecError(at + "count", fmt::format("makes more than {} registers", soc::kMaximumRegisters));
    const std::uint64_t size = map.windows[reg.window].size;
    for (unsigned element = 0; element < reg.count; ++element) {
      const std::uint64_t begin = reg.offset + std::uint64_t{element} * reg.stride;
      if (begin + bytes > size)
        throw SpecError(at + (reg.count > 1 ? "count" : "offset"),
                        fmt::format("reaches {:#x}; the window ends at {:#x}", begin + bytes, size));
      for (const Extent& other : places[reg.window]) {
        if (begin < other.end && other.begin < begin + bytes)
          throw SpecError(at + "offset", other.reg == &reg ? "makes elements overlap each other"
                                                           : fmt::format("lies on register {}", other.reg->name));
      }
      places[reg.window].push_back({begin, begin + bytes, &reg});
    }
    if (reg.first != 0 && !tells_apart(reg, index, pmu))
      throw SpecError(at + "first",
                      fmt::format("is {}, but no field of {} is for single counters", reg.first, reg.name),
                      "give it to the field that is for that counter, or leave it out");
    check_fields(at, reg, pmu);
  }
}

/// For each counter, the register that has the role for it.
std::vector<std::vector<std::string>> registers_with(const PmuDescription& pmu, Role role) {
  std::vector<std::vector<std::string>> found(pmu.counters);
  for (const RegisterDescription& reg : pmu.map->registers) {
    for (const FieldDescription& field : reg.fields) {
      if (field.role != role) continue;
      for (unsigned element = 0; element < reg.count; ++element) {
        const unsigned last = field.selected    ? pmu.counters
                              : field.chosen_by ? field.chosen_by->repeat
                                                : field.counters_in();
        for (unsigned index = 0; index < last; ++index) {
          const unsigned counter = field.chosen_by ? index : reg.counter_of(field, element, index);
          if (counter < pmu.counters) found[counter].push_back(reg.name);
        }
      }
    }
  }
  return found;
}

/// No two fields hold the same bits of the number of one counter's event.
void check_selectors(const std::string& field, const PmuDescription& pmu) {
  struct Selector {
    const RegisterDescription* reg;
    const FieldDescription* field;
    std::uint64_t bits;
  };
  std::vector<std::vector<Selector>> all(pmu.counters);
  for (const RegisterDescription& reg : pmu.map->registers) {
    for (const FieldDescription& one : reg.fields) {
      if (one.role != Role::event) continue;
      const std::uint64_t bits = low_bits(one.bits.width) << one.shift;
      for (unsigned counter = 0; counter < pmu.counters; ++counter) {
        if (!reg.stands_for(one, counter)) continue;
        for (const Selector& other : all.at(counter)) {
          const bool is_either = one.for_number && other.field->for_number && one.for_number != other.field->for_number;
          if ((other.bits & bits) != 0 && !is_either)
            throw SpecError(field + "registers", fmt::format("{} and {} both select the event of counter {}",
                                                             other.reg->name, reg.name, counter));
        }
        all[counter].push_back({&reg, &one, bits});
      }
    }
  }
}

/// The counters that a field shows, or says something of.
std::vector<unsigned> counters_of(const RegisterDescription& reg, const FieldDescription& field, unsigned counters) {
  std::vector<unsigned> found;
  if (field.selected || (field.role != Role::counter && reg.is_for_all(field))) {
    const BitRange all = field.counters.value_or(BitRange{0, counters});
    for (unsigned index = 0; index < all.width; ++index) found.push_back(all.first + index);
    return found;
  }
  for (unsigned index = 0; index < reg.count * field.counters_in(); ++index) {
    if (const unsigned counter = reg.counter_of(field, 0, index); counter < counters) found.push_back(counter);
  }
  return found;
}

/// A switch as one counter has it.
struct Switch {
  unsigned counter;
  soc::Reach reach;
  const std::string* reg;
  [[nodiscard]] std::pair<unsigned, soc::Reach> place() const { return {counter, reach}; }
};

std::vector<Switch> switches_of(const PmuDescription& pmu, Role role) {
  std::vector<Switch> found;
  for (const RegisterDescription& reg : pmu.map->registers) {
    for (const FieldDescription& one : reg.fields) {
      if (one.role != role) continue;
      for (const unsigned counter : counters_of(reg, one, pmu.counters))
        found.push_back({counter, reg.reach_of(one), &reg.name});
    }
  }
  return found;
}

/// One switch lets a counter count, or stops it: of two that contradict each other, pmufab would see the last one written.
void check_opposites(const std::string& field, const PmuDescription& pmu) {
  struct Pair {
    Role role;
    Role other;
    const char* names;
  };
  constexpr std::array<Pair, 3> kOpposites = {{{Role::enable, Role::disable, "enable and disable"},
                                               {Role::run, Role::stop, "run and stop"},
                                               {Role::enable, Role::enable_set, "enable and enable_set"}}};
  for (const Pair& pair : kOpposites) {
    const std::vector<Switch> others = switches_of(pmu, pair.other);
    for (const Switch& one : switches_of(pmu, pair.role)) {
      const auto other = std::ranges::find(others, one.place(), &Switch::place);
      if (other != others.end())
        throw SpecError(field + "registers",
                        fmt::format("{} and {} have the roles {}, and each decides alone whether counter {} counts",
                                    *one.reg, *other->reg, pair.names, one.counter),
                        "give one of the two fields the role keeps");
    }
  }
}

/// A counter has one field of each role that turns it, or its interrupt, on. What turns all on beside single ones, or a
/// range, is another switch: of interrupts in the same role, of counters in another.
void check_switches(const std::string& field, const PmuDescription& pmu) {
  struct Kind {
    Role role;
    const char* name;
    const char* wider;  // the role of one for all counters, beside single ones
  };
  constexpr std::array<Kind, 6> kKinds = {{{Role::enable, "enable", "run"},
                                           {Role::disable, "disable", "stop"},
                                           {Role::interrupt_enable, "interrupt_enable", nullptr},
                                           {Role::interrupt_mask, "interrupt_mask", nullptr},
                                           {Role::run, "run", nullptr},
                                           {Role::stop, "stop", nullptr}}};
  for (const Kind& kind : kKinds) {
    std::map<std::pair<unsigned, soc::Reach>, Switch> seen;
    for (const Switch& one : switches_of(pmu, kind.role)) {
      const soc::Reach reach = kind.wider == nullptr ? one.reach : soc::Reach::each;
      const auto [other, is_new] = seen.try_emplace({one.counter, reach}, one);
      if (is_new) continue;
      throw SpecError(field + "registers",
                      fmt::format("{} and {} both have the role {} for counter {}", *other->second.reg, *one.reg,
                                  kind.name, one.counter),
                      other->second.reach == one.reach
                          ? "give one of them the role keeps, or other counters"
                          : fmt::format("give the one for several counters the role {}", kind.wider));
    }
  }
}

/// Bits of the number of an event that the selectors of counters hold.
class SelectedBits {
 public:
  explicit SelectedBits(const PmuDescription& pmu) : pmu_(pmu), of_(pmu.counters) {
    for (const RegisterDescription& reg : pmu.map->registers) {
      for (const FieldDescription& one : reg.fields) {
        if (one.role != Role::event) continue;
        const std::uint64_t bits = low_bits(one.bits.width) << one.shift;
        all_ |= bits;
        for (unsigned counter = 0; counter < pmu.counters; ++counter) {
          if (reg.stands_for(one, counter)) of_[counter] |= bits;
        }
      }
    }
    for (const soc::EventDescription& event : pmu.events) {
      if (event.counters && event.counters->width == 1) own_.insert(event.counters->first);
    }
  }
  [[nodiscard]] std::uint64_t all() const noexcept { return all_; }
  [[nodiscard]] std::uint64_t of(unsigned counter) const noexcept { return of_[counter]; }
  /// @return the counters, twins left out, that can count an event. One that selects less than others and has an event of its
  ///         own counts that alone. Without selectors, each counts that of its number.
  [[nodiscard]] std::vector<unsigned> counters_for(const soc::EventDescription& event) const {
    std::vector<unsigned> found;
    for (unsigned counter = 0; counter < (pmu_.map->twins ? pmu_.map->twins->first : pmu_.counters); ++counter) {
      const bool may_count = event.counters ? counter - event.counters->first < event.counters->width
                             : all_ != 0    ? of_[counter] == all_ || !own_.contains(counter)
                                            : counter == event.number;
      if (may_count) found.push_back(counter);
    }
    return found;
  }

 private:
  const PmuDescription& pmu_;
  std::uint64_t all_ = 0;
  std::vector<std::uint64_t> of_;
  std::set<unsigned> own_;
};

/// A driver's terms make the number of an event. It fits into the fields that select it, but for terms that choose counters.
void check_numbers(const std::string& field, const PmuDescription& pmu) {
  const SelectedBits selected(pmu);
  std::uint64_t made = 0;
  for (const soc::NumberTerm& term : pmu.map->number_terms) made |= low_bits(term.bits.width) << term.bits.first;
  std::uint64_t bits = selected.all() | (pmu.map->twins ? pmu.map->twins->number : 0);
  if (pmu.map->number_terms.size() > 1) bits |= made;
  for (std::size_t index = 0; index < pmu.events.size(); ++index) {
    const soc::EventDescription& event = pmu.events[index];
    if ((event.number & ~made) != 0)
      throw SpecError(fmt::format("{}events[{}].number", field, index),
                      fmt::format("{:#x} has bits that the driver's terms cannot make", event.number),
                      "give event_format, or number_terms, more bits");
    if (event.counters && event.counters->width == 1) continue;  // it needs no selector
    const std::string at = fmt::format("{}events[{}].{}", field, index, event.code ? "code" : "number");
    const std::uint64_t number = event.code.value_or(event.number);
    if (bits != 0 && (number & ~bits) != 0)
      throw SpecError(at, fmt::format("{:#x} does not fit into the fields that select events", number),
                      event.code ? "" : "give code, if they hold another");
    for (const unsigned counter : selected.counters_for(event)) {
      const std::uint64_t missing = number & selected.all() & ~selected.of(counter);
      if (selected.of(counter) != 0 && missing != 0)
        throw SpecError(at,
                        fmt::format("is {:#x}, but no field selects bit {} of it for counter {}", number,
                                    std::countr_zero(missing), counter),
                        "give that counter such a field, or the event the counters that have one");
    }
  }
}

/// The fields of a counter show all of it, and count as the first of them says. No two show the same bits, but for copies.
void check_parts(const std::string& field, const PmuDescription& pmu) {
  struct Part {
    const RegisterDescription* reg;
    const FieldDescription* field;
    std::uint64_t bits;
  };
  using Flag = bool FieldDescription::*;
  constexpr std::array<std::pair<Flag, const char*>, 4> kFlags = {{{&FieldDescription::down, "down"},
                                                                   {&FieldDescription::saturates, "saturates"},
                                                                   {&FieldDescription::is_free, "free"},
                                                                   {&FieldDescription::stops, "stops"}}};
  std::vector<std::vector<Part>> all(pmu.counters);
  for (const RegisterDescription& reg : pmu.map->registers) {
    for (const FieldDescription& one : reg.fields) {
      if (one.role != Role::counter) continue;
      const std::uint64_t bits = low_bits(one.bits.width) << one.shift;
      for (const unsigned counter : counters_of(reg, one, pmu.counters)) {
        std::vector<Part>& parts = all.at(counter);
        for (const Part& other : parts) {
          const FieldDescription& its = *other.field;
          const bool is_copy = (one.latched != its.latched && !one.latches && !its.latches) ||
                               one.selected != its.selected || one.read_only != its.read_only;
          if ((bits & other.bits) != 0 && !is_copy)
            throw SpecError(field + "registers",
                            fmt::format("{} and {} both show bit {} of counter {}", other.reg->name, reg.name,
                                        std::countr_zero(bits & other.bits), counter),
                            "give shift: the bit of the counter that is a field's lowest");
        }
        parts.push_back({&reg, &one, bits});
        for (const auto& [flag, name] : kFlags) {
          if (one.*flag && !(parts.front().field->*flag))
            throw SpecError(field + "registers",
                            fmt::format("{} says {}: true of counter {}, and {}, which shows it first, does not",
                                        reg.name, name, counter, parts.front().reg->name),
                            "say the same in both");
        }
      }
    }
  }
  for (unsigned counter = 0; counter < pmu.counters; ++counter) {
    std::uint64_t live = 0;
    std::uint64_t latched = 0;
    for (const Part& part : all[counter]) {
      std::uint64_t& view = part.field->latched ? latched : live;
      view |= part.bits;
    }
    const bool has_copy = (live & latched) != 0;
    const auto has_gap = [](std::uint64_t bits) { return (bits & (bits + 1)) != 0; };
    const std::uint64_t shown = has_copy && has_gap(latched) ? latched : live | (has_copy ? 0 : latched);
    if (has_gap(shown))
      throw SpecError(field + "registers",
                      fmt::format("hold no {}field that shows bit {} of counter {}, but higher ones",
                                  shown == latched ? "latched " : "", std::countr_one(shown), counter),
                      "give shift: the bit of the counter that is a field's lowest");
  }
}

/// @return the counters with an overflow status
std::set<unsigned> told_counters(const PmuDescription& pmu) {
  std::set<unsigned> told;
  for (const Role role : {Role::overflow, Role::overflow_set, Role::overflow_clear}) {
    for (const Switch& one : switches_of(pmu, role)) told.insert(one.counter);
  }
  return told;
}

/// Of counters that can count one event, all tell when they wrap, or none.
void check_told(const std::string& field, const PmuDescription& pmu) {
  const std::set<unsigned> told = told_counters(pmu);
  const SelectedBits selected(pmu);
  const auto is_told = [&](unsigned counter) { return told.contains(counter); };
  for (const soc::EventDescription& event : pmu.events) {
    const std::vector<unsigned> counters = selected.counters_for(event);
    const auto untold = std::ranges::find_if_not(counters, is_told);
    if (untold != counters.end() && std::ranges::any_of(counters, is_told))
      throw SpecError(field + "registers",
                      fmt::format("hold no overflow status of counter {}, but of others that can count {}, too",
                                  *untold, event.name),
                      "give it a field with the role overflow, or the event the counters that have one");
  }
}

void check_number_terms(const std::string& field, const PmuDescription& pmu) {
  std::uint64_t taken = 0;
  for (std::size_t index = 0; index < pmu.map->number_terms.size(); ++index) {
    const soc::NumberTerm& term = pmu.map->number_terms[index];
    const std::string at = fmt::format("{}number_terms[{}].", field, index);
    const std::uint64_t bits = low_bits(term.bits.width) << term.bits.first;
    const auto is_alike = [&](const soc::NumberTerm& other) {
      return other.format == term.format && other.bits.first == term.bits.first && other.bits.width == term.bits.width;
    };
    const auto others = std::span(pmu.map->number_terms).first(index);
    const bool has_same =
        (taken & bits) != 0 || std::ranges::find(others, term.format, &soc::NumberTerm::format) != others.end();
    if (has_same && std::ranges::none_of(others, is_alike))
      throw SpecError(at + "bits", "overlap those of another term",
                      "a second name of the same bits has the same format and bits");
    taken |= bits;
  }
}

/// Something latches what is shown latched. Counters that count down, or end, neither carry nor wrap at half.
void check_latches(const std::string& field, const PmuDescription& pmu) {
  std::set<unsigned> latched;
  std::set<unsigned> shown;
  bool has_own_way = false;
  bool has_wraps = false;
  bool takes_time = false;
  for (const RegisterDescription& reg : pmu.map->registers) {
    for (const FieldDescription& one : reg.fields) {
      has_own_way = has_own_way || one.down || one.saturates;
      has_wraps = has_wraps || one.role == Role::chain || one.role == Role::overflow_at_half;
      takes_time = takes_time || one.takes > 0;
      for (const unsigned counter : counters_of(reg, one, pmu.counters)) {
        if (one.role == Role::latch || one.latches) latched.insert(counter);
        if (one.latched) shown.insert(counter);
      }
    }
  }
  if (has_own_way && has_wraps)
    throw SpecError(field + "registers",
                    "have counters that count down or saturate, which neither carry nor wrap at half",
                    "remove the fields with the role chain or overflow_at_half");
  for (const RegisterDescription& reg : pmu.map->registers) {
    for (const FieldDescription& one : reg.fields) {
      if (one.role == Role::latching && !takes_time)
        throw SpecError(field + "registers", fmt::format("{} shows a latch that takes time, but none does", reg.name),
                        "give a field with the role latch a time, for example takes: 200 ns");
      const std::vector<unsigned> counters = counters_of(reg, one, pmu.counters);
      const auto is_shown = [&](unsigned counter) { return shown.contains(counter); };
      if ((one.role == Role::latch || one.latches) && std::ranges::none_of(counters, is_shown))
        throw SpecError(field + "registers",
                        fmt::format("{} latches counters, but no field shows what was latched of one", reg.name),
                        "give such a field of a counter latched: true");
      for (const unsigned counter : counters) {
        if (one.latched && !latched.contains(counter))
          throw SpecError(
              field + "registers",
              fmt::format("{} shows what was latched of counter {}, but no field latches it", reg.name, counter),
              "give a field the role latch, or latches: true");
      }
    }
  }
}

void check_roles(const std::string& field, const PmuDescription& pmu) {
  const auto counters = registers_with(pmu, Role::counter);
  const auto events = registers_with(pmu, Role::event);
  check_selectors(field, pmu);
  check_switches(field, pmu);
  check_opposites(field, pmu);
  check_parts(field, pmu);
  check_latches(field, pmu);
  check_numbers(field, pmu);
  const auto selectors = [&](unsigned counter) -> const std::vector<std::string>& {
    return events[pmu.map->twins ? counter % pmu.map->twins->first : counter];
  };
  const bool any_event = std::any_of(events.begin(), events.end(), [](const auto& one) { return !one.empty(); });
  for (unsigned counter = 0; counter < pmu.counters; ++counter) {
    if (counters[counter].empty())
      throw SpecError(field + "registers", fmt::format("hold no field that shows counter {}", counter),
                      "give a field the role counter, or the PMU fewer counters");
    const bool has_own = std::any_of(pmu.events.begin(), pmu.events.end(), [&](const soc::EventDescription& event) {
      return event.counters && event.counters->first == counter && event.counters->width == 1;
    });
    if (any_event && selectors(counter).empty() && !has_own)
      throw SpecError(field + "registers", fmt::format("hold no field that selects the event of counter {}", counter),
                      fmt::format("give a field the role event, or an event counters: {}", counter));
  }
  for (std::size_t index = 0; index < pmu.events.size(); ++index) {
    const auto& range = pmu.events[index].counters;
    if (range && range->first + range->width > pmu.counters)
      throw SpecError(
          fmt::format("{}events[{}].counters", field, index),
          fmt::format("names counter {}; the PMU has 0 ... {}", range->first + range->width - 1, pmu.counters - 1));
  }
  for (std::size_t index = 0; index < pmu.widths.size(); ++index) {
    const auto& [range, width] = pmu.widths[index];
    const std::string at = fmt::format("{}widths[{}].", field, index);
    if (range.first + range.width > pmu.counters)
      throw SpecError(at + "counters", fmt::format("names counter {}; the PMU has 0 ... {}",
                                                   range.first + range.width - 1, pmu.counters - 1));
    check_between(at + "width", width, kNarrowestCounter, 64, "bits of a counter");
  }
  const auto has = [&](const auto& is_meant) {
    return std::ranges::any_of(
        pmu.map->registers, [&](const RegisterDescription& reg) { return std::ranges::any_of(reg.fields, is_meant); });
  };
  const bool needs_number = has([](const FieldDescription& one) { return one.role == Role::preload || one.selected; });
  if (needs_number != has([](const FieldDescription& one) { return one.role == Role::preload_counter; }))
    throw SpecError(field + "registers",
                    needs_number ? "hold a preload, or a selected counter, but no preload_counter names its counter"
                                 : "hold a preload_counter, but neither a preload nor a selected counter uses it",
                    needs_number ? "give a field the role preload_counter" : "give that field the role keeps");
  if (pmu.interrupt && told_counters(pmu).empty())
    throw SpecError(field + "interrupt", "is there, but no register tells which counter has wrapped",
                    "give a field the role overflow");
  if (pmu.interrupt) check_told(field, pmu);
}

/// Fields keep what software writes to a filter, and hold the bits that turn it on.
void check_map_filters(const std::string& field, const PmuDescription& pmu) {
  const auto check = [&](const std::string& at, unsigned word, const BitRange& bits, bool is_switch) {
    const RegisterDescription& reg = pmu.map->registers[word];
    if (bits.first + bits.width > reg.width) return;  // check_filters() says so
    std::uint64_t left = low_bits(bits.width) << bits.first;
    for (const FieldDescription& other : reg.fields) {
      if ((mask_of(other) & left) != 0 && other.role != Role::keeps && !is_switch)
        throw SpecError(at, fmt::format("lie on the field {} of {}", other.name, reg.name));
      left &= ~mask_of(other);
    }
    if (left != 0)
      throw SpecError(at, fmt::format("bit {} of {} is in no field", std::countr_zero(left), reg.name),
                      "give the register a field there");
  };
  for (std::size_t index = 0; index < pmu.filters.size(); ++index) {
    const FilterDescription& filter = pmu.filters[index];
    const std::string at = fmt::format("{}filters[{}].", field, index);
    for (unsigned copy = 0; copy < filter.repeat; ++copy)
      check(at + (copy == 0 ? "bits" : "repeat"), filter.word,
            {filter.bits.first + copy * filter.step, filter.bits.width}, false);
    if (filter.care) check(at + "care", filter.care_word.value_or(filter.word), *filter.care, false);
    if (filter.when) check(at + "when.bits", filter.when->word, filter.when->bits, true);
    if (filter.invert) check(at + "invert", filter.invert_word, {*filter.invert, 1}, true);
    if (filter.enable) check(at + "enable", filter.word, {*filter.enable, 1}, true);
    if (filter.disable) check(at + "disable", filter.word, {*filter.disable, 1}, true);
  }
}

/// Terms that turn others off, or that a driver needs, must be there.
void check_terms(const std::string& field, const PmuDescription& pmu) {
  std::set<std::string> terms;
  for (std::size_t index = 0; index < pmu.terms.size(); ++index) {
    terms.insert(pmu.terms[index].name);
    check_between(fmt::format("{}terms[{}].counters", field, index), pmu.terms[index].counters, 1, pmu.counters,
                  "counters of the PMU");
  }
  for (const FilterDescription& filter : pmu.filters) {
    if (!filter.format.empty() && filter.terms.empty()) terms.insert(filter.name);
    terms.insert({filter.care_term, filter.invert_term});
    for (const auto& [term, bit] : filter.terms) terms.insert(term);
  }
  const auto check = [&](const std::string& at, const std::string& term) {
    if (!term.empty() && !terms.contains(term))
      throw SpecError(at, fmt::format("names '{}', which is no term", term), "name a filter, or one of terms");
  };
  for (std::size_t index = 0; index < pmu.filters.size(); ++index) {
    const FilterDescription& filter = pmu.filters[index];
    const auto check_other = [&](const char* key, const std::string& term) {
      const std::string at = fmt::format("{}filters[{}].{}", field, index, key);
      if (term == filter.name) throw SpecError(at, fmt::format("names '{}' itself", term), "name another term");
      check(at, term);
    };
    for (const std::string& term : filter.unless) check_other("unless", term);
    check_other("with", filter.with);
  }
  for (const soc::NumberTerm& term : pmu.map->number_terms) terms.insert(term.name);
  for (std::size_t index = 0; index < pmu.refused.size(); ++index) {
    const std::string at = fmt::format("{}refused[{}].terms", field, index);
    if (pmu.refused[index].terms.empty()) throw SpecError(at, "are missing", "for example {port: 3}");
    for (const auto& [term, value] : pmu.refused[index].terms) check(at, term);
  }
  const std::string& needs = pmu.map->device.needs;
  check(field + "device.needs", needs.substr(0, needs.find('=')));
}

}  // namespace

void check_map(const std::string& field, const PmuDescription& pmu) {
  check_between(field + "width", pmu.width, kNarrowestCounter, 64, "bits of a counter");
  check_between(field + "counters", pmu.counters, 1, soc::kMaximumCounters);
  check_between(field + "event_bits", pmu.event_bits, 1, 64);
  check_between(field + "clock", pmu.clock_hz, 1, kMaximumClock, "hertz");
  if (pmu.perf_name.empty())
    throw SpecError(field + "perf_name", "is missing", "give the name by which its driver registers the PMU");
  check_windows(field, *pmu.map);
  check_device(field + "device.", pmu.map->device);
  if (pmu.map->device.below) check_below(field + "device.below.", *pmu.map);
  check_bars(field, pmu);
  if (pmu.interrupt) check_lines(field + "interrupt.", pmu);
  check_twins(field, pmu);
  check_registers(field, pmu);
  check_number_terms(field, pmu);
  check_roles(field, pmu);
  check_map_filters(field, pmu);
  check_terms(field, pmu);
}

}  // namespace pmufab::platform
