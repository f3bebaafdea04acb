// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/engine/mesh_engine.h"

namespace pmufab::cli {

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
};

/// Sum up the engine's tallies so far.
[[nodiscard]] MeshLoad load_of(const cmn::MeshEngine& engine, cmn::Cycle cycles);

/// A mesh as pmufab map shows it: names and places, nothing that simulates.
struct MeshPicture {
  /// One device behind a port. With a CAL there are several.
  struct Device {
    unsigned number;                 ///< 0 ... 3
    unsigned node_id;                ///< the nodeid= of an event or a watchpoint
    std::vector<std::string> nodes;  ///< "hnf0"; in parentheses if software must not touch it
  };
  struct Port {
    cmn::DeviceType type;
    std::vector<Device> devices;  ///< by number; none at an empty port
  };
  struct Xp {
    unsigned index;
    unsigned node_id;
    unsigned logical_id;  ///< equal to the index, unless the platform deviates on purpose
    unsigned domain;      ///< DTC
    unsigned first_dtm;
    unsigned dtms;
    std::vector<Port> ports;
    std::vector<std::string> nodes;  ///< those without a port
    /// @return "DTM 4", "DTMs 4-5".
    [[nodiscard]] std::string dtm_text() const;
  };
  std::string name;   ///< "cmn0"
  std::string title;  ///< product, revision and size
  unsigned columns;
  unsigned rows;
  std::vector<Xp> xps;  ///< y * columns + x
  MeshLoad load;

  [[nodiscard]] const Xp& at(unsigned x, unsigned y) const { return xps.at(y * columns + x); }
  [[nodiscard]] bool has_load() const noexcept { return !load.xps.empty(); }
};

/// @param index     of the mesh on its platform
/// @param revision  as users write it: "r3p1"
[[nodiscard]] MeshPicture picture_of(const cmn::Topology& topology, const cmn::Layout& layout, unsigned index,
                                     const std::string& revision);

/// The neighbour that a link leads to. Interfaces at the edge of the mesh, and ports, have none.
struct Link {
  cmn::Interface interface;
  unsigned from;
  unsigned to;
};
/// @return every link between XPs, with one entry per direction, in order of XP and interface.
[[nodiscard]] std::vector<Link> links_of(unsigned columns, unsigned rows);

/// @return "east" for Interface::east.
[[nodiscard]] std::string_view direction_of(cmn::Interface interface) noexcept;

}  // namespace pmufab::cli
