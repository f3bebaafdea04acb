// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/published_tables.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/judge/publication/cmn_publication.h"
#include "testbench/fabrics/cxl/judge/cxl_publication.h"

namespace pmufab::scenario {
namespace {

using scoreboard::Publication;
using scoreboard::Shown;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Files = std::vector<std::pair<std::string, std::string>>;

/// A PMU with a driver of a newer version: the field `more` and the event `new`.
Publication newer() {
  Publication publication;
  publication.fields = {{"event", {{"config:0-7"}}},
                        {"mask", {{"config1:0"}, {"config1:0-1", 612}}},
                        {"more", {{"config2:0-3"}}, Shown::must, 703}};
  publication.events = {{"first", {0x11, 0, 0}},
                        {"second", {0x12, 0, 0}},
                        {"new", {0x13, 0, 0}, Shown::must, 703},
                        {"old", {0x14, 0, 0}, Shown::must, 0, 702},
                        {"absent", {0x15, 0, 0}, Shown::never, 0, 0, "the PMU has no such node"},
                        {"perhaps", {0x16, 0, 0}, Shown::may}};
  publication.files = {{"identifier", "abc01", 612}};
  return publication;
}

Files shown_by_newest() {
  return {{"format/event", "config:0-7\n"}, {"format/mask", "config1:0-1\n"},  {"format/more", "config2:0-3\n"},
          {"events/first", "event=0x11\n"}, {"events/second", "event=0x12\n"}, {"events/new", "event=0x13\n"},
          {"identifier", "abc01\n"}};
}

Files compared(const Publication& expected, const Files& files, scoreboard::LinuxVersion kernel = 0) {
  const perf::PmuCatalog catalog({{"pmu_0", 7, files}});
  return compare_published(expected, catalog.entries().front(), kernel);
}

/// @return the files with another text of one; an empty text leaves it out
Files with(Files files, const std::string& name, const std::string& text) {
  std::erase_if(files, [&](const auto& file) { return file.first == name; });
  if (!text.empty()) files.emplace_back(name, text);
  return files;
}

TEST(PublishedTables, what_must_be_shown_is_right_in_every_version) {
  EXPECT_THAT(compared(newer(), shown_by_newest()), IsEmpty());
  // An older driver: without the new names, with the old one.
  EXPECT_THAT(compared(newer(), {{"format/event", "config:0-7"},
                                 {"format/mask", "config1:0"},
                                 {"events/first", "event=0x11"},
                                 {"events/second", "event=0x12"},
                                 {"events/old", "event=0x14"}}),
              IsEmpty());
}

TEST(PublishedTables, a_changed_driver_may_have_parts_of_later_versions) {
  const Files of_702 = {{"format/event", "config:0-7"},  {"format/mask", "config1:0-1"}, {"events/first", "event=0x11"},
                        {"events/second", "event=0x12"}, {"events/old", "event=0x14"},   {"identifier", "abc01"}};
  EXPECT_THAT(compared(newer(), of_702, 702), IsEmpty());
  // The event of 7.3 without its field, and the field without the event.
  EXPECT_THAT(compared(newer(), with(of_702, "events/new", "event=0x13"), 702), IsEmpty());
  EXPECT_THAT(compared(newer(), with(of_702, "format/more", "config2:0-3"), 702), IsEmpty());
  EXPECT_THAT(compared(newer(), with(of_702, "events/new", "event=0x17"), 702),
              ElementsAre(Pair("events", HasSubstr("new is 'event=0x17', or config=0x17, and must be config=0x13"))));
  EXPECT_THAT(compared(newer(), with(of_702, "events/old", ""), 702), ElementsAre(Pair("events", "lacks old")));
  // That of 7.3 must have all.
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/new", ""), 703),
              ElementsAre(Pair("events", "lacks new")));
}

TEST(PublishedTables, a_corrected_number_or_name_is_right_in_an_older_kernel) {
  Publication publication;
  publication.fields = {{"event", {{"config:0-7"}}}};
  publication.events = {{"swapped", {0x8, 0, 0}, Shown::must, 700},
                        {"swapped", {0x9, 0, 0}, Shown::must, 0, 618},
                        {"right", {0x10, 0, 0}, Shown::must, 700},
                        {"rihgt", {0x10, 0, 0}, Shown::must, 0, 618}};
  const Files of_612 = {
      {"format/event", "config:0-7"}, {"events/swapped", "event=0x9"}, {"events/rihgt", "event=0x10"}};
  const Files mended_name = with(with(of_612, "events/rihgt", ""), "events/right", "event=0x10");
  EXPECT_THAT(compared(publication, of_612, 612), IsEmpty());
  EXPECT_THAT(compared(publication, with(of_612, "events/swapped", "event=0x8"), 612), IsEmpty());
  EXPECT_THAT(compared(publication, mended_name, 612), IsEmpty());
  EXPECT_THAT(compared(publication, mended_name, 702),
              ElementsAre(Pair("events", HasSubstr("swapped is 'event=0x9', or config=0x9, and must be config=0x8"))));
  EXPECT_THAT(compared(publication, with(of_612, "events/rihgt", ""), 612), ElementsAre(Pair("events", "lacks rihgt")));
}

TEST(PublishedTables, other_names_and_notations_are_legal) {
  Files files = with(shown_by_newest(), "events/alias", "event=0x11");
  files = with(files, "events/first_masked", "event=0x11,mask=2");
  files = with(files, "events/first", "config=0x11");
  files = with(files, "format/number", "config:0-7");
  files = with(files, "events/perhaps", "event=0x16");
  EXPECT_THAT(compared(newer(), files), IsEmpty());
}

TEST(PublishedTables, numbers_and_names_of_events_are_compared) {
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/second", "event=0x13")),
              ElementsAre(Pair("events", "second is 'event=0x13', or config=0x13, and must be config=0x12")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/second", "config=0x13")),
              ElementsAre(Pair("events", "second is 'config=0x13' and must be config=0x12")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/first", "")),
              ElementsAre(Pair("events", "lacks first")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/absent", "event=0x15")),
              ElementsAre(Pair("events", "has absent, but the PMU has no such node")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/first", "number=0x11")),
              ElementsAre(Pair("events", HasSubstr("it has no format 'number'"))));
}

TEST(PublishedTables, what_users_of_an_event_must_give_is_theirs) {
  Publication publication = newer();
  publication.events.push_back({"placed", {0x17, 3, 0}});
  EXPECT_THAT(compared(publication, with(shown_by_newest(), "events/placed", "event=0x17,mask=?")), IsEmpty());
  EXPECT_THAT(compared(publication, with(shown_by_newest(), "events/placed", "event=0x18,mask=?")),
              ElementsAre(Pair("events", HasSubstr("placed is 'event=0x18,mask=?'"))));
}

TEST(PublishedTables, fields_are_compared) {
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "format/event", "config:0-6")),
              ElementsAre(Pair("format", "event is 'config:0-6' and must be 'config:0-7'")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "format/more", "")), ElementsAre(Pair("format", "lacks more")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "format/own", "config3:0-9")),
              ElementsAre(Pair("format", HasSubstr("which is no format"))));
}

