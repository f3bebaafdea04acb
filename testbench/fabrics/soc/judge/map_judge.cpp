// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/judge/map_judge.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace pmufab::scoreboard {
namespace {

using soc::FieldDescription;
using soc::RegisterDescription;
using soc::Role;

constexpr unsigned kByte = 8;  // bits

std::uint64_t bits_up_to(unsigned width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

/// What a value of a term is in perf's words: `format` says which bits of which word, such as "config1:3-8,16".
ConfigWords words_of(std::string_view format, std::uint64_t value) {
  ConfigWords words{};
  std::string_view text = format;
  text.remove_prefix(std::min(text.size(), std::string_view("config").size()));
  std::size_t word = 0;
  if (!text.empty() && (text.front() == '1' || text.front() == '2')) {
    word = static_cast<std::size_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  const auto number = [&] {
    unsigned found = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1))
      found = found * 10 + static_cast<unsigned>(text.front() - '0');
    return found;
  };
  while (!text.empty()) {
    text.remove_prefix(1);  // the colon, or a comma
    const unsigned first = number();
    unsigned last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = number();
    }
    words.at(word) |= (value & bits_up_to(last - first + 1)) << first;
    value = last - first + 1 < 64 ? value >> (last - first + 1) : 0;
  }
  return words;
}

bool has_any(const soc::RegisterMap& map, std::initializer_list<Role> roles) {
  for (const RegisterDescription& reg : map.registers) {
    for (const FieldDescription& field : reg.fields) {
      if (std::find(roles.begin(), roles.end(), field.role) != roles.end()) return true;
    }
  }
  return false;
}

}  // namespace

class GatedTruth;

/// Tells events when counters are turned on and off, and read.
class MapGate {
 public:
  explicit MapGate(bool is_free) : is_free_(is_free) {}
  void add(GatedTruth& truth) { truths_.push_back(&truth); }
  void remove(GatedTruth& truth) { std::erase(truths_, &truth); }
  void turn(std::uint64_t on, std::uint64_t off, Picoseconds when);
  /// Counters that are on have got the value from which their events count.
  void begin(std::uint64_t counters, Picoseconds when);
  /// @param latched  a bit for each counter that this copies to where it is read; 0: no copy is made
  void read(std::uint64_t latched, Picoseconds when);
  /// Software reads such copies.
  void show(std::uint64_t latched);
  /// Software gives counters a value.
  void write(std::uint64_t counters, Picoseconds when);
  /// Everything stops while perf has the PMU off: whatever perf takes off until it turns the PMU on again ended here.
  void pause(Picoseconds when);
  /// It goes on.
  void resume();
  /// @return whether nothing turns counters on or off
  [[nodiscard]] bool is_free() const noexcept { return is_free_; }
  [[nodiscard]] bool is_on(unsigned counter) const noexcept { return (on_ >> counter) % 2 == 1; }
  /// @return the counters that active events may have
  [[nodiscard]] std::uint64_t used() const noexcept;
  void starts_with(std::uint64_t on) noexcept { on_ = on; }

 private:
  std::vector<GatedTruth*> truths_;
  std::uint64_t on_ = 0;  // by counter
  bool is_free_;
};

