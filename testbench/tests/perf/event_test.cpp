// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/perf/event_syntax.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/perf/software_events.h"

namespace pmufab::perf::event_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const EventError& error) {
    return error.what();
  }
  return "no error";
}

/// Two PMUs as drivers publish them. Contents of sysfs files end in a newline.
PmuCatalog catalog() {
  using Files = std::vector<std::pair<std::string, std::string>>;
  const Files ucf = {{"format/event", "config:0-32\n"},
                     {"format/src_loc_cpu", "config1:1\n"},
                     {"format/src_rem", "config1:2\n"},
                     {"format/dst_loc_cmem", "config1:8\n"},
                     {"format/split", "config1:16,18-20\n"},
                     {"format/wide", "config2:0-63\n"},
                     {"events/slc_hit_rd", "event=0x119\n"},
                     {"events/slc_access_rd", "event=0x111\n"},
                     {"events/cycles", "event=0x100000000\n"},
                     {"events/both", "event=0x1,src_rem=1\n"},
                     {"events/odd", "nothing=1\n"},
                     {"cpumask", "4\n"},
                     {"identifier", "x\n"}};
  const Files cmem = {{"format/event", "config:0-1\n"}, {"events/rd_req", "event=0x1\n"}, {"cpumask", "0\n"}};
  return PmuCatalog(
      {{"nvidia_ucf_pmu_1", 9, ucf}, {"nvidia_ucf_pmu_0", 8, ucf}, {"nvidia_cmem_latency_pmu_0", 10, cmem}});
}

ResolvedEvent one(const std::string& text) {
  const std::vector<ResolvedGroup> groups = catalog().resolve(text);
  EXPECT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups.front().events.size(), 1U);
  return groups.front().events.front();
}

TEST(EventSyntax, commas_separate_events_and_braces_group_them) {
  const auto groups = parse_events("a/x/, {a/y,z=1/,b/w/}:u ,c//");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_FALSE(groups[0].braces);
  EXPECT_TRUE(groups[1].braces);
  ASSERT_EQ(groups[1].events.size(), 2U);
  EXPECT_EQ(groups[1].events[0].text, "a/y,z=1/");
  EXPECT_EQ(groups[1].events[0].terms[1].value, "1");
  EXPECT_EQ(groups[1].events[1].modifiers, "u");
  EXPECT_TRUE(groups[2].events[0].terms.empty());
}

TEST(EventSyntax, mistakes_are_pointed_at) {
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("")); }), HasSubstr("there is no event"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("cycles")); }), HasSubstr("'cycles' names no PMU"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("a/x")); }),
              HasSubstr("the closing '/' of this event is missing"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("{a/x/,b/y/")); }), HasSubstr("this brace is not closed"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("{a/x/,{b/y/}}")); }), HasSubstr("groups do not nest"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("a/x/}")); }), HasSubstr("was not opened"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("a/x=/")); }), HasSubstr("has no value after '='"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("a/x,/")); }), HasSubstr("a term is missing"));
  EXPECT_THAT(error_of([] { static_cast<void>(parse_events("a/x/,")); }), HasSubstr("an event is missing"));
  try {
    static_cast<void>(parse_events("a/x/ b/y/"));
    FAIL();
  } catch (const EventError& error) {
    EXPECT_EQ(error.position(), 5U);
    EXPECT_EQ(error.picture(),
              "event syntax error: 'a/x/ b/y/'\n"
              "                          \\___ expected ',' before 'b/y/'");
  }
}

