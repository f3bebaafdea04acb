// SPDX-License-Identifier: Apache-2.0
// Meshes with a side above 12, which Linux 7.3 and later know: CMN S3 of up to 14 x 14, and that of a Graviton5.
#include <array>
#include <stdexcept>
#include <utility>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

namespace pmufab::integration {
namespace {

using cmn::Product;
using cmn::Topology;
using ::testing::ValuesIn;

/// Meshes with a side above 12, which drivers before 7.3 refuse.
class CmnLargeMesh : public CmnLinux73 {
 protected:
  void expect_every_xp_counts(unsigned columns, unsigned rows) {
    if (!kernel_is_at_least("7.2") && columns * rows > 144)
      GTEST_SKIP() << "keeps the offsets of XPs on its stack, where there is room for 144";
    spec = ready_made("cmn-s3-r1p0");
    Topology& large = topology();
    large.columns = columns;
    large.rows = rows;
    large.dtcs = 1;
    large.limits = cmn::kLinux73Limits;
    large.crosspoints.assign(std::size_t{columns} * rows, {});
    for (std::size_t xp = 0; xp < large.crosspoints.size(); ++xp) {
      for (const char* const device : {"RN-F", xp == 0 ? "HN-D" : xp % 2 == 0 ? "HN-S" : "SN-F"})
        large.crosspoints[xp].ports.push_back(*cmn::standard_port(Product::s3, device));
    }
    expect_probe = is_7_3();
    boot([&] {
      if (!is_7_3()) return;
      const unsigned last = columns * rows - 1;
      const EventHandle all = start("mxp_e_req_txflit_valid");
      const EventHandle corner = start(at("mxp_e_req_txflit_valid", layout().xp(last).node_id));
      std::uint64_t expected = 0;
      for (unsigned xp = 0; xp <= last; ++xp) {
        requests_east(xp, kLocalWrap + xp);
        expected += kLocalWrap + xp;
      }
      EXPECT_EQ(finish(all), expected);
      EXPECT_EQ(finish(corner), kLocalWrap + last);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnLargeMesh, ValuesIn(driver_sets_for_cmn_s3()), version_name);

// contract A85
TEST_P(CmnLargeMesh, of_14_by_14_counts_everywhere) { expect_every_xp_counts(14, 14); }
TEST_P(CmnLargeMesh, of_13_by_9_counts_everywhere) { expect_every_xp_counts(13, 9); }

/// The mesh of a Graviton5.
class Graviton5 : public CmnLinux73 {
 protected:
  static constexpr unsigned kColumns = 10;
  /// An XP in each quadrant, beside the quadrant's middle.
  static constexpr std::array kXps{2U + 3 * kColumns, 7U + 3 * kColumns, 2U + 10 * kColumns, 7U + 10 * kColumns};
  Graviton5() { spec = ready_made("graviton5"); }
};
INSTANTIATE_TEST_SUITE_P(linux, Graviton5, ValuesIn(driver_sets_for_cmn_s3()), version_name);

// The driver numbers DTCs by position. If the DTC of the third quadrant comes after that of the fourth, it exchanges
// their counters, and carries are lost.
// contract A86
TEST_P(Graviton5, with_dtcs_in_another_order_loses_carries) {
  if (!is_7_3()) GTEST_SKIP() << "does not know the mesh";
  const auto dtc_of = [&](unsigned quadrant) {
    for (unsigned xp = 0; xp < topology().crosspoints.size(); ++xp) {
      const cmn::Crosspoint& crosspoint = topology().crosspoints[xp];
      if (crosspoint.dtc_domain == quadrant && crosspoint.ports[0].device == cmn::DeviceType::hn_t) return xp;
    }
    throw std::out_of_range("no DTC");
  };
  std::swap(topology().crosspoints[dtc_of(2)].ports, topology().crosspoints[13 * kColumns].ports);
  ASSERT_GT(dtc_of(2), dtc_of(3));
  topology().deviations.any_dtc_order = true;
  boot([&] {
    for (unsigned quadrant = 0; quadrant < 4; ++quadrant) {
      const unsigned xp = kXps.at(quadrant);
      const EventHandle event = start(at("mxp_e_req_txflit_valid", layout().xp(xp).node_id));
      requests_east(xp, 3 * kLocalWrap + xp);
      EXPECT_EQ(finish(event), quadrant < 2 ? 3 * kLocalWrap + xp : xp);
    }
  });
}

}  // namespace
}  // namespace pmufab::integration
