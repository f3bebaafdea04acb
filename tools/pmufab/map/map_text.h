// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "tools/pmufab/map/map_picture.h"

namespace pmufab::cli {

/// Print a mesh as boxes in their places, north up, in ASCII; with flits transmitted per XP if there was traffic.
void write_map_text(std::ostream& out, const MeshPicture& mesh);

}  // namespace pmufab::cli
