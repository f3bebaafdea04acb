// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/pmufab/map/map_picture.h"

namespace pmufab::cli {

/// Draw meshes below each other as one SVG 1.1 document, north up: crosspoints, devices at their ports, links. With
/// traffic, the colours of crosspoints and links show the flits they transmitted, on the meshes' scales, and tooltips
/// show the numbers. Equal meshes give equal bytes.
/// @param title  of the picture, any text
[[nodiscard]] std::string map_svg(const std::string& title, const std::vector<MeshPicture>& meshes);

/// The same as a part of an HTML page: without the declaration of XML.
[[nodiscard]] std::string map_svg_element(const std::string& title, const std::vector<MeshPicture>& meshes);

}  // namespace pmufab::cli