/// An event that counts from when its driver turns its counter on to when it turns it off, or between two readings of a
/// counter that nothing stops. Its marks are what was counted so far.
class GatedTruth final : public EventTruth {
 public:
  /// Which counter's switch is the event's, whatever counter it has.
  struct Switch {
    unsigned counter = 0;
    bool is_free = false;  ///< the event counts while it is on, whether perf has the PMU on or not
  };
  /// @param counters  a bit for each that can count it
  GatedTruth(std::unique_ptr<EventTruth> event, std::shared_ptr<MapGate> gate, std::uint64_t counters,
             std::optional<Switch> known)
      : event_(std::move(event)), gate_(std::move(gate)), counters_(counters), known_(known) {
    if (known_) counter_ = known_->counter;
    gate_->add(*this);
  }
  ~GatedTruth() override { gate_->remove(*this); }
  GatedTruth& operator=(GatedTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return event_->text(); }
  /// Each event is marked when perf turns the PMU off: one that stands since before has not ended with what stopped all.
  [[nodiscard]] Mark mark(Picoseconds when) override {
    pause_.reset();
    return now(when);
  }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  [[nodiscard]] std::uint64_t used() const noexcept { return is_active_ ? counters_ : 0; }
  void activated() override {
    event_->activated();
    is_active_ = true;
  }
  void deactivated() override {
    event_->deactivated();
    is_active_ = false;
    if (gate_->is_free() || known_) return;
    stop(last_off_ ? last_off_->when : 0);
    counter_.reset();
    candidates_.clear();
  }
  [[nodiscard]] std::optional<Mark> own_begin(Picoseconds begin) override {
    pause_.reset();
    if (known_) return begin_of_switch(begin);
    if (gate_->is_free() && last_on_ && last_on_->when >= begin) {
      on_since_ = last_on_;
      return Mark{on_since_->when, total_};
    }
    const auto later = [](const auto& one, const auto& other) { return one.second->when < other.second->when; };
    const auto latest = std::max_element(candidates_.begin(), candidates_.end(), later);
    if (latest != candidates_.end() && latest->second->when >= begin) {
      counter_ = latest->first;
      on_since_ = latest->second;
      candidates_.clear();
      return Mark{on_since_->when, total_};
    }
    if (counter_ && on_since_ && on_since_->when >= begin) return Mark{on_since_->when, total_};
    if (gate_->is_free() && last_read_ && last_read_->when >= begin) return last_read_;
    return std::nullopt;
  }
  [[nodiscard]] Mark own_end(Picoseconds begin, Picoseconds end) override {
    if (pause_) {
      total_ = pause_->position;
      on_since_.reset();
      last_off_ = pause_;
      return *pause_;
    }
    if (last_off_ && last_off_->when >= begin) return *last_off_;
    if ((gate_->is_free() || known_) && last_read_ && last_read_->when >= begin) return *last_read_;
    return now(end);
  }
  [[nodiscard]] std::optional<bool> is_on() const override {
    const bool has_counter = is_active_ && counter_ && !gate_->is_free();
    return has_counter || known_ ? std::optional(gate_->is_on(known_ ? known_->counter : *counter_)) : std::nullopt;
  }
  void describe(std::span<const Span> /*spans*/, EventResult& result) const override { event_->describe({}, result); }
  [[nodiscard]] std::optional<LossCause> cause_of_difference(std::span<const Span> /*spans*/, std::uint64_t counted,
                                                             std::uint64_t reported) const override {
    return event_->cause_of_difference({}, counted, reported);
  }
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

  void turned(unsigned counter, bool on, Picoseconds when) {
    if ((counters_ >> counter) % 2 == 0) return;
    if (gate_->is_free()) {
      if (on) last_on_ = marked(when);
    } else if (counter_ == counter) {
      on ? start(when) : stop(when);
    } else if (!counter_ && on) {
      candidates_[counter] = marked(when);
    } else if (!counter_) {
      candidates_.erase(counter);
    }
  }
  void begun(unsigned counter, Picoseconds when) {
    if (counter_ == counter && on_since_) on_since_ = marked(when);
    if (!counter_ && candidates_.contains(counter)) candidates_[counter] = marked(when);
  }
  void was_read(std::uint64_t latched, Picoseconds when) {
    if (latched != 0 && (latched & counters_) == 0) return;
    last_read_ = now(when);
    for (std::uint64_t left = latched & counters_; left != 0; left &= left - 1)
      latched_[std::countr_zero(left)] = *last_read_;
  }
  void was_shown(std::uint64_t latched) {
    for (const auto& [counter, mark] : latched_) {
      if ((latched >> counter) % 2 == 1) last_read_ = mark;
    }
  }
  void was_written(std::uint64_t counters, Picoseconds when) {
    if (known_ && (counters & counters_) != 0) last_written_ = now(when);
  }
  void paused(Picoseconds when) { pause_ = now(when); }
  void resumed() { pause_.reset(); }

 private:
  /// A mark of the event, which is forgotten with its last copy.
  using Kept = std::shared_ptr<const Mark>;
  [[nodiscard]] Kept marked(Picoseconds when) const {
    return {new Mark(event_->mark(when)), [event = event_.get()](const Mark* mark) {
              event->forget(*mark);
              delete mark;
            }};
  }

