// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"

namespace pmufab::integration {

/// Driver sets with arm-cmn, from 6.12 on, the first that knows CMN S3 and HN-S.
std::vector<DriverSet> driver_sets_for_cmn_s3();

/// A ready-made mesh, possibly changed, under one kernel version, and events in the syntax of perf's -e.
class CmnLinux73 : public CmnTest {
 protected:
  static constexpr std::uint64_t kEventSelectS3 = 0xd900;  ///< in the window of a device of CMN S3

  /// @return the mesh of a platform of scenarios/platforms.
  static platform::CmnSpec ready_made(const std::string& name);
  [[nodiscard]] cmn::Topology& topology() { return spec.topology; }
  [[nodiscard]] const cmn::Layout& layout() { return mesh().layout(); }
  [[nodiscard]] bool is_7_3() const { return kernel_is_at_least("7.3"); }

  /// Build the mesh of `spec`, load the drivers and run the story.
  void boot(std::function<void()> story) { CmnTest::boot(spec.topology, std::move(story)); }

  /// Open an event, which counts at once. @return negative: refused
  EventHandle try_open(const std::string& text, EventHandle leader = 0);
  /// The same, and it must succeed.
  EventHandle start(const std::string& text, EventHandle leader = 0);
  [[nodiscard]] perf::PerfAttributes attributes_of(const std::string& text) const;
  /// The text of an event at one node.
  static std::string at(const std::string& event, unsigned node_id);
  /// Ends an event that never got a counter.
  void expect_never_counted(EventHandle event);

  /// @return index of the first event source of nodes of a type for which `fits`.
  unsigned source(cmn::NodeType events, const std::function<bool(const cmn::NodePlace&)>& fits = {});
  /// So many requests leave an XP to the east now.
  void requests_east(unsigned xp, std::uint64_t amount) { mesh().pmu().xp_event(xp, 1, amount, testing::now()); }

  /// Values that the driver wrote to a register of a node, in accesses of `length` bytes, since `accesses` was cleared.
  std::vector<std::uint64_t> written(const cmn::NodePlace& node, std::uint64_t offset, unsigned length);
  /// Accesses to all registers of a node.
  [[nodiscard]] std::vector<MmioBus::BusAccess> window(const cmn::NodePlace& node);
  /// Names of published events that begin with `prefix`.
  std::set<std::string> events(const std::string& prefix);
};

}  // namespace pmufab::integration
