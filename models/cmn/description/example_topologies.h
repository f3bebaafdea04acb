// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cmn/description/topology.h"

/// Meshes ready to use: starting points for platforms and tests. All pass check().
namespace pmufab::cmn::examples {

/// CMN-600 r3p0, 4x2, one DTC: HN-D, 4 HN-F, 2 RN-I, an RN-D, 4 RN-F, 2 SN-F, an SBSX.
[[nodiscard]] Topology cmn600_small();
/// CMN-600 r3p0, 4x4, two DTCs, CCIX.
[[nodiscard]] Topology cmn600_two_dtcs();
/// CMN-650 r2p0, 5x4, two DTCs, CAL, HN-P.
[[nodiscard]] Topology cmn650_two_dtcs();
/// CMN-700 r3p0, 8x8, two DTCs, several DTMs per XP: a server. XPs of two and four ports, CCG, HN-P, HN-S or HN-F.
[[nodiscard]] Topology cmn700_server(NodeType home = NodeType::hn_s);
/// CI-700 r2p0, 3x2, XPs with ports 2 and up, MTSX.
[[nodiscard]] Topology ci700_small();
/// CMN S3, 4x3, two DTCs, several DTMs per XP.
/// @param revision  1 r0p1, 2 r1p0, 3 r2p0
[[nodiscard]] Topology s3_small(unsigned revision);
/// CMN-700 r3p0, 12x12, four DTCs, about 800 nodes.
[[nodiscard]] Topology cmn700_largest();
/// CMN-700 r3p0, one XP with six ports and three DTMs.
[[nodiscard]] Topology cmn700_single_xp();

}  // namespace pmufab::cmn::examples