  /// An event with a free counter is there from when its driver takes it, and counts while the switch is on.
  [[nodiscard]] std::optional<Mark> begin_of_switch(Picoseconds begin) const {
    if (!known_->is_free) return std::nullopt;
    if (on_since_ && on_since_->when >= begin) return Mark{on_since_->when, total_};
    for (const std::optional<Mark>& mark : {last_written_, last_read_}) {
      if (mark && mark->when >= begin) return mark;
    }
    return gate_->is_on(known_->counter) ? std::nullopt : std::optional(Mark{begin, total_});
  }
  Mark now(Picoseconds when) {
    if ((gate_->is_free() || (known_ && gate_->is_on(known_->counter))) && !on_since_) on_since_ = marked(when);
    return {when, on_since_ ? total_ + event_->count({*on_since_, *marked(when)}) : total_};
  }
  void start(Picoseconds when) {
    if (!on_since_) on_since_ = marked(when);
  }
  void stop(Picoseconds when) {
    if (!on_since_) return;
    total_ += event_->count({*on_since_, *marked(when)});
    on_since_.reset();
    last_off_ = Mark{when, total_};
  }

  std::unique_ptr<EventTruth> event_;
  std::shared_ptr<MapGate> gate_;
  std::uint64_t counters_;
  std::optional<Switch> known_;
  bool is_active_ = false;   // its driver has taken it
  std::uint64_t total_ = 0;  // while the counter was on before
  Kept on_since_;            // null: it is off
  std::optional<Mark> last_off_;
  std::optional<Mark> last_read_;
  std::map<int, Mark> latched_;  // by counter: when it was latched last
  std::optional<Mark> last_written_;
  Kept last_on_;                         // if nothing turns its counter on
  std::optional<Mark> pause_;            // since which everything stands
  std::optional<unsigned> counter_;      // that the event has
  std::map<unsigned, Kept> candidates_;  // counters that were turned on, and when, while it had none
};

void MapGate::turn(std::uint64_t on, std::uint64_t off, Picoseconds when) {
  on_ = (on_ & ~off) | on;
  for (unsigned counter = 0; counter < 64; ++counter) {
    for (GatedTruth* const truth : truths_) {
      if ((off >> counter) % 2 == 1) truth->turned(counter, false, when);
      if ((on >> counter) % 2 == 1) truth->turned(counter, true, when);
    }
  }
}

void MapGate::begin(std::uint64_t counters, Picoseconds when) {
  for (; counters != 0; counters &= counters - 1) {
    for (GatedTruth* const truth : truths_) truth->begun(static_cast<unsigned>(std::countr_zero(counters)), when);
  }
}

std::uint64_t MapGate::used() const noexcept {
  std::uint64_t found = 0;
  for (const GatedTruth* const truth : truths_) found |= truth->used();
  return found;
}

void MapGate::pause(Picoseconds when) {
  for (GatedTruth* const truth : truths_) truth->paused(when);
}

void MapGate::resume() {
  for (GatedTruth* const truth : truths_) truth->resumed();
}

void MapGate::write(std::uint64_t counters, Picoseconds when) {
  for (GatedTruth* const truth : truths_) truth->was_written(counters, when);
}

void MapGate::read(std::uint64_t latched, Picoseconds when) {
  for (GatedTruth* const truth : truths_) truth->was_read(latched, when);
}

void MapGate::show(std::uint64_t latched) {
  for (GatedTruth* const truth : truths_) truth->was_shown(latched);
}

