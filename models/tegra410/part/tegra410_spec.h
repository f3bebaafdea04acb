// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/platform/platform_spec.h"
#include "models/tegra410/address_map.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/part/pmu_row.h"

namespace pmufab::platform {

/// Every socket of a platform is a Tegra410 with these parameters.
struct Tegra410Spec final : PartSpec, tegra410::Parameters {
  /// System memory, of any class but `bar`. Empty: default_memory(sockets).
  std::vector<tegra410::MemoryRange> memory{};
  /// PMUs on the sockets besides those the part has.
  std::vector<PmuRow> own_pmus{};

  void check(const PlatformSpec& platform) const override;
  [[nodiscard]] PartClaims claims(const PlatformSpec& platform) const override;
  void make(const PlatformSpec& platform, PlatformParts& parts) const override;
};

/// @return "tegra410": two sockets of 88 CPUs.
[[nodiscard]] PlatformSpec tegra410_platform();

namespace default_map {
inline constexpr std::uint64_t kRegistersBegin = 0x1000'0000;  ///< 2 MiB of register windows
inline constexpr std::uint64_t kRegistersSize = 0x20'0000;
inline constexpr std::uint64_t kUcfPmuPage0 = 0x1000'0000;
inline constexpr std::uint64_t kUcfPmuPage1 = 0x1000'1000;
inline constexpr std::uint64_t kPciePmu = 0x1001'0000;         ///< page 0 of root complex r: + r * stride, then page 1
inline constexpr std::uint64_t kPcieTgtPmu = 0x1002'0000;      ///< the same for PCIE-TGT
inline constexpr std::uint64_t kPciePmusStride = 0x2000;       ///< for the PMUs of root complexes
inline constexpr std::uint64_t kPcieTgtFilters = 0x1003'0000;  ///< address filters of root complex r: + r * 0x1000
inline constexpr std::uint64_t kCmemLatencyPmu = 0x1010'0000;  ///< 14 instances of 4 KiB, then the broadcast window
inline constexpr std::uint64_t kNvlinkC2cPmu = 0x1011'0000;    ///< likewise: 14 instances, broadcast
inline constexpr std::uint64_t kNvclinkPmu = 0x1012'0000;      ///< 12 instances, broadcast
inline constexpr std::uint64_t kNvdlinkPmu = 0x1013'0000;      ///< 16 instances, broadcast
inline constexpr std::uint64_t kPcieEcam = 0x10'0000'0000;     ///< configuration space of root complexes 0 ... 5,
inline constexpr std::uint64_t kPcieBars =
    0x40'0000'0000;  ///< BARs below root ports 0 ... 7 of root complexes 0 ... 5,
inline constexpr std::uint64_t kPcieBarsOfPort = 0x1'0000'0000;  ///< 4 GiB for each port
inline constexpr std::uint64_t kCmem = 0x80'0000'0000;           ///< 512 GiB
inline constexpr std::uint64_t kCmemSize = kSocketMemory;
inline constexpr std::uint64_t kGmem = 0x200'0000'0000;  ///< 256 GiB
inline constexpr std::uint64_t kGmemSize = 0x40'0000'0000;
inline constexpr std::uint64_t kCxl = 0x400'0000'0000;  ///< 256 GiB
inline constexpr std::uint64_t kCxlSize = 0x40'0000'0000;
inline constexpr std::uint32_t kUcfPmuInterrupt = 288;      ///< GSIV of socket 0; socket s has 288 + s
inline constexpr std::uint32_t kPciePmuInterrupt = 240;     ///< root complex 0 of socket 0; r of s: 240 + 6 s + r
inline constexpr std::uint32_t kPcieTgtPmuInterrupt = 384;  ///< root complex 0 of socket 0; r of s: 384 + 6 s + r
}  // namespace default_map

/// @return one CMEM, one GMEM and one CXL range for each socket, at the addresses of default_map. CXL memory is below
/// root complex 0.
[[nodiscard]] std::vector<tegra410::MemoryRange> default_memory(unsigned sockets);

/// @return the ranges of the sockets' address map: memory, as given or by default, and the BARs of PCI Express.
[[nodiscard]] std::vector<tegra410::MemoryRange> system_map(const PlatformSpec& spec);

/// Check the parameters of the chip-to-chip interfaces, except their clock.
/// @throws SpecError with the field relative to the platform's specification ("tegra410.nvlink_c2c.gpus")
void check_c2c(const tegra410::Parameters& parameters);

}  // namespace pmufab::platform
