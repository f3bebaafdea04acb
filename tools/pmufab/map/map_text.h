// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <vector>

#include "tools/pmufab/map/map_picture.h"
#include "tools/pmufab/map/map_traffic.h"

namespace pmufab::cli {

/// Print a mesh in ASCII as boxes in their places, north up. With traffic, each box has the flits its XP transmitted.
void write_map_text(std::ostream& out, const MeshPicture& mesh);

/// Print a line for each frame of a mesh: its flits, and its busiest link. Nothing if there are no frames.
void write_map_frames(std::ostream& out, const MeshPicture& mesh, const std::vector<MapFrame>& frames);

/// Print a line for each CHI traffic, and for each link between meshes.
void write_map_traffic(std::ostream& out, const MapTraffic& traffic, const MapLoads& loads);

}  // namespace pmufab::cli
