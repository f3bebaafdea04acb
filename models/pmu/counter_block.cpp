// SPDX-License-Identifier: Apache-2.0
#include "models/pmu/counter_block.h"

#include <algorithm>
#include <utility>

#include "models/pmu/clock_condition.h"
#include "models/pmu/counter.h"
#include "models/pmu/cycle_count.h"
#include "models/pmu/occupancy_count.h"
#include "models/pmu/wrap_watch.h"

namespace pmufab {

/// One counter. `place` says which member holds its value.
struct CounterBlock::Slot {
  enum class Place : std::uint8_t { events, cycles, occupancy };

  Slot(CounterBlock& owner, unsigned number, unsigned width, const ClockDomain& clock)
      : block(owner), index(number), events(width), cycles(clock, width), occupancy(width) {
    events.on_overflow(&CounterBlock::counter_wrapped, this);
    occupancy.on_overflow_nearer(&CounterBlock::overflow_nearer, this);
  }

  /// Count events as they come, or clocks of which they are true. Only while stopped.
  void use(const ClockCondition::Settings& settings) {
    is_conditioned = !settings.is_raw();
    if (is_conditioned && !condition) {
      condition = std::make_unique<ClockCondition>(block.clock_);
      condition->on_last_increment([](void* context, Picoseconds /*when*/) { overflow_nearer(context); }, this);
    }
    if (is_conditioned) condition->configure(settings);
    events.set_condition(is_conditioned ? condition.get() : nullptr);
  }

  /// @return true if time alone can make it overflow.
  [[nodiscard]] bool is_timed() const noexcept { return place != Place::events || is_conditioned; }
  [[nodiscard]] std::uint64_t value(Picoseconds when) const {
    const bool is_full = full || (saturates && overflow_time <= when);
    const std::uint64_t up = is_full ? events.maximum() : (raw(when) - ahead) & events.maximum();
    return down ? events.maximum() - up : up;
  }
  void set_value(std::uint64_t value, Picoseconds when) {
    if (down) value = events.maximum() - (value & events.maximum());
    full = false;
    ahead = wraps_at_half && (value & half()) == 0 ? half() : 0;
    set_raw(value + ahead, when);
  }
  /// It has wrapped. @return false if it stood at its end already
  bool note_end() noexcept { return !std::exchange(full, full || saturates); }
  [[nodiscard]] std::uint64_t half() const noexcept { return events.maximum() / 2 + 1; }
  [[nodiscard]] std::uint64_t raw(Picoseconds when) const {
    switch (place) {
      case Place::cycles:
        return cycles.value(when);
      case Place::occupancy:
        return occupancy.value(when);
      case Place::events:
        break;
    }
    return events.value(when);
  }
  void set_raw(std::uint64_t value, Picoseconds when) {
    switch (place) {
      case Place::cycles:
        cycles.set_value(value, when);
        break;
      case Place::occupancy:
        occupancy.set_value(value, when);
        break;
      case Place::events:
        events.set_value(value, when);
        break;
    }
  }
  /// Move the value to another place. Only while stopped.
  void move(Place to, Picoseconds when) {
    if (place == to) return;
    const std::uint64_t kept = raw(when);
    place = to;
    set_raw(kept, when);
  }
  /// @return the first instant after `when` at which time has made it overflow; kNever if there is none.
  [[nodiscard]] Picoseconds next_overflow(Picoseconds when) {
    switch (place) {
      case Place::cycles:
        return cycles.next_overflow(when);
      case Place::occupancy:
        return occupancy.next_overflow(when);
      case Place::events:
        break;
    }
    return events.next_overflow();
  }

