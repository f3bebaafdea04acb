// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/part/cmn_spec.h"
#include "models/cxl/part/cxl_spec.h"
#include "testbench/fabrics/fabric_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"
#include "testbench/fabrics/cxl/scenario/cxl_fabric.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_fabric.h"

namespace pmufab::scenario {
namespace {

using ::testing::ElementsAre;

TEST(FabricKinds, tell_traffic_of_any_kind_from_none) {
  EXPECT_FALSE(has_traffic({}));
  Workload workload;
  workload.of<Tegra410Workload>().generators.resize(1);
  EXPECT_TRUE(has_traffic(workload));
  workload = {};
  workload.of<CmnWorkload>().flits.resize(1);
  EXPECT_TRUE(has_traffic(workload));
  workload = {};
  workload.of<CmnWorkload>().chi.resize(1);
  EXPECT_TRUE(has_traffic(workload));
  workload = {};
  workload.of<CxlWorkload>().operations.resize(1);
  EXPECT_TRUE(has_traffic(workload));
  workload = {};
  workload.of<CxlWorkload>().replays.resize(1);
  EXPECT_TRUE(has_traffic(workload));
}

TEST(FabricKinds, name_the_drivers_of_the_fabrics_a_platform_has) {
  platform::PlatformSpec platform;
  EXPECT_THAT(driver_modules(platform), ElementsAre());
  platform.edit<platform::CxlSpec>().devices.emplace_back();
  EXPECT_THAT(driver_modules(platform), ElementsAre("cxl_pmu"));
  platform.edit<platform::CmnMeshesSpec>().meshes.emplace_back();
  EXPECT_THAT(driver_modules(platform), ElementsAre("arm_cmn", "cxl_pmu"));
}

TEST(FabricKinds, name_pmus_of_each_driver_and_need_one) {
  for (const FabricKind* kind : fabric_kinds()) {
    const std::vector<PmuDriver> drivers = kind->drivers();
    for (const PmuDriver& driver : drivers) EXPECT_FALSE(driver.pmus.empty()) << driver.module;
    EXPECT_EQ(kind->driver_modules().empty(), drivers.empty()) << kind->name();
  }
}

TEST(Workload, keeps_traffic_of_each_kind_apart_and_copies_it) {
  Workload workload;
  workload.of<CmnWorkload>().flits.resize(2);
  const Workload copy = workload;
  workload.of<CmnWorkload>().flits.clear();
  EXPECT_EQ(copy.of<CmnWorkload>().flits.size(), 2U);
  EXPECT_TRUE(copy.of<CxlWorkload>().operations.empty());
}

}  // namespace
}  // namespace pmufab::scenario