TEST(PublishedTables, what_the_hardware_does_not_have_is_told) {
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/more_of_it", "event=0x77")),
              ElementsAre(Pair("events", "has more_of_it (config=0x77), but the PMU has no event of that number")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "events/other_absent", "event=0x15")),
              ElementsAre(Pair("events", HasSubstr("has other_absent (config=0x15), but the PMU has no event"))));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "format/further", "config1:8-9")),
              ElementsAre(Pair("format", "has further ('config1:8-9'), where the PMU has no field")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "format/over_it", "config:0-3")),
              ElementsAre(Pair("format", HasSubstr("over_it ('config:0-3')"))))
      << "a part of a field that is there itself";
}

TEST(PublishedTables, events_of_a_cpmu_may_come_together) {
  scoreboard::CxlPmuSpec spec;
  spec.groups = {{scoreboard::kCxlVendor, 0x20}, {0x1234, 0x7}};
  spec.vendor_events = {{0x1234, 0x7, 0}};
  const Publication cpmu = scoreboard::cxl_publication(spec);
  Files shown;
  for (const auto& field : cpmu.fields) {
    if (field.shown != Shown::never) shown.emplace_back("format/" + field.name, field.places.back().text);
  }
  for (const auto& event : cpmu.events) {
    if (event.shown == Shown::must)
      shown.emplace_back("events/" + event.name, fmt::format("config={:#x}", event.words[0]));
  }
  EXPECT_THAT(compared(cpmu, shown), IsEmpty());
  EXPECT_THAT(compared(cpmu, with(shown, "events/both", "vid=0x1e98,gid=0x20,mask=0x6")), IsEmpty());
  EXPECT_THAT(compared(cpmu, with(shown, "events/of_vendor", "vid=0x1234,gid=0x7,mask=0x1")), IsEmpty());
  for (const char* const wrong :
       {"vid=0x1e98,gid=0x20,mask=0x80000002", "vid=0x1234,gid=0x7,mask=0x2", "vid=0x1234,gid=0x8,mask=0x1"})
    EXPECT_THAT(compared(cpmu, with(shown, "events/wrong", wrong)),
                ElementsAre(Pair("events", HasSubstr("but the PMU has no event of that number"))))
        << wrong;
}

