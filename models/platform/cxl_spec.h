#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/cxl/cpmu_parameters.h"
#include "models/cxl/device_cache.h"
#include "models/cxl/hdm_map.h"
#include "models/cxl/host.h"
#include "models/cxl/link.h"
#include "models/cxl/memory_device.h"
#include "models/cxl/type3_parameters.h"

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

/// A CPMU of a device.
struct CxlCpmuSpec {
  std::vector<CxlGroupSpec> groups{};  ///< in the order of the event capability registers
  cxl::CpmuParameters parameters{};    ///< message number 0: the next free one, from 1 on
};

/// An HDM decoder of a device, programmed by firmware.
struct CxlDecoderSpec {
  std::uint64_t base = 0;  ///< host physical address, a multiple of 256 MiB
  std::uint64_t size = 0;  ///< bytes, a multiple of 256 MiB
  cxl::Coherency coherency = cxl::Coherency::hdm_h;
};

/// A CXL device below a root port of its own, and the host above it.
struct CxlDeviceSpec {
  std::vector<CxlDecoderSpec> decoders{};  ///< ascending
  std::vector<CxlCpmuSpec> cpmus{};
  cxl::LinkParameters link{};
  cxl::HostParameters host{};
  cxl::MemoryDeviceParameters memory{};
  std::optional<cxl::DeviceCacheParameters> cache{};  ///< a Type 2 device: it caches memory of the host
  /// What the register side is like; its capacity and blocks are made of the decoders and CPMUs.
  cxl::Type3Parameters registers{};
};

/// @throws SpecError for the first thing that makes the devices impossible; fields begin with "cxl["
void check_cxl(const std::vector<CxlDeviceSpec>& devices);

}  // namespace pmufab::platform
