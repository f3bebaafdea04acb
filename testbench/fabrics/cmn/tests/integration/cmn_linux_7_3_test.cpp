// SPDX-License-Identifier: Apache-2.0
// Changes of arm-cmn in Linux 7.3, and what older drivers, and sometimes 7.3 too, do wrong on such meshes.
#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::integration {
namespace {

using cmn::Channel;
using cmn::NodeType;
using cmn::Product;
using cmn::Topology;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ValuesIn;

INSTANTIATE_TEST_SUITE_P(linux, CmnLinux73, ValuesIn(driver_sets_for_cmn_s3()), version_name);

class CmnSeveralDtms : public CmnLinux73 {
 protected:
  /// Count at the device at port 3, which 7.3 counts right.
  void count_at_port_3(bool has_two_dtms) {
    boot([&] {
      const unsigned third = source(NodeType::rn_d, [](const cmn::NodePlace& node) { return node.port == 3; });
      const EventHandle event = start(at("rnid_txreq_flits_total", node_of(third).node_id));
      happen(third, 6, kLocalWrap + 3);
      EXPECT_EQ(finish(event), is_7_3() ? kLocalWrap + 3 : 0);
      const cmn::NodePlace& xp = layout().xp(node_of(third).xp);
      EXPECT_EQ(written(xp, 0xa000 + 0x200 + 0x210, 8).empty(), is_7_3() != has_two_dtms) << "the second DTM";
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnSeveralDtms, ValuesIn(driver_sets_for_cmn_s3()), version_name);

// On CMN S3 r2, bit 59 of info_global shows that an XP has several DTMs. Before it was bit 63, which older drivers
// read. They program DTM 0 for the device at port 3, and DTM 0 does not see it.
// contract A75
TEST_P(CmnSeveralDtms, of_cmn_s3_r2_are_told_by_bit_59) {
  spec = ready_made("cmn-s3-r2p0");
  count_at_port_3(true);
}

// Older drivers program a DTM that does not exist.
// contract A75
TEST_P(CmnSeveralDtms, are_not_told_by_bit_63) {
  testing::let_writes_be_lost();
  spec = ready_made("cmn-s3-r2p0");
  topology().multiple_dtm = false;
  topology().deviations.info_global = std::uint64_t{1} << 63;
  count_at_port_3(false);
}

// Ports 4 and 5 exist in a mesh of one XP.
// contract A75
TEST_P(CmnLinux73, the_third_dtm_of_an_xp_counts_ports_4_and_5) {
  if (!is_7_3()) GTEST_SKIP() << "does not know that this revision has several DTMs";
  spec = ready_made("cmn-s3-r2p0");
  Topology& mesh_of_one = topology();
  mesh_of_one.columns = mesh_of_one.rows = mesh_of_one.dtcs = 1;
  mesh_of_one.crosspoints.resize(1);
  mesh_of_one.crosspoints[0] = {};
  for (const char* const device : {"RN-F", "HN-S", "SN-F", "HN-D", "RN-D", "RN-I"})
    mesh_of_one.crosspoints[0].ports.push_back(*cmn::standard_port(Product::s3, device));
  boot([&] {
    for (const auto& [type, dtm] : {std::pair{NodeType::rn_d, 2}, {NodeType::rn_i, 2}, {NodeType::hn_i, 1}}) {
      accesses.clear();
      const unsigned index = source(type);
      const bool is_hn_i = type == NodeType::hn_i;
      const EventHandle event =
          start(at(is_hn_i ? "hni_txrsp_retryack" : "rnid_txreq_flits_total", node_of(index).node_id));
      happen(index, is_hn_i ? 0x2a : 6, kLocalWrap + 3);
      EXPECT_EQ(finish(event), kLocalWrap + 3);
      EXPECT_FALSE(written(layout().xp(0), 0xa000 + 0x200 * static_cast<unsigned>(dtm) + 0x210, 8).empty());
    }
  });
}

/// One channel of CMN S3 r2 with two sub-channels, the others with one.
class CmnSubChannels : public CmnLinux73 {
 protected:
  void expect_second(cmn::VirtualChannels channels, const std::string& expected) {
    if (!is_7_3()) GTEST_SKIP() << "reads these numbers where other revisions have them";
    spec = ready_made("cmn-s3-r2p0");
    topology().channels = channels;
    boot([&] {
      for (const char* const channel : {"req2", "rsp2", "snp2", "dat2"})
        EXPECT_EQ(events(std::string("mxp_e_") + channel).empty(), channel != expected) << channel;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnSubChannels, ValuesIn(driver_sets_for_cmn_s3()), version_name);

// contract A76
TEST_P(CmnSubChannels, of_req_alone_are_seen) { expect_second({.req = 2}, "req2"); }
TEST_P(CmnSubChannels, of_rsp_alone_are_seen) { expect_second({.rsp = 2}, "rsp2"); }
TEST_P(CmnSubChannels, of_snp_alone_are_seen) { expect_second({.snp = 2}, "snp2"); }
TEST_P(CmnSubChannels, of_dat_alone_are_seen) { expect_second({.dat = 2}, "dat2"); }

// The numbers have three bits; the driver keeps two.
// contract A76
TEST_P(CmnLinux73, four_sub_channels_of_cmn_s3_r2_are_taken_for_none) {
  if (!is_7_3()) GTEST_SKIP() << "reads these numbers where other revisions have them";
  spec = ready_made("cmn-s3-r2p0");
  topology().channels = {};
  topology().deviations.info_global_1 = (1 ^ 4) << 0 | (1 ^ 4) << 3 | (1 ^ 4) << 6 | (1 ^ 4) << 9;
  boot([&] {
    for (const char* const channel : {"req2", "rsp2", "snp2", "dat2"})
      EXPECT_THAT(events(std::string("mxp_e_") + channel), IsEmpty());
    EXPECT_FALSE(events("mxp_e_req_").empty());
  });
}

// Bit 30 of a child pointer is new, but the driver does not check whether a part has it. Older drivers follow the
// pointer and read there.
// contract A78
TEST_P(CmnLinux73, an_isolated_child_of_a_cmn_700_is_skipped) {
  spec = ready_made("cmn700-8x8");
  cmn::Node& node = topology().crosspoints[0].ports[0].nodes[0];
  ASSERT_EQ(node.type, NodeType::rn_i);
  node.isolated = true;
  if (!is_7_3()) {
    expect_guest_error("is isolated");
    expected_warnings = 1;
    expect_probe = false;
  }
  boot([&] {
    const auto isolated = std::find_if(layout().nodes().begin(), layout().nodes().end(),
                                       [](const cmn::NodePlace& place) { return place.isolated; });
    ASSERT_NE(isolated, layout().nodes().end());
    if (is_7_3()) {
      EXPECT_THAT(window(*isolated), IsEmpty());
    } else {
      EXPECT_EQ(window(*isolated).size(), 1U);
    }
  });
}

// contract A78
TEST_P(CmnLinux73, device_isolation_stops_older_drivers_on_a_cmn_700) {
  spec = ready_made("cmn700-8x8");
  topology().deviations.device_isolation = true;
  expect_probe = is_7_3();
  boot([&] { EXPECT_EQ(logged("Device isolation enabled"), is_7_3() ? 0U : 1U); });
}

// contract A78
TEST_P(CmnLinux73, device_isolation_stops_every_driver_on_a_cmn_s3_r0) {
  spec = ready_made("cmn-s3-r0p1");
  topology().revision = 0;
  topology().deviations.device_isolation = true;
  expect_probe = false;
  boot([&] { EXPECT_EQ(logged("Device isolation enabled"), 1U); });
}

// The state of an evicted line is one filter, the bound is another: one write for each.
// contract A82
TEST_P(CmnLinux73, an_event_of_two_filters_writes_both_one_after_the_other) {
  if (!is_7_3()) GTEST_SKIP() << "no event has two filters";
  spec = ready_made("cmn-s3-r2p0");
  boot([&] {
    constexpr std::uint64_t kHigh = kEventSelectS3 + 4;
    constexpr unsigned kBound = 38 - 32;    // hbt_lbt_sel
    constexpr unsigned kEvicted = 52 - 32;  // evict_state_sel
    const cmn::NodePlace& home = node_of(source(NodeType::hn_s));
    // hbt is 1, lbt 2; su 3, mn 6.
    accesses.clear();
    const EventHandle both = start(at("hns_slc_eviction_hbt_su", home.node_id));
    EXPECT_THAT(written(home, kHigh, 4), ElementsAre(3U << kEvicted, 3U << kEvicted | 1U << kBound));

    // The same pair again counts too. Another value of either filter gets no counter.
    accesses.clear();
    const EventHandle same = start(at("hns_sf_evictions_hbt_su", home.node_id));
    const EventHandle other_state = start(at("hns_sf_evictions_hbt_mn", home.node_id));
    const EventHandle other_bound = start(at("hns_sf_evictions_lbt_su", home.node_id));
    // Each new event sets up the counting ones again.
    EXPECT_THAT(written(home, kHigh, 4), Each(3U << kEvicted | 1U << kBound));
    finish(both);
    finish(same);
    expect_never_counted(other_state);
    expect_never_counted(other_bound);

    // The bound is taken. The driver writes the state and then releases it, so that the next event may have any.
    const EventHandle bound = start(at("hns_sf_imprecise_evict_hbt", home.node_id));
    accesses.clear();
    const EventHandle refused = start(at("hns_slc_eviction_lbt_mn", home.node_id));
    EXPECT_EQ(written(home, kHigh, 4).back(), 6U << kEvicted | 1U << kBound);
    expect_never_counted(refused);
    accesses.clear();
    const EventHandle accepted = start(at("hns_slc_eviction_hbt_eu", home.node_id));
    EXPECT_EQ(written(home, kHigh, 4).back(), 1U << kEvicted | 1U << kBound);
    finish(accepted);
    finish(bound);
  });
}

// contract A84
TEST_P(CmnLinux73, filter_and_occupid_are_two_names_of_one_thing) {
  spec = ready_made("cmn-s3-r2p0");
  boot([&] {
    const std::string formats_of_all = "type=0x1,eventid=0xc,";
    const auto old_name = attributes_of(formats_of_all + "occupid=2");
    EXPECT_EQ(old_name.config, 0x1ULL | 0xcULL << 16 | 2ULL << 27);
    const std::vector<std::string> formats = files(pmu("arm_cmn_0"), "format");
    const auto has = [&](const char* name) { return std::find(formats.begin(), formats.end(), name) != formats.end(); };
    EXPECT_EQ(has("filter"), is_7_3());
    EXPECT_EQ(has("filter2"), is_7_3());
    if (!is_7_3()) return;
    EXPECT_EQ(attributes_of(formats_of_all + "filter=2").config, old_name.config);
    EXPECT_EQ(content(pmu("arm_cmn_0"), "format/occupid"), content(pmu("arm_cmn_0"), "format/filter"));

    // Both count DVM syncs in the tracker, class 2.
    const unsigned dn = source(NodeType::dvm);
    const EventHandle by_old_name = start(formats_of_all + "occupid=2");
    const EventHandle by_new_name = start(formats_of_all + "filter=2");
    mesh().pmu().node_event(dn, 0xc, cmn::filter_classes(1), 1'000, testing::now());
    mesh().pmu().node_event(dn, 0xc, cmn::filter_classes(2), kLocalWrap + 7, testing::now());
    EXPECT_EQ(finish(by_old_name), kLocalWrap + 7);
    EXPECT_EQ(finish(by_new_name), kLocalWrap + 7);
  });
}

// contract A84
TEST_P(CmnLinux73, filter2_does_nothing_to_an_event_without_a_second_filter) {
  if (!is_7_3()) GTEST_SKIP() << "has no filter2";
  spec = ready_made("cmn-s3-r2p0");
  boot([&] {
    const unsigned home = source(NodeType::hn_s);
    const unsigned node = node_of(home).node_id;
    accesses.clear();
    const EventHandle plain = start(at("hns_sf_imprecise_evict_hbt", node));
    const EventHandle with = start(at("hns_sf_imprecise_evict_hbt,filter2=0xf", node));
    EXPECT_THAT(written(node_of(home), kEventSelectS3 + 4, 4), Each(1U << 6));
    mesh().pmu().node_event(home, 0x24, cmn::filter_classes(1), kLocalWrap + 7, testing::now());
    mesh().pmu().node_event(home, 0x24, cmn::filter_classes(2), 1'000, testing::now());
    EXPECT_EQ(finish(plain), kLocalWrap + 7);
    EXPECT_EQ(finish(with), kLocalWrap + 7);
  });
}

// For a watchpoint, its bits are the port and the lowest bit of the channel.
// contract A84
TEST_P(CmnLinux73, filter2_of_a_watchpoint_is_its_port_and_channel) {
  if (!is_7_3()) GTEST_SKIP() << "has no filter2";
  spec = ready_made("cmn-s3-r2p0");
  boot([&] {
    const std::string every_flit = ",wp_grp=0,wp_val=0,wp_mask=0xffffffffffffffff";
    const unsigned node = layout().xp(0).node_id;
    const std::string by_name = at("watchpoint_up,wp_dev_sel=2,wp_chn_sel=1" + every_flit, node);
    const std::string by_filter = at("type=0x7770,eventid=0,filter2=0xa" + every_flit, node);
    EXPECT_EQ(attributes_of(by_filter).config, attributes_of(by_name).config);
    const EventHandle first = start(by_name);
    const EventHandle second = start(by_filter);
    upload(0, 2, Channel::rsp, 21);
    upload(0, 1, Channel::rsp, 34);
    upload(0, 2, Channel::req, 55);
    EXPECT_EQ(finish(first), 21U);
    EXPECT_EQ(finish(second), 21U);
  });
}

// The driver takes wp_dev_sel / 2 for a DTM of the crosspoint, even if the crosspoint does not have it. Here it sets up
// the watchpoint half in the neighbour's DTM and half in registers that do not exist, and it counts nothing.
// contract A87
TEST_P(CmnLinux73, a_watchpoint_beyond_the_ports_of_a_crosspoint_disturbs_the_next) {
  testing::let_writes_be_lost();
  spec = ready_made("cmn700-8x8");
  boot([&] {
    const unsigned xp = 9;  // two ports, one DTM; the next one too
    ASSERT_EQ(layout().dtms_of(xp), 1U);
    constexpr std::uint64_t kWatchpoint0 = 0x2000 + 0x1a0;
    accesses.clear();
    const EventHandle event =
        start(at("watchpoint_up,wp_dev_sel=2,wp_chn_sel=3,wp_grp=0,wp_val=0,wp_mask=0xffffffffffffffff",
                 layout().xp(xp).node_id));
    EXPECT_THAT(written(layout().xp(xp), kWatchpoint0, 4), IsEmpty());
    EXPECT_EQ(written(layout().xp(xp + 1), kWatchpoint0, 4).size(), 1U);
    EXPECT_THAT(written(layout().xp(xp + 1), kWatchpoint0 + 8, 8), IsEmpty());
    for (const unsigned port : {0U, 1U}) {
      upload(xp, port, Channel::dat, 21);
      upload(xp + 1, port, Channel::dat, 21);
    }
    EXPECT_EQ(finish(event), 0U);
  });
}

// Each DTM of the crosspoint has room for two upload watchpoints. In one group, the driver counts all four for the
// first DTM.
// contract A87
TEST_P(CmnLinux73, a_group_is_refused_for_watchpoints_of_another_dtm) {
  spec = ready_made("cmn700-8x8");
  boot([&] {
    const unsigned xp = 0;
    ASSERT_EQ(layout().dtms_of(xp), 2U);
    const auto wildcard = [&](unsigned port) {
      return at(
          fmt::format("watchpoint_up,wp_dev_sel={},wp_chn_sel=3,wp_grp=0,wp_val=0,wp_mask=0xffffffffffffffff", port),
          layout().xp(xp).node_id);
    };
    const EventHandle leader = start(wildcard(0));
    const EventHandle second = start(wildcard(1), leader);
    EXPECT_EQ(try_open(wildcard(2), leader), -EINVAL);
    // Outside of a group there is room.
    const EventHandle third = start(wildcard(2));
    const EventHandle fourth = start(wildcard(3));
    for (unsigned port = 0; port < 4; ++port) upload(xp, port, Channel::dat, 10 + port);
    EXPECT_EQ(finish(fourth), 13U);
    EXPECT_EQ(finish(third), 12U);
    EXPECT_EQ(finish(second), 11U);
    EXPECT_EQ(finish(leader), 10U);
  });
}

// contract A87
TEST_P(CmnLinux73, unloading_the_driver_leaves_the_second_dtc_on) {
  spec = ready_made("cmn700-8x8");
  boot([&] {
    const auto control = [&](unsigned dtc) {
      return look(topology().base + layout().nodes()[layout().dtc_node(dtc)].offset + 0xa00);
    };
    host->unload();
    EXPECT_EQ(control(0), 0U);
    EXPECT_EQ(control(1), 1U);
    EXPECT_EQ(look(dtc_register(1, kPmcr)), 0x41U);
  });
}

}  // namespace
}  // namespace pmufab::integration