  CounterBlock& block;
  unsigned index;
  std::unique_ptr<ClockCondition> condition{};  // of `events`, which use it while is_conditioned
  bool is_conditioned = false;
  Counter events;
  CycleCount cycles;
  OccupancyCount occupancy;
  Place place = Place::events;
  bool down = false;           // what is stored counts up from the end
  bool saturates = false;      // at its end
  bool full = false;           // it stands there
  bool wraps_at_half = false;  // and, as always, at its end
  std::uint64_t ahead = 0;     // of its value is what is stored, so that the next of these wraps is one of the store
  bool running = false;
  bool resolved = false;  // `input` matches the present program
  CounterInput input;
  Picoseconds overflow_time = kNever;  // next overflow by time; kNever if the status is set already
};

CounterBlock::CounterBlock(Options options, const ClockDomain& clock, Resolver resolve)
    : options_(std::move(options)), clock_(clock), resolve_(std::move(resolve)), alarm_([this] {
        settle(simulated_time());
        finish();
      }) {
  slots_.resize(options_.counters.size());
  for (unsigned counter = 0; counter < slots_.size(); ++counter) {
    if (!options_.counters[counter]) continue;
    const auto own = options_.widths.find(counter);
    const unsigned width = own == options_.widths.end() ? options_.width : own->second;
    slots_[counter] = std::make_unique<Slot>(*this, counter, width, clock_);
    slots_[counter]->down = counter < 64 && (options_.down >> counter & 1U) != 0;
    slots_[counter]->saturates = counter < 64 && (options_.saturating >> counter & 1U) != 0;
    if (slots_[counter]->down) slots_[counter]->set_value(0, simulated_time());
    implemented_.at(counter / kWord) |= 1U << counter % kWord;
  }
  if (options_.cycle_counter) slots_[*options_.cycle_counter]->place = Slot::Place::cycles;
}

CounterBlock::~CounterBlock() = default;

void CounterBlock::connect_interrupt(InterruptLine& line, unsigned first, unsigned count) {
  Line& its = lines_.emplace_back(Line{.line = &line});
  for (unsigned counter = first; counter < numbers() && counter - first < count; ++counter)
    its.counters.at(counter / kWord) |= 1U << counter % kWord;
  its.high = is_asserted(its);
  if (its.high) line.drive(true);
}

void CounterBlock::reset() {
  const Picoseconds when = simulated_time();
  runs_ = false;
  halt_at_.reset();
  enables_ = interrupt_enables_ = overflow_status_ = {};
  chained_ = 0;
  pending_.clear();
  for (const auto& slot : slots_) {
    if (!slot) continue;
    stop(*slot, when);
    slot->resolved = slot->wraps_at_half = false;
    if (!is_cycle_counter(slot->index)) slot->place = Slot::Place::events;
    slot->set_value(0, when);
  }
  for (Line& line : lines_) {
    line.changes.clear();
    line.high = false;
    line.line->drive(false);
  }
  finish();
}

void CounterBlock::refresh() {
  const Picoseconds when = simulated_time();
  settle(when);
  for (const auto& slot : slots_) {
    if (!slot || is_cycle_counter(slot->index)) continue;
    slot->resolved = false;
    if (!slot->running) continue;
    stop(*slot, when);
    start(*slot, when);
  }
  finish();
}

void CounterBlock::pass_cycles(std::uint64_t cycles, Picoseconds when) {
  settle(when);
  for (const auto& slot : slots_) {
    if (!slot || slot->place != Slot::Place::cycles || slot->input.other_clock != nullptr || !slot->running) continue;
    if (slot->cycles.pass(cycles, when) && slot->note_end()) wrap(slot->index, 1, when);
    predict_overflow(*slot, when);
  }
  finish();
}

std::uint64_t CounterBlock::value(unsigned counter, Picoseconds when) const {
  if (!has(counter)) return 0;
  const bool has_more = counter > 0 && carries(counter - 1) && slots_[counter - 1]->overflow_time <= when;
  return slots_[counter]->value(when) + (has_more ? 1 : 0);
}

bool CounterBlock::is_running(unsigned counter) const noexcept {
  return counter < slots_.size() && slots_[counter] && slots_[counter]->running;
}

// ---- What software asks for

void CounterBlock::run(bool runs, Picoseconds when) {
  settle(when);
  if (runs != runs_) {
    runs_ = runs;
    for (const auto& slot : slots_) {
      if (slot) apply(*slot, when);
    }
  }
  finish();
}

void CounterBlock::put_interrupt_enables(unsigned word, std::uint32_t enables, Picoseconds when) {
  settle(when);
  interrupt_enables_[word] = enables & implemented_[word];
  update_lines(when);
  finish();
}

void CounterBlock::set_overflow(unsigned word, std::uint32_t bits, Picoseconds when) {
  settle(when);
  overflow_status_[word] |= bits & implemented_[word];
  update_lines(when);
  finish();
}

void CounterBlock::overflow_at_half(std::uint64_t which, std::uint64_t on, Picoseconds when) {
  settle(when);
  for (const auto& slot : slots_) {
    if (!slot || (which >> slot->index & 1U) == 0) continue;
    const std::uint64_t kept = slot->value(when);
    slot->wraps_at_half = (on >> slot->index & 1U) != 0;
    slot->set_value(kept, when);
    if (slot->is_timed()) predict_overflow(*slot, when);
  }
  finish();
}

void CounterBlock::clear_overflow(unsigned word, std::uint32_t bits, Picoseconds when) {
  settle(when);
  std::uint32_t cleared = overflow_status_[word] & bits;
  if (cleared == 0) return finish();
  overflow_status_[word] &= ~cleared;
  for (; cleared != 0; cleared &= cleared - 1) {
    Slot& slot = *slots_[word * kWord + static_cast<unsigned>(__builtin_ctz(cleared))];
    if (slot.is_timed()) predict_overflow(slot, when);
  }
  update_lines(when);
  finish();
}

std::uint32_t CounterBlock::overflow(unsigned word, Picoseconds when) const {
  std::uint32_t status = overflow_status_[word];
  for (const PendingOverflow& pending : pending_) {
    if (pending.when <= when && pending.counter / 32 == word) status |= 1U << pending.counter % 32;
  }
  if (next_timed_overflow_ <= when) {
    for (unsigned counter = word * 32; counter < word * 32 + 32 && counter < slots_.size(); ++counter) {
      if (slots_[counter] && slots_[counter]->overflow_time <= when) status |= 1U << counter % 32;
    }
  }
  return status;
}

void CounterBlock::clear_counters(bool events, bool cycles, Picoseconds when) {
  settle(when);
  for (const auto& slot : slots_) {
    if (!slot || !(is_cycle_counter(slot->index) ? cycles : events)) continue;
    slot->set_value(0, when);
    if (slot->is_timed()) predict_overflow(*slot, when);
  }
  finish();
}

void CounterBlock::write_counter(unsigned counter, std::uint64_t value, std::uint64_t mask, Picoseconds when) {
  if (!has(counter)) return;
  Slot& slot = *slots_[counter];
  settle(when);
  slot.set_value((slot.value(when) & ~mask) | (value & mask), when);
  if (slot.is_timed()) predict_overflow(slot, when);
  finish();
}

void CounterBlock::program_changed(unsigned counter, Picoseconds when) {
  if (!has(counter) || is_cycle_counter(counter)) return;
  Slot& slot = *slots_[counter];
  slot.resolved = false;
  if (!slot.running) return;
  settle(when);
  stop(slot, when);
  start(slot, when);
  finish();
}

// ---- Counting

void CounterBlock::put_enables(unsigned word, std::uint32_t enables, Picoseconds when) {
  enables &= implemented_[word];
  std::uint32_t changed = enables ^ enables_[word];
  if (changed == 0) return;
  settle(when);
  enables_[word] = enables;
  for (; changed != 0; changed &= changed - 1)
    apply(*slots_[word * 32 + static_cast<unsigned>(__builtin_ctz(changed))], when);
  finish();
}

void CounterBlock::apply(Slot& slot, Picoseconds when) {
  const bool is_free = slot.index < 64 && (options_.free >> slot.index & 1U) != 0;
  const bool runs = (runs_ || is_free) && (enables_[slot.index / 32] >> slot.index % 32 & 1U) != 0;
  if (runs == slot.running) return;
  if (runs) {
    start(slot, when);
  } else {
    stop(slot, when);
  }
}

/// Connect a stopped slot to its input.
void CounterBlock::select(Slot& slot, Picoseconds when) {
  const CounterInput& input = slot.input;
  slot.events.deselect();
  slot.use(input.kind == CounterInput::Kind::occupancy ? ClockCondition::Settings{} : input.condition);
  switch (input.kind) {
    case CounterInput::Kind::nothing:
      slot.move(Slot::Place::events, when);
      break;
    case CounterInput::Kind::probe:
      slot.move(Slot::Place::events, when);
      slot.events.select(*input.probe, input.qualifiers);
      break;
    case CounterInput::Kind::probes:
      slot.move(Slot::Place::events, when);
      for (const ProbeChoice& choice : *input.choices) slot.events.select_also(*choice.probe, choice.qualifiers);
      break;
    case CounterInput::Kind::clock:
      slot.cycles.use(input.other_clock != nullptr ? *input.other_clock : slot.block.clock_);
      slot.move(Slot::Place::cycles, when);
      break;
    case CounterInput::Kind::occupancy:
      slot.occupancy.select(*input.requests, input.selection);
      slot.occupancy.use(input.condition);
      slot.move(Slot::Place::occupancy, when);
      break;
  }
}

void CounterBlock::start(Slot& slot, Picoseconds when) {
  if (!is_cycle_counter(slot.index) && !slot.resolved) {
    slot.input = resolve_ ? resolve_(slot.index) : CounterInput{};
    slot.resolved = true;
    select(slot, when);
  }
  slot.running = true;
  switch (slot.place) {
    case Slot::Place::events:
      slot.events.enable(true, when);
      if (!slot.is_conditioned) return;
      break;
    case Slot::Place::cycles:
      slot.cycles.start(when);
      break;
    case Slot::Place::occupancy:
      slot.occupancy.start(when);
      break;
  }
  predict_overflow(slot, when);
}

void CounterBlock::stop(Slot& slot, Picoseconds when) {
  if (!slot.running) return;
  slot.running = false;
  switch (slot.place) {
    case Slot::Place::events:
      slot.events.enable(false, when);
      if (!slot.is_conditioned) return;
      break;
    case Slot::Place::cycles:
      slot.cycles.stop(when);
      break;
    case Slot::Place::occupancy:
      slot.occupancy.stop(when);
      break;
  }
  predict_overflow(slot, when);
}

void CounterBlock::predict_overflow(Slot& slot, Picoseconds when) {
  if (slot.wraps_at_half) slot.set_value(slot.value(when), when);
  const bool is_awaited = !slot.full && (!has_overflowed(slot.index) || carries(slot.index) || slot.saturates);
  slot.overflow_time = is_awaited ? slot.next_overflow(when) : kNever;
  predictions_changed_ = true;
}

// ---- Overflow and interrupt

void CounterBlock::counter_wrapped(void* context, std::uint64_t wraps, Picoseconds when) {
  Slot& slot = *static_cast<Slot*>(context);
  if (slot.wraps_at_half) slot.set_value(slot.value(when), when);
  if (slot.note_end()) slot.block.wrap(slot.index, wraps, when);
}

void CounterBlock::overflow_nearer(void* context) {
  Slot& slot = *static_cast<Slot*>(context);
  CounterBlock& block = slot.block;
  // The overflow may lie ahead of simulated time. Nothing is driven here; see wrap().
  block.settle(simulated_time());
  if (slot.full || (block.has_overflowed(slot.index) && !slot.saturates)) {
    slot.occupancy.forget_overflow();
    return;
  }
  slot.overflow_time = slot.next_overflow(simulated_time());
  block.next_timed_overflow_ = std::min(block.next_timed_overflow_, slot.overflow_time);
  block.alarm_.set(std::min(block.alarm_.time(), block.next_timed_overflow_));
}

bool CounterBlock::has_overflowed(unsigned counter) const noexcept {
  return (overflow_status_[counter / 32] >> counter % 32 & 1U) != 0;
}

void CounterBlock::carry(const Slot& from, std::uint64_t wraps, Picoseconds when) {
  const bool is_at_half = from.wraps_at_half && (from.value(when) & from.half()) != 0;
  if (carries(from.index) && !is_at_half) slots_[from.index + 1]->events.add(wraps, when);
}

void CounterBlock::wrap(unsigned counter, std::uint64_t wraps, Picoseconds when) {
  carry(*slots_[counter], wraps, when);
  const Picoseconds present = simulated_time();
  if (when > present) {
    const auto place =
        std::upper_bound(pending_.begin(), pending_.end(), when,
                         [](Picoseconds time, const PendingOverflow& pending) { return time < pending.when; });
    pending_.insert(place, {when, counter});
    alarm_.set(std::min(alarm_.time(), when));
    return;
  }
  note_wrap(counter, when);
  // Not within the publisher's loop over its watchers.
  if (halt_at_) alarm_.set(std::min(alarm_.time(), present));
  if (has_overflowed(counter)) return;
  overflow_status_[counter / 32] |= 1U << counter % 32;
  update_lines(present);
  // Do not drive the line within the publisher's loop over its watchers: a listener on the line may access this PMU at
  // once.
  alarm_.set(std::min(alarm_.time(), next_change()));
}

void CounterBlock::settle(Picoseconds when) {
  if (next_timed_overflow_ > when && (pending_.empty() || pending_.front().when > when)) return halt();
  if (next_timed_overflow_ <= when) {
    for (const auto& slot : slots_) {
      if (!slot || slot->overflow_time > when) continue;
      if (slot->is_conditioned) {
        slot->events.settle(when);  // which reports the wrap
        slot->overflow_time = kNever;
        continue;
      }
      pending_.push_back({slot->overflow_time, slot->index});
      slot->note_end();
      carry(*slot, 1, slot->overflow_time);
      slot->overflow_time = carries(slot->index) ? slot->next_overflow(when) : kNever;
    }
    predictions_changed_ = true;
    next_timed_overflow_ = kNever;
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const PendingOverflow& a, const PendingOverflow& b) { return a.when < b.when; });
  }
  auto pending = pending_.begin();
  for (; pending != pending_.end() && pending->when <= when; ++pending) {
    note_wrap(pending->counter, pending->when);
    overflow_status_[pending->counter / 32] |= 1U << pending->counter % 32;
    update_lines(pending->when);
  }
  pending_.erase(pending_.begin(), pending);
  halt();
}

