// SPDX-License-Identifier: Apache-2.0
#include "models/soc/register_map_pmu.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tlm/registers/register_spec.h"

namespace pmufab::soc {
namespace {

constexpr unsigned kWord = CounterBlock::kWord;

std::uint64_t part_of(std::uint64_t value, const BitRange& bits) { return value >> bits.first & low_bits(bits.width); }
std::uint64_t placed(std::uint64_t value, const BitRange& bits) { return (value & low_bits(bits.width)) << bits.first; }

CounterBlock::Options block_of(const std::string& name, const PmuDescription& description) {
  CounterBlock::Options options = {
      .name = name, .width = description.width, .counters = std::vector<bool>(description.counters, true)};
  for (unsigned counter = 0; counter < description.counters; ++counter) {
    options.widths[counter] = width_of(description, counter);
    const std::uint64_t bit = std::uint64_t{1} << counter;
    for (const RegisterDescription& reg : description.map->registers) {
      for (const FieldDescription& field : reg.fields) {
        if (field.role != Role::counter || !(field.selected || reg.stands_for(field, counter))) continue;
        if (field.is_free) options.free |= bit;
        if (field.down) options.down |= bit;
        if (field.saturates) options.saturating |= bit;
        if (field.stops) options.stoppers |= bit;
      }
    }
  }
  return options;
}

constexpr std::size_t index_of(Reach reach) { return static_cast<std::size_t>(reach); }

/// What software sees of a field. Its value comes from the counters, where it is not what was written.
Access access_of(const FieldDescription& field) {
  switch (field.role) {
    case Role::constant:
    case Role::pending:
    case Role::latching:
      return Access::ro;
    case Role::overflow:
      switch (field.cleared) {
        case Cleared::by_one:
          return Access::w1c;
        case Cleared::by_zero:
          return Access::w0c;
        case Cleared::by_read:
          return Access::rc;
        case Cleared::apart:
          break;
      }
      return Access::ro;
    case Role::enable_set:
    case Role::interrupt_set:
    case Role::overflow_set:
      return Access::w1s;
    case Role::enable_clear:
    case Role::interrupt_clear:
    case Role::overflow_clear:
      return field.write_only ? Access::wo : Access::w1c;
    case Role::run_set:
    case Role::run_clear:
    case Role::clear:
    case Role::latch:
    case Role::preload:
    case Role::command:
      return Access::wo;
    case Role::counter:
      return field.read_only ? Access::ro : Access::rw;
    default:
      return Access::rw;
  }
}

bool lets_run(const FieldDescription& field) { return field.role == Role::run || field.role == Role::run_set; }

}  // namespace

/// The registers of one window, and the texts that their table names.
class RegisterMapPmu::Window : public sc_core::sc_module {
 public:
  Window(const sc_core::sc_module_name& name, RegisterMapPmu& owner, const RegisterMap& map, unsigned number)
      : sc_core::sc_module(name), socket("socket"), owner_(owner), window_(map.windows[number].name) {
    for (std::size_t index = 0; index < map.registers.size(); ++index) {
      if (map.registers[index].window == number) add(map.registers[index], index);
    }
    bank_ = std::make_unique<RegisterBank>(
        RegisterBank::Options{.name = this->name(), .size = static_cast<std::uint32_t>(map.windows[number].size)},
        specs_);
    socket.register_b_transport(this, &Window::transport);
    socket.register_transport_dbg(this, &Window::debug);
  }
  [[nodiscard]] RegisterBank& bank() noexcept { return *bank_; }
  /// @return its own name without that of the window
  [[nodiscard]] std::string pmu_name() const {
    std::string text = name();
    if (!window_.empty()) text.resize(text.size() - window_.size() - 1);
    return text;
  }

  tlm_utils::simple_target_socket<Window, 64> socket;

 private:
  /// A register that reading changes.
  struct ChangedByReading {
    std::size_t number;
    std::uint64_t first;
    std::uint64_t stride;
    unsigned count;
  };