MapPmuJudge::MapPmuJudge(std::unique_ptr<SocEvents> events, Chronicle* chronicle)
    : PmuJudge(events->spec().name, soc::width_of(events->spec().description)),
      events_(std::move(events)),
      chronicle_(chronicle) {
  const auto turns_on = [](const FieldDescription& field) {
    return field.role == Role::enable || field.role == Role::enable_set || field.zero_stops ||
           (field.role == Role::run && field.first);
  };
  const std::uint64_t all = bits_up_to(events_->spec().description.counters);
  switched_ = all & counters_with(turns_on);
  // The wrap of a counter that is the lower half of two is none of the event's.
  must_tell_ =
      chronicle_ != nullptr && events_->spec().description.interrupt.has_value() && !has_any(map(), {Role::chain});
  const bool is_free = switched_ == 0 && !has_any(map(), {Role::disable});
  free_ = counters_with([](const FieldDescription& field) { return field.is_free; });
  read_only_ = counters_with([](const FieldDescription& field) { return field.read_only; });
  if (map().runs_by_event) free_ = all;
  writes_running_ = counters_with([](const FieldDescription& field) { return field.needs_run; }) != 0;
  silent_ = counters_with([](const FieldDescription& field) { return field.silent; });
  ranged_ = counters_with([](const FieldDescription& field) {
    return field.counters && (field.role == Role::run || field.role == Role::run_set || field.role == Role::stop);
  });
  const auto switches_all = [](const FieldDescription& field) {
    return !field.counters && (field.role == Role::run || field.role == Role::run_set || field.role == Role::stop);
  };
  switchable_ = ~free_ & (counters_with(switches_all) != 0 ? all : ranged_);
  countable_ = counters_for({});
  if (free_ != 0 || ranged_ != 0) gate_ = std::make_shared<MapGate>(is_free && ranged_ == 0);
  apply_reset();
  if (gate_) gate_->starts_with(let_count());
}

void MapPmuJudge::apply_reset() {
  const std::uint64_t all = bits_up_to(events_->spec().description.counters);
  const auto lets_run = [](const FieldDescription& field) {
    return field.role == Role::run || field.role == Role::run_set;
  };
  runs_ = std::ranges::none_of(map().registers, [&](const RegisterDescription& reg) {
    return std::ranges::any_of(reg.fields, [&](const auto& field) { return lets_run(field) && !field.counters; });
  });
  range_runs_ = all & ~counters_with([](const FieldDescription& field) {
                  return field.counters && (field.role == Role::run || field.role == Role::run_set);
                });
  enables_ = all & ~switched_;
  named_ = ~std::uint64_t{0};
  untold_ = 0;
  selected_.clear();
  interrupts_.fill(~std::uint64_t{0});
  for (const RegisterDescription& reg : map().registers) {
    for (const FieldDescription& field : reg.fields) {
      if (field.role == Role::interrupt_enable || field.role == Role::interrupt_set)
        interrupts_of(field, reg) &= ~counters_of(field, reg);
      if (field.value == 0) continue;
      std::uint64_t value = 0;
      for (unsigned copy = 0; copy < field.repeat; ++copy)
        value |= field.value << (field.bits.first + copy * field.step);
      for (unsigned element = 0; element < reg.count; ++element)
        see_field(field, {&reg, element, 0, value, bits_up_to(reg.width)});
    }
  }
  reset_on_ = enables_;
}

void MapPmuJudge::see_reset(std::optional<std::uint64_t> window, Picoseconds when) {
  const std::vector<std::uint64_t>& windows = events_->spec().windows;
  if (window && std::ranges::find(windows, *window) == windows.end()) return;
  const std::uint64_t before = let_count();
  apply_reset();
  excused_ = ~interrupts_on();
  if (gate_) gate_->turn(let_count() & ~before, before & ~let_count(), when);
}

std::optional<MapPmuJudge::Hit> MapPmuJudge::hit_by(const MmioBus::BusAccess& access) const {
  if (!access.ok) return std::nullopt;
  for (const RegisterDescription& reg : map().registers) {
    const std::uint64_t base = events_->spec().windows.at(reg.window) + reg.offset;
    if (access.address < base) continue;
    const std::uint64_t distance = access.address - base;
    const std::uint64_t element = reg.count == 1 ? 0 : distance / reg.stride;
    const std::uint64_t within = distance - element * (reg.count == 1 ? 0 : reg.stride);
    if (element >= reg.count || within >= reg.width / kByte) continue;
    const auto shift = static_cast<unsigned>(within) * kByte;
    return Hit{&reg, static_cast<unsigned>(element), shift, access.data << shift,
               bits_up_to(access.length * kByte) << shift};
  }
  return std::nullopt;
}

