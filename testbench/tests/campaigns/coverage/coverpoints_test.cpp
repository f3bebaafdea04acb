// SPDX-License-Identifier: Apache-2.0
// Which bins there are: what the driver publishes, and what the platform is.
#include "testbench/campaigns/coverage/coverpoints.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/cxl/part/cxl_spec.h"
#include "models/soc/part/soc_rows.h"
#include "models/tegra410/part/tegra410_spec.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "testbench/fabrics/fabric_kinds.h"

namespace pmufab::coverage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

/// A driver that publishes two names of one event, a wide filter and a narrow one.
perf::PmuCatalog catalog() {
  return perf::PmuCatalog({{.name = "toy_pmu_3",
                            .type = 8,
                            .files = {{"events/reads", "event=0x1"},
                                      {"events/loads", "event=0x1"},
                                      {"events/stalls", "event=0x2"},
                                      {"format/event", "config:0-7"},
                                      {"format/source", "config1:0-3"},
                                      {"format/remote", "config1:4"},
                                      {"cpumask", "0"}}}});
}

PublishedEvents published() {
  return {{{"reads", "reads"}, {"loads", "reads"}, {"stalls", "stalls"}}, {{"stalls", "nothing stalls"}}};
}

TEST(Coverpoints, bins_come_from_what_the_driver_publishes) {
  Coverage coverage;
  PmuFacts facts;
  facts.kind = "toy_pmu_*";
  declare(coverage, facts, catalog().entries().front(), published());
  const Coverage::Points& points = coverage.kinds().at("toy_pmu_*");
  EXPECT_THAT(points.at(kEvent), ElementsAre(std::pair("reads", 0U)));
  EXPECT_THAT(points.at(kEventByUse),
              UnorderedElementsAre(Key("reads x alone"), Key("reads x in a group"), Key("reads x multiplexed")));
  EXPECT_THAT(points.at(kEventByFilter), UnorderedElementsAre(Key("reads x source"), Key("reads x remote")));
  EXPECT_THAT(points.at(filter_point("source")),
              UnorderedElementsAre(Key("0"), Key("1"), Key("some"), Key("all ones")));
  EXPECT_THAT(points.at(filter_point("remote")), UnorderedElementsAre(Key("0"), Key("1")));
  EXPECT_THAT(points, Not(Contains(Key(filter_point("event")))));
  EXPECT_THAT(points, Not(Contains(Key(kWrap)))) << "nobody sees its counters wrap";
  EXPECT_THAT(coverage.uncaused().at("toy_pmu_*"), ElementsAre(std::pair("stalls", "nothing stalls")));
}

TEST(Coverpoints, without_filters_nothing_is_opened_again_with_another_filter) {
  const auto life_cycle = [](const char* format) {
    Coverage coverage;
    PmuFacts facts;
    facts.kind = "toy_pmu_*";
    const perf::PmuCatalog catalog(
        {{.name = "toy_pmu_3", .type = 8, .files = {{"events/reads", "event=0x1"}, {format, "config:0-7"}}}});
    declare(coverage, facts, catalog.entries().front(), {{{"reads", "reads"}}, {}});
    return coverage.kinds().at("toy_pmu_*").at(kLifeCycle);
  };
  EXPECT_THAT(life_cycle("format/source"), Contains(Key("reopened with another filter")));
  EXPECT_THAT(life_cycle("format/event"), Not(Contains(Key("reopened with another filter"))));
  EXPECT_THAT(life_cycle("format/event"), Contains(Key("open refused")));
}

TEST(Coverpoints, the_filters_of_a_cpmu_apply_to_some_groups_of_events) {
  platform::PlatformSpec spec;
  spec.edit<platform::CxlSpec>().devices.emplace_back().cpmus.resize(1);
  const PmuFacts facts = facts_of(spec, "cxl_pmu_mem0.0");
  const auto of = [&](const char* definition) {
    std::vector<std::string> filters;
    const perf::PmuCatalog::Event event{"event", definition};
    for (const char* const format : {"threshold", "invert", "edge", "hdm", "hdm_filter_en", "crb", "crb_filter_en"}) {
      if (is_filter_of(facts, event, format)) filters.emplace_back(format);
    }
    return filters;
  };
  EXPECT_THAT(of("config=0x1e98000000000001"), ElementsAre("threshold", "invert", "edge"));
  EXPECT_THAT(of("config=0x1e98002500000001"), ElementsAre("threshold", "invert", "edge", "hdm", "hdm_filter_en"));
  EXPECT_THAT(of("config=0x1e98800300000001"), ElementsAre("threshold", "invert", "edge", "crb", "crb_filter_en"));
  EXPECT_THAT(of("config=0x1e98800400000001"), ElementsAre("threshold", "invert", "edge"));
}