  void add(const RegisterDescription& reg, std::size_t number) {
    std::vector<FieldSpec>& fields = fields_.emplace_back();
    for (const FieldDescription& field : reg.fields) {
      const bool is_repeated = field.repeat > 1;
      for (unsigned copy = 0; copy < field.repeat; ++copy) {
        const BitRange bits = is_repeated ? field.bits_of(copy) : field.bits;
        const std::string& name = texts_.emplace_back(is_repeated ? fmt::format("{}{}", field.name, copy) : field.name);
        fields.push_back({name, static_cast<std::uint8_t>(bits.first), static_cast<std::uint8_t>(bits.width),
                          access_of(field), field.value});
      }
      if (field.latches || (field.role == Role::overflow && field.cleared == Cleared::by_read))
        changed_.push_back({number, reg.offset, reg.stride, reg.count});
    }
    specs_.push_back({.name = reg.name,
                      .offset = reg.offset,
                      .width = static_cast<std::uint8_t>(reg.width),
                      .fields = fields,
                      .count = static_cast<std::uint16_t>(reg.count),
                      .stride = reg.stride,
                      .halves = reg.halves});
  }

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const Picoseconds when = (sc_core::sc_time_stamp() + delay).value();
    bank_->b_transport(payload, delay);
    if (!payload.is_read() || !payload.is_response_ok()) return;
    for (const ChangedByReading& one : changed_) {
      for (unsigned element = 0; element < one.count; ++element) {
        if (payload.get_address() == one.first + element * one.stride) owner_.has_been_read(one.number, element, when);
      }
    }
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return bank_->transport_dbg(payload); }

  RegisterMapPmu& owner_;
  std::string window_;
  std::deque<std::string> texts_;
  std::deque<std::vector<FieldSpec>> fields_;
  std::vector<RegisterSpec> specs_;
  std::vector<ChangedByReading> changed_;
  std::unique_ptr<RegisterBank> bank_;
};

RegisterMapPmu::RegisterMapPmu(const std::string& name, const PmuDescription& description, const ClockDomain& clock,
                               CounterBlock::Resolver resolve)
    : description_(description),
      map_(*description.map),
      windows_(make_windows(name)),
      programs_(map_.registers.size()),
      counters_(block_of(windows_.front()->pmu_name(), description), clock, std::move(resolve)) {
  for (const FilterDescription& filter : description.filters) {
    programs_.at(filter.word) = true;
    if (filter.care_word) programs_.at(*filter.care_word) = true;
    if (filter.invert) programs_.at(filter.invert_word) = true;
    if (filter.when) programs_.at(filter.when->word) = true;
  }
  for (std::size_t number = 0; number < map_.registers.size(); ++number) build(number);
  has_main_run_ = counters_of([](const RegisterDescription& reg, const FieldDescription& field) {
                    return reg.reach_of(field) != Reach::range && lets_run(field);
                  }) != 0;
  apply_reset(simulated_time());
}

RegisterMapPmu::~RegisterMapPmu() = default;

std::vector<std::unique_ptr<RegisterMapPmu::Window>> RegisterMapPmu::make_windows(const std::string& name) {
  std::vector<std::unique_ptr<Window>> windows;
  for (unsigned number = 0; number < map_.windows.size(); ++number) {
    const std::string& window = map_.windows[number].name;
    windows.push_back(std::make_unique<Window>(
        sc_core::sc_module_name((window.empty() ? name : fmt::format("{}_{}", name, window)).c_str()), *this, map_,
        number));
  }
  return windows;
}

void RegisterMapPmu::build(std::size_t number) {
  const RegisterDescription& reg = map_.registers[number];
  RegisterBank& bank = bank_of(number);
  ids_.push_back(bank.find(reg.name));
  const auto is_program = [](const FieldDescription& field) { return field.role == Role::event; };
  if (std::any_of(reg.fields.begin(), reg.fields.end(), is_program)) programs_[number] = true;
  for (const FieldDescription& field : reg.fields) {
    if (field.chosen_by) programs_.at(field.chosen_by->word) = true;
  }
  bank.on_read(ids_[number],
               [this, number](unsigned element, Picoseconds when) { return live(number, element, when); });
  bank.on_write(ids_[number], [this, number](const RegisterWrite& access) { write(number, access); });
}

