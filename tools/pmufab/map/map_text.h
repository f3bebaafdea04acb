// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "tools/pmufab/map/map_picture.h"

namespace pmufab::cli {

/// Print a mesh in ASCII as boxes in their places, north up. With traffic, each box has the flits its XP transmitted.
void write_map_text(std::ostream& out, const MeshPicture& mesh);

}  // namespace pmufab::cli