std::uint64_t MapPmuJudge::counters_with(bool (*is_meant)(const FieldDescription&)) const {
  std::uint64_t found = 0;
  for (const RegisterDescription& reg : map().registers) {
    for (const FieldDescription& field : reg.fields) {
      if (is_meant(field)) found |= counters_of(field, reg);
    }
  }
  return found;
}

std::uint64_t MapPmuJudge::counters_of(const FieldDescription& field, const RegisterDescription& reg) {
  if (field.counters) return bits_up_to(field.counters->width) << field.counters->first;
  const Fields its = fields_of(field, reg);
  if (its.is_for_all) return ~std::uint64_t{0};
  std::uint64_t found = 0;
  for (unsigned counter = its.first; counter < its.first + its.count * reg.count; ++counter) {
    if (counter < 64) found |= std::uint64_t{1} << counter;
  }
  return found;
}

std::uint64_t& MapPmuJudge::interrupts_of(const FieldDescription& field, const RegisterDescription& reg) {
  const std::size_t reach = field.counters ? 1 : fields_of(field, reg).is_for_all ? 2 : 0;
  return interrupts_.at(field.role == Role::interrupt_mask ? 3 + reach : reach);
}

MapPmuJudge::Fields MapPmuJudge::fields_of(const FieldDescription& field, const RegisterDescription& reg) {
  Fields fields;
  fields.first = field.first.value_or(reg.first);
  fields.is_bit_each = field.bits.width > 1 && field.repeat == 1 && field.role != Role::counter &&
                       field.role != Role::event && !field.latches;
  fields.count = fields.is_bit_each ? field.bits.width : field.repeat;
  const bool is_of_first = field.role == Role::counter || field.first || (field.role == Role::event && reg.first != 0);
  fields.is_for_all = reg.count == 1 && fields.count == 1 && !is_of_first;
  return fields;
}

MapPmuJudge::Said MapPmuJudge::said_by(const FieldDescription& field, const Hit& hit) const {
  const auto [first, fields, is_bit_each, is_for_all] = fields_of(field, *hit.reg);
  const std::uint64_t every = bits_up_to(events_->spec().description.counters);
  const std::uint64_t all = (field.selected ? every : counters_of(field, *hit.reg)) & every;
  Said said;
  for (unsigned index = 0; index < fields; ++index) {
    const unsigned bit = field.bits.first + (is_bit_each ? index : index * field.step);
    const unsigned counter = first + hit.element * fields + index;
    const bool is_any = is_for_all || field.selected;
    const std::uint64_t which = is_any ? all : counter < 64 ? (std::uint64_t{1} << counter) & all : 0;
    if ((hit.mask >> bit) % 2 == 1) said.covered |= which;
    if (((hit.value & hit.mask) >> bit) % 2 == 1) said.set |= which;
  }
  if (map().twins) {
    said.covered |= said.covered << map().twins->first;
    said.set |= said.set << map().twins->first;
  }
  return said;
}

bool MapPmuJudge::see_field(const FieldDescription& field, const Hit& hit) {
  const auto [covered, set] = said_by(field, hit);
  switch (field.role) {
    case Role::counter:
      see_counters(field, hit, fields_of(field, *hit.reg).first);
      return false;
    case Role::interrupt_enable:
    case Role::interrupt_mask:
    case Role::interrupt_set:
    case Role::interrupt_clear:
      switch_interrupts(field.role, covered, set, interrupts_of(field, *hit.reg));
      return false;
    case Role::event:
      if (!field.chosen_by) see_selectors(field, hit);
      return false;
    case Role::enable:
      enables_ = (enables_ & ~covered) | set;
      return false;
    case Role::disable:
      enables_ = (enables_ | covered) & ~set;
      return false;
    case Role::enable_set:
      enables_ |= set;
      return false;
    case Role::enable_clear:
      enables_ &= ~set;
      return false;
    case Role::run:
      if (field.first) enables_ = (enables_ & ~covered) | set;
      return let_run(field, covered, set);
    case Role::stop:
      return let_run(field, covered, set == 0 ? covered : 0);
    case Role::run_set:
      return let_run(field, set, set);
    case Role::run_clear:
      return let_run(field, set, 0);
    default:
      return false;
  }
}