void CounterBlock::note_wrap(unsigned counter, Picoseconds when) {
  WrapWatch::tell({options_.name, counter, when});
  if (counter < 64 && (options_.stoppers >> counter & 1U) != 0 && !halt_at_) halt_at_ = when;
}

/// Stop as a counter asks that has wrapped.
void CounterBlock::halt() {
  if (!halt_at_) return;
  const Picoseconds when = *halt_at_;
  halt_at_.reset();
  runs_ = false;
  for (const auto& slot : slots_) {
    if (slot) apply(*slot, when);
  }
}

bool CounterBlock::is_asserted(const Line& line) const noexcept {
  bool high = false;
  for (unsigned word = 0; word < overflow_status_.size(); ++word)
    high = high || (overflow_status_[word] & interrupt_enables_[word] & line.counters[word]) != 0;
  return high;
}

void CounterBlock::update_lines(Picoseconds when) {
  for (Line& line : lines_) {
    const bool high = is_asserted(line);
    if (high == line.high) continue;
    line.high = high;
    const Picoseconds at = line.changes.empty() ? when : std::max(when, line.changes.back().when);
    if (!line.changes.empty() && !high && line.changes.back().when == at) {
      line.changes.pop_back();  // a rise that lasts for no time is dropped
    } else {
      line.changes.push_back({at, high});
    }
  }
}

Picoseconds CounterBlock::next_change() const noexcept {
  Picoseconds next = kNever;
  for (const Line& line : lines_) {
    if (!line.changes.empty()) next = std::min(next, line.changes.front().when);
  }
  return next;
}

void CounterBlock::finish() {
  if (predictions_changed_) {
    predictions_changed_ = false;
    next_timed_overflow_ = kNever;
    for (const auto& slot : slots_) {
      if (slot) next_timed_overflow_ = std::min(next_timed_overflow_, slot->overflow_time);
    }
  }
  for (Line& line : lines_) {
    while (!line.changes.empty() && line.changes.front().when <= simulated_time()) {
      const bool high = line.changes.front().high;
      line.changes.erase(line.changes.begin());
      line.line->drive(high);
    }
  }
  Picoseconds next = std::min(next_timed_overflow_, next_change());
  if (!pending_.empty()) next = std::min(next, pending_.front().when);
  alarm_.set(next);
}

}  // namespace pmufab