void RegisterMapPmu::apply_reset(Picoseconds when) {
  const Counters all = low_bits(description_.counters);
  // What nothing turns on is on.
  latched_.assign(description_.counters, {});
  enables_.fill(all);
  for (Switches& switches : interrupts_) switches.fill(all);
  for (const Reach reach : {Reach::each, Reach::range, Reach::all}) {
    put_interrupt_enables(
        false, reach, all & ~counters_of([reach](const RegisterDescription& reg, const FieldDescription& field) {
                        const bool is_switch =
                            field.role == Role::interrupt_enable || field.role == Role::interrupt_set;
                        return (is_switch && reg.reach_of(field) == reach) || (field.silent && reach == Reach::each);
                      }),
        when);
  }
  enables_[index_of(Reach::range)] &= ~counters_of(
      [](const RegisterDescription&, const FieldDescription& field) { return lets_run(field) && field.counters; });
  put_enables(Reach::each, all & ~counters_of([](const RegisterDescription&, const FieldDescription& field) {
                             return field.role == Role::enable || field.role == Role::enable_set ||
                                    (field.role == Role::run && field.first);
                           }),
              when);
  if (!has_main_run_) counters_.run(true, when);
  for (std::size_t number = 0; number < map_.registers.size(); ++number) {
    const RegisterDescription& reg = map_.registers[number];
    for (const FieldDescription& field : reg.fields) {
      const bool is_state = field.role == Role::enable || field.role == Role::disable ||
                            field.role == Role::interrupt_enable || field.role == Role::interrupt_mask ||
                            field.role == Role::run || field.role == Role::stop || field.role == Role::chain ||
                            field.role == Role::overflow_at_half;
      if (!is_state) continue;
      for (unsigned element = 0; element < reg.count; ++element) {
        const std::uint64_t value = bank_of(number).value(ids_[number], element);
        const std::uint64_t mask = ~std::uint64_t{0};
        write_field(field, said_by(reg, field, element, value, mask), reg, {element, value, mask, value, value, when});
      }
    }
  }
}

void RegisterMapPmu::reset() {
  counters_.reset();
  for (const auto& window : windows_) window->bank().reset();
  apply_reset(simulated_time());
}

RegisterBank& RegisterMapPmu::bank_of(std::size_t number) { return windows_[map_.registers[number].window]->bank(); }
const RegisterBank& RegisterMapPmu::bank_of(std::size_t number) const {
  return windows_[map_.registers[number].window]->bank();
}

tlm::tlm_base_target_socket_b<64>& RegisterMapPmu::socket(std::size_t window) { return windows_.at(window)->socket; }

std::vector<const RegisterBank*> RegisterMapPmu::pages() const {
  std::vector<const RegisterBank*> pages;
  for (const auto& window : windows_) pages.push_back(&window->bank());
  return pages;
}

void RegisterMapPmu::add_selection(unsigned counter, std::optional<std::uint64_t> base,
                                   EventSelection& selection) const {
  for (std::size_t number = 0; number < map_.registers.size(); ++number) {
    const RegisterDescription& reg = map_.registers[number];
    for (const FieldDescription& field : reg.fields) {
      if (field.role != Role::event || field.for_number.has_value() != base.has_value()) continue;
      if (!reg.stands_for(field, counter)) continue;
      selection.known |= low_bits(field.bits.width) << field.shift;
      if (field.for_number != base) continue;
      if (field.chosen_by) {
        const std::optional<unsigned> copy = chosen_copy(field, counter);
        selection.is_none = selection.is_none || !copy;
        if (copy) selection.number |= part_of(bank_of(number).value(ids_[number]), field.bits_of(*copy)) << field.shift;
        continue;
      }
      const unsigned place = reg.is_for_all(field) ? 0 : counter - reg.counter_of(field, 0, 0);
      const std::uint64_t value = bank_of(number).value(ids_[number], place / field.repeat);
      selection.number |= part_of(value, field.bits_of(place % field.repeat)) << field.shift;
    }
  }
}