TEST(Coverpoints, a_filter_of_a_mesh_has_a_meaning_for_its_events_alone) {
  platform::PlatformSpec spec;
  spec.edit<platform::CmnMeshesSpec>().meshes.emplace_back();
  const PmuFacts facts = facts_of(spec, "arm_cmn_0");
  const auto of = [&](const char* name, const char* definition) {
    std::vector<std::string> filters;
    for (const char* const format : {"type", "eventid", "occupid", "bynodeid", "nodeid", "wp_val"}) {
      if (is_filter_of(facts, {name, definition}, format)) filters.emplace_back(format);
    }
    return filters;
  };
  EXPECT_THAT(of("hnf_cache_miss", "type=0x5,eventid=0x1"), ElementsAre("bynodeid"));
  EXPECT_THAT(of("watchpoint_up", "type=0x7770,eventid=0x0,wp_dev_sel=?"), ElementsAre("bynodeid", "wp_val"));
  EXPECT_THAT(of("dtc_cycles", "type=0x3"), IsEmpty());
}

TEST(Coverpoints, values_and_counts_have_classes) {
  EXPECT_EQ(value_class(0, 1), "0");
  EXPECT_EQ(value_class(1, 1), "1");
  EXPECT_EQ(value_class(2, 15), "some");
  EXPECT_EQ(value_class(15, 15), "all ones");
  EXPECT_EQ(count_class(1), "below 2^16");
  EXPECT_EQ(count_class(0xffff), "below 2^16");
  EXPECT_EQ(count_class(0x1'0000), "2^16 to 2^32");
  EXPECT_EQ(count_class(std::uint64_t{1} << 32), "2^32 to 2^48");
  EXPECT_EQ(count_class(~std::uint64_t{0}), "2^48 and more");
}

MmioBus::BusAccess write(std::uint64_t address, std::uint64_t data = 0) {
  return {.when = 0, .address = address, .data = data, .length = 4, .is_write = true, .ok = true};
}

TEST(PmuFacts, a_coresight_pmu_is_known_by_the_platform) {
  platform::PlatformSpec spec;
  spec.sockets = 2;
  spec.edit<platform::Tegra410Spec>().ucf_pmu = {
      .counters = 9, .width = 40, .atomic_64bit = false, .dual_page = true, .interrupt = false};
  const PmuFacts facts = facts_of(spec, "nvidia_ucf_pmu_1");
  EXPECT_EQ(facts.kind, "nvidia_ucf_pmu_*");
  EXPECT_EQ(facts.wiring, kNoInterrupt);
  EXPECT_THAT(facts.topology, UnorderedElementsAre("2 sockets", "two pages", "counters read in two halves",
                                                   "with a cycle counter", "more than 8 counters"));
  EXPECT_THAT(facts.topologies, Contains("4 sockets"));
  EXPECT_THAT(facts.places, ElementsAre("platform.socket1.ucf_pmu"));
  EXPECT_EQ(facts.width_of("slc_access_rd"), "33 to 63 bits");
  // PMCNTENSET, by the base of socket 1: counter 7 is the last of eight, and 31 counts cycles.
  const std::uint64_t enable =
      (std::uint64_t{1} << platform::default_map::kSocketShift) + platform::default_map::kUcfPmuPage0 + 0xc00;
  EXPECT_EQ(facts.counter_written(write(enable, 1U << 7)), (CounterPlace{0, 7}));
  EXPECT_EQ(facts.position({}, 7), "last");
  EXPECT_EQ(facts.position({}, 6), "middle");
  EXPECT_EQ(facts.position({}, 0), "first");
  EXPECT_EQ(facts.counter_written(write(enable, 1U << 31)), (CounterPlace{0, 31}));
  EXPECT_EQ(facts.position({}, 31), std::nullopt);
  EXPECT_EQ(facts.counter_written(write(enable + 0x20, 1)), std::nullopt);
  MmioBus::BusAccess read = write(enable, 1);
  read.is_write = false;
  EXPECT_EQ(facts.counter_written(read), std::nullopt);
}

TEST(PmuFacts, a_described_pmu_is_known_by_its_description) {
  platform::PlatformSpec spec;
  spec.sockets = 2;
  soc::PmuDescription& pmu = spec.edit<platform::SocSpec>().pmus.emplace_back();
  pmu.name = "noc";
  pmu.perf_name = "noc_pmu_{socket}";
  pmu.base = 0x4000'0000;
  pmu.page1 = 0x4000'1000;
  pmu.counters = 9;
  pmu.width = 36;
  pmu.atomic_64bit = false;
  pmu.interrupt = soc::InterruptDescription{.number = 90, .trigger = InterruptTrigger::level, .shared = true};
  const PmuFacts facts = facts_of(spec, "noc_pmu_1");
  EXPECT_EQ(facts.kind, "noc_pmu_*");
  EXPECT_EQ(facts.wiring, "a line that others share");
  EXPECT_THAT(facts.topology, UnorderedElementsAre("32-bit layout", "two pages", "counters read in two halves",
                                                   "with a cycle counter"));
  EXPECT_THAT(facts.topologies, Contains("64-bit layout"));
  EXPECT_THAT(facts.places, ElementsAre("platform.socket1_noc"));
  EXPECT_EQ(facts.width_of("reads"), "33 to 63 bits");
  // PMCNTENSET, by the base of socket 1: two words of 32 bits, or one of 64.
  const std::uint64_t enable = (std::uint64_t{1} << platform::default_map::kSocketShift) + 0x4000'0000 + 0xc00;
  EXPECT_EQ(facts.counter_written(write(enable, 1U << 7)), (CounterPlace{0, 7}));
  EXPECT_EQ(facts.counter_written(write(enable + 4, 1U << 3)), (CounterPlace{0, 35}));
  EXPECT_EQ(facts.counter_written(write(enable + 0x10, 1)), std::nullopt);
  EXPECT_EQ(facts.position({}, 7), "last");
  pmu.is_64bit = true;
  pmu.interrupt.reset();
  const PmuFacts wide = facts_of(spec, "noc_pmu_0");
  EXPECT_EQ(wide.wiring, kNoInterrupt);
  EXPECT_THAT(wide.topology, Contains("64-bit layout"));
}

TEST(PmuFacts, kinds_leave_out_the_numbers_of_places) {
  const platform::PlatformSpec spec = platform::tegra410_platform();
  EXPECT_EQ(facts_of(spec, "nvidia_pcie_pmu_0_rc_5").kind, "nvidia_pcie_pmu_*_rc_*");
  EXPECT_EQ(facts_of(spec, "nvidia_nvlink_c2c_pmu_1").kind, "nvidia_nvlink_c2c_pmu_*");
  EXPECT_EQ(facts_of(spec, "cxl_pmu_mem12.0").kind, "cxl_pmu_mem*.*");
  EXPECT_EQ(facts_of(spec, "some_pmu").kind, "some_pmu");
}

TEST(PmuFacts, a_mesh_is_known_by_its_product_shape_and_lines) {
  platform::PlatformSpec spec;
  platform::CmnSpec& mesh = spec.edit<platform::CmnMeshesSpec>().meshes.emplace_back();
  mesh.topology.product = cmn::Product::cmn650;
  mesh.topology.columns = 1;
  mesh.topology.rows = 3;
  mesh.topology.dtcs = 2;
  mesh.topology.crosspoints.resize(3);
  mesh.topology.crosspoints[0].dtc_domain = 1;
  mesh.topology.crosspoints[0].nodes.push_back({.type = cmn::NodeType::dtc});
  mesh.topology.crosspoints[2].nodes.push_back({.type = cmn::NodeType::dtc});
  mesh.interrupts = {0, 0};
  const PmuFacts facts = facts_of(spec, "arm_cmn_0");
  EXPECT_EQ(facts.kind, "arm_cmn_* (CMN-650)");
  EXPECT_THAT(facts.topology, UnorderedElementsAre("a single line", "2 DTCs", "DTCs in another order than their nodes",
                                                   "one DTM for a crosspoint", "revision 0"));
  EXPECT_EQ(facts.wiring, "DTCs share a line");
  ASSERT_EQ(facts.registers.size(), 2U);
  EXPECT_EQ(facts.counter_written(write(facts.registers[1] + 0x34)), (CounterPlace{1, 7}));
  EXPECT_EQ(facts.counter_written(write(facts.registers[0] + 0x40)), (CounterPlace{0, facts.cycle_counter.value()}));
  EXPECT_EQ(facts.counter_written(write(facts.registers[0] + 0x100)), std::nullopt);
}

TEST(PmuFacts, a_cpmu_is_known_by_its_device) {
  platform::PlatformSpec spec;
  platform::CxlDeviceSpec& device = spec.edit<platform::CxlSpec>().devices.emplace_back();
  device.cpmus.resize(2);
  device.cpmus[0].parameters.counters.resize(40);
  device.cpmus[0].parameters.message_number = 3;
  device.cpmus[1].parameters.counters.resize(1);
  device.cpmus[1].parameters.message_number = 3;
  device.cpmus[1].parameters.width = 64;
  const PmuFacts first = facts_of(spec, "cxl_pmu_mem0.0");
  EXPECT_EQ(first.kind, "cxl_pmu_mem*.*");
  EXPECT_THAT(first.topology, UnorderedElementsAre("below a root port", "more than 32 counters", "neither filter"));
  EXPECT_EQ(first.wiring, "a shared message");
  EXPECT_EQ(first.counter_written(write(0x20'0012'3000 + 0x200 + 8 * 39)), (CounterPlace{0, 39}));
  EXPECT_EQ(first.position({}, 39), "last");
  EXPECT_EQ(first.counter_written(write(0x20'0012'3000 + 0x400)), std::nullopt) << "a filter register";
  const PmuFacts second = facts_of(spec, "cxl_pmu_mem0.1");
  EXPECT_THAT(second.topology, Contains("one counter"));
  EXPECT_EQ(second.width_of("h2d_req_rdcurr"), "64 bits");
  EXPECT_THAT(facts_of(spec, "cxl_pmu_mem0.2").topologies, IsEmpty()) << "there is none";
}

}  // namespace
}  // namespace pmufab::coverage