void MapPmuJudge::switch_interrupts(Role role, std::uint64_t covered, std::uint64_t set, std::uint64_t& interrupts) {
  if (role == Role::interrupt_enable) interrupts = (interrupts & ~covered) | set;
  if (role == Role::interrupt_mask) interrupts = (interrupts | covered) & ~set;
  if (role == Role::interrupt_set) interrupts |= set;
  if (role == Role::interrupt_clear) interrupts &= ~set;
}

bool MapPmuJudge::let_run(const FieldDescription& field, std::uint64_t which, std::uint64_t on) {
  if (which == 0) return false;
  if (field.counters) {
    range_runs_ = (range_runs_ & ~which) | on;
  } else {
    runs_ = on != 0;
  }
  return true;
}

std::uint64_t MapPmuJudge::let_count() const {
  if (map().runs_by_event) return enables_ & range_runs_;
  return (enables_ & free_) | (runs_ ? range_runs_ & ~free_ : 0);
}

std::uint64_t MapPmuJudge::used() const {
  const std::uint64_t active = gate_->used() | elsewhere_;
  return active != 0 ? active : countable_;
}

bool MapPmuJudge::share_switch(std::uint64_t counters) const {
  if (std::has_single_bit(counters)) return true;
  if ((counters & free_) != 0) return false;
  for (const RegisterDescription& reg : map().registers) {
    for (const FieldDescription& field : reg.fields) {
      const bool runs = field.role == Role::run || field.role == Role::stop || field.role == Role::run_set;
      if (!field.counters || !runs) continue;
      const std::uint64_t range = bits_up_to(field.counters->width) << field.counters->first;
      if ((counters & range) != 0 && (counters & ~range) != 0) return false;
    }
  }
  return true;
}

void MapPmuJudge::see_counters(const FieldDescription& field, const Hit& hit, unsigned first) {
  for (unsigned index = 0; index < field.repeat; ++index) {
    const unsigned counter = first + hit.element * field.repeat + index;
    const std::uint64_t mask = bits_up_to(field.bits.width) << (field.bits.first + index * field.step);
    if ((hit.mask & mask) == 0 || counter >= 64 || field.read_only) continue;
    touched_ |= std::uint64_t{1} << counter;
    if (field.begins) begun_ |= std::uint64_t{1} << counter;
  }
}

void MapPmuJudge::see_selectors(const FieldDescription& field, const Hit& hit) {
  const Fields its = fields_of(field, *hit.reg);
  for (unsigned index = 0; index < field.repeat; ++index) {
    const unsigned bit = field.bits.first + index * field.step;
    const std::uint64_t mask = bits_up_to(field.bits.width) << bit;
    if ((hit.mask & mask) == 0) continue;
    const unsigned own = its.first + hit.element * field.repeat + index;
    const unsigned end = its.is_for_all ? events_->spec().description.counters : own + 1;
    for (unsigned counter = its.is_for_all ? 0 : own; counter < std::min(end, 64U); ++counter)
      select(field, counter, (hit.value & mask) >> bit << field.shift);
  }
}

void MapPmuJudge::select(const FieldDescription& field, unsigned counter, std::uint64_t number) {
  const std::uint64_t which = std::uint64_t{1} << counter;
  if (std::exchange(selected_[counter], number) != number) touched_ |= which;
  const std::uint64_t known = bits_up_to(field.bits.width) << field.shift;
  const auto is_selected = [&](const soc::EventDescription& event) {
    const bool may_have = !event.counters ||
                          (counter >= event.counters->first && counter - event.counters->first < event.counters->width);
    return may_have && (event.code.value_or(event.number) & known) == number;
  };
  named_ = std::ranges::any_of(events_->spec().description.events, is_selected) ? named_ | which : named_ & ~which;
  if (field.zero_stops) enables_ = number != 0 ? enables_ | which : enables_ & ~which;
}

