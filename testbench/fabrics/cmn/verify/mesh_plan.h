// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "testbench/fabrics/cmn/verify/cmn_driver.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/common/values.h"
#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::verify {

inline constexpr unsigned kFirstS3R2 = 3;  ///< the revision code of CMN S3 r2p0

/// A random mesh, as far as a platform describes it.
struct MeshPlan {
  cmn::Topology topology;
  std::vector<std::vector<std::string>> devices;  ///< by crosspoint: the words of `tiles`
  std::string product;                            ///< "CMN-700"
  std::string revision;                           ///< "r3p0"
  bool acpi = false;
  bool cycles_need_cg_disable = true;
  bool automotive = false;               ///< a CMN-600AE
  std::vector<unsigned> empty_children;  ///< crosspoints that list a child which is not there
  std::vector<unsigned> interrupts;      ///< of each DTC; empty: one each
  std::optional<unsigned> socket;
  bool is_linked = false;  ///< gateways lead to another mesh
  bool is_narrow = false;  ///< queues, caches and credits so small that they are full all the time
  std::optional<scenario::Value> mesh, nodes, logical_ids{};  ///< the maps under these keys

  /// @return an item of `meshes`
  [[nodiscard]] scenario::Value value() const;
  [[nodiscard]] bool is_single() const { return topology.crosspoints.size() == 1; }
  /// @return how many devices there are of this name, those at CALs one by one
  [[nodiscard]] unsigned count(std::string_view device) const;
  /// @return the product has a node type CCG instead of CXRH
  [[nodiscard]] bool has_ccg() const { return cmn::is_700_or_s3(topology.product); }
};

/// @param gateways  the mesh has at least one gateway, and home nodes
/// @param small     at most 12 crosspoints
[[nodiscard]] MeshPlan make_mesh(Random& random, const CmnDriver& driver, bool gateways, bool small);

/// A list of them.
/// @{
[[nodiscard]] scenario::Value list_of(const std::vector<unsigned>& numbers);
[[nodiscard]] scenario::Value list_of(const std::vector<std::string>& texts);
/// @}

/// Add registers that firmware has left set in the PMU of a mesh, items of `firmware_writes`: local counters about to wrap,
/// watchpoints that see everything and feed counters, and DTCs that count and have overflowed. A driver must begin anew.
/// @param time_passes  while the driver begins: only then can a counter overflow before it is cleared
void add_firmware_writes(Random& random, const MeshPlan& plan, bool time_passes, scenario::Value& writes);

/// Random traffic of meshes: items of the lists under `chi_traffic` and `mesh_traffic`.
struct MeshFlows {
  std::vector<scenario::Value> chi;
  std::vector<scenario::Value> flits;
};

/// Add traffic that reaches all kinds of nodes of a mesh.
/// @param mesh       its number in the platform
/// @param neighbour  the mesh it is linked with; null: none
/// @param window     in which the traffic should cause most events
void add_flows(Random& random, const MeshPlan& plan, unsigned mesh, const MeshPlan* neighbour, Picoseconds window,
               MeshFlows& flows);

}  // namespace pmufab::verify
