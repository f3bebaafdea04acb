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
  switch (filter.match) {
    case FilterDescription::Match::mask:
      return {Condition::Kind::bit, attribute, value, 0};
    case FilterDescription::Match::at_least:
      return {Condition::Kind::within, attribute, value, ~std::uint64_t{0}};
    case FilterDescription::Match::value:
      break;
  }
  return {Condition::Kind::bits, attribute, value, filter.care ? field(care_reg, *filter.care) : ~std::uint64_t{0}};
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
    : description_(description),
      sources_(std::move(sources)),
      pmu_(name, options_of(description), clock,
           [this](const coresight::CounterProgram& program) { return resolve(program); }) {
  for (unsigned counter = 0; counter < pmu_.options().counter_numbers(); ++counter)
    wishes_.push_back(std::make_unique<Wish>(fmt::format("{}.counter{}", pmu_.name(), counter), clock));
  served_by_.resize(wishes_.size());
  for (const EventDescription& event : description_.events) {
    if (event.counts == EventDescription::Counts::outstanding) sources_[event.source]->keep_open();
  }
}

std::uint64_t DescribedPmu::value_of(FilterDescription::Register where, unsigned word,
                                     const coresight::CounterProgram& program) const {
  switch (where) {
    case FilterDescription::Register::filter:
      return program.filter;
    case FilterDescription::Register::filter2:
      return program.filter2;
    case FilterDescription::Register::implementation_defined:
      break;
  }
  return pmu_.implementation_defined(word);
}

bool DescribedPmu::compile(const coresight::CounterProgram& program, const EventDescription& event, Wish& wish) const {
  wish.conditions.clear();
  for (const Requirement& requirement : event.where)
    wish.conditions.push_back({Condition::Kind::within, requirement.attribute, requirement.first, requirement.last});
  const std::vector<std::string>& attributes = sources_[event.source]->attributes();
  for (const FilterDescription& filter : description_.filters) {
    const auto attribute = std::find(attributes.begin(), attributes.end(), filter.attribute);
    if (attribute == attributes.end()) continue;
    const std::uint64_t reg = value_of(filter.where, filter.word, program);
    if (filter.enable && (reg >> *filter.enable & 1U) == 0) continue;
    if (filter.disable && (reg >> *filter.disable & 1U) != 0) continue;
    const bool is_zero = field(reg, filter.bits) == 0;
    if (is_zero && filter.zero == FilterDescription::Zero::all) continue;
    if (is_zero && filter.match == FilterDescription::Match::mask) return false;
    const std::uint64_t care_reg = value_of(filter.care_register(), filter.word, program);
    wish.conditions.push_back(
        condition_of(filter, reg, care_reg, static_cast<unsigned>(attribute - attributes.begin())));
  }
  return true;
}

coresight::CounterInput DescribedPmu::resolve(const coresight::CounterProgram& program) {
  Wish& wish = *wishes_[program.counter];
  if (Source*& source = served_by_[program.counter]; source != nullptr) {
    source->remove(wish);
    source = nullptr;
  }
  const std::uint64_t number = program.event & low_bits(description_.event_bits);
  const auto event = std::find_if(description_.events.begin(), description_.events.end(),
                                  [&](const EventDescription& one) { return one.number == number; });
  if (event == description_.events.end()) return {};
  if (event->counts == EventDescription::Counts::cycles) return coresight::CounterInput::clock();
  if (!compile(program, *event, wish)) return {};
  if (sources_[event->source]->follows()) {
    sources_[event->source]->choose(wish);
    return coresight::CounterInput::of(wish.choices);
  }
  wish.counts = event->counts;
  wish.attribute = event->attribute;
  wish.unit = event->unit;
  ++wish.program;
  served_by_[program.counter] = sources_[event->source];
  sources_[event->source]->add(wish);
  if (event->counts == EventDescription::Counts::outstanding)
    return coresight::CounterInput::of(wish.requests, {.id = wish.program, .id_mask = ~std::uint32_t{0}});
  return coresight::CounterInput::of(wish.probe);
}

}  // namespace pmufab::soc