bool MapPmuJudge::see_write(const MmioBus::BusAccess& access) {
  const std::optional<Hit> hit = hit_by(access);
  if (!hit) return false;
  const std::uint64_t before = let_count();
  const bool ran = runs_;
  const bool was_on = written_on();
  touched_ = 0;
  begun_ = 0;
  bool is_control = false;
  for (const FieldDescription& field : hit->reg->fields) is_control = see_field(field, *hit) || is_control;
  reset_on_ &= enables_;
  excused_ &= ~interrupts_on();
  if (writes_running_) is_control = is_control || written_on() != was_on;
  if (runs_ && !ran && !writes_running_) look_for_untold(false, access.when);
  if (!gate_) return is_control;
  const std::uint64_t latched = latched_counters(access);
  if ((gate_->is_free() || !map().runs_by_event) && latched != 0) gate_->read(latched, access.when);
  // That another event stops all counters is a mistake of the driver's.
  const std::uint64_t now = let_count();
  const std::uint64_t newly = now & ~before;
  if (!map().runs_by_event) {
    gate_->turn(newly, before & ~now, access.when);
    if (touched_ != 0) gate_->write(touched_, access.when);
    return is_control;
  }
  std::uint64_t on = runs_ && !ran ? now : runs_ ? newly : 0;
  if (runs_ && gate_->is_free()) on |= touched_ & ~read_only_;
  gate_->turn(on, before & ~now, access.when);
  gate_->begin(begun_ & enables_, access.when);
  if (ran && !runs_ && !wanted) gate_->pause(access.when);
  if (!ran && runs_) gate_->resume();
  return false;
}

void MapPmuJudge::look_for_untold(bool is_read, Picoseconds when) {
  if (!must_tell_ || !runs_) return;
  const std::uint64_t counting = enables_ & ~reset_on_ & (range_runs_ | free_) & ~silent_;
  std::uint64_t untold = counting & ~excused_ & ~interrupts_on();
  const std::uint64_t before = std::exchange(untold_, untold);
  if (is_read) untold &= before;
  if (untold == 0) return;
  chronicle_->findings.add(
      Finding::Severity::failure, "overflow_untold",
      fmt::format("{}: counter {} counts, and its overflow interrupt is off", name(), std::countr_zero(untold)), when);
}

void MapPmuJudge::see_read(const MmioBus::BusAccess& access) {
  const bool is_sample = is_counter_read(access);
  if (is_sample) look_for_untold(true, access.when);
  if (!gate_ || (!gate_->is_free() && map().runs_by_event)) return;
  const std::uint64_t latched = latched_counters(access);
  if (is_sample) gate_->read(latched, access.when);
  if (!is_sample && latched != 0) gate_->show(latched);
}

std::uint64_t MapPmuJudge::counters_for(const EventTerms& terms) const {
  const soc::PmuDescription& pmu = events_->spec().description;
  const std::vector<soc::NumberTerm>& parts = map().number_terms;
  std::uint64_t found = 0;
  for (const soc::EventDescription& event : pmu.events) {
    const auto may_mean = [&](const EventTerm& term) {
      const auto part = std::ranges::find(parts, term.name, &soc::NumberTerm::name);
      if (part != parts.end())
        return term.value.value_or(1) == (event.number >> part->bits.first & bits_up_to(part->bits.width));
      return term.name == event.name || term.value ||
             std::ranges::none_of(pmu.events, [&](const auto& other) { return term.name == other.name; });
    };
    if (!std::ranges::all_of(terms, may_mean)) continue;
    if (event.counters) {
      found |= bits_up_to(event.counters->width) << event.counters->first;
    } else if (!has_any(map(), {Role::event}) && event.number < pmu.counters) {
      found |= std::uint64_t{1} << event.number;
    } else {
      found = bits_up_to(pmu.counters);
    }
  }
  return found != 0 ? found : bits_up_to(pmu.counters);
}

std::unique_ptr<EventTruth> MapPmuJudge::truth(const EventTerms& terms) {
  std::unique_ptr<EventTruth> event = events_->truth(terms);
  const std::uint64_t counters = counters_for(terms);
  const bool is_free = (counters & ~free_) == 0;
  if (!gate_ || (!is_free && (ranged_ == 0 || !share_switch(counters)))) {
    elsewhere_ |= counters;
    return event;
  }
  std::optional<GatedTruth::Switch> known;
  if (!map().runs_by_event && !gate_->is_free() && share_switch(counters))
    known = {static_cast<unsigned>(std::countr_zero(counters)), is_free};
  return std::make_unique<GatedTruth>(std::move(event), gate_, counters, known);
}

