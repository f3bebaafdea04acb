// SPDX-License-Identifier: Apache-2.0
#include "models/soc/described_pmu.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pmufab::soc {
namespace {

using Condition = Wish::Condition;

std::uint64_t field(std::uint64_t value, const BitRange& bits) { return value >> bits.first & low_bits(bits.width); }

/// The condition that a filter's field stands for.
/// @param care_reg  the register that says which bits of a value matter
Condition condition_of(const FilterDescription& filter, std::uint64_t reg, std::uint64_t care_reg, unsigned attribute) {
  const std::uint64_t value = field(reg, filter.bits);
  const std::uint64_t care = filter.care ? field(care_reg, *filter.care) : ~std::uint64_t{0};
  switch (filter.match) {
    case FilterDescription::Match::mask:
      return {Condition::Kind::bit, attribute, value, 0};
    case FilterDescription::Match::at_least:
      return {Condition::Kind::within, attribute, value, ~std::uint64_t{0}};
    case FilterDescription::Match::between:
      return {Condition::Kind::within, attribute, value, care};
    case FilterDescription::Match::value:
    case FilterDescription::Match::threshold:
    case FilterDescription::Match::edge:
      break;
  }
  return {Condition::Kind::bits, attribute, value, care};
}

}  // namespace

coresight::CoreSightPmuOptions options_of(const PmuDescription& description) {
  coresight::CoreSightPmuOptions options;
  options.counters = description.counters;
  options.width = description.width;
  options.cycle_counter = description.cycle_counter;
  options.dual_page = description.page1.has_value();
  options.atomic_64bit = description.atomic_64bit;
  options.ext64 = description.is_64bit;
  options.pmcnten = description.pmcnten;
  options.pmiidr = description.pmiidr;
  options.pmpidr = description.pmpidr;
  options.pmdevarch = description.pmdevarch;
  options.implementation_defined = description.implementation_defined;
  return options;
}

DescribedPmu::DescribedPmu(const sc_core::sc_module_name& name, const PmuDescription& description,
                           const ClockDomain& clock, std::vector<Source*> sources)
    : description_(description), sources_(std::move(sources)) {
  const std::string text(name);
  if (description_.map) {
    add_wishes(text, description_.counters, clock);
    map_ = std::make_unique<RegisterMapPmu>(text, description, clock, [this](unsigned counter) {
      // The first counters are enabled while their registers are made.
      return map_ ? resolve({.counter = counter, .event = map_->event(counter)}) : CounterInput{};
    });
    map_->counters().refresh();
    return;
  }
  const coresight::CoreSightPmuOptions options = options_of(description);
  coresight_ =
      std::make_unique<coresight::CoreSightPmu>(name, options, clock, [this](const coresight::CounterProgram& program) {
        return resolve(
            {program.counter, {program.event, low_bits(description_.event_bits)}, program.filter, program.filter2});
      });
  add_wishes(coresight_->name(), options.counter_numbers(), clock);
}

void DescribedPmu::add_wishes(const std::string& name, unsigned counters, const ClockDomain& clock) {
  for (unsigned counter = 0; counter < counters; ++counter)
    wishes_.push_back(std::make_unique<Wish>(fmt::format("{}.counter{}", name, counter), clock));
  served_by_.resize(wishes_.size());
  for (const EventDescription& event : description_.events) {
    if (event.counts == EventDescription::Counts::outstanding) sources_[event.source]->keep_open();
    if (event.clock_hz && !clocks_.contains(*event.clock_hz))
      clocks_[*event.clock_hz] =
          std::make_unique<ClockDomain>(fmt::format("{}.{}Hz", name, *event.clock_hz), *event.clock_hz);
  }
}

void DescribedPmu::connect_interrupt(InterruptLine& line, const std::optional<BitRange>& counters) {
  if (!map_) return coresight_->connect_interrupt(line);
  const BitRange its = counters.value_or(BitRange{0, description_.counters});
  map_->counters().connect_interrupt(line, its.first, its.width);
}

void DescribedPmu::reset() { map_ ? map_->reset() : coresight_->reset(); }

void DescribedPmu::pass_cycles(std::uint64_t cycles, Picoseconds when) {
  map_ ? map_->counters().pass_cycles(cycles, when) : coresight_->pass_cycles(cycles, when);
}

tlm::tlm_base_target_socket_b<64>& DescribedPmu::socket(std::size_t window) {
  if (map_) return map_->socket(window);
  if (window == 0) return coresight_->socket;
  return coresight_->page1;
}

std::vector<const RegisterBank*> DescribedPmu::pages() const { return map_ ? map_->pages() : coresight_->pages(); }

