// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The messages of a vfio-user server: numbers and layouts of the protocol's version 0.1 (QEMU documentation,
/// "vfio-user Protocol Specification"). All fields are in the host's byte order.
namespace pmufab::vfio_user {

inline constexpr std::uint16_t kMajor = 0;
inline constexpr std::uint16_t kMinor = 1;

enum class Command : std::uint16_t {
  version = 1,
  dma_map = 2,
  dma_unmap = 3,
  device_get_info = 4,
  device_get_region_info = 5,
  device_get_region_io_fds = 6,
  device_get_irq_info = 7,
  device_set_irqs = 8,
  region_read = 9,
  region_write = 10,
  dma_read = 11,
  dma_write = 12,
  device_reset = 13,
  region_write_multi = 15,
  device_feature = 16,
};

struct Header {
  std::uint16_t id;
  std::uint16_t command;
  std::uint32_t size;  ///< bytes, including this header
  std::uint32_t flags;
  std::uint32_t error;  ///< errno
};
static_assert(sizeof(Header) == 16);

// Header::flags
inline constexpr std::uint32_t kTypeMask = 0xf;
inline constexpr std::uint32_t kCommand = 0;
inline constexpr std::uint32_t kReply = 1;
inline constexpr std::uint32_t kNoReply = 1 << 4;
inline constexpr std::uint32_t kError = 1 << 5;

struct Version {
  std::uint16_t major;
  std::uint16_t minor;
};

struct DmaMap {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint64_t offset;
  std::uint64_t address;
  std::uint64_t size;
};

struct DmaUnmap {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint64_t address;
  std::uint64_t size;
};
inline constexpr std::uint32_t kUnmapAll = 1 << 1;  ///< VFIO_DMA_UNMAP_FLAG_ALL

struct DeviceInfo {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t num_regions;
  std::uint32_t num_irqs;
};
inline constexpr std::uint32_t kDeviceReset = 1 << 0;
inline constexpr std::uint32_t kDevicePci = 1 << 1;

struct RegionInfo {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t index;
  std::uint32_t cap_offset;
  std::uint64_t size;
  std::uint64_t offset;
};
inline constexpr std::uint32_t kRegionRead = 1 << 0;
inline constexpr std::uint32_t kRegionWrite = 1 << 1;

struct IrqInfo {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t index;
  std::uint32_t count;
};
inline constexpr std::uint32_t kIrqEventFd = 1 << 0;

struct IrqSet {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t index;
  std::uint32_t start;
  std::uint32_t count;
};
inline constexpr std::uint32_t kDataNone = 1 << 0;
inline constexpr std::uint32_t kDataBool = 1 << 1;
inline constexpr std::uint32_t kDataEventFd = 1 << 2;
inline constexpr std::uint32_t kActionMask = 1 << 3;
inline constexpr std::uint32_t kActionUnmask = 1 << 4;
inline constexpr std::uint32_t kActionTrigger = 1 << 5;

struct RegionAccess {
  std::uint64_t offset;
  std::uint32_t region;
  std::uint32_t count;  ///< bytes; those of a write, or of a read's reply, follow
};

struct DmaAccess {
  std::uint64_t address;
  std::uint64_t count;  ///< bytes; those of a write follow
};

/// One of the writes of region_write_multi, which follow their number (64 bits).
struct MultiWrite {
  std::uint64_t offset;
  std::uint32_t region;
  std::uint32_t count;  ///< bytes, 8 at most
  std::uint64_t data;
};
static_assert(sizeof(MultiWrite) == 24);

// Regions and interrupts of a PCI device, by the numbers of <linux/vfio.h>.
inline constexpr unsigned kConfigRegion = 7;
inline constexpr unsigned kRegions = 9;
inline constexpr unsigned kMsiX = 2;
inline constexpr unsigned kIrqKinds = 5;

/// The longest message that a server accepts: one write or read has at most kLongestData bytes.
inline constexpr std::uint32_t kLongestData = 4096;
inline constexpr std::uint32_t kLongestMessage = 2 * kLongestData;
/// Most descriptors in one message.
inline constexpr unsigned kMostDescriptors = 16;
/// Most DMA ranges at a time.
inline constexpr std::size_t kMostDmaMaps = 65535;

}  // namespace pmufab::vfio_user
