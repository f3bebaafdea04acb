// SPDX-License-Identifier: Apache-2.0
// What events of described PMUs mean, worked out by hand.
#include <optional>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/soc/judge/map_judge.h"
#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/fabrics/soc/judge/soc_wires.h"

namespace pmufab::scoreboard::soc_meaning_test {
namespace {

using soc::EventDescription;
using soc::FilterDescription;
using Match = FilterDescription::Match;
using Register = FilterDescription::Register;
using Zero = FilterDescription::Zero;
using Kind = SocMeaning::Kind;

// Attributes: port, id, bytes.
const std::vector<soc::SourceDescription> kSources = {{"request", {"port", "id", "bytes"}}, {"refresh", {}}};

FilterDescription filter(std::string name, Register where, soc::BitRange bits, std::string attribute, Match match) {
  FilterDescription made;
  made.name = std::move(name);
  made.where = where;
  made.bits = bits;
  made.attribute = std::move(attribute);
  made.match = match;
  return made;
}

soc::PmuDescription pmu() {
  soc::PmuDescription made;
  made.event_bits = 8;
  made.events = {{"requests", 1, EventDescription::Counts::occurrences, 0, 0, {}},
                 {"bytes_of_port_2", 2, EventDescription::Counts::sum, 0, 2, {{0, 2, 2}}},
                 {"clock", 3, EventDescription::Counts::cycles, 0, 0, {}},
                 {"refreshes", 4, EventDescription::Counts::occurrences, 1, 0, {}}};
  made.filters = {filter("port", Register::filter, {0, 4}, "port", Match::mask),
                  filter("id", Register::filter, {8, 8}, "id", Match::value),
                  filter("least", Register::filter2, {0, 12}, "bytes", Match::at_least)};
  made.filters[1].enable = 24;
  made.filters[1].care = soc::BitRange{16, 8};
  made.filters[1].zero = Zero::literal;
  return made;
}

Occurrence request(std::uint64_t port, std::uint64_t id, std::uint64_t bytes) {
  Occurrence made;
  made.attributes = {port, id, bytes};
  return made;
}

SocMeaning meaning(const EventTerms& terms) { return soc_meaning(terms, pmu(), kSources); }

TEST(SocMeaning, zero_lets_everything_pass) {
  const SocMeaning all = meaning({{"event", 1}});
  EXPECT_EQ(all.kind, Kind::occurrences);
  EXPECT_TRUE(all.counts(request(0, 0, 0)));
  EXPECT_TRUE(all.counts(request(200, 77, ~std::uint64_t{0})));
}

TEST(SocMeaning, a_mask_has_a_bit_for_each_value) {
  const SocMeaning ports = meaning({{"event", 1}, {"filter", 0b1010}});
  EXPECT_FALSE(ports.counts(request(0, 0, 0)));
  EXPECT_TRUE(ports.counts(request(1, 0, 0)));
  EXPECT_FALSE(ports.counts(request(2, 0, 0)));
  EXPECT_TRUE(ports.counts(request(3, 0, 0)));
  EXPECT_FALSE(ports.counts(request(4, 0, 0)));
  EXPECT_FALSE(ports.counts(request(65, 0, 0)));
}

TEST(SocMeaning, a_value_is_compared_where_the_bits_of_care_are_set_and_while_it_is_enabled) {
  const SocMeaning off = meaning({{"event", 1}, {"filter", 0x00ff'1200}});
  EXPECT_TRUE(off.counts(request(0, 0x99, 0)));
  const SocMeaning exact = meaning({{"event", 1}, {"filter", 0x01ff'1200}});
  EXPECT_TRUE(exact.counts(request(0, 0x12, 0)));
  EXPECT_FALSE(exact.counts(request(0, 0x13, 0)));
  const SocMeaning upper = meaning({{"event", 1}, {"filter", 0x01f0'1200}});
  EXPECT_TRUE(upper.counts(request(0, 0x1f, 0)));
  EXPECT_FALSE(upper.counts(request(0, 0x2f, 0)));
  const SocMeaning zero = meaning({{"event", 1}, {"filter", 0x01ff'0000}});
  EXPECT_TRUE(zero.counts(request(0, 0, 0)));
  EXPECT_FALSE(zero.counts(request(0, 1, 0)));
}

TEST(SocMeaning, a_bit_that_disables_one_filter_may_enable_another) {
  soc::PmuDescription either = pmu();
  either.filters[0].disable = 24;
  const auto read = [&](std::uint64_t filter) {
    return soc_meaning({{"event", 1}, {"filter", filter}}, either, kSources);
  };
  EXPECT_FALSE(read(0x00ff'1202).counts(request(0, 0x12, 0)));
  EXPECT_TRUE(read(0x00ff'1202).counts(request(1, 0x99, 0)));
  EXPECT_TRUE(read(0x01ff'1202).counts(request(0, 0x12, 0)));
  EXPECT_FALSE(read(0x01ff'1202).counts(request(1, 0x99, 0)));
}

TEST(SocMeaning, the_bits_that_matter_may_stand_in_the_other_register) {
  soc::PmuDescription apart = pmu();
  apart.filters.resize(2);
  apart.filters[1].care = soc::BitRange{4, 8};
  apart.filters[1].care_where = Register::filter2;
  const auto read = [&](std::uint64_t filter2) {
    return soc_meaning({{"event", 1}, {"filter", 0x0100'1200}, {"filter2", filter2}}, apart, kSources);
  };
  EXPECT_TRUE(read(0xff0).counts(request(0, 0x12, 0)));
  EXPECT_FALSE(read(0xff0).counts(request(0, 0x13, 0)));
  EXPECT_TRUE(read(0xf00).counts(request(0, 0x13, 0)));
  EXPECT_FALSE(read(0xf00).counts(request(0, 0x22, 0)));
  EXPECT_TRUE(read(0x00f).counts(request(0, 0x99, 0)));
}

TEST(SocMeaning, bits_of_a_mask_may_have_terms_and_bits_that_do_not_matter_may_be_told) {
  soc::PmuDescription its = pmu();
  its.map.emplace();
  its.map->registers.resize(2);
  its.map->registers[0].count = 2;
  its.events[0].counters = soc::BitRange{0, 2};
  its.events[0].code = 0x7;
  its.events[0].number = 0x147;
  its.filters.resize(2);
  for (FilterDescription& one : its.filters) one.where = Register::described;
  its.filters[0].format = "config1";
  its.filters[0].zero = Zero::literal;
  its.filters[0].terms = {{"cpu", 0}, {"gpu", 2}};
  its.filters[1].word = 1;
  its.filters[1].care_term = "id_mask";
  its.filters[1].care_inverted = true;
  const SocMeaning some =
      soc_meaning({{"event", 0x147}, {"cpu"}, {"gpu", 1}, {"id", 0x12}, {"id_mask", 0xf}}, its, kSources);
  EXPECT_EQ(some.kind, Kind::occurrences);
  EXPECT_TRUE(some.counts(request(2, 0x1f, 0)));
  EXPECT_TRUE(some.counts(request(0, 0x12, 0)));
  EXPECT_FALSE(some.counts(request(1, 0x12, 0)));
  EXPECT_FALSE(some.counts(request(2, 0x22, 0)));
  const auto without = [&] { return soc_meaning({{"event", 0x147}, {"id_mask", 0xff}}, its, kSources); };
  EXPECT_EQ(without().kind, Kind::nothing) << "no bit is set";
  its.map->registers[0].first = 2;  // no counter of the event has that register
  EXPECT_TRUE(without().counts(request(1, 0x12, 0)));
}

TEST(SocMeaning, filters_hold_together) {
  const SocMeaning both = meaning({{"event", 1}, {"filter", 1}, {"filter2", 64}});
  EXPECT_TRUE(both.counts(request(0, 0, 64)));
  EXPECT_FALSE(both.counts(request(0, 0, 63)));
  EXPECT_FALSE(both.counts(request(1, 0, 64)));
}

TEST(SocMeaning, an_event_sums_an_attribute_of_the_occurrences_it_is_about) {
  const SocMeaning bytes = meaning({{"event", 2}});
  EXPECT_EQ(bytes.kind, Kind::sum);
  EXPECT_EQ(bytes.attribute, 2U);
  EXPECT_TRUE(bytes.counts(request(2, 0, 8)));
  EXPECT_FALSE(bytes.counts(request(1, 0, 8)));
}

TEST(SocMeaning, filters_leave_sources_without_their_attribute_alone) {
  EXPECT_TRUE(meaning({{"event", 4}, {"filter", 2}}).counts({}));
}

TEST(SocMeaning, the_number_has_as_many_bits_as_the_description_says) {
  EXPECT_EQ(meaning({{"event", 0x101}}).kind, Kind::occurrences);
  EXPECT_EQ(meaning({{"event", 0x109}}).kind, Kind::nothing);
  EXPECT_EQ(meaning({{"event", 0x1'0000'0000}}).kind, Kind::cycles);
  EXPECT_EQ(meaning({{"cycles", {}}}).kind, Kind::cycles);
  EXPECT_EQ(meaning({{"event", 3}}).kind, Kind::cycles);
}

TEST(SocMeaning, without_a_cycle_counter_the_number_of_cycles_is_number_0) {
  soc::PmuDescription without = pmu();
  without.cycle_counter = false;
  without.events[0].number = 0;
  EXPECT_EQ(soc_meaning({{"event", 0x1'0000'0000}}, without, kSources).kind, Kind::occurrences);
  EXPECT_THROW(static_cast<void>(soc_meaning({{"cycles", {}}}, without, kSources)), std::invalid_argument);
}

TEST(SocMeaning, the_64bit_layout_has_no_number_for_cycles) {
  soc::PmuDescription wide = pmu();
  wide.is_64bit = true;
  wide.event_bits = 64;
  wide.events[0].number = 0x1'0000'0000;
  EXPECT_EQ(soc_meaning({{"event", 0x1'0000'0000}}, wide, kSources).kind, Kind::occurrences);
  wide.filters[0].bits.first = 60;
  EXPECT_FALSE(soc_meaning({{"event", 0x1'0000'0000}, {"filter", std::uint64_t{2} << 60}}, wide, kSources)
                   .counts(request(0, 0, 0)));
}

TEST(SocMeaning, names_of_the_description_are_terms) {
  const SocMeaning named = meaning({{"requests", {}}, {"port", 4}, {"least", 9}});
  EXPECT_TRUE(named.counts(request(2, 0, 9)));
  EXPECT_FALSE(named.counts(request(2, 0, 8)));
  EXPECT_FALSE(named.counts(request(1, 0, 9)));
  EXPECT_THROW(static_cast<void>(meaning({{"event", 1}, {"port", 16}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(meaning({{"event", 1}, {"prot", 1}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(meaning({{"port", 1}})), std::invalid_argument);
}

TEST(SocMeaning, terms_of_a_number_complete_a_name_and_one_inverts_a_filter) {
  soc::PmuDescription mapped = pmu();
  mapped.event_bits = 12;
  mapped.map.emplace().number_terms = {{"code", "config:0-7", {0, 8}}, {"at", "config:8-11", {8, 4}}};
  mapped.map->registers.resize(2);
  mapped.events = {{"any", 0x001, EventDescription::Counts::occurrences, 0, 0, {{0, 0, 0}}},
                   {"any", 0x201, EventDescription::Counts::occurrences, 0, 0, {{0, 2, 2}}},
                   {"fast", 0x007, EventDescription::Counts::cycles, 0, 0, {}, 1, {}, 5'000}};
  mapped.filters = {filter("id", Register::described, {0, 8}, "id", Match::value)};
  mapped.filters[0].invert = 3;
  mapped.filters[0].invert_word = 1;
  mapped.filters[0].invert_term = "other";
  const auto of = [&](const EventTerms& terms) { return soc_meaning(terms, mapped, kSources); };
  EXPECT_TRUE(of({{"at", 2}, {"any"}}).counts(request(2, 0, 0)));
  EXPECT_FALSE(of({{"any"}, {"at", 2}}).counts(request(0, 0, 0)));
  EXPECT_TRUE(of({{"code", 1}}).counts(request(0, 0, 0)));
  EXPECT_EQ(of({{"any"}, {"at", 1}}).kind, Kind::nothing);
  EXPECT_EQ(of({{"fast"}}).clock_hz, 5'000U);
  EXPECT_THROW(static_cast<void>(of({{"fast"}, {"at", 2}})), std::invalid_argument);
  EXPECT_EQ(of({{"fast"}, {"at", 0}}).clock_hz, 5'000U) << "its user may say what the name says";
  mapped.map->number_terms.push_back({"place", "config:8-11", {8, 4}});
  EXPECT_TRUE(of({{"code", 1}, {"place", 2}}).counts(request(2, 0, 0))) << "a second name of the same bits";
  EXPECT_TRUE(of({{"code", 1}, {"at", 2}, {"place", 2}}).counts(request(2, 0, 0)));
  EXPECT_THROW(static_cast<void>(of({{"code", 1}, {"at", 2}, {"place", 0}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(of({{"any"}, {"at", 16}})), std::invalid_argument);
  EXPECT_TRUE(of({{"any"}, {"id", 5}, {"other"}}).counts(request(0, 4, 0)));
  EXPECT_FALSE(of({{"any"}, {"id", 5}, {"other"}}).counts(request(0, 5, 0)));
  EXPECT_EQ(of({{"any"}, {"other"}}).kind, Kind::nothing);
  EXPECT_NE(occurrence_of(of({{"any"}, {"id", 5}, {"other"}})).attributes[1], 5U);
}

/// A PMU with a register map, whose driver has a term for each filter.
soc::PmuDescription mapped() {
  soc::PmuDescription made = pmu();
  made.event_bits = 16;
  made.events[0].number = 0x203;
  made.map.emplace().number_terms = {{"code", "config:0-7", {0, 8}}, {"kind", "config:8-15", {8, 8}}};
  made.map->registers.resize(1);
  made.terms = {{"global", "config1:63"}};
  made.filters = {filter("port", Register::described, {0, 4}, "port", Match::value),
                  filter("id", Register::described, {0, 4}, "id", Match::value),
                  filter("least", Register::described, {8, 4}, "bytes", Match::at_least)};
  made.filters[0].format = "config1:0-3";
  made.filters[0].zero = Zero::literal;
  made.filters[0].any = 0xf;
  made.filters[0].unless = {"global", "id"};
  made.filters[1].format = "config1:8-23";
  made.filters[1].unless = {"global"};
  made.filters[2].format = "config1:24-27";
  made.filters[2].with = "id";
  made.filters[2].invert = 12;
  made.filters[2].invert_term = "below";
  made.filters[2].invert_format = "config1:28";
  return made;
}

TEST(SocMeaning, terms_turn_each_other_on_and_off) {
  const auto counts = [](EventTerms terms, const Occurrence& one) {
    terms.push_back({"code", 3});
    terms.push_back({"kind", 2});
    return soc_meaning(terms, mapped(), kSources).counts(one);
  };
  EXPECT_TRUE(counts({}, request(0, 9, 0)));
  EXPECT_FALSE(counts({}, request(1, 9, 0))) << "0 is a port";
  EXPECT_TRUE(counts({{"port", 0xf}}, request(1, 9, 0)));
  EXPECT_TRUE(counts({{"global", 1}, {"id", 3}}, request(1, 9, 0)));
  EXPECT_TRUE(counts({{"id", 0x13}}, request(1, 3, 0))) << "the field has the lowest bits of the term";
  EXPECT_TRUE(counts({{"id", 0x10}}, request(1, 0, 0)));
  EXPECT_FALSE(counts({{"id", 0x10}}, request(1, 1, 0)));
  EXPECT_TRUE(counts({{"least", 4}}, request(0, 0, 3))) << "id is missing";
  EXPECT_FALSE(counts({{"id", 3}, {"least", 4}}, request(0, 3, 3)));
  EXPECT_TRUE(counts({{"id", 3}, {"least", 4}}, request(0, 3, 4)));
  EXPECT_TRUE(counts({{"id", 3}, {"least", 4}, {"below", 1}}, request(0, 3, 3)));
  EXPECT_FALSE(counts({{"id", 3}, {"least", 4}, {"below", 1}}, request(0, 3, 4)));
}

TEST(SocMeaning, filters_of_other_counters_than_the_event_s_ask_nothing) {
  soc::PmuDescription made = mapped();
  made.events[0].counters = soc::BitRange{8, 8};
  made.filters = {made.filters[1]};
  const auto counts_on = [&](unsigned first) {
    made.filters[0].counters = soc::BitRange{first, 8};
    return soc_meaning({{"code", 3}, {"kind", 2}, {"id", 3}}, made, kSources).counts(request(0, 4, 0));
  };
  EXPECT_TRUE(counts_on(0));
  EXPECT_FALSE(counts_on(8));
  EXPECT_TRUE(counts_on(16));
}

TEST(SocMeaning, several_terms_may_give_the_number) {
  EXPECT_EQ(soc_meaning({{"code", 3}, {"kind", 2}}, mapped(), kSources).text, "requests, port 0x0");
  EXPECT_EQ(soc_meaning({{"code", 3}}, mapped(), kSources).text, "clock");
  EXPECT_THROW(static_cast<void>(soc_meaning({{"event", 3}}, mapped(), kSources)), std::invalid_argument);
  // A term that the description does not name, as perf gives those that select events.
  EXPECT_EQ(soc_meaning({{"code", 3}, {"mask", 0}}, mapped(), kSources).text, "clock");
  EXPECT_THROW(static_cast<void>(soc_meaning({{"code", 3}, {"mask", 1}}, mapped(), kSources)), std::invalid_argument);
}

TEST(SocMeaning, an_occurrence_that_counts_as_one_passes_the_filters) {
  const SocMeaning one = meaning({{"event", 1}, {"filter", 0x01ff'1208}, {"filter2", 5}});
  EXPECT_TRUE(one.counts(occurrence_of(one)));
  EXPECT_EQ(occurrence_of(meaning({{"event", 2}})).attributes[2], 1U);
  EXPECT_EQ(occurrence_of(meaning({{"event", 2}})).attributes[0], 2U);
  EXPECT_THROW(static_cast<void>(occurrence_of(meaning({{"event", 2}, {"filter2", 5}}))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(occurrence_of(meaning({{"event", 2}, {"filter", 1}}))), std::invalid_argument);
}

TEST(SocMeaning, a_driver_shows_the_identifier_and_names_of_events_that_have_one) {
  SocPmuSpec spec{.description = pmu(), .name = "acme", .windows = {0x1000}};
  spec.description.filters.clear();
  spec.description.map.emplace();
  spec.description.events[1].is_unnamed = true;
  spec.description.identifier = "0x30";
  const MapPmuJudge judge(
      std::make_unique<SocEvents>(spec, kSources, 1, std::make_shared<SocWires>(2), SocFabricJudges{}));
  std::vector<std::string> names;
  for (const PublishedEvent& event : judge.publication().events) names.push_back(event.name);
  EXPECT_THAT(names, ::testing::ElementsAre("requests", "clock", "refreshes"));
  ASSERT_EQ(judge.publication().files.size(), 1U);
  EXPECT_EQ(judge.publication().files[0].name + " " + judge.publication().files[0].text, "identifier 0x30");
}

TEST(SocMeaning, an_event_begins_where_its_driver_writes_the_counter_and_the_driver_may_multiply) {
  SocPmuSpec spec{.description = pmu(), .name = "acme", .windows = {0x1000}};
  spec.description.filters.clear();
  spec.description.counters = 1;
  spec.description.events[0].times = 16;
  soc::RegisterMap& map = spec.description.map.emplace();
  map.runs_by_event = true;
  map.registers.resize(2);
  for (soc::RegisterDescription& reg : map.registers) reg.fields.emplace_back().bits = {0, 32};
  map.registers[0].fields[0].role = soc::Role::event;
  map.registers[0].fields[0].zero_stops = true;
  map.registers[1].offset = 4;
  map.registers[1].fields[0].role = soc::Role::counter;
  map.registers[1].fields[0].begins = true;
  const auto wires = std::make_shared<SocWires>(2);
  MapPmuJudge judge(std::make_unique<SocEvents>(spec, kSources, 1, wires, SocFabricJudges{}));
  const std::unique_ptr<EventTruth> truth = judge.truth({{"event", 1}});
  const auto write = [&](std::uint64_t offset, std::uint64_t value, Picoseconds when) {
    MmioBus::BusAccess access{};
    access.address = 0x1000 + offset;
    access.data = value;
    access.length = 4;
    access.ok = true;
    access.when = when;
    judge.see_write(access);
  };
  write(0, 1, 100);
  wires->tell(0, request(0, 0, 0), 110);
  write(4, 0, 120);
  for (const Picoseconds when : {130, 140, 150}) wires->tell(0, request(0, 0, 0), when);
  const std::optional<Mark> begin = truth->own_begin(50);
  ASSERT_TRUE(begin);
  EXPECT_EQ(begin->when, 120U);
  EXPECT_EQ(truth->count({*begin, truth->mark(200)}), 48U);
}

soc::RegisterDescription reg(const char* name, std::uint32_t offset, unsigned width, soc::Role role) {
  return {.name = name, .offset = offset, .fields = {{.name = name, .bits = {0, width}, .role = role}}};
}

TEST(MapPmuJudge, a_counter_whose_overflow_interrupt_is_off_must_not_count) {
  constexpr std::uint64_t kRun = 0x1000;
  constexpr std::uint64_t kEnable = 0x1004;
  constexpr std::uint64_t kMask = 0x1008;
  constexpr std::uint64_t kCounter = 0x1010;
  const auto found = [&](bool has_interrupt, std::uint64_t mask, std::optional<soc::RegisterDescription> more = {}) {
    SocPmuSpec spec{.description = pmu(), .name = "acme", .windows = {0x1000}};
    spec.description.counters = 4;
    spec.description.filters.clear();
    if (has_interrupt) spec.description.interrupt.emplace();
    soc::RegisterDescription counter = reg("COUNTER", 0x10, 32, soc::Role::counter);
    counter.count = 4;
    counter.stride = 4;
    spec.description.map.emplace().registers = {reg("RUN", 0, 1, soc::Role::run),
                                                reg("ENABLE", 4, 4, soc::Role::enable),
                                                reg("MASK", 8, 4, soc::Role::interrupt_mask), counter};
    if (more) spec.description.map->registers.push_back(*more);
    Chronicle chronicle;
    MapPmuJudge judge(std::make_unique<SocEvents>(spec, kSources, 1, std::make_shared<SocWires>(2), SocFabricJudges{}),
                      &chronicle);
    const auto write = [&](std::uint64_t address, std::uint64_t value) {
      judge.see_write({1, address, value, 4, true, true});
    };
    write(kEnable, 2);  // in the order that the driver likes, while nothing runs
    write(kMask, mask);
    write(kRun, 1);
    judge.see_read({2, kCounter + 4, 0, 4, false, true});
    write(kRun, 0);
    judge.see_read({3, kCounter + 4, 0, 4, false, true});
    write(kMask, 0);
    write(kRun, 1);
    write(kMask, 2);  // before it is read for the last time
    judge.see_read({4, kCounter + 4, 0, 4, false, true});
    return chronicle.findings.count("overflow_untold");
  };
  EXPECT_EQ(found(true, 0xd), 0U);
  EXPECT_EQ(found(true, 0x2), 2U) << "as it begins to count, and as it is read";
  EXPECT_EQ(found(false, 0x2), 0U) << "nobody waits for it";
  soc::RegisterDescription status = reg("STATUS", 0x20, 4, soc::Role::overflow);
  status.fields[0].silent = true;
  EXPECT_EQ(found(true, 0x2, status), 0U) << "it sends none";
  soc::RegisterDescription upper = reg("UPPER", 0x24, 1, soc::Role::run);
  upper.fields[0].counters = soc::BitRange{1, 3};
  EXPECT_EQ(found(true, 0x2, upper), 0U) << "its range stands";
}

}  // namespace
}  // namespace pmufab::scoreboard::soc_meaning_test