std::uint64_t DescribedPmu::value_of(FilterDescription::Register where, unsigned word, const Program& program,
                                     unsigned repeat, unsigned step) const {
  switch (where) {
    case FilterDescription::Register::filter:
      return program.filter;
    case FilterDescription::Register::filter2:
      return program.filter2;
    case FilterDescription::Register::described:
      return map_->value(word, program.counter, repeat, step);
    case FilterDescription::Register::implementation_defined:
      break;
  }
  return coresight_->implementation_defined(word);
}

bool DescribedPmu::compile(const Program& program, const EventDescription& event, Wish& wish) const {
  wish.conditions.clear();
  wish.clocks = {};
  for (const Requirement& requirement : event.where)
    wish.conditions.push_back({Condition::Kind::within, requirement.attribute, requirement.first, requirement.last});
  const std::vector<std::string>& attributes = sources_[event.source]->attributes();
  for (const FilterDescription& filter : description_.filters) {
    const auto attribute = std::find(attributes.begin(), attributes.end(), filter.attribute);
    if (attribute == attributes.end() && !filter.is_of_clocks()) continue;
    if (map_ && !map_->has_value(filter.word, program.counter, filter.repeat)) continue;
    if (filter.counters && !filter.counters->overlaps({program.counter, 1})) continue;
    const auto& when = filter.when;
    if (when && field(value_of(filter.where, when->word, program), when->bits) != when->value) continue;
    const std::uint64_t reg = value_of(filter.where, filter.word, program, filter.repeat, filter.step);
    if (filter.enable && (reg >> *filter.enable & 1U) == 0) continue;
    if (filter.disable && (reg >> *filter.disable & 1U) != 0) continue;
    if (filter.match == FilterDescription::Match::threshold) wish.clocks.threshold = field(reg, filter.bits);
    if (filter.match == FilterDescription::Match::edge) wish.clocks.edge = field(reg, filter.bits) != 0;
    if (filter.is_of_clocks()) continue;
    const bool is_zero = field(reg, filter.bits) == 0;
    const bool is_switched = description_.map && (filter.enable || filter.disable || when);
    const bool is_range = filter.match == FilterDescription::Match::between;
    const bool is_inverted =
        filter.invert && (value_of(filter.where, filter.invert_word, program, 1, 0) >> *filter.invert & 1U) != 0;
    if (is_zero && !is_range && !is_switched && filter.zero == FilterDescription::Zero::all) {
      if (is_inverted) return false;
      continue;
    }
    if (is_zero && filter.match == FilterDescription::Match::mask) return false;
    const std::uint64_t care_reg =
        value_of(filter.care_register(), filter.care_word.value_or(filter.word), program, filter.repeat, filter.step);
    const std::uint64_t greatest = is_range ? field(care_reg, *filter.care) : 0;
    if (is_range && (greatest == 0 || greatest < field(reg, filter.bits))) continue;
    if (is_inverted && filter.match == FilterDescription::Match::at_least) {
      if (is_zero) return false;
      wish.conditions.push_back({Condition::Kind::within, static_cast<unsigned>(attribute - attributes.begin()), 0,
                                 field(reg, filter.bits) - 1});
      continue;
    }
    wish.conditions.push_back(
        condition_of(filter, reg, care_reg, static_cast<unsigned>(attribute - attributes.begin())));
    wish.conditions.back().inverted = is_inverted;
  }
  return true;
}

CounterInput DescribedPmu::resolve(const Program& program) {
  Wish& wish = *wishes_[program.counter];
  if (Source*& source = served_by_[program.counter]; source != nullptr) {
    source->remove(wish);
    source = nullptr;
  }
  if (program.event.is_none) return {};
  const auto event =
      std::find_if(description_.events.begin(), description_.events.end(), [&](const EventDescription& one) {
        return one.is_selected_by(program.event.number, program.event.known, program.counter);
      });
  if (event == description_.events.end()) return {};
  if (event->counts == EventDescription::Counts::cycles)
    return CounterInput::clock(event->clock_hz ? clocks_.at(*event->clock_hz).get() : nullptr);
  if (!compile(program, *event, wish)) return {};
  if (sources_[event->source]->follows()) {
    sources_[event->source]->choose(wish);
    return CounterInput::of(wish.choices);  // check_filters() lets no clocks be chosen here
  }
  wish.counts = event->counts;
  wish.attribute = event->attribute;
  wish.unit = event->unit;
  ++wish.program;
  served_by_[program.counter] = sources_[event->source];
  sources_[event->source]->add(wish);
  CounterInput input = event->counts == EventDescription::Counts::outstanding
                           ? CounterInput::of(wish.requests, {.id = wish.program, .id_mask = ~std::uint32_t{0}})
                           : CounterInput::of(wish.probe);
  input.condition = wish.clocks;
  return input;
}

}  // namespace pmufab::soc