std::optional<unsigned> RegisterMapPmu::chosen_copy(const FieldDescription& field, unsigned counter) const {
  const ChoiceDescription& choice = *field.chosen_by;
  const std::uint64_t value = bank_of(choice.word).value(ids_[choice.word]);
  const std::uint64_t copy = part_of(value, {choice.bits.first + counter * choice.step, choice.bits.width});
  return copy < field.repeat ? std::optional(static_cast<unsigned>(copy)) : std::nullopt;
}

unsigned RegisterMapPmu::without_twins(unsigned counter) const {
  return map_.twins && counter >= map_.twins->first ? counter - map_.twins->first : counter;
}

EventSelection RegisterMapPmu::event(unsigned counter) const {
  const bool is_twin = without_twins(counter) != counter;
  counter = without_twins(counter);
  EventSelection selection;
  add_selection(counter, std::nullopt, selection);
  add_selection(counter, selection.number, selection);
  if (selection.is_none) return selection;
  if (map_.twins) selection.known |= map_.twins->number;
  if (is_twin) selection.number += map_.twins->number;
  if (selection.known != 0) return selection;
  // Without a selector, the counter has an event of its own.
  const auto own =
      std::find_if(description_.events.begin(), description_.events.end(), [&](const EventDescription& one) {
        return one.counters && one.counters->first == counter && one.counters->width == 1;
      });
  return {own == description_.events.end() ? counter : own->code.value_or(own->number), ~std::uint64_t{0}};
}

std::uint64_t RegisterMapPmu::value(std::size_t reg, unsigned counter, unsigned repeat, unsigned step) const {
  const RegisterDescription& its = map_.registers.at(reg);
  if (its.count == 1 && repeat == 1) return bank_of(reg).value(ids_[reg]);
  if (!has_value(reg, counter, repeat)) return 0;
  const unsigned place = without_twins(counter) - its.first;
  return bank_of(reg).value(ids_[reg], place / repeat) >> place % repeat * step;
}

bool RegisterMapPmu::has_value(std::size_t reg, unsigned counter, unsigned repeat) const {
  const RegisterDescription& its = map_.registers.at(reg);
  counter = without_twins(counter);
  return (its.count == 1 && repeat == 1) || (counter >= its.first && counter - its.first < its.count * repeat);
}

// ---- Accesses

std::uint64_t RegisterMapPmu::live(std::size_t number, unsigned element, Picoseconds when) const {
  const RegisterDescription& reg = map_.registers[number];
  std::uint64_t value = bank_of(number).value(ids_[number], element);
  for (const FieldDescription& field : reg.fields) {
    for (unsigned index = 0; index < field.counters_in(); ++index) {
      const BitRange bits = field.bits_of(index);
      if (const auto part = shown(field, reg.reach_of(field), reg.counter_of(field, element, index), when))
        value = (value & ~placed(~std::uint64_t{0}, bits)) | placed(*part, bits);
    }
  }
  return value;
}

