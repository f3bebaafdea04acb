// SPDX-License-Identifier: Apache-2.0
// The model of a described PMU against the judge's reading of the description: random filters, registers and occurrences.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "models/soc/described_pmu.h"
#include "testbench/fabrics/soc/judge/clock_truth.h"
#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::scoreboard::soc_cross_test {
namespace {

using soc::EventDescription;
using soc::FilterDescription;

constexpr std::uint64_t kPmevtyper = 0x400;
constexpr std::uint64_t kPmevfilt2r = 0x800;
constexpr std::uint64_t kPmevfiltr = 0xa00;
constexpr std::uint64_t kPmcntenset = 0xc00;
constexpr std::uint64_t kPmcntenclr = 0xc20;
constexpr std::uint64_t kPmimpdef = 0xd80;
constexpr std::uint64_t kPmcr = 0xe04;
constexpr unsigned kCounters = 4;

/// The judge knows an implementation-defined register by the names of its fields, which it must all be told.
SocMeaning meaning_of(const soc::PmuDescription& pmu, const std::vector<soc::SourceDescription>& sources,
                      std::uint64_t event, std::uint64_t filter, std::uint64_t filter2, std::uint64_t own) {
  soc::PmuDescription readable = pmu;
  // As if the register were PMEVFILTR of an event that has no other filter there: the same rules hold.
  readable.filters.pop_back();
  SocMeaning meaning = soc_meaning({{"event", event}, {"filter", filter}, {"filter2", filter2}}, readable, sources);
  readable.filters = {pmu.filters.back()};
  for (FilterDescription& one : readable.filters) one.where = FilterDescription::Register::filter;
  const SocMeaning by_own = soc_meaning({{"event", event}, {"filter", own}}, readable, sources);
  if (by_own.kind == SocMeaning::Kind::nothing) meaning.kind = SocMeaning::Kind::nothing;
  meaning.tests.insert(meaning.tests.end(), by_own.tests.begin(), by_own.tests.end());
  return meaning;
}

class SocCross : public testing::SimulationTest {
 protected:
  std::uint64_t draw(std::uint64_t most) {
    return boost::random::uniform_int_distribution<std::uint64_t>(0, most)(engine);
  }

  /// Filters of all kinds in PMEVFILTR, PMEVFILT2R and an implementation-defined register.
  soc::PmuDescription description() {
    soc::PmuDescription pmu;
    pmu.counters = kCounters;
    pmu.cycle_counter = false;
    pmu.implementation_defined = 2;
    pmu.events = {{"all", 1, EventDescription::Counts::occurrences, 0, 0, {}},
                  {"sum", 2, EventDescription::Counts::sum, 0, 2, {}},
                  {"some", 3, EventDescription::Counts::sum, 0, 2, {{0, 1, 2}, {1, 0, 3}}},
                  {"other", 4, EventDescription::Counts::occurrences, 1, 0, {}}};
    pmu.events[2].unit = 1 + draw(4);
    const std::array<const char*, 3> attributes = {"a", "b", "c"};
    for (const auto where : {FilterDescription::Register::filter, FilterDescription::Register::filter2,
                             FilterDescription::Register::implementation_defined}) {
      FilterDescription filter;
      filter.name = fmt::format("filter{}", pmu.filters.size());
      filter.where = where;
      filter.word = where == FilterDescription::Register::implementation_defined ? 1 : 0;
      filter.bits = {static_cast<unsigned>(draw(8)), static_cast<unsigned>(1 + draw(7))};
      filter.attribute = attributes.at(draw(2));
      filter.match = static_cast<FilterDescription::Match>(draw(3));
      const bool is_between = filter.match == FilterDescription::Match::between;
      if (is_between || (filter.match == FilterDescription::Match::value && draw(1) == 0))
        filter.care = soc::BitRange{16, static_cast<unsigned>(1 + draw(7))};
      if (filter.care && where == FilterDescription::Register::filter && draw(1) == 0)
        filter.care_where = FilterDescription::Register::filter2;
      if (draw(2) == 0) filter.enable = 31;
      if (draw(2) == 0) filter.disable = 30;
      if (draw(1) == 0) filter.zero = FilterDescription::Zero::literal;
      pmu.filters.push_back(filter);
    }
    return pmu;
  }

