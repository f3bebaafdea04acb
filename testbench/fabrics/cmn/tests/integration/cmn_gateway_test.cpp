// SPDX-License-Identifier: Apache-2.0
// Two linked meshes, counted by arm-cmn: two PMUs, and a CCLA_RNI with two event select registers.

#include <memory>
#include <set>
#include <string>

#include "models/cmn/part/cmn_meshes.h"
#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_gateway_rig.h"
#include "testbench/support/lost_writes.h"

namespace pmufab::integration {
namespace {

using cmn::NodeType;
using cmn::Product;
using testing::LinkedParties;
using ::testing::ValuesIn;
namespace op = testing::op;

class CmnGatewayDriver : public CmnTest {
 protected:
  /// Both meshes have their own clocks. The only RN-I is in the second one's CCLA_RNI.
  void boot_linked(std::function<void()> story) {
    platform::PlatformSpec all;
    all.name = "meshes";
    all.sockets = 1;
    all.cpus_per_socket = 2;
    for (const bool other : {false, true}) {
      platform::CmnSpec& mesh = all.edit<platform::CmnMeshesSpec>().meshes.emplace_back();
      mesh.topology = LinkedParties::topology(Product::cmn700, other ? 1'600'000'000 : 2'000'000'000, other);
      mesh.topology.crosspoints[0].ports[0] = {cmn::DeviceType::rn_f_chie, false, {}};
      mesh.topology.base = other ? 0x9000'0000 : 0x5000'0000;
      mesh.firmware = platform::CmnSpec::Firmware::device_tree;
      mesh.nodes.modelled = false;  // the test acts for the nodes
    }
    all.edit<platform::CmnMeshesSpec>().links.push_back({.from = {0, 0}, .to = {1, 0}, .parameters = {}});
    platform = std::make_unique<platform::Platform>("platform", all);
    first = std::make_unique<LinkedParties>(platform->get<platform::CmnMeshes>().mesh(0));
    second = std::make_unique<LinkedParties>(platform->get<platform::CmnMeshes>().mesh(1));
    DriverTest::boot(platform->bus(), platform->firmware(), [this, story = std::move(story)] {
      ASSERT_EQ(host->pmus().size(), 2U);
      story();
    });
  }
  /// Reads of whole lines by the first mesh, one after the other.
  void read_lines(unsigned number) {
    for (unsigned i = 0; i < number; ++i) {
      first->request(first->soon(), op::kReadOnce, i * 64U);
      testing::advance(1'000'000);
    }
    EXPECT_EQ(first->outstanding, 0U);
  }
  EventHandle count(unsigned pmu, NodeType type, std::uint64_t id) {
    perf::PerfAttributes attributes;
    attributes.type = host->pmus().at(pmu).type;
    attributes.config = event(type, id, LinkedParties::kGateway);
    attributes.disabled = false;
    const EventHandle handle = host->open(attributes, 0, 0);
    EXPECT_GT(handle, 0);
    return handle;
  }
  [[nodiscard]] std::set<std::string> kinds(unsigned pmu) const {
    std::set<std::string> kinds;
    const std::vector<Pmu> pmus = host->pmus();
    for (const auto& [path, text] : pmus.at(pmu).files) {
      const std::string folder = "events/";
      if (path.starts_with(folder)) kinds.insert(path.substr(folder.size(), path.find('_') - folder.size()));
    }
    return kinds;
  }

  std::unique_ptr<LinkedParties> first;
  std::unique_ptr<LinkedParties> second;
};
INSTANTIATE_TEST_SUITE_P(linux, CmnGatewayDriver, ValuesIn(cmn_driver_sets()), version_name);

// contract A17
TEST_P(CmnGatewayDriver, publishes_events_of_both_halves_of_a_ccla_rni) {
  boot_linked([&] {
    EXPECT_TRUE(kinds(0).contains("ccla"));
    EXPECT_FALSE(kinds(0).contains("rnid"));
    EXPECT_TRUE(kinds(1).contains("ccla"));
    EXPECT_TRUE(kinds(1).contains("rnid"));
  });
}

// contract A47
TEST_P(CmnGatewayDriver, counts_by_both_select_registers_of_a_ccla_rni_and_neither_disturbs_the_other) {
  boot_linked([&] {
    constexpr std::uint64_t kTxReqFlitsTotal = 0x06;
    constexpr std::uint64_t kTxCxs = 0x22;
    const EventHandle requests = count(1, NodeType::rn_i, kTxReqFlitsTotal);
    read_lines(5);
    const EventHandle flits = count(1, NodeType::ccla, kTxCxs);
    read_lines(7);
    EXPECT_EQ(value(requests), 12U);
    EXPECT_EQ(finish(flits), 3U * 7) << "80 bytes by 32";
    read_lines(2);
    EXPECT_EQ(finish(requests), 14U);
  });
}

TEST_P(CmnGatewayDriver, of_each_mesh_counts_its_own_gateway) {
  testing::let_writes_be_lost();
  boot_linked([&] {
    constexpr std::uint64_t kRxCxs = 0x21;
    constexpr std::uint64_t kRequestTrackerAllocation = 0x6e;
    const EventHandle received_by_first = count(0, NodeType::ccla, kRxCxs);
    const EventHandle received_by_second = count(1, NodeType::ccla, kRxCxs);
    const EventHandle served_by_first = count(0, NodeType::ccha, kRequestTrackerAllocation);
    const EventHandle served_by_second = count(1, NodeType::ccha, kRequestTrackerAllocation);
    read_lines(11);
    // Linux 6.1 writes the selection of a plain CCLA to its first register instead of its second; 6.12 does not.
    EXPECT_EQ(finish(received_by_first), kernel_is_at_least("6.12") ? 3U * 11 : 0U);
    EXPECT_EQ(finish(received_by_second), 11U);
    EXPECT_EQ(finish(served_by_first), 0U);
    EXPECT_EQ(finish(served_by_second), 11U);
  });
}

}  // namespace
}  // namespace pmufab::integration
