// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/cxl/verify/cxl_machine.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// @return root ports, switches and devices with decoders and memory, without CPMUs.
[[nodiscard]] CxlMachine cxl_layout(Random& random);

/// Parameters of links, memory and hosts, which no count depends on by its rules.
struct CxlDetails {
  scenario::Value link;
  scenario::Value host;
  scenario::Value memory;
};
/// Choose the details of a device, and what of them its CPMUs depend on.
[[nodiscard]] CxlDetails cxl_details(Random& random, CxlDevice& device);

/// Memory of the host that devices cache, and the part of it in which some hosts answer writes with an error.
inline constexpr std::uint64_t kCxlHostMemory = 0x80'0000'0000;
inline constexpr std::uint64_t kCxlErrorMemory = 0x90'0000'0000;
/// Addresses that no decoder claims.
inline constexpr std::uint64_t kCxlNowhere = 0x180'0000'0000;

}  // namespace pmufab::verify
