// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "tools/pmufab/map/map_picture.h"
#include "tools/pmufab/map/map_traffic.h"

namespace pmufab::cli {

/// Print a mesh in ASCII as boxes in their places, north up. With traffic, each box has the flits its XP transmitted.
void write_map_text(std::ostream& out, const MeshPicture& mesh);

/// Print a line for each frame of a mesh: its flits, and its busiest link. Nothing if there are no frames.
void write_map_frames(std::ostream& out, const MeshPicture& mesh, const std::vector<MapFrame>& frames);

/// Print a line for each CHI traffic, and for each link between meshes.
void write_map_traffic(std::ostream& out, const MapTraffic& traffic, const MapLoads& loads);

/// Draw meshes below each other as one SVG 1.1 document, north up: crosspoints, devices at their ports, links. With
/// traffic, the colours of crosspoints and links show the flits they transmitted, on the meshes' scales, and tooltips
/// show the numbers. Equal meshes give equal bytes.
/// @param title  of the picture, any text
[[nodiscard]] std::string map_svg(const std::string& title, const std::vector<MeshPicture>& meshes);

/// The same as a part of an HTML page: without the declaration of XML.
[[nodiscard]] std::string map_svg_element(const std::string& title, const std::vector<MeshPicture>& meshes);

/// @param platform  its name
/// @param pictures  the meshes that are shown
/// @param traffic   empty: `loads` does not matter
/// @return meshes, devices and loads as one JSON document, as docs/cmn-mesh.md describes it. Equal meshes and traffic
///         give equal bytes
[[nodiscard]] std::string map_json(const std::string& platform, const std::vector<MeshPicture>& pictures,
                                   const MapTraffic& traffic, const MapLoads& loads);

/// Result of comparing a mesh with the map that its driver shows in debugfs.
struct MapComparison {
  std::vector<std::string> differences;  ///< empty: driver and model agree
  std::vector<std::string> unknown;      ///< what this driver has no name for, so that there is nothing to compare
};

/// Read the map of arm-cmn.c (arm_cmn_map_show) and compare it with the mesh: the number and DTC domain of each XP, the
/// device at each port, and for devices 0 and 1 the logical id of the node with events. The expected map is computed
/// from the topology alone.
[[nodiscard]] MapComparison compare_with_driver(const cmn::Topology& topology, const cmn::Layout& layout,
                                                const std::string& driver_map);

}  // namespace pmufab::cli
