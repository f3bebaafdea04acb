// SPDX-License-Identifier: Apache-2.0
// A whole mesh of nodes under random operations. At any time a line has one writer or many readers, and every operation
// ends. At rest, snoop filters know every line.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/nodes/nodes.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_node_rig.h"
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::cmn_coherence_test {
namespace {

using cmn::DeviceKind;
using cmn::LineState;
using cmn::OperationKind;
using testing::advance;
using traffic::ChiPattern;
using traffic::ChiRange;
using traffic::ChiTraffic;
using traffic::ChiTrafficSpec;

constexpr Picoseconds kMicrosecond = 1'000'000;
constexpr Picoseconds kCycle = 500;

/// Looks into the caches of all RN-Fs.
class Checker {
 public:
  explicit Checker(const cmn::Nodes& nodes) {
    for (const std::uint16_t id : nodes.addresses().nodes(DeviceKind::rn_f))
      requesters_.push_back(dynamic_cast<const cmn::RnF*>(nodes.find(id)));
  }
  void check() {
    std::map<std::uint64_t, Holders> lines;
    for (const cmn::RnF* const requester : requesters_) {
      const cmn::PrivateLines& cache = requester->lines();
      for (std::uint32_t place = 0; place < cache.places(); ++place) {
        const cmn::LinePlace& one = cache.at(place);
        if (one.state == LineState::invalid) continue;
        Holders& holders = lines[one.line];
        ++holders.all;
        if (one.state != LineState::shared_clean) ++holders.unique;
      }
    }
    for (const auto& [line, holders] : lines) {
      if (holders.all > 1) ++shared_;
      if (holders.unique == 0 || holders.all == 1) continue;
      ++wrong_;
      if (wrong_ < 5)
        ADD_FAILURE() << "line " << line << " has " << holders.unique << " writers and " << holders.all << " holders";
    }
    ++checks_;
  }
  [[nodiscard]] std::uint64_t shared() const { return shared_; }

 private:
  struct Holders {
    unsigned all = 0;
    unsigned unique = 0;
  };
  std::vector<const cmn::RnF*> requesters_;
  std::uint64_t checks_ = 0;
  std::uint64_t shared_ = 0;
  std::uint64_t wrong_ = 0;
};

/// All operations of an RN-F on memory.
std::vector<traffic::ChiOperationShare> everything() {
  std::vector<traffic::ChiOperationShare> mix;
  for (unsigned kind = 0; kind < cmn::kOperationKinds; ++kind) {
    const auto operation = static_cast<OperationKind>(kind);
    if (operation == OperationKind::dvm_operation || operation == OperationKind::dvm_sync) continue;
    mix.push_back({operation, operation <= OperationKind::store_line ? 8U : 1U});
  }
  return mix;
}

struct System {
  System(const cmn::Topology& topology, const cmn::NodeParameters& parameters)
      : bound(topology), nodes(bound.mesh, parameters) {}

  void add(const ChiTrafficSpec& spec) {
    traffic.push_back(std::make_unique<ChiTraffic>(bound.mesh, nodes, spec, "chi_traffic", 1));
  }
  [[nodiscard]] std::uint64_t begun() const {
    std::uint64_t sum = 0;
    for (const auto& one : traffic) sum += one->begun();
    return sum;
  }
  [[nodiscard]] std::uint64_t completed() const {
    std::uint64_t sum = 0;
    for (const auto& one : traffic) sum += one->completed();
    return sum;
  }
  /// Run with a check every few cycles, then let all operations end.
  void run(Picoseconds duration, Picoseconds step = 7 * kCycle) {
    Checker checker(nodes);
    for (const auto& one : traffic) one->start(testing::now());
    const Picoseconds end = testing::now() + duration;
    std::uint64_t before = 0;
    Picoseconds progress = testing::now() + 5 * kMicrosecond;
    while (testing::now() < end) {
      advance(step);
      checker.check();
      if (testing::now() < progress) continue;
      ASSERT_GT(completed(), before) << "nothing ended for 5 us";
      before = completed();
      progress += 5 * kMicrosecond;
    }
    for (const auto& one : traffic) one->stop();
    for (unsigned turn = 0; turn < 100 && nodes.pending() != 0; ++turn) advance(kMicrosecond);
    EXPECT_EQ(nodes.pending(), 0U);
    EXPECT_EQ(begun(), completed());
    EXPECT_EQ(bound.mesh.uploaded(), bound.mesh.delivered());
    EXPECT_GT(checker.shared(), 0U) << "nothing was shared: the test shows nothing";
    EXPECT_GT(sum(&cmn::RnF::snoops), completed() / 20) << "too few snoops to show anything";
    EXPECT_GT(sum(&cmn::RnF::transactions), 1000U);
    checker.check();
    expect_filters_to_know_every_line();
  }
  /// At rest, the snoop filter of its home knows every line of every RN-F.
  void expect_filters_to_know_every_line() const {
    for (const std::uint16_t id : nodes.addresses().nodes(DeviceKind::rn_f)) {
      const cmn::PrivateLines& cache = dynamic_cast<const cmn::RnF&>(*nodes.find(id)).lines();
      for (std::uint32_t place = 0; place < cache.places(); ++place) {
        const cmn::LinePlace& one = cache.at(place);
        if (one.state == LineState::invalid) continue;
        const std::uint64_t address = one.line * cmn::chi::kLineBytes;
        const auto& home = dynamic_cast<const cmn::HomeNode&>(*nodes.find(nodes.addresses().home_of(address)));
        const cmn::HomeNode::Tracked tracked = home.tracked(address);
        EXPECT_EQ(std::ranges::count(tracked.rn_fs, id), 1) << "line " << one.line;
        if (one.state == LineState::shared_clean) continue;
        EXPECT_TRUE(tracked.unique) << "line " << one.line;
        EXPECT_EQ(tracked.rn_fs.size(), 1U) << "line " << one.line;
      }
    }
  }

  [[nodiscard]] std::uint64_t sum(std::uint64_t (cmn::RnF::*figure)() const noexcept) const {
    std::uint64_t sum = 0;
    for (const std::uint16_t id : nodes.addresses().nodes(DeviceKind::rn_f))
      sum += (dynamic_cast<const cmn::RnF*>(nodes.find(id))->*figure)();
    return sum;
  }

  testing::BoundMesh bound;
  cmn::Nodes nodes;
  std::vector<std::unique_ptr<ChiTraffic>> traffic;
};

struct Case {
  std::string name;
  cmn::Topology topology;
};

std::vector<Case> cases() {
  using namespace cmn::examples;
  return {{"cmn600", cmn600_small()},
          {"cmn600_two_dtcs", cmn600_two_dtcs()},
          {"cmn650", cmn650_two_dtcs()},
          {"ci700", ci700_small()},
          {"s3", s3_small(3)},
          {"cmn700_hn_f", cmn700_server(cmn::NodeType::hn_f)},
          {"cmn700_hn_s", cmn700_server()}};
}

class CmnCoherence : public testing::SimulationTest, public ::testing::WithParamInterface<Case> {};

ChiTrafficSpec everything_everywhere() {
  return {.name = "everything",
          .mix = everything(),
          .ranges = {{.base = 0, .size = 48 * 64, .weight = 4},
                     {.base = 1 << 20, .size = 1 << 16, .pattern = ChiPattern::hot_set, .hot_size = 1024},
                     {.base = 1 << 24, .size = 1 << 20, .is_private = true, .pattern = ChiPattern::stream}},
          .outstanding = 12,
          .qos = {0, 5, 15}};
}

TEST_P(CmnCoherence, small_structures_under_high_load_keep_one_writer_or_many_readers) {
  // All structures are too small, so that victims, evictions, back-invalidations and retries happen all the time.
  const cmn::NodeParameters parameters{
      .rn_f = {.cache_sets = 8, .cache_ways = 2, .outstanding = 8},
      .sn_f = {.entries = 3, .latency = 30},
      .home = {.slc_sets = 4, .slc_ways = 2, .sf_sets = 4, .sf_ways = 2, .pocq_entries = 4}};
  System system(GetParam().topology, parameters);
  system.add(everything_everywhere());
  run([&] {
    system.run(40 * kMicrosecond, 61 * kCycle);
    EXPECT_GT(system.sum(&cmn::RnF::retries), 100U);
  });
}

TEST_P(CmnCoherence, usual_structures_under_high_load_keep_one_writer_or_many_readers) {
  System system(GetParam().topology, {.rn_f = {.cache_sets = 16, .cache_ways = 4}});
  ChiTrafficSpec spec = everything_everywhere();
  spec.outstanding = 24;
  system.add(spec);
  run([&] { system.run(20 * kMicrosecond, 61 * kCycle); });
}

/// Requesters of one kind that read and write memory, including the shared lines.
ChiTrafficSpec from_io(DeviceKind kind, const std::string& name) {
  return {.name = name,
          .requesters = kind,
          .mix = {{OperationKind::read_once, 3},
                  {OperationKind::write_unique_full, 1},
                  {OperationKind::write_unique_ptl, 1}},
          .ranges = {{.base = 0, .size = 48 * 64}, {.base = 1 << 20, .size = 1 << 16}},
          .outstanding = 8};
}

TEST_P(CmnCoherence, requesters_of_io_and_dvm_operations_leave_one_writer_or_many_readers) {
  const cmn::NodeParameters parameters{.rn_f = {.cache_sets = 8, .cache_ways = 2, .outstanding = 8},
                                       .home = {.sf_sets = 4, .sf_ways = 4, .pocq_entries = 6}};
  System system(GetParam().topology, parameters);
  const cmn::SystemAddressMap& map = system.nodes.addresses();
  ChiTrafficSpec cpus = everything_everywhere();
  cpus.mix.push_back({OperationKind::dvm_operation, 2});
  cpus.mix.push_back({OperationKind::dvm_sync, 1});
  if (map.has(cmn::Region::sbsx)) cpus.ranges.push_back({.base = std::uint64_t{1} << 44U, .size = 1 << 14});
  if (map.has(cmn::Region::mtsx)) cpus.ranges.push_back({.base = std::uint64_t{2} << 44U, .size = 1 << 14});
  system.add(cpus);
  if (!map.nodes(DeviceKind::rn_i).empty()) system.add(from_io(DeviceKind::rn_i, "rn_i"));
  if (!map.nodes(DeviceKind::rn_d).empty()) {
    ChiTrafficSpec devices = from_io(DeviceKind::rn_d, "rn_d");
    devices.mix = {{OperationKind::read_no_snp, 1}, {OperationKind::write_no_snp_full, 1}};
    devices.ranges = {ChiRange{.base = std::uint64_t{4} << 44U, .size = 1 << 16}};
    system.add(devices);
  }
  run([&] { system.run(20 * kMicrosecond, 61 * kCycle); });
}

INSTANTIATE_TEST_SUITE_P(Meshes, CmnCoherence, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace pmufab::cmn_coherence_test