  /// Program all counters at random. @return what each must count
  std::vector<SocMeaning> program(testing::Initiator& cpu, const soc::PmuDescription& pmu) {
    const auto draw_register = [&] { return static_cast<std::uint32_t>(draw(3) == 0 ? 0 : draw(0xffff'ffffU)); };
    const std::uint32_t own = draw_register();
    cpu.put32(kPmimpdef + 4, own);
    std::vector<SocMeaning> meanings;
    for (unsigned counter = 0; counter < kCounters; ++counter) {
      const auto event = static_cast<std::uint32_t>(1 + draw(3));
      const std::uint32_t filter = draw_register();
      const std::uint32_t filter2 = draw_register();
      cpu.put32(kPmevtyper + std::uint64_t{4} * counter, event);
      cpu.put32(kPmevfiltr + std::uint64_t{4} * counter, filter);
      cpu.put32(kPmevfilt2r + std::uint64_t{4} * counter, filter2);
      meanings.push_back(meaning_of(pmu, sources, event, filter, filter2, own));
    }
    return meanings;
  }

  /// Let things happen at random. @return what each counter must count of them
  std::array<std::uint64_t, kCounters> occur(const std::vector<SocMeaning>& meanings) {
    std::array<std::uint64_t, kCounters> expected{};
    for (unsigned n = 0; n < 50; ++n) {
      Occurrence occurrence;
      for (std::size_t attribute = 0; attribute < 3; ++attribute)
        occurrence.attributes.at(attribute) = draw(draw(1) == 0 ? 3 : 200);
      const unsigned source = draw(3) == 0 ? 1 : 0;
      (source == 0 ? first : second).happen(occurrence, testing::now());
      for (unsigned counter = 0; counter < kCounters; ++counter) {
        const SocMeaning& meaning = meanings[counter];
        if (meaning.kind == SocMeaning::Kind::nothing || meaning.source != source) continue;
        ++(meaning.counts(occurrence) ? counted : left_out);
        if (!meaning.counts(occurrence)) continue;
        const std::uint64_t units = (occurrence.attributes.at(2) + meaning.unit - 1) / meaning.unit;
        expected.at(counter) += meaning.kind == SocMeaning::Kind::sum ? units : 1;
      }
    }
    return expected;
  }

  const std::vector<soc::SourceDescription> sources{{"first", {"a", "b", "c"}}, {"second", {"b"}}};
  soc::Source first{sources[0], 0};
  soc::Source second{sources[1], 1};
  std::uint64_t counted = 0;
  std::uint64_t left_out = 0;
  boost::random::mt19937_64 engine{20261126};
};

TEST_F(SocCross, counters_count_what_the_description_says) {
  constexpr unsigned kPmus = 40;
  std::vector<soc::PmuDescription> descriptions;
  for (unsigned i = 0; i < kPmus; ++i) descriptions.push_back(description());
  const ClockDomain clock("clock", 1'000'000'000);
  std::vector<std::unique_ptr<soc::DescribedPmu>> pmus;
  std::vector<std::unique_ptr<testing::Initiator>> cpus;
  for (unsigned i = 0; i < kPmus; ++i) {
    pmus.push_back(std::make_unique<soc::DescribedPmu>(fmt::format("pmu{}", i).c_str(), descriptions[i], clock,
                                                       std::vector<soc::Source*>{&first, &second}));
    cpus.push_back(std::make_unique<testing::Initiator>(fmt::format("cpu{}", i).c_str()));
    cpus.back()->socket.bind(pmus.back()->socket(0));
  }
  run([&] {
    for (unsigned i = 0; i < kPmus; ++i) {
      testing::Initiator& cpu = *cpus[i];
      for (unsigned round = 0; round < 20; ++round) {
        cpu.put32(kPmcr, 6);
        const std::vector<SocMeaning> meanings = program(cpu, descriptions[i]);
        cpu.put32(kPmcntenset, 0xf);
        cpu.put32(kPmcr, 1);
        const std::array<std::uint64_t, kCounters> expected = occur(meanings);
        for (unsigned counter = 0; counter < kCounters; ++counter)
          ASSERT_EQ(cpu.get64(std::uint64_t{8} * counter), expected.at(counter))
              << "pmu " << i << ", " << meanings[counter].text;
        cpu.put32(kPmcr, 0);
        cpu.put32(kPmcntenclr, 0xf);
      }
    }
  });
  // Neither side let everything or nothing pass.
  EXPECT_GT(counted, 10'000U);
  EXPECT_GT(left_out, 10'000U);
}

/// One PMU whose PMEVFILTR holds a threshold and whether the first clock of a row counts alone.
soc::PmuDescription clocks_description() {
  soc::PmuDescription pmu;
  pmu.counters = kCounters;
  pmu.cycle_counter = false;
  pmu.events = {{"all", 1, EventDescription::Counts::occurrences, 0, 0, {}},
                {"sum", 2, EventDescription::Counts::sum, 0, 2, {}},
                {"busy", 3, EventDescription::Counts::outstanding, 0, 0, {}}};
  for (const auto match : {FilterDescription::Match::threshold, FilterDescription::Match::edge}) {
    FilterDescription filter;
    filter.match = match;
    filter.name = match == FilterDescription::Match::edge ? "edge" : "threshold";
    filter.bits = match == FilterDescription::Match::edge ? soc::BitRange{8, 1} : soc::BitRange{0, 4};
    pmu.filters.push_back(filter);
  }
  return pmu;
}

TEST_F(SocCross, clocks_count_alike_from_wherever_a_counter_starts_to_wherever_it_ends) {
  const soc::PmuDescription described = clocks_description();
  constexpr std::uint64_t kClock = 20'000'000;
  constexpr Picoseconds kHalfPeriod = 25'000;
  const ClockDomain clock("clock", kClock);
  const ExactClock its_clock(kClock);
  soc::DescribedPmu pmu("pmu", described, clock, {&first, &second});
  testing::Initiator cpu("cpu");
  cpu.socket.bind(pmu.socket(0));
  const auto wires = std::make_shared<SocWires>(2);
  wires->keep_lasting(0);
  std::uint64_t sum = 0;
  std::uint64_t raw = 0;
  run([&] {
    for (unsigned round = 0; round < 400; ++round) {
      // In every other round, edges, events and accesses fall on the same instants.
      const auto wait = [&](Picoseconds most) {
        testing::advance(round % 2 == 0 ? draw(most) : draw(most / kHalfPeriod) * kHalfPeriod);
      };
      std::vector<std::unique_ptr<EventTruth>> truths;
      cpu.put32(kPmcr, 6);
      for (unsigned counter = 0; counter < kCounters; ++counter) {
        const std::uint64_t event = 1 + draw(2);
        const std::uint64_t filter = draw(2) == 0 ? 0x100 : (1 + draw(0xe)) | draw(1) << 8;
        cpu.put32(kPmevtyper + std::uint64_t{4} * counter, static_cast<std::uint32_t>(event));
        cpu.put32(kPmevfiltr + std::uint64_t{4} * counter, static_cast<std::uint32_t>(filter));
        const SocMeaning meaning = soc_meaning({{"event", event}, {"filter", filter}}, described, sources);
        EXPECT_TRUE(meaning.is_of_clocks());
        if (meaning.kind == SocMeaning::Kind::outstanding) {
          truths.push_back(std::make_unique<BusyTruth>(meaning, 0, wires, its_clock));
        } else {
          truths.push_back(std::make_unique<ClockTruth>(meaning, 0, wires, its_clock));
        }
      }
      const auto happen = [&](std::uint64_t times) {
        for (; times > 0; --times) {
          wait(75'000);
          Occurrence occurrence;
          occurrence.attributes[2] = draw(9);
          occurrence.repeat = 1 + draw(2);
          occurrence.duration = draw(3) == 0 ? 0 : draw(8) * kHalfPeriod;
          first.happen(occurrence, testing::now());
          wires->tell(0, occurrence, testing::now());
          raw += occurrence.repeat;
        }
      };
      happen(draw(4));
      wait(100'000);
      cpu.put32(kPmcntenset, 0xf);
      cpu.put32(kPmcr, 1);
      std::vector<Mark> begins;
      for (const auto& truth : truths) begins.push_back(truth->mark(testing::now()));
      happen(draw(draw(1) == 0 ? 2 : 40));
      wait(100'000);
      for (unsigned counter = 0; counter < kCounters; ++counter) {
        const Mark end = truths[counter]->mark(testing::now());
        const std::uint64_t expected = truths[counter]->count({begins[counter], end});
        ASSERT_EQ(cpu.get64(std::uint64_t{8} * counter), expected)
            << "round " << round << ", " << truths[counter]->text();
        truths[counter]->forget(end);
        sum += expected;
      }
      cpu.put32(kPmcr, 0);
      cpu.put32(kPmcntenclr, 0xf);
    }
  });
  EXPECT_GT(sum, 1'000U);
  EXPECT_GT(raw, 2 * sum / kCounters) << "hardly any threshold mattered";
}

}  // namespace
}  // namespace pmufab::scoreboard::soc_cross_test