TEST(PublishedTables, the_identifier_is_compared) {
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "identifier", "abc02")),
              ElementsAre(Pair("identifier", "is 'abc02' and must be 'abc01'")));
  EXPECT_THAT(compared(newer(), with(shown_by_newest(), "identifier", "")),
              ElementsAre(Pair("identifier", "is missing")));
}

const scoreboard::PublishedEvent* find(const Publication& publication, const std::string& name) {
  const auto found = std::find_if(publication.events.begin(), publication.events.end(),
                                  [&](const auto& event) { return event.name == name; });
  return found == publication.events.end() ? nullptr : &*found;
}

TEST(PublishedTables, a_mesh_offers_events_of_what_it_has) {
  scoreboard::CmnJudgeSpec spec;
  spec.layout = scoreboard::WatchpointLayout::cmn600;
  spec.revision = 6;
  spec.ports_in_use = {1};
  spec.devices = {{cmn::DeviceType::hn_f}};
  spec.nodes.push_back({});  // an HN-F
  const Publication mesh = scoreboard::cmn_publication(spec);
  // Type in bits 15:0, number in 26:16; of a crosspoint, channel, interface and event in 8:5, 4:2 and 1:0.
  EXPECT_EQ(find(mesh, "hnf_cache_miss")->words[0], 0x1'0005U);
  EXPECT_EQ(find(mesh, "hnf_seq_full")->words[0], 0x16'0005U);
  EXPECT_EQ(find(mesh, "hnf_qos_pocq_occupancy_write")->words[0], 0xf'0005U | 2U << 27U);
  EXPECT_EQ(find(mesh, "mxp_p0_dat_txflit_stall")->words[0], 0x6U | (3U << 5U | 4U << 2U | 2U) << 16U);
  EXPECT_EQ(find(mesh, "mxp_p0_dat_txflit_stall")->shown, Shown::must);
  EXPECT_EQ(find(mesh, "mxp_p1_dat_txflit_stall")->shown, Shown::never);
  EXPECT_EQ(find(mesh, "mxp_e_pub_txflit_valid")->shown, Shown::never);
  EXPECT_EQ(find(mesh, "hni_wdb_alloc")->shown, Shown::never);
  EXPECT_EQ(find(mesh, "hnf_class_mc_reqs_class0")->shown, Shown::never);
  EXPECT_EQ(mesh.files.front().text, "43406");
}

TEST(PublishedTables, a_cpmu_offers_events_of_its_capabilities) {
  scoreboard::CxlPmuSpec spec;
  spec.groups = {{scoreboard::kCxlVendor, 0x20}};
  spec.hdm_filter = false;
  const Publication cpmu = scoreboard::cxl_publication(spec);
  EXPECT_EQ(find(cpmu, "m2s_req_memrd")->words[0], 0x1e98'0020'0000'0002U);
  EXPECT_EQ(find(cpmu, "m2s_req_memrd")->shown, Shown::must);
  EXPECT_EQ(find(cpmu, "s2m_ndr_cmp")->shown, Shown::never);
  EXPECT_EQ(find(cpmu, "m2s_req_teupdate")->since, 703U);
  const auto hdm = std::find_if(cpmu.fields.begin(), cpmu.fields.end(), [](const auto& f) { return f.name == "hdm"; });
  EXPECT_EQ(hdm->shown, Shown::never);
}

}  // namespace
}  // namespace pmufab::scenario
