// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cmn/engine/mesh_engine.h"
#include "testbench/run/results/results.h"

namespace pmufab::scenario {

/// Flits that the XPs of a mesh transmitted, by the engine's own tallies: the truth, independent of any PMU.
struct MeshLoad {
  /// One XP: by cmn::Interface, summed over channels.
  struct Xp {
    std::array<std::uint64_t, cmn::kInterfaces> valid{};  ///< flits that left by the interface
    std::array<std::uint64_t, cmn::kInterfaces> stall{};  ///< cycles in which one waited for a credit, all channels
    [[nodiscard]] std::uint64_t flits() const noexcept;
    [[nodiscard]] std::uint64_t stalls() const noexcept;
  };
  cmn::Cycle cycles = 0;  ///< of the traffic
  std::vector<Xp> xps;    ///< y * columns + x; empty: there was no traffic
  /// @return flits on the link that leaves an XP through an interface.
  [[nodiscard]] std::uint64_t valid(unsigned xp, cmn::Interface interface) const {
    return xps.at(xp).valid.at(static_cast<unsigned>(interface));
  }
  [[nodiscard]] std::uint64_t flits() const noexcept;  ///< of all XPs
  [[nodiscard]] std::uint64_t most_of_xp() const noexcept;
  [[nodiscard]] std::uint64_t most_of_link() const noexcept;  ///< of links between XPs
  /// @return so many of its flits, per cycle
  [[nodiscard]] double per_cycle(std::uint64_t flits) const noexcept {
    return cycles == 0 ? 0.0 : static_cast<double>(flits) / static_cast<double>(cycles);
  }
};

/// Sum up the engine's tallies so far.
[[nodiscard]] MeshLoad load_of(const cmn::MeshEngine& engine, cmn::Cycle cycles);
/// The same of one channel. @pre the mesh has it
[[nodiscard]] MeshLoad load_of(const cmn::MeshEngine& engine, cmn::Cycle cycles, cmn::Channel channel);
/// @return what came after `earlier`. @param later  of the same mesh, later in the same run
[[nodiscard]] MeshLoad load_between(const MeshLoad& earlier, const MeshLoad& later);

/// As RunResult::load has it, for one mesh.
[[nodiscard]] Json to_json(const MeshLoad& load);
/// @param load  RunResult::load: of all meshes. @return one for each mesh; none if there is no load
/// @throws nlohmann::json::exception if it is not what to_json() made
[[nodiscard]] std::vector<MeshLoad> mesh_loads_from_json(const Json& load);

}  // namespace pmufab::scenario
