// SPDX-License-Identifier: Apache-2.0
// Parts of newer CMN S3: the filters of HN-S since r2, and the mesh of a Graviton5.
#include <string>

#include <gtest/gtest.h>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"

namespace pmufab {
namespace {

using cmn::FilterKind;
using cmn::NodeType;
using cmn::Topology;
using testing::CmnRig;
using testing::now;

using CmnS3R2 = testing::CmnRigTest;

/// Fields of the event select register of an HN-S on r2, with one event for each (register data of S3 r2).
struct Field {
  FilterKind kind;
  unsigned lsb;
  unsigned width;
  unsigned event_id;
};
constexpr Field kHbt{FilterKind::hbt_lbt, 38, 2, 0x24};
constexpr Field kFields[] = {{FilterKind::occup1, 32, 4, 0x0f},
                             {FilterKind::class_occup, 36, 2, 0x26},
                             kHbt,
                             {FilterKind::sn_home, 40, 2, 0x0d},
                             {FilterKind::cbusy, 42, 4, 0x2a},
                             {FilterKind::snp_vc, 46, 2, 0x18},
                             {FilterKind::enhanced_hbt_lbt, 48, 4, 0x01}};
constexpr Field kEvictState{FilterKind::evict_state, 52, 3, 0x0a};  // a second filter beside hbt_lbt

std::uint64_t select_of(CmnRig& rig) { return rig.driver.nodes()[rig.driver.find(0x200).front()].select; }

// contract A79
TEST_F(CmnS3R2, filters_of_hn_s_reset_to_snoop_channel_2_alone) {
  on(cmn::examples::s3_small(3), [&](CmnRig& rig) {
    EXPECT_EQ(rig.cpu.get64(select_of(rig)), 0x0000'8000'0000'0000U);
    const unsigned home = rig.source(NodeType::hn_s);
    for (const Field& field : kFields)
      EXPECT_EQ(rig.pmu.filter_value(home, field.kind), field.kind == FilterKind::snp_vc ? 2U : 0U);
  });
}

// contract A79
TEST_F(CmnS3R2, each_filter_of_hn_s_has_its_place_beside_the_ids) {
  on(cmn::examples::s3_small(3), [&](CmnRig& rig) {
    const std::uint64_t select = select_of(rig);
    const unsigned home = rig.source(NodeType::hn_s);
    constexpr std::uint64_t kIds = 0x4403'0201;  // of seven bits
    rig.cpu.put32(select, kIds);
    std::uint64_t all = 0;
    const auto check = [&](const Field& field) {
      const std::uint64_t largest = (std::uint64_t{1} << field.width) - 1;
      const std::uint64_t image = largest << field.lsb;
      all |= image;
      rig.cpu.put32(select + 4, static_cast<std::uint32_t>(image >> 32));
      EXPECT_EQ(rig.cpu.get64(select), image | kIds) << field.lsb;
      EXPECT_EQ(rig.pmu.filter_value(home, field.kind), largest) << field.lsb;
      for (const Field& other : kFields) {
        if (other.kind == field.kind) continue;
        EXPECT_EQ(rig.pmu.filter_value(home, other.kind), 0U) << other.lsb;
      }
    };
    for (const Field& field : kFields) check(field);
    check(kEvictState);
    EXPECT_EQ(all, 0x007f'ffff'0000'0000U);
    rig.cpu.put32(select + 4, ~0U);
    EXPECT_EQ(rig.cpu.get64(select), all | kIds);
  });
}

// contract A79
TEST_F(CmnS3R2, each_value_of_a_filter_of_hn_s_lets_its_own_class_pass) {
  on(cmn::examples::s3_small(3), [&](CmnRig& rig) {
    const unsigned home = rig.source(NodeType::hn_s);
    const std::vector<unsigned> node = {rig.driver.find(0x200).front()};
    const auto count = [&](unsigned event_id, unsigned lsb, unsigned value, cmn::FilterClasses classes) {
      testing::CmnDriver::Event event = rig.driver.open(node, event_id, value << (lsb - 32));
      rig.pmu.node_event(home, event_id, classes, 5, now());
      return rig.driver.close(event);
    };
    for (const Field& field : kFields) {
      if (field.kind == FilterKind::snp_vc) continue;  // the meaning of 2 is not known
      // Code 0 is everything, except for classes, which have no such code.
      const unsigned first = field.kind == FilterKind::class_occup ? 0 : 1;
      for (unsigned value = first; value < 1U << field.width; ++value) {
        for (unsigned other = first; other < 1U << field.width; ++other)
          EXPECT_EQ(count(field.event_id, field.lsb, value, cmn::filter_classes(other)), value == other ? 5U : 0U)
              << field.lsb << " " << value << " " << other;
      }
    }
    // An eviction must pass both filters.
    for (unsigned value = 1; value < 8; ++value) {
      for (unsigned other = 1; other < 8; ++other) {
        for (const unsigned bound : {0U, 1U, 2U})
          EXPECT_EQ(count(kEvictState.event_id, kHbt.lsb, bound | value << (kEvictState.lsb - kHbt.lsb),
                          cmn::filter_classes(1, other)),
                    value == other && bound != 2 ? 5U : 0U);
      }
    }
  });
}

/// The mesh of a Graviton5 with only RN-Fs and DTCs.
Topology graviton5() {
  Topology topology;
  topology.product = cmn::Product::s3;
  topology.variant = cmn::Variant::graviton5;
  topology.revision = 2;
  topology.columns = 10;
  topology.rows = 14;
  topology.dtcs = 4;
  topology.limits = cmn::kLinux73Limits;
  for (unsigned xp = 0; xp < 140; ++xp) {
    const unsigned quadrant = (xp % 10 < 5 ? 0 : 1) + (xp < 70 ? 0 : 2);
    const char* device = xp == 0 ? "HN-D" : xp == 9 || xp == 130 || xp == 139 ? "HN-T" : "RN-F";
    topology.crosspoints.push_back(
        {.dtc_domain = quadrant, .ports = {*cmn::standard_port(cmn::Product::s3, device)}, .nodes = {}});
  }
  return topology;
}

void expect_refused(const Topology& topology, const std::string& field, const std::string& words) {
  try {
    check(topology);
    ADD_FAILURE() << "accepted; expected a refusal of " << field;
  } catch (const SpecError& error) {
    EXPECT_EQ(error.field(), field) << error.what();
    EXPECT_NE(error.reason().find(words), std::string::npos) << error.what();
  }
}

TEST(CmnGraviton5, dtcs_have_no_numbers_of_their_own) {
  const Topology topology = graviton5();
  EXPECT_NO_THROW(check(topology));
  const cmn::Layout layout(topology);
  for (unsigned dtc = 0; dtc < 4; ++dtc) {
    EXPECT_EQ(layout.nodes()[layout.dtc_node(dtc)].logical_id, 0U);
    EXPECT_EQ(layout.name(layout.dtc_node(dtc)), "dtc" + std::to_string(dtc));
  }
}

TEST(CmnGraviton5, other_shapes_are_refused) {
  Topology narrow = graviton5();
  narrow.columns = 14;
  narrow.rows = 10;
  expect_refused(narrow, "columns", "10");
  Topology domain = graviton5();
  domain.crosspoints[4].dtc_domain = 1;
  expect_refused(domain, "crosspoints[4].dtc_domain", "quadrant 0");
  Topology older = graviton5();
  older.product = cmn::Product::cmn700;
  older.deviations.any_size = true;
  expect_refused(older, "variant", "CMN S3");
}

TEST(CmnGraviton5, dtcs_in_an_order_software_takes_for_another_are_refused) {
  Topology order = graviton5();
  std::swap(order.crosspoints[0].ports, order.crosspoints[10].ports);
  expect_refused(order, "crosspoints[9]", "quadrant 1");
  order.deviations.any_dtc_order = true;
  EXPECT_NO_THROW(check(order));
}

}  // namespace
}  // namespace pmufab