bool MapPmuJudge::is_counter_read(const MmioBus::BusAccess& access) const {
  const std::optional<Hit> hit = hit_by(access);
  return hit && std::any_of(hit->reg->fields.begin(), hit->reg->fields.end(), [](const FieldDescription& field) {
           return field.latches ||
                  (field.role == Role::counter && field.shift == 0 && !field.latched);  // its lowest piece
         });
}

std::uint64_t MapPmuJudge::latched_counters(const MmioBus::BusAccess& access) const {
  const std::optional<Hit> hit = hit_by(access);
  if (!hit) return 0;
  const bool is_sample = is_counter_read(access);
  std::uint64_t found = 0;
  for (const FieldDescription& field : hit->reg->fields) {
    if (access.is_write && field.role == Role::latch) found |= said_by(field, *hit).set;
    if (!access.is_write && (is_sample ? field.latches : field.latched)) found |= said_by(field, *hit).covered;
  }
  return found;
}

Publication MapPmuJudge::publication() const {
  const soc::PmuDescription& pmu = events_->spec().description;
  Publication publication;
  publication.associates_online = true;  // no document says more
  publication.needs = map().device.needs;
  publication.is_complete = false;  // a description need not have all that a driver knows of the product
  for (const soc::NumberTerm& term : map().number_terms) publication.fields.push_back({term.name, {{term.format}}});
  for (const soc::FilterDescription& filter : pmu.filters) {
    if (!filter.format.empty() && filter.terms.empty()) publication.fields.push_back({filter.name, {{filter.format}}});
    for (const auto& [term, bit] : filter.terms)
      publication.fields.push_back({term, {{fmt::format("{}:{}", filter.format, bit)}}});
    if (!filter.care_format.empty()) publication.fields.push_back({filter.care_term, {{filter.care_format}}});
    if (!filter.invert_format.empty()) publication.fields.push_back({filter.invert_term, {{filter.invert_format}}});
  }
  if (!pmu.identifier.empty()) publication.files.push_back({"identifier", pmu.identifier});
  for (const soc::EventDescription& event : pmu.events) {
    if (event.is_unnamed) continue;
    PublishedEvent& published = publication.events.emplace_back(PublishedEvent{event.name});
    for (const soc::NumberTerm& term : map().number_terms) {
      const ConfigWords words = words_of(term.format, event.number >> term.bits.first & bits_up_to(term.bits.width));
      for (std::size_t word = 0; word < words.size(); ++word) published.words[word] |= words[word];
    }
  }
  for (const soc::TermDescription& term : pmu.terms) publication.fields.push_back({term.name, {{term.format}}});
  return publication;
}

std::optional<std::string> MapPmuJudge::room_for(const EventTruth& refused,
                                                 const std::vector<const EventTruth*>& active) const {
  // Filters that all counters share may be in each other's way, and so may selectors.
  const soc::PmuDescription& pmu = events_->spec().description;
  bool shares = std::any_of(pmu.filters.begin(), pmu.filters.end(), [&](const soc::FilterDescription& filter) {
    return map().registers.at(filter.word).count == 1 && filter.repeat == 1;
  });
  for (const RegisterDescription& reg : map().registers) {
    shares = shares || (pmu.counters > 1 && std::ranges::any_of(reg.fields, [&](const FieldDescription& field) {
                          return field.role == Role::event && !field.chosen_by && fields_of(field, reg).is_for_all;
                        }));
  }
  if ((shares || !pmu.terms.empty()) && !active.empty()) return std::nullopt;
  const bool has_classes =
      std::any_of(pmu.events.begin(), pmu.events.end(), [](const auto& event) { return event.counters.has_value(); });
  if (has_classes && !active.empty()) return std::nullopt;
  const bool is_one_each = !has_any(map(), {Role::event});
  const unsigned counters = map().twins ? map().twins->first : pmu.counters;  // a pair may be for one event
  if (!is_one_each) return room_text(active.size(), counters);
  const bool is_taken = std::any_of(active.begin(), active.end(),
                                    [&](const EventTruth* event) { return event->text() == refused.text(); });
  return is_taken ? "" : room_text(active.size(), pmu.counters);
}

}  // namespace pmufab::scoreboard