std::optional<std::uint64_t> RegisterMapPmu::shown(const FieldDescription& field, Reach reach, unsigned counter,
                                                   Picoseconds when) const {
  const auto bit = [&](Counters on) {
    return field.write_only || !counters_.has(counter) ? 0 : std::uint64_t{on >> counter & 1U};
  };
  switch (field.role) {
    case Role::counter: {
      const std::optional<unsigned> its = field.selected ? preloaded() : counter;
      if (!its) return 0;
      return (field.latched ? latched_.at(*its).shown(when) : counters_.value(*its, when)) >> field.shift;
    }
    case Role::enable_set:
    case Role::enable_clear:
      return bit(enables_[0]);
    case Role::interrupt_set:
    case Role::interrupt_clear:
      return bit(interrupts_[0].at(index_of(reach)));
    case Role::overflow:
    case Role::overflow_set:
    case Role::overflow_clear:
      return has_overflowed(counter, when) ? 1 : 0;
    case Role::pending:
      return is_pending_ && std::any_of(field.of.begin(), field.of.end(), is_pending_) ? 1 : 0;
    case Role::latching:
      return std::any_of(latched_.begin(), latched_.end(), [&](const Latched& one) { return when < one.when; }) ? 1 : 0;
    case Role::run_set:
    case Role::run_clear:
    case Role::clear:
    case Role::latch:
    case Role::preload:
    case Role::command:
      return 0;
    case Role::keeps:
    case Role::constant:
    case Role::event:
    case Role::preload_counter:
    case Role::enable:
    case Role::disable:
    case Role::interrupt_enable:
    case Role::interrupt_mask:
    case Role::overflow_at_half:
    case Role::chain:
    case Role::run:
    case Role::stop:
      break;
  }
  return std::nullopt;
}

bool RegisterMapPmu::has_overflowed(unsigned counter, Picoseconds when) const {
  const auto has = [&](unsigned one) {
    return counters_.has(one) && (counters_.overflow(one / kWord, when) >> one % kWord & 1U) != 0;
  };
  return has(counter) || (map_.twins && has(counter + map_.twins->first));
}

RegisterMapPmu::Counters RegisterMapPmu::with_twins(Counters counters) const {
  return map_.twins ? counters | counters << map_.twins->first : counters;
}

RegisterMapPmu::Said RegisterMapPmu::said_by(const RegisterDescription& reg, const FieldDescription& field,
                                             unsigned element, std::uint64_t value, std::uint64_t mask) const {
  Said said;
  if (reg.is_for_all(field)) {
    const Counters all = field.counters ? placed(~std::uint64_t{0}, *field.counters) : low_bits(description_.counters);
    if (part_of(mask, field.bits) != 0) said.covered = all;
    if (part_of(value, field.bits) != 0) said.ones = all;
    return said;
  }
  for (unsigned index = 0; index < field.counters_in(); ++index) {
    const unsigned counter = reg.counter_of(field, element, index);
    if (counter >= description_.counters) continue;
    const BitRange bits = field.bits_of(index);
    if (part_of(mask, bits) != 0) said.covered |= Counters{1} << counter;
    if (part_of(value & mask, bits) != 0) said.ones |= Counters{1} << counter;
  }
  return {with_twins(said.covered), with_twins(said.ones)};
}

void RegisterMapPmu::write(std::size_t number, const RegisterWrite& access) {
  const RegisterDescription& reg = map_.registers[number];
  if (programs_[number] && access.after != access.before) {
    const bool is_packed =
        std::any_of(description_.filters.begin(), description_.filters.end(),
                    [&](const FilterDescription& filter) { return filter.word == number && filter.repeat > 1; });
    for (unsigned counter = 0; counter < description_.counters; ++counter) {
      const bool is_own =
          is_packed || std::any_of(reg.fields.begin(), reg.fields.end(), [&](const FieldDescription& field) {
            const unsigned first = reg.counter_of(field, access.element, 0);
            const unsigned last = first + field.counters_in() - 1;
            const unsigned twin = map_.twins ? map_.twins->first : 0;
            return reg.is_for_all(field) || (first <= counter && counter <= last) ||
                   (first + twin <= counter && counter <= last + twin);
          });
      if (is_own) counters_.program_changed(counter, access.when);
    }
  }
  for (const FieldDescription& field : reg.fields)
    write_field(field, said_by(reg, field, access.element, access.written, access.mask), reg, access);
}