TEST(EventSyntax, a_long_text_is_cut_around_the_mistake) {
  const std::string longer(70'000, 'x');
  try {
    static_cast<void>(parse_events(longer + "/a/ b/y/" + longer));
    FAIL();
  } catch (const EventError& error) {
    EXPECT_LT(error.picture().size(), 1000U);
    EXPECT_THAT(error.picture(), HasSubstr("x/a/ b/y/xxx"));
    EXPECT_LT(std::string(error.what()).size(), 1000U);
  }
}

TEST(PmuCatalog, what_a_driver_publishes_cannot_steer_a_terminal) {
  const PmuCatalog catalog({{.name = "pmu\x1b[31m", .type = 1, .files = {{"events/a\x07", "event=\x9b\n"}}}});
  ASSERT_EQ(catalog.entries().size(), 1U);
  EXPECT_EQ(catalog.entries()[0].name, "pmu\\x1b[31m");
  EXPECT_EQ(catalog.entries()[0].events.at(0).name, "a\\x07");
  EXPECT_EQ(catalog.entries()[0].events.at(0).definition, "event=\\x9b");
}

TEST(TermFormat, bits_may_be_ranges_lists_or_single) {
  const TermFormat format = parse_format("config1:0,2-5").value();
  EXPECT_EQ(format.word, TermFormat::Word::config1);
  EXPECT_THAT(format.bits, ElementsAre(0, 2, 3, 4, 5));
  EXPECT_EQ(format.maximum(), 31U);
  std::uint64_t word = 0x80;
  format.place(0x13, word);  // bits 0, 1 and 4 of the value
  EXPECT_EQ(word, 0x80U | 1U | 4U | 32U);
  EXPECT_EQ(parse_format("config2:0-63").value().maximum(), ~std::uint64_t{0});
  for (const char* text : {"", "config", "config:", "config3:1", "config:64", "config:5-3", "config:a", "config:0,"})
    EXPECT_FALSE(parse_format(text)) << text;
}

TEST(PmuCatalog, named_events_and_terms_fill_the_published_bits) {
  const ResolvedEvent event = one("nvidia_ucf_pmu_0/slc_hit_rd,src_loc_cpu=1,dst_loc_cmem/");
  EXPECT_EQ(event.attributes.type, 8U);
  EXPECT_EQ(event.attributes.config, 0x119U);
  EXPECT_EQ(event.attributes.config1, 0x102U);
  EXPECT_EQ(event.cpu, 4U);
  ASSERT_EQ(event.terms.size(), 3U);
  EXPECT_EQ(event.terms[0].name, "slc_hit_rd");
  EXPECT_FALSE(event.terms[0].value);
  EXPECT_EQ(event.terms[2].value, 1U);
  EXPECT_EQ(one("nvidia_ucf_pmu_1/event=0x111,split=0xb/").attributes.config1, 1U << 16 | 1U << 18 | 1U << 20);
  EXPECT_EQ(one("nvidia_ucf_pmu_0/both/").attributes.config1, 4U);
  EXPECT_EQ(one("nvidia_ucf_pmu_0/cycles/").attributes.config, std::uint64_t{1} << 32);
  EXPECT_EQ(one("nvidia_ucf_pmu_0/config=0x111,config1=0xf07,config2=3/").attributes.config2, 3U);
  EXPECT_EQ(one("nvidia_ucf_pmu_0/slc_hit_rd,name=hits/").text, "hits");
  EXPECT_TRUE(one("nvidia_ucf_pmu_0/slc_hit_rd/u").attributes.exclude_kernel);
}

TEST(PmuCatalog, wildcards_stand_for_every_pmu_they_match) {
  const auto groups = catalog().resolve("nvidia_ucf_pmu_*/cycles/");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].events[0].text, "nvidia_ucf_pmu_0/cycles/");
  EXPECT_EQ(groups[1].events[0].text, "nvidia_ucf_pmu_1/cycles/");
  const auto braced = catalog().resolve("{nvidia_ucf_pmu_?/cycles/,nvidia_ucf_pmu_?/slc_hit_rd/}");
  ASSERT_EQ(braced.size(), 2U);
  EXPECT_EQ(braced[1].events[1].pmu, "nvidia_ucf_pmu_1");
}

TEST(PmuCatalog, software_events_have_the_cpu_of_their_group) {
  const auto groups =
      catalog().resolve("{task-clock:u,nvidia_ucf_pmu_*/cycles/},{nvidia_ucf_pmu_0/cycles/,cpu-clock},cpu-clock");
  ASSERT_EQ(groups.size(), 4U);
  const ResolvedEvent& leader = groups[1].events.at(0);
  EXPECT_EQ(leader.text, "task-clock");
  EXPECT_EQ(leader.pmu, kSoftwarePmu);
  EXPECT_EQ(leader.attributes.type, 1U);
  EXPECT_EQ(leader.attributes.config, 1U);
  EXPECT_TRUE(leader.attributes.exclude_kernel);
  EXPECT_EQ(groups[1].events.at(1).pmu, "nvidia_ucf_pmu_1");
  EXPECT_EQ(leader.cpu, groups[1].events.at(1).cpu);
  EXPECT_EQ(groups[2].events.at(1).attributes.config, 0U);
  EXPECT_EQ(groups[2].events.at(1).cpu, 4U);
  EXPECT_EQ(groups[3].events.at(0).cpu, 0U);
  EXPECT_THAT(error_of([] { one("software/page-faults/"); }), HasSubstr("write task-clock or cpu-clock"));
}

