// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/cxl/verify/cxl_machine.h"
#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

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

/// @param details  of each device, by number
/// @return the map under the key `platform`
[[nodiscard]] scenario::Value cxl_platform(Random& random, const CxlMachine& machine,
                                           const std::vector<CxlDetails>& details, unsigned cpus);

/// @return a list for `cxl_traffic`: operations of hosts, devices and their caches that reach every decoder.
/// @param until  when the last operations begin; nothing: never
[[nodiscard]] scenario::Value cxl_workload(Random& random, CxlMachine& machine, std::optional<Picoseconds> until);

/// @return what firmware has left in the CPMUs of some devices, a list for the key `firmware_writes`: values of counters,
///         filters, thresholds, interrupts and freezes. Nothing runs and nothing has overflowed, and no event is selected:
///         the driver presumes that (cxl_known_defects.h). Of filters that this kernel's driver has, no others.
[[nodiscard]] scenario::Value cxl_firmware(Random& random, const CxlMachine& machine, std::string_view kernel);

/// @return a machine with a session that knows what each counter was programmed with, and when it wraps: counters of
///         every width wrap with their interrupts, several at once, and each counter has a program of its own. Sessions
///         that know less cannot do that, because the driver makes mistakes then (cxl_known_defects.h).
[[nodiscard]] GeneratedMachine cxl_session_machine(Random& random, std::string_view kernel);

}  // namespace pmufab::verify