RegisterMapPmu::Counters RegisterMapPmu::counters_of(
    const std::function<bool(const RegisterDescription&, const FieldDescription&)>& is_meant) const {
  Counters found = 0;
  for (const RegisterDescription& reg : map_.registers) {
    for (const FieldDescription& field : reg.fields) {
      for (unsigned element = 0; is_meant(reg, field) && element < reg.count; ++element)
        found |= said_by(reg, field, element, 0, ~std::uint64_t{0}).covered;
    }
  }
  return found;
}

void RegisterMapPmu::clear(Counters which, Picoseconds when) {
  for (unsigned counter = 0; counter < description_.counters; ++counter) {
    if ((which >> counter & 1U) != 0) counters_.write_counter(counter, 0, ~std::uint64_t{0}, when);
  }
}

void RegisterMapPmu::latch(Counters which, Picoseconds takes, Picoseconds when) {
  for (unsigned counter = 0; counter < description_.counters; ++counter) {
    Latched& its = latched_.at(counter);
    if ((which >> counter & 1U) != 0) its = {counters_.value(counter, when), its.shown(when), when + takes};
  }
}

void RegisterMapPmu::put_enables(Reach reach, Counters on, Picoseconds when) {
  enables_.at(index_of(reach)) = on;
  const Counters enables = enables_[index_of(Reach::each)] & (enables_[index_of(Reach::range)] | counters_.free());
  for (unsigned word = 0; word * kWord < description_.counters; ++word)
    counters_.put_enables(word, static_cast<std::uint32_t>(enables >> word * kWord), when);
}

void RegisterMapPmu::put_interrupt_enables(bool is_mask, Reach reach, Counters on, Picoseconds when) {
  interrupts_.at(is_mask ? 1 : 0).at(index_of(reach)) = on;
  Counters enables = low_bits(description_.counters);
  for (const Switches& switches : interrupts_) enables &= switches[0] & switches[1] & switches[2];
  for (unsigned word = 0; word * kWord < description_.counters; ++word)
    counters_.put_interrupt_enables(word, static_cast<std::uint32_t>(enables >> word * kWord), when);
}

bool RegisterMapPmu::is_let_run(unsigned counter) const {
  return counters_.runs() && (enables_[index_of(Reach::range)] >> counter & 1U) != 0;
}

void RegisterMapPmu::let_run(Reach reach, Counters which, Counters on, Picoseconds when) {
  if (which == 0) return;
  if (reach == Reach::range) put_enables(reach, (enables_[index_of(reach)] & ~which) | on, when);
  if (reach != Reach::range || (on != 0 && !has_main_run_)) counters_.run(on != 0, when);
}

void RegisterMapPmu::forget_overflow(Counters which, Picoseconds when) {
  for (unsigned word = 0; word * kWord < description_.counters; ++word)
    counters_.clear_overflow(word, static_cast<std::uint32_t>(which >> word * kWord), when);
}

/// Roles that turn single counters, or their interrupts, on and off. @return false: it is another
bool RegisterMapPmu::write_switch(const FieldDescription& field, const Said& said, Reach reach, Picoseconds when) {
  const Counters zeros = said.covered & ~said.ones;
  const Counters enables = enables_[index_of(Reach::each)];
  const bool is_mask = field.role == Role::interrupt_mask;
  const Counters interrupts = interrupts_.at(is_mask ? 1 : 0).at(index_of(reach));
  if (field.from_zero) clear(said.ones & ~enables, when);
  switch (field.role) {
    case Role::enable:
      put_enables(Reach::each, (enables & ~said.covered) | said.ones, when);
      return true;
    case Role::enable_set:
      put_enables(Reach::each, enables | said.ones, when);
      return true;
    case Role::disable:
      put_enables(Reach::each, (enables & ~said.covered) | zeros, when);
      return true;
    case Role::enable_clear:
      put_enables(Reach::each, enables & ~said.ones, when);
      return true;
    case Role::interrupt_enable:
      put_interrupt_enables(is_mask, reach, (interrupts & ~said.covered) | said.ones, when);
      return true;
    case Role::interrupt_set:
      put_interrupt_enables(is_mask, reach, interrupts | said.ones, when);
      return true;
    case Role::interrupt_mask:
      put_interrupt_enables(is_mask, reach, (interrupts & ~said.covered) | zeros, when);
      return true;
    case Role::interrupt_clear:
      put_interrupt_enables(is_mask, reach, interrupts & ~said.ones, when);
      return true;
    case Role::overflow_at_half:
      counters_.overflow_at_half(said.covered, said.ones, when);
      return true;
    case Role::chain:
      counters_.chain(said.covered, said.ones);
      return true;
    default:
      return false;
  }
}

