// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/cmn/part/cmn_meshes.h"
#include "models/platform/platform.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {

/// All driver sets with arm-cmn, oldest first.
const std::vector<DriverSet>& cmn_driver_sets();

/// A story about arm-cmn on one modelled mesh.
class CmnTest : public DriverTest {
 protected:
  static constexpr Picoseconds kMicrosecond = 1'000'000;
  static constexpr std::uint64_t kDtcCycles = 0x3;  ///< config of dtc_cycles
  static constexpr std::uint64_t kLocalWrap = 65'536;
  /// The driver starts global counters of 32 bits half full, and each counts wraps of local ones.
  static constexpr std::uint64_t kToOverflow = std::uint64_t{1} << 47;

  /// A mesh with an RN-F and an HN-F at every crosspoint. Its columns are divided into `dtcs` domains. In the first
  /// column of each domain, the southernmost crosspoint has an HN-D or HN-T with the DTC instead of the HN-F.
  static cmn::Topology mesh_of(cmn::Product product, unsigned columns, unsigned rows, unsigned dtcs = 1);

  /// Build a platform with this mesh and the other parts of `spec`, load the driver, and run the story.
  void boot(cmn::Topology topology, std::function<void()> story);

  [[nodiscard]] cmn::Mesh& mesh() { return platform->get<platform::CmnMeshes>().mesh(0); }
  [[nodiscard]] bool line_is_high(unsigned dtc) { return mesh().interrupt(dtc).is_high(); }

  /// Config of an event of nodes of a type; of a single node, if its id is given.
  static std::uint64_t event(cmn::NodeType type, std::uint64_t id, std::optional<std::uint64_t> node = {}) {
    return static_cast<std::uint64_t>(type) | id << 16 | (node ? std::uint64_t{1} << 31 | *node << 32 : 0);
  }
  /// Open and enable. It must succeed.
  EventHandle start(std::uint64_t config, std::uint64_t config1 = 0, std::uint64_t config2 = 0, EventHandle leader = 0);
  /// As start(), but returns the driver's answer.
  EventHandle try_open(std::uint64_t config, std::uint64_t config1 = 0, std::uint64_t config2 = 0,
                       EventHandle leader = 0);
  /// The final count, as after perf stat.
  std::uint64_t finish(EventHandle handle);

  /// @return the n-th event source of a type in a DTC domain, in order of XP.
  [[nodiscard]] unsigned source(cmn::NodeType events, unsigned number = 0, std::optional<unsigned> domain = {});
  /// @return the node of a source.
  [[nodiscard]] const cmn::NodePlace& node_of(unsigned source_index);
  /// So many events of a source happen now.
  void happen(unsigned source_index, unsigned id, std::uint64_t amount) {
    mesh().pmu().node_event(source_index, id, cmn::kEveryClass, amount, testing::now());
  }
  /// So many flits leave a crosspoint now.
  void flits(unsigned xp, cmn::Interface interface, cmn::Channel channel, std::uint64_t amount, Picoseconds when);

  /// So many flits come from the device at a port of a crosspoint now.
  void upload(unsigned xp, unsigned port, cmn::Channel channel, unsigned amount);

  /// The value of a register, as a debugger reads it. All are 64 bits wide.
  [[nodiscard]] std::uint64_t look(std::uint64_t address) { return peek(address, 8); }
  /// Physical address of a register of a DTC's PMU, or of an XP's (first) DTM.
  [[nodiscard]] std::uint64_t dtc_register(unsigned dtc, std::uint64_t offset);
  [[nodiscard]] std::uint64_t dtm_register(unsigned xp, std::uint64_t offset);
  static constexpr std::uint64_t kPmevcnt0 = 0x0;  ///< of a DTC
  static constexpr std::uint64_t kPmcr = 0x100;
  static constexpr std::uint64_t kPmovsr = 0x118;
  static constexpr std::uint64_t kDtmPmuConfig = 0x210;
  static constexpr std::uint64_t kDtmPmevcnt = 0x220;

  platform::CmnSpec spec;
  std::function<void(platform::AcpiDevice&)> change_firmware;  ///< of the mesh
  bool expect_probe = true;                                    ///< the driver creates a PMU
  std::unique_ptr<platform::Platform> platform;
};

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
