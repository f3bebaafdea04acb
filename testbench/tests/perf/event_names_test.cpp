// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "testbench/perf/event_names.h"

namespace pmufab::perf {
namespace {

/// Two PMUs like the kernel's. One has event numbers in one field, the other in several fields that together make one.
const std::vector<Pmu> kPmus{
    {"plain",
     7,
     {{"format/event", "config:0-7\n"},
      {"format/filter", "config1:0-3\n"},
      {"format/split", "config1:8,12-13\n"},
      {"events/reads", "event=0x11\n"},
      {"events/nothing", "event=0x0\n"},
      {"cpumask", "2\n"}}},
    {"mesh",
     9,
     {{"format/type", "config:0-15\n"},
      {"format/eventid", "config:16-26\n"},
      {"format/occupid", "config:27-30\n"},
      {"format/bynodeid", "config:31\n"},
      {"format/nodeid", "config:32-47\n"},
      {"events/hit", "type=0x5,eventid=0x1\n"},
      {"events/occupancy_all", "type=0x5,eventid=0xf,occupid=0x0\n"},
      {"events/occupancy_read", "type=0x5,eventid=0xf,occupid=0x1\n"},
      {"events/watch", "type=0x7770\n"}}},
    {"words", 11, {{"format/mask", "config:0-31\n"}, {"events/ticks", "config=0x1e98001000000001\n"}}}};

class EventNamesTest : public ::testing::Test {
 protected:
  std::string text(const PerfAttributes& attributes) const { return names.name(attributes)->text; }

  const PmuCatalog catalog{kPmus};
  const EventNames names{catalog};
};

TEST_F(EventNamesTest, a_number_the_driver_has_a_name_for_is_called_by_it) {
  EXPECT_EQ(text({.type = 7, .config = 0x11}), "plain/reads/");
  EXPECT_EQ(text({.type = 7, .config = 0}), "plain/nothing/");
}

TEST_F(EventNamesTest, other_terms_stand_behind_the_name_with_their_values) {
  const ResolvedEvent event = *names.name({.type = 7, .config = 0x11, .config1 = 0x3105});
  EXPECT_EQ(event.text, "plain/reads,filter=0x5,split=0x7/");
  EXPECT_EQ(event.pmu, "plain");
  EXPECT_EQ(event.cpu, 2U);
  ASSERT_EQ(event.terms.size(), 3U);
  // The scoreboard gets numbers: what a driver calls an event decides nothing.
  EXPECT_EQ(event.terms[0].name, "event");
  EXPECT_EQ(event.terms[0].value, 0x11U);
  EXPECT_EQ(event.terms[2].name, "split");
  EXPECT_EQ(event.terms[2].value, 7U);
}

TEST_F(EventNamesTest, a_number_without_a_name_is_told_even_if_it_is_the_only_thing) {
  EXPECT_EQ(text({.type = 7, .config = 0x12}), "plain/event=0x12/");
  EXPECT_EQ(text({.type = 9, .config = 0x3}), "mesh/eventid=0x0,type=0x3/");
}

TEST_F(EventNamesTest, of_several_names_the_one_that_says_most_is_taken) {
  EXPECT_EQ(text({.type = 9, .config = 0x080f'0005}), "mesh/occupancy_read/");
  EXPECT_EQ(text({.type = 9, .config = 0xf'0005}), "mesh/occupancy_all/");
  EXPECT_EQ(text({.type = 9, .config = 0xf'0005 | 0x1000'0000}), "mesh/eventid=0xf,occupid=0x2,type=0x5/");
  EXPECT_EQ(text({.type = 9, .config = 0x84'8001'0005}), "mesh/hit,bynodeid=0x1,nodeid=0x84/");
}

TEST_F(EventNamesTest, bits_that_belong_to_no_term_are_told_as_a_whole_word) {
  EXPECT_EQ(text({.type = 7, .config = 0x11, .config1 = 0x80, .config2 = 5}), "plain/reads,config1=0x80,config2=0x5/");
  EXPECT_EQ(text({.type = 11, .config = 0x1e98'0010'0000'0001}), "words/ticks/");
}

TEST_F(EventNamesTest, bits_of_a_format_that_is_none_are_told_as_a_whole_word) {
  const PmuCatalog odd({{"odd",
                         7,
                         {{"format/event", "config:0-7\n"},
                          {"format/wide", "config3:0-15\n"},
                          {"events/reads", "event=0x11\n"},
                          {"events/wide_reads", "event=0x11,wide=0x2\n"}}}});
  EXPECT_EQ(EventNames(odd).name({.type = 7, .config = 0x111})->text, "odd/reads,config=0x100/");
}

TEST_F(EventNamesTest, of_fields_that_share_bits_the_kind_of_event_decides) {
  const std::vector<Pmu> pmus{{"mesh",
                               9,
                               {{"format/type", "config:0-15\n"},
                                {"format/filter", "config:27-30\n"},
                                {"format/filter2", "config:48-51\n"},
                                {"format/wp_combine", "config:27-30\n"},
                                {"format/wp_dev_sel", "config:48-50\n"},
                                {"format/wp_chn_sel", "config:51-55\n"}}}};
  const PmuCatalog mesh(pmus);
  const EventNames of_kind(mesh,
                           [](const std::string& pmu, std::string_view term, const scoreboard::EventTerms& numbers) {
                             EXPECT_EQ(pmu, "mesh");
                             EXPECT_EQ(numbers.size(), 1U);  // the others share bits
                             return term.starts_with("wp_") == (numbers.front().value == 0x7770);
                           });
  const std::uint64_t bits = 0x1ULL << 48 | 0x3ULL << 51 | 0x1ULL << 27;
  EXPECT_EQ(of_kind.name({.type = 9, .config = bits | 0x7770})->text,
            "mesh/type=0x7770,wp_chn_sel=0x3,wp_combine=0x1,wp_dev_sel=0x1/");
  EXPECT_EQ(of_kind.name({.type = 9, .config = bits | 0x5})->text,
            "mesh/filter=0x1,filter2=0x9,type=0x5,config=0x10000000000000/");
}

TEST_F(EventNamesTest, a_type_no_pmu_has_gets_no_name) { EXPECT_FALSE(names.name({.type = 4, .config = 1})); }

TEST_F(EventNamesTest, the_words_mean_the_numbers_they_were_made_from) {
  for (const std::string written :
       {"plain/reads,filter=3/", "plain/event=0x42,split=5/", "mesh/occupancy_read,bynodeid=1,nodeid=0x10/",
        "mesh/type=0x5,eventid=0x7/", "mesh/watch,nodeid=8/"}) {
    const PerfAttributes meant = catalog.resolve(written).front().events.front().attributes;
    const PerfAttributes back = catalog.resolve(text(meant)).front().events.front().attributes;
    EXPECT_EQ(back.config, meant.config) << written << " became " << text(meant);
    EXPECT_EQ(back.config1, meant.config1) << written << " became " << text(meant);
  }
}

}  // namespace
}  // namespace pmufab::perf
