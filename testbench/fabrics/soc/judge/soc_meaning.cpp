// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/judge/soc_meaning.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/judge/term_values.h"

namespace pmufab::scoreboard {
namespace {

using soc::BitRange;
using soc::EventDescription;
using soc::FilterDescription;
using soc::PmuDescription;

constexpr std::uint64_t kNumberOfCycles = 0x1'0000'0000;  // arm_cspmu's number of the cycle counter
constexpr std::uint64_t kAllBits = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned kWord = 32;

std::uint64_t ones_of(unsigned width) { return width >= 64 ? kAllBits : (std::uint64_t{1} << width) - 1; }

std::uint64_t part_of(std::uint64_t from, const BitRange& bits) { return from >> bits.first & ones_of(bits.width); }

/// The terms of an event: its number, and what its registers hold.
struct Program {
  std::optional<std::uint64_t> event;
  std::uint64_t filter = 0;
  std::uint64_t filter2 = 0;
  std::map<unsigned, std::uint64_t> own;        ///< implementation-defined registers
  std::map<std::string, std::uint64_t> values;  ///< of the terms of a PMU with a register map

  std::uint64_t& reg(const FilterDescription& filter_of) { return reg(filter_of.where, filter_of.word); }
  std::uint64_t& reg(FilterDescription::Register where, unsigned word) {
    switch (where) {
      case FilterDescription::Register::filter:
        return filter;
      case FilterDescription::Register::filter2:
        return filter2;
      case FilterDescription::Register::implementation_defined:
      case FilterDescription::Register::described:
        break;
    }
    return own[word];
  }
  /// @return what a filter's field holds
  std::uint64_t asked(const FilterDescription& of) {
    if (of.where == FilterDescription::Register::described) return values[of.name] & ones_of(of.bits.width);
    return part_of(reg(of), of.bits);
  }
  /// @return the same of the field `care`
  std::uint64_t care(const FilterDescription& of) {
    if (of.where == FilterDescription::Register::described)
      return values[of.care_term] ^ (of.care_inverted ? ones_of(of.care.value_or(BitRange{}).width) : 0);
    return part_of(reg(of.care_register(), of.care_word.value_or(of.word)), of.care.value_or(BitRange{}));
  }
};

/// A term that is the name of an event. @return false: it is not
bool read_event_name(const EventTerm& term, const PmuDescription& pmu, Program& program) {
  const auto event = std::ranges::find(pmu.events, term.name, &EventDescription::name);
  if (event == pmu.events.end() || term.value) return false;
  set_event(program.event, event->number, term);
  return true;
}

/// A term that is the name of an event or of a filter of a CoreSight PMU. @return false: it is neither
bool read_name(const EventTerm& term, const PmuDescription& pmu, Program& program) {
  if (read_event_name(term, pmu, program)) return true;
  const auto put = [&](std::uint64_t& reg, const BitRange& bits) {
    const std::uint64_t largest = ones_of(bits.width);
    reg = (reg & ~(largest << bits.first)) | number_of(term, largest) << bits.first;
    return true;
  };
  for (const FilterDescription& filter : pmu.filters) {
    if (filter.name == term.name) return put(program.reg(filter), filter.bits);
    if (filter.care && filter.care_term == term.name)
      return put(program.reg(filter.care_register(), filter.care_word.value_or(filter.word)), *filter.care);
  }
  return false;
}

/// @return how many bits a term has: `format` is such as "config1:3-8,16"
unsigned width_of(std::string_view format) {
  unsigned width = 0;
  const auto number = [&] {
    unsigned found = 0;
    for (; !format.empty() && format.front() >= '0' && format.front() <= '9'; format.remove_prefix(1))
      found = found * 10 + static_cast<unsigned>(format.front() - '0');
    return found;
  };
  format.remove_prefix(std::min(format.size(), format.find(':')));
  while (!format.empty()) {
    format.remove_prefix(1);  // the colon, or a comma
    const unsigned first = number();
    unsigned last = first;
    if (format.starts_with('-')) {
      format.remove_prefix(1);
      last = number();
    }
    width += last - first + 1;
  }
  return width;
}

/// A term of a filter, which a PMU with a register map keeps by its name: bits of it may be more than those of its field.
/// @return false: no filter has it
bool read_filter_term(const EventTerm& term, const PmuDescription& pmu, Program& program) {
  const auto put = [&](const std::string& format, unsigned otherwise) {
    program.values[term.name] = number_of(term, ones_of(format.empty() ? otherwise : width_of(format)));
    return true;
  };
  for (const FilterDescription& filter : pmu.filters) {
    const auto bit = std::ranges::find(filter.terms, term.name, &std::pair<std::string, unsigned>::first);
    if (bit != filter.terms.end()) {
      const std::uint64_t its = std::uint64_t{1} << bit->second;
      std::uint64_t& value = program.values[filter.name];
      value = number_of(term, 1) != 0 ? value | its : value & ~its;
      return true;
    }
    if (filter.name == term.name && filter.terms.empty()) return put(filter.format, filter.bits.width);
    if (filter.care && filter.care_term == term.name) return put(filter.care_format, filter.care->width);
    if (filter.invert && filter.invert_term == term.name) return put(filter.invert_format, 1);
  }
  return false;
}

/// A term that does not say what is counted, but may turn off what does. @return false: the PMU has none of that name
bool read_other_term(const EventTerm& term, const PmuDescription& pmu, Program& program) {
  const auto its = std::ranges::find(pmu.terms, term.name, &soc::TermDescription::name);
  if (its == pmu.terms.end()) return false;
  program.values[term.name] = term.value.value_or(1);
  return true;
}

/// The terms of a PMU with a register map: its description names them all. A name that several events have leaves to
/// others what tells these apart. A driver's term that it does not name says nothing where it is 0.
Program mapped_program_of(const EventTerms& terms, const PmuDescription& pmu) {
  const std::vector<soc::NumberTerm>& parts = pmu.map->number_terms;
  Program program;
  // An event whose selector holds something else may have a number of any size.
  const bool has_codes = std::any_of(pmu.events.begin(), pmu.events.end(),
                                     [](const EventDescription& one) { return one.code.has_value(); });
  const unsigned number_bits = has_codes ? 64 : pmu.event_bits;
  EventTerms told;
  for (const EventTerm& term : terms) {
    const bool is_part =
        std::any_of(parts.begin(), parts.end(), [&](const soc::NumberTerm& part) { return part.name == term.name; });
    if (is_part) {
      told.push_back(term);
    } else if (!read_other_term(term, pmu, program) && !read_event_name(term, pmu, program) &&
               !read_filter_term(term, pmu, program) && term.value != 0U) {
      throw std::invalid_argument(fmt::format("the PMU has no term '{}'", term.name));
    }
  }
  std::uint64_t fixed = 0;  // bits of the number that cannot be told once more
  if (program.event) {
    const auto count = std::count_if(pmu.events.begin(), pmu.events.end(), [&](const EventDescription& one) {
      return std::any_of(terms.begin(), terms.end(), [&](const EventTerm& term) { return term.name == one.name; });
    });
    if (count == 1) fixed = kAllBits;
  }
  for (const EventTerm& term : told) {
    for (const soc::NumberTerm& part : parts) {
      if (part.name != term.name) continue;
      const std::uint64_t largest = ones_of(std::min(part.bits.width, number_bits - part.bits.first));
      const std::uint64_t value = number_of(term, largest) << part.bits.first;
      const std::uint64_t mask = largest << part.bits.first;
      // A driver may leave a part to its user that the name alone tells here, and two names of the same bits may agree.
      const bool is_same = program.event && (*program.event & mask) == value;
      if ((fixed & mask) != 0 && !is_same) set_event(program.event, value, term);  // which says so
      program.event = (program.event.value_or(0) & ~mask) | value;
      fixed |= mask;
    }
  }
  if (!program.event) throw std::invalid_argument("no event");
  return program;
}

Program program_of(const EventTerms& terms, const PmuDescription& pmu) {
  if (pmu.map) return mapped_program_of(terms, pmu);
  const std::uint64_t largest = ones_of(pmu.is_64bit ? 64 : kWord);
  Program program;
  for (const EventTerm& term : terms) {
    if (term.name == "event") {
      set_event(program.event, number_of(term, pmu.is_64bit ? kAllBits : ones_of(kWord + 1)), term);
    } else if (term.name == "config") {
      set_event(program.event, number_of(term, kAllBits), term);
    } else if (term.name == "filter") {
      program.filter |= number_of(term, largest);
    } else if (term.name == "config1") {
      program.filter |= number_of(term, kAllBits) & largest;
    } else if (term.name == "filter2") {
      program.filter2 |= number_of(term, largest);
    } else if (term.name == "config2") {
      program.filter2 |= number_of(term, kAllBits) & largest;
    } else if (term.name == "cycles" && !term.value && pmu.cycle_counter && !pmu.is_64bit) {
      set_event(program.event, kNumberOfCycles, term);
    } else if (!read_name(term, pmu, program)) {
      throw std::invalid_argument(fmt::format("the PMU has no term '{}'", term.name));
    }
  }
  if (!program.event) throw std::invalid_argument("no event");
  return program;
}

/// What a filter asks of occurrences.
enum class Asks : std::uint8_t { nothing, test, impossible };

/// @return whether a driver lets the terms of an event turn a filter on
bool is_asked_for(const FilterDescription& filter, Program& program) {
  const auto is_given = [&](const std::string& term) { return program.values[term] != 0; };
  return (!filter.format.empty() || is_given(filter.name) || is_given(filter.invert_term)) &&
         program.values[filter.name] != filter.any && (filter.with.empty() || is_given(filter.with)) &&
         std::ranges::none_of(filter.unless, is_given);
}

bool is_inverted(const FilterDescription& filter, Program& program) {
  return filter.invert && program.values[filter.invert_term] != 0;
}

/// @param has_switch  software turns the filter on by a bit that the user sees
bool is_on(const FilterDescription& filter, bool has_switch, Program& program) {
  if (!has_switch) return is_asked_for(filter, program);
  const std::uint64_t reg = program.reg(filter);
  return (!filter.enable || (reg >> *filter.enable) % 2 == 1) && (!filter.disable || (reg >> *filter.disable) % 2 == 0);
}

/// @param has_switch  as above
Asks test_of(const FilterDescription& filter, bool has_switch, Program& program, SocMeaning::Test& test) {
  if (!is_on(filter, has_switch, program)) return Asks::nothing;
  const std::uint64_t asked = program.asked(filter);
  const bool is_given = has_switch ? asked != 0 : program.values[filter.name] != 0;  // perhaps in bits beyond the field
  const std::uint64_t value = is_given ? asked : filter.fallback;
  if (filter.match == FilterDescription::Match::between) {
    const std::uint64_t most = program.care(filter);
    if (most == 0 || most < value) return Asks::nothing;
    test.kind = SocMeaning::Test::Kind::range;
    test.value = value;
    test.greatest = most;
    return Asks::test;
  }
  // A back-end's documents say what no value of its term means: everything, whatever it has to write for that.
  const bool is_mask_of_user =
      filter.match == FilterDescription::Match::mask && !filter.format.empty() && filter.terms.empty();
  const bool is_other = filter.match == FilterDescription::Match::value && is_inverted(filter, program);
  if (value == 0 && !is_given && (filter.zero == FilterDescription::Zero::all || is_mask_of_user))
    return is_other ? Asks::impossible : Asks::nothing;
  test.value = value;
  switch (filter.match) {
    case FilterDescription::Match::mask:
      test.kind = SocMeaning::Test::Kind::one_of;
      return value == 0 ? Asks::impossible : Asks::test;
    case FilterDescription::Match::value:
      test.kind = SocMeaning::Test::Kind::equal;
      test.differs = is_other;
      if (filter.care) test.care = program.care(filter);
      return Asks::test;
    case FilterDescription::Match::threshold:
    case FilterDescription::Match::edge:
      return Asks::nothing;  // add_clocks() knows them
    case FilterDescription::Match::between:
    case FilterDescription::Match::at_least:
      test.kind = SocMeaning::Test::Kind::range;
      test.greatest = kAllBits;
      if (is_inverted(filter, program)) {
        test.value = 0;
        test.greatest = value - 1;
      }
      break;
  }
  return Asks::test;
}

SocMeaning::Kind kind_of_counts(EventDescription::Counts counts) {
  switch (counts) {
    case EventDescription::Counts::occurrences:
      return SocMeaning::Kind::occurrences;
    case EventDescription::Counts::sum:
      return SocMeaning::Kind::sum;
    case EventDescription::Counts::outstanding:
      return SocMeaning::Kind::outstanding;
    case EventDescription::Counts::cycles:
      break;
  }
  return SocMeaning::Kind::cycles;
}

/// @return whether a filter acts on none of the counters that can count an event: its registers are for others
bool is_for_others(const FilterDescription& filter, const EventDescription& event, const PmuDescription& pmu) {
  if (!pmu.map) return false;
  if (filter.counters) return event.counters && !filter.counters->overlaps(*event.counters);
  const soc::RegisterDescription& reg = pmu.map->registers.at(filter.word);
  if (reg.count == 1 && filter.repeat == 1) return false;
  const bool has_selectors = std::any_of(pmu.map->registers.begin(), pmu.map->registers.end(), [](const auto& one) {
    return std::any_of(one.fields.begin(), one.fields.end(),
                       [](const soc::FieldDescription& field) { return field.role == soc::Role::event; });
  });
  if (!event.counters && has_selectors) return false;
  const std::uint64_t first = event.counters ? event.counters->first : event.number;
  const std::uint64_t last = event.counters ? first + event.counters->width - 1 : first;
  return last < reg.first || first >= reg.first + std::uint64_t{reg.count} * filter.repeat;
}

/// Add what a filter asks of clocks.
void add_clocks(const FilterDescription& filter, bool has_switch, Program& program, SocMeaning& meaning) {
  if (!is_on(filter, has_switch, program)) return;
  const std::uint64_t asked = program.asked(filter);
  const std::uint64_t value = asked == 0 && program.values[filter.name] == 0 ? filter.fallback : asked;
  if (value == 0) return;
  meaning.text += fmt::format(", {} {:#x}", filter.name, value);
  if (filter.match == FilterDescription::Match::edge) {
    meaning.is_first_alone = true;
  } else {
    meaning.threshold = value;
  }
}

/// Add what filters ask. @return false: nothing can pass
bool add_filters(Program& program, const PmuDescription& pmu, const EventDescription& event,
                 const soc::SourceDescription& source, SocMeaning& meaning) {
  for (const FilterDescription& filter : pmu.filters) {
    const auto attribute = std::find(source.attributes.begin(), source.attributes.end(), filter.attribute);
    if (is_for_others(filter, event, pmu)) continue;
    if (filter.is_of_clocks()) {
      add_clocks(filter, !pmu.map, program, meaning);
      continue;
    }
    if (attribute == source.attributes.end()) continue;
    SocMeaning::Test test;
    test.attribute = static_cast<unsigned>(attribute - source.attributes.begin());
    const Asks asks = test_of(filter, !pmu.map, program, test);
    if (asks == Asks::nothing) continue;
    const bool is_below = filter.match == FilterDescription::Match::at_least && is_inverted(filter, program);
    meaning.text +=
        fmt::format(", {} {}{:#x}", filter.name, is_below ? "below " : "", is_below ? test.greatest + 1 : test.value);
    if (asks == Asks::impossible) return false;
    meaning.tests.push_back(test);
  }
  return true;
}

}  // namespace

bool SocMeaning::counts(const Occurrence& occurrence) const {
  return std::all_of(tests.begin(), tests.end(), [&](const Test& test) {
    const std::uint64_t value = occurrence.attributes.at(test.attribute);
    switch (test.kind) {
      case Test::Kind::one_of:
        return value < 64 && (test.value >> value) % 2 == 1;
      case Test::Kind::equal:
        return ((value & test.care) == (test.value & test.care)) != test.differs;
      case Test::Kind::range:
        break;
    }
    return value >= test.value && value <= test.greatest;
  });
}

SocMeaning soc_meaning(const EventTerms& terms, const PmuDescription& pmu,
                       const std::vector<soc::SourceDescription>& sources) {
  Program program = program_of(terms, pmu);
  SocMeaning meaning;
  if (pmu.cycle_counter && !pmu.is_64bit && *program.event == kNumberOfCycles) {
    meaning.kind = SocMeaning::Kind::cycles;
    meaning.on_cycle_counter = true;
    meaning.text = "cycles";
    return meaning;
  }
  const std::uint64_t number = *program.event & (pmu.map ? kAllBits : ones_of(pmu.event_bits));
  const auto event = std::find_if(pmu.events.begin(), pmu.events.end(),
                                  [&](const EventDescription& one) { return one.number == number; });
  if (event == pmu.events.end()) {
    meaning.text = fmt::format("event {:#x}", number);
    return meaning;
  }
  meaning.text = event->name;
  meaning.times = event->times;
  const auto saturates = [](const soc::RegisterDescription& reg) {
    return std::ranges::any_of(reg.fields, &soc::FieldDescription::saturates);
  };
  // Drivers let a counter begin in the middle of its range.
  if (pmu.map && std::ranges::any_of(pmu.map->registers, saturates))
    meaning.fills = std::uint64_t{1} << (soc::width_of(pmu) - 1);
  if (event->counts == EventDescription::Counts::cycles) {
    meaning.kind = SocMeaning::Kind::cycles;
    meaning.clock_hz = event->clock_hz;
    return meaning;
  }
  meaning.source = event->source;
  meaning.attribute = event->attribute;
  meaning.unit = event->unit;
  for (const soc::Requirement& requirement : event->where)
    meaning.tests.push_back(
        {SocMeaning::Test::Kind::range, requirement.attribute, requirement.first, requirement.last});
  if (add_filters(program, pmu, *event, sources.at(event->source), meaning))
    meaning.kind = kind_of_counts(event->counts);
  return meaning;
}

Occurrence occurrence_of(const SocMeaning& meaning) {
  if (meaning.kind == SocMeaning::Kind::outstanding)
    throw std::invalid_argument("the event counts what is outstanding: it cannot happen at once");
  if (meaning.kind == SocMeaning::Kind::nothing) throw std::invalid_argument("the event counts nothing");
  Occurrence occurrence;
  if (meaning.kind == SocMeaning::Kind::sum) occurrence.attributes.at(meaning.attribute) = 1;
  for (const SocMeaning::Test& test : meaning.tests) {
    const bool is_mask = test.kind == SocMeaning::Test::Kind::one_of;
    occurrence.attributes.at(test.attribute) = is_mask        ? static_cast<std::uint64_t>(std::countr_zero(test.value))
                                               : test.differs ? ~test.value
                                                              : test.value;
  }
  if (meaning.kind == SocMeaning::Kind::sum && occurrence.attributes.at(meaning.attribute) != 1)
    throw std::invalid_argument("no occurrence that passes the filters adds one to the sum");
  if (!meaning.counts(occurrence)) throw std::invalid_argument("the filters exclude each other");
  return occurrence;
}

}  // namespace pmufab::scoreboard
