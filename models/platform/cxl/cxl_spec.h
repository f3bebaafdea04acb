// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/cxl/cpmu/cpmu_parameters.h"
#include "models/cxl/host/host.h"
#include "models/cxl/link/link.h"
#include "models/cxl/memory/device_cache.h"
#include "models/cxl/memory/hdm_map.h"
#include "models/cxl/memory/interleave.h"
#include "models/cxl/memory/memory_device.h"
#include "models/cxl/registers/type3_parameters.h"

namespace pmufab::platform {

/// An event of a vendor's own: happens with every message of one class and opcode.
struct CxlVendorEvent {
  unsigned bit = 0;  ///< event id, 0 ... 31
  cxl::MessageClass message_class{};
  unsigned opcode = 0;
};

/// An event capability of a CPMU.
struct CxlGroupSpec {
  std::uint16_t vendor = cxl::kCxlVendor;
  std::uint16_t group = 0;               ///< of kCxlVendor: one the device has, or 0 (clock ticks)
  std::vector<CxlVendorEvent> events{};  ///< of other vendors
};

/// A CPMU of a device or a port.
struct CxlCpmuSpec {
  std::vector<CxlGroupSpec> groups{};  ///< in the order of the event capability registers
  cxl::CpmuParameters parameters{};    ///< message number 0: the next free one, from 1 on
};

/// An HDM decoder of a device, programmed by firmware. As many devices as there are ways have the same one: the range
/// is dealt out to them, chunk by chunk, in the order of the devices. They lie below as many root ports, each of which
/// has as many of them as the others; so the decoders of ports follow.
struct CxlDecoderSpec {
  std::uint64_t base = 0;  ///< host physical address, a multiple of 256 MiB
  std::uint64_t size = 0;  ///< bytes of the whole range, a multiple of 256 MiB times the ways
  cxl::Coherency coherency = cxl::Coherency::hdm_h;
  cxl::Interleave interleave{};  ///< 1, 2, 4 or 8 ways of 256 bytes to 16 KiB
};

/// A root port, or a downstream port of a switch.
struct CxlPortSpec {
  std::vector<CxlCpmuSpec> cpmus{};
};

struct CxlDeviceSpec;

/// A switch below a root port.
struct CxlSwitchSpec {
  std::vector<CxlCpmuSpec> cpmus;        ///< of the upstream port
  Picoseconds forward_latency = 30'000;  ///< from a message's arrival to when it is ready to leave
  std::vector<CxlDeviceSpec> devices;    ///< device i below downstream port i; at least one
};

/// What is below a root port, with the link to it and the host above: a CXL device, or a switch with devices.
struct CxlDeviceSpec {
  CxlPortSpec port{};                      ///< the root port, or the downstream port of the switch
  std::optional<CxlSwitchSpec> below{};    ///< a switch: only port, link and host are of interest then
  std::vector<CxlDecoderSpec> decoders{};  ///< ascending
  std::vector<CxlCpmuSpec> cpmus{};
  cxl::LinkParameters link{};
  cxl::HostParameters host{};  ///< below a switch of no interest
  cxl::MemoryDeviceParameters memory{};
  std::optional<cxl::DeviceCacheParameters> cache{};  ///< a Type 2 device: it caches memory of the host
  /// What the register side is like; its capacity and blocks are made of the decoders and CPMUs.
  cxl::Type3Parameters registers{};
};

/// A device, and where it is.
struct CxlDevicePlace {
  const CxlDeviceSpec* spec = nullptr;
  unsigned root = 0;                      ///< which root port it is below
  std::optional<unsigned> switch_number;  ///< which switch it is below
  unsigned port = 0;                      ///< of the switch
  std::string field;                      ///< for errors: "cxl[0].switch.devices[1]"
};

/// @return the devices, in their order: numbers are those of "cxl0", "cxl1", ...; valid as long as `branches`.
[[nodiscard]] std::vector<CxlDevicePlace> devices_of(const std::vector<CxlDeviceSpec>& branches);

/// A range of memory, and the devices it is dealt out to, by way.
struct CxlRangeSpec {
  CxlDecoderSpec decoder;
  std::vector<unsigned> devices;
};

/// @return every range once, ascending.
[[nodiscard]] std::vector<CxlRangeSpec> ranges_of(const std::vector<CxlDevicePlace>& devices);

/// @param branches  below root ports 0, 1, ...
/// @throws SpecError for the first thing that makes the devices impossible; fields begin with "cxl["
void check_cxl(const std::vector<CxlDeviceSpec>& branches);

}  // namespace pmufab::platform