void RegisterMapPmu::write_field(const FieldDescription& field, const Said& said, const RegisterDescription& reg,
                                 const RegisterWrite& write) {
  const Picoseconds when = write.when;
  const Reach reach = reg.reach_of(field);
  if (write_switch(field, said, reach, when)) return;
  switch (field.role) {
    case Role::counter:
      if (field.read_only) break;
      if (field.needs_run && !is_let_run(reg.counter_of(field, write.element, 0))) break;
      if (field.selected && !preloaded()) break;
      counters_.write_counter(field.selected ? *preloaded() : reg.counter_of(field, write.element, 0),
                              part_of(write.written, field.bits) << field.shift,
                              part_of(write.mask, field.bits) << field.shift, when);
      break;
    case Role::preload:
      if (const std::optional<unsigned> counter = preloaded())
        counters_.write_counter(*counter, part_of(write.written, field.bits), part_of(write.mask, field.bits), when);
      break;
    case Role::overflow:
      if (field.cleared == Cleared::by_one) forget_overflow(said.ones, when);
      if (field.cleared == Cleared::by_zero) forget_overflow(said.covered & ~said.ones, when);
      break;
    case Role::overflow_set:
      for (unsigned word = 0; word * kWord < description_.counters; ++word)
        counters_.set_overflow(word, static_cast<std::uint32_t>(said.ones >> word * kWord), when);
      break;
    case Role::overflow_clear:
      forget_overflow(said.ones, when);
      break;
    case Role::run:
      let_run(reach, said.covered, said.ones, when);
      if (field.first) put_enables(Reach::each, (enables_[0] & ~said.covered) | said.ones, when);
      break;
    case Role::stop:
      let_run(reach, said.covered, said.ones == 0 ? said.covered : 0, when);
      break;
    case Role::run_set:
      let_run(reach, said.ones, said.ones, when);
      break;
    case Role::run_clear:
      let_run(reach, said.ones, 0, when);
      break;
    case Role::clear:
      clear(said.ones, when);
      break;
    case Role::latch:
      latch(said.ones, field.takes, when);
      break;
    default:  // what is written is kept, or nothing happens
      break;
  }
}

std::optional<unsigned> RegisterMapPmu::preloaded() const {
  for (std::size_t number = 0; number < map_.registers.size(); ++number) {
    for (const FieldDescription& field : map_.registers[number].fields) {
      if (field.role != Role::preload_counter) continue;
      const std::uint64_t value = part_of(bank_of(number).value(ids_[number]), field.bits);
      if (value < field.from || value - field.from >= description_.counters) return std::nullopt;
      return static_cast<unsigned>(value - field.from);
    }
  }
  return std::nullopt;
}

void RegisterMapPmu::has_been_read(std::size_t number, unsigned element, Picoseconds when) {
  const RegisterDescription& reg = map_.registers[number];
  for (const FieldDescription& field : reg.fields) {
    const Counters covered = said_by(reg, field, element, 0, ~std::uint64_t{0}).covered;
    if (field.latches)
      latch(field.role == Role::counter ? Counters{1} << reg.counter_of(field, element, 0) : covered, 0, when);
    if (field.role == Role::overflow && field.cleared == Cleared::by_read) forget_overflow(covered, when);
  }
}

}  // namespace pmufab::soc