TEST(PmuCatalog, unknown_names_come_with_near_matches) {
  EXPECT_THAT(error_of([] { one("nvidia_ufc_pmu_0/cycles/"); }),
              AllOf(HasSubstr("there is no PMU 'nvidia_ufc_pmu_0'"), HasSubstr("did you mean 'nvidia_ucf_pmu_0'")));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/slc_acess_rd/"); }),
              AllOf(HasSubstr("unknown event or term 'slc_acess_rd' for PMU 'nvidia_ucf_pmu_0'"),
                    HasSubstr("did you mean 'slc_access_rd'")));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/slc_access_rd,src_lok_cpu=1/"); }),
              AllOf(HasSubstr("unknown term 'src_lok_cpu'"), HasSubstr("did you mean 'src_loc_cpu'")));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/zzzzzzzz/"); }), HasSubstr("valid here are 'both', 'cycles'"));
}

// As in perf, whose terms are compared to the letter.
TEST(PmuCatalog, the_case_of_an_event_s_name_does_not_matter) {
  EXPECT_EQ(one("nvidia_ucf_pmu_0/SLC_Access_rd/").attributes.config,
            one("nvidia_ucf_pmu_0/slc_access_rd/").attributes.config);
  EXPECT_EQ(one("nvidia_ucf_pmu_0/SLC_Access_rd/").terms.at(0).name, "slc_access_rd");
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/slc_access_rd,Src_loc_cpu=1/"); }),
              HasSubstr("unknown term 'Src_loc_cpu'"));
}

TEST(PmuCatalog, a_value_that_does_not_fit_its_format_is_refused) {
  EXPECT_THAT(error_of([] { one("nvidia_cmem_latency_pmu_0/event=4/"); }),
              HasSubstr("value too big for format (event=config:0-1), maximum is 0x3"));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/slc_hit_rd,src_rem=2/"); }), HasSubstr("maximum is 0x1"));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/event=0x1ffffffffffffffff/"); }), HasSubstr("is not a number"));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/event=fast/"); }), HasSubstr("'fast' is not a number"));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/event/"); }), HasSubstr("no value assigned for term 'event'"));
  EXPECT_THAT(error_of([] { one("nvidia_ucf_pmu_0/slc_hit_rd/p"); }), HasSubstr("unknown modifier 'p'"));
}

TEST(PmuCatalog, what_a_driver_publishes_wrongly_is_said) {
  EXPECT_THAT(
      error_of([] { one("nvidia_ucf_pmu_0/odd/"); }),
      AllOf(HasSubstr("the driver publishes nvidia_ucf_pmu_0/events/odd"), HasSubstr("it has no format 'nothing'")));
}

TEST(PmuCatalog, a_format_that_is_none_is_told_and_costs_its_own_term_alone) {
  const PmuCatalog odd({{"odd",
                         7,
                         {{"format/event", "config:0-7\n"},
                          {"format/wide", "config3:0-15\n"},
                          {"events/reads", "event=0x11\n"},
                          {"events/wide_reads", "event=0x11,wide=0x2\n"}}}});
  const std::string wrong = "the driver publishes odd/format/wide as 'config3:0-15', which is not a format";
  EXPECT_THAT(odd.warnings(), ElementsAre(wrong));
  EXPECT_THAT(error_of([&] { static_cast<void>(odd.resolve("odd/event=1,wide=2/")); }), HasSubstr(wrong));
  EXPECT_THAT(error_of([&] { static_cast<void>(odd.resolve("odd/wide_reads/")); }),
              HasSubstr("its format 'wide' is 'config3:0-15', which is none"));
  EXPECT_EQ(odd.resolve("odd/reads/").at(0).events.at(0).attributes.config, 0x11U);
  EXPECT_THAT(catalog().warnings(), ElementsAre());
}

TEST(CpuList, ranges_and_single_numbers) {
  EXPECT_THAT(parse_cpu_list("0-2,8\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_TRUE(parse_cpu_list("\n").empty());
  EXPECT_TRUE(parse_cpu_list("x").empty());
}

}  // namespace
}  // namespace pmufab::perf::event_test
