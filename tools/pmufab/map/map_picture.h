// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/engine/mesh_engine.h"
#include "testbench/fabrics/cmn/scenario/mesh_load.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::cli {

using scenario::MeshLoad;

/// What the darkest colours of a picture stand for, in flits per cycle. 0: the most that the mesh has.
struct MapScale {
  double link = 0;
  double xp = 0;
};

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
  unsigned index = 0;  ///< of the mesh on its platform
  std::string name;    ///< "cmn0"
  std::string title;   ///< product, revision and size
  unsigned columns;
  unsigned rows;
  std::vector<Xp> xps;  ///< y * columns + x
  MeshLoad load;
  MapScale scale{};

  [[nodiscard]] const Xp& at(unsigned x, unsigned y) const { return xps.at(y * columns + x); }
  [[nodiscard]] bool has_load() const noexcept { return !load.xps.empty(); }
};

/// @param platform  its effective configuration; null: there is none
/// @return the revision of a mesh as users write it: "r3p1"
[[nodiscard]] std::string revision_of(const scenario::Value* platform, const cmn::Topology& topology, unsigned mesh);

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
