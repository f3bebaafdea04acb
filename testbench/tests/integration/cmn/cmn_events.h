// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "models/cmn/description/topology.h"

namespace pmufab::integration {

/// What arm-cmn of a kernel version should publish in the folder "events" for a mesh: names, and what each file says.
///
/// Put together from the events Arm's products have and the rules by which the driver hides them, not from what the
/// driver shows: kernel documentation, the products' public register data and the differences between driver versions.
[[nodiscard]] std::map<std::string, std::string> expected_cmn_events(const cmn::Topology& topology,
                                                                     const std::string& kernel_version);

/// Sub-channels as a driver sees them. Before 7.3 it reads those of CMN S3 r2 where other revisions have them: RSP and
/// DAT in bits that are 0 there, and of a register with three bits for each of REQ, SNP, DAT and RSP the first two
/// times two. 7.3 keeps two bits of each number.
[[nodiscard]] cmn::VirtualChannels seen_channels(const cmn::Topology& topology, const std::string& kernel_version);

}  // namespace pmufab::integration
