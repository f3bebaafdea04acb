// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/pmufab/map/map_picture.h"
#include "tools/pmufab/map/map_traffic.h"

namespace pmufab::cli {

/// @param platform  its name
/// @param pictures  the meshes that are shown
/// @param traffic   empty: `loads` does not matter
/// @return meshes, devices and loads as one JSON document, as docs/cmn-mesh.md describes it. Equal meshes and traffic
///         give equal bytes
[[nodiscard]] std::string map_json(const std::string& platform, const std::vector<MeshPicture>& pictures,
                                   const MapTraffic& traffic, const MapLoads& loads);

}  // namespace pmufab::cli
