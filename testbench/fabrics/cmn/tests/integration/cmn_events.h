// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "models/cmn/description/topology.h"

namespace pmufab::integration {

/// What arm-cmn of a kernel version should publish in the folder "events" for a mesh: names, and the contents of each
/// file.
///
/// The list comes from the events of Arm's products and the rules by which the driver hides them, not from the driver's
/// output. Sources: kernel documentation, the products' public register data, and the differences between driver
/// versions.
[[nodiscard]] std::map<std::string, std::string> expected_cmn_events(const cmn::Topology& topology,
                                                                     const std::string& kernel_version);

/// Sub-channels as a driver sees them. Before 7.3, drivers read those of CMN S3 r2 at the places of other revisions.
/// They read RSP and DAT in bits that are 0 there. They read three-bit numbers for REQ, SNP, DAT and RSP as two-bit
/// ones. 7.3 keeps two bits of each number.
[[nodiscard]] cmn::VirtualChannels seen_channels(const cmn::Topology& topology, const std::string& kernel_version);

}  // namespace pmufab::integration
