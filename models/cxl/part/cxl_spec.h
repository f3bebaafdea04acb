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
#include "models/platform/platform_spec.h"

namespace pmufab::platform {

/// A vendor-defined event: it happens with every message of one class and opcode.
struct CxlVendorEvent {
  unsigned bit = 0;  ///< event id, 0 ... 31
  cxl::MessageClass message_class{};
  unsigned opcode = 0;
};

/// An event capability of a CPMU.
struct CxlGroupSpec {
  std::uint16_t vendor = cxl::kCxlVendor;
  std::uint16_t group = 0;               ///< for kCxlVendor: one the device has, or 0 (clock ticks)
  std::vector<CxlVendorEvent> events{};  ///< for other vendors
};

/// A CPMU of a device or a port.
struct CxlCpmuSpec {
  std::vector<CxlGroupSpec> groups{};  ///< in the order of the event capability registers
  cxl::CpmuParameters parameters{};    ///< message number 0: the next free one, from 1 on
};

/// An HDM decoder of a device, programmed by firmware. In an interleaved range, as many devices as there are ways have
/// the same decoder; the range is interleaved over them, in the order of the devices. They lie below as many root
/// ports, with equal numbers of devices below each; the decoders of ports follow from that.
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
  Picoseconds forward_latency = 30'000;  ///< from a message's arrival until it is ready to leave
  std::vector<CxlDeviceSpec> devices;    ///< device i below downstream port i; at least one
};

/// The component below a root port, with the link to it and the host above: a CXL device, or a switch with devices.
struct CxlDeviceSpec {
  CxlPortSpec port{};                      ///< the root port, or the downstream port of the switch
  std::optional<CxlSwitchSpec> below{};    ///< a switch: then only port, link and host are used
  std::vector<CxlDecoderSpec> decoders{};  ///< ascending
  std::vector<CxlCpmuSpec> cpmus{};
  cxl::LinkParameters link{};
  cxl::HostParameters host{};  ///< unused below a switch
  cxl::MemoryDeviceParameters memory{};
  std::optional<cxl::DeviceCacheParameters> cache{};  ///< present for a Type 2 device, which caches memory of the host
  /// The parameters of the register side. Its capacity follows from the decoders, its blocks from `locator`.
  cxl::Type3Parameters registers{};
  /// Entries of the register locator: one component and one device block, and one cpmu for each CPMU. Empty: these two,
  /// an entry without meaning, and the CPMUs.
  std::vector<cxl::BlockId> locator{};
};

/// @return the entries of a device's register locator.
[[nodiscard]] std::vector<cxl::BlockId> locator_of(const CxlDeviceSpec& device);

/// A device and its place.
struct CxlDevicePlace {
  const CxlDeviceSpec* spec = nullptr;
  unsigned root = 0;                      ///< the root port above it
  std::optional<unsigned> switch_number;  ///< the switch above it
  unsigned port = 0;                      ///< port of the switch
  std::string field;                      ///< for errors: "cxl[0].switch.devices[1]"
};

/// @return the devices, in the order of "cxl0", "cxl1", ...; valid as long as `branches`.
[[nodiscard]] std::vector<CxlDevicePlace> devices_of(const std::vector<CxlDeviceSpec>& branches);

/// A range of memory, and the devices it is interleaved over, by way.
struct CxlRangeSpec {
  CxlDecoderSpec decoder;
  std::vector<unsigned> devices;
};

/// @return every range once, ascending.
[[nodiscard]] std::vector<CxlRangeSpec> ranges_of(const std::vector<CxlDevicePlace>& devices);

/// @param branches  components below root ports 0, 1, ...
/// @throws SpecError for the first thing that makes the devices impossible; fields begin with "cxl["
void check_cxl(const std::vector<CxlDeviceSpec>& branches);

/// The components below CXL root ports 0, 1, ... of a platform: devices "cxl0", "cxl1", ..., directly or below switches.
struct CxlSpec final : PartSpec {
  std::vector<CxlDeviceSpec> devices{};

  void check(const PlatformSpec& /*platform*/) const override { check_cxl(devices); }
  [[nodiscard]] PartClaims claims(const PlatformSpec& platform) const override;
  void make(const PlatformSpec& platform, PlatformParts& parts) const override;
};

namespace default_map {
inline constexpr std::uint64_t kEcam = 0x4000'0000;        ///< configuration space of PCI segment 0, 1 MiB for each bus
inline constexpr std::uint64_t kCxlBars = 0x20'0000'0000;  ///< BARs 0 of CXL ports and devices, each at a multiple of
inline constexpr std::uint64_t kCxlBarStride = 0x100'0000;    ///< 16 MiB; components below a port follow the port
inline constexpr std::uint64_t kCxlBarsSize = 0x4000'0000;    ///< 16 switches, each with a device, below 16 root ports
inline constexpr std::uint64_t kCxlHostBridge = 0x3001'0000;  ///< component registers of the host bridge, 64 KiB
}  // namespace default_map

}  // namespace pmufab::platform
