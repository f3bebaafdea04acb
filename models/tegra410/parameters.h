// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/tegra410/coresight_pmu_parameters.h"
#include "models/tegra410/pcie/pcie_parameters.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/transaction/memory_class.h"

/// The parameters of a Tegra410 socket. Every default of the model is here, or in a header that this one includes. Member names are those
/// users see (in configuration files and error messages). Plain data: platform::validate() checks it.
namespace pmufab::tegra410 {

using pmufab::MemoryClass;

inline constexpr unsigned kLineBytes = 64;
inline constexpr unsigned kMaximumSockets = 4;
inline constexpr unsigned kMaximumClusters = 64;
inline constexpr unsigned kCmemInstances = 14;              ///< fixed by nvidia_t410_cmem_latency_pmu.c
inline constexpr unsigned kCmemControllersPerInstance = 3;  ///< likewise

/// The write-back cache in front of the fabric, one per CPU cluster.
struct PrivateCacheParameters {
  std::uint64_t size = 1 << 20;     ///< bytes; lines of 64 bytes; the number of sets must be a power of two
  unsigned ways = 8;                ///< 1 ... 64
  Picoseconds hit_latency = 5'000;  ///< latency of a hit for the CPU
};

/// The system-level cache of the fabric.
struct SlcParameters {
  unsigned slices = 14;                                                     ///< 1 ... 256
  unsigned sets = 4096;                                                     ///< per slice; any number
  unsigned ways = 16;                                                       ///< 1 ... 64
  std::vector<MemoryClass> cached = {MemoryClass::cmem, MemoryClass::cxl};  ///< local classes that the SLC caches
};

/// Latencies of a socket. docs/tegra410.md says what each one covers.
struct LatencyParameters {
  Picoseconds slc = 30'000;
  Picoseconds cmem = 90'000;
  Picoseconds cmem_service = 1'120;  ///< one 32-byte part in one of the 42 controllers: 1.2 TB/s in all
  Picoseconds gmem = 250'000;
  Picoseconds cxl = 180'000;
  Picoseconds bar = 600'000;   ///< to a PCI Express function and back
  Picoseconds link = 120'000;  ///< to another socket and back
};

/// The CMEM latency PMU.
struct CmemLatencyPmuParameters {
  unsigned width = 64;  ///< bits of every counter, 8 ... 64; the real width is unknown, software assumes 64
};

inline constexpr unsigned kMaximumGpus = 2;          ///< per socket: nvidia_t410_c2c_pmu.c, C2C_NR_PEER_GPU
inline constexpr unsigned kNvlinkC2cInstances = 14;  ///< nvidia_t410_c2c_pmu.c, C2C_NR_INST_NVLINK
inline constexpr unsigned kNvclinkInstances = 12;    ///< C2C_NR_INST_NVCLINK
inline constexpr unsigned kNvdlinkInstances = 16;    ///< C2C_NR_INST_NVDLINK

/// @return a mask of `instances` bits from bit `first` on.
constexpr std::uint32_t instance_mask(unsigned first, unsigned instances) noexcept {
  return ((std::uint32_t{1} << instances) - 1) << first;
}

/// The peer of NVLink-C2C.
enum class NvlinkPeer : std::uint8_t { gpu, cpu, none };

/// NVLink-C2C of a socket, and its PMU. Masks have a bit for each of the 14 instances that leads to the peer. Firmware
/// omits a mask of 0.
struct NvlinkC2cParameters {
  NvlinkPeer peer = NvlinkPeer::gpu;
  unsigned gpus = 2;                            ///< 1 or 2 per socket; only with GPUs as peer
  std::optional<std::uint32_t> gpu0_en_mask{};  ///< default: all instances, or the lower half of them
  std::optional<std::uint32_t> gpu1_en_mask{};  ///< default: the upper half
  std::optional<std::uint32_t> cpu_en_mask{};   ///< default: all instances, if the peer is a CPU
  unsigned width = 64;                          ///< bits of every counter, 8 ... 64; the real width is not known

  [[nodiscard]] std::uint32_t gpu_mask(unsigned gpu) const noexcept {
    if (peer != NvlinkPeer::gpu || gpu >= gpus) return 0;
    const unsigned each = kNvlinkC2cInstances / gpus;
    return (gpu == 0 ? gpu0_en_mask : gpu1_en_mask).value_or(instance_mask(gpu * each, each));
  }
  [[nodiscard]] std::uint32_t cpu_mask() const noexcept {
    return peer == NvlinkPeer::cpu ? cpu_en_mask.value_or(instance_mask(0, kNvlinkC2cInstances)) : 0;
  }
};

/// NV-CLink of a socket, which leads to the other sockets, and its PMU.
struct NvclinkParameters {
  std::uint32_t cpu_en_mask =
      instance_mask(0, kNvclinkInstances);  ///< instances that lead there; 0: firmware omits the mask
  unsigned width = 64;                      ///< as for NVLink-C2C
};

/// NV-DLink of a socket, which leads to its CXL memory, and its PMU.
struct NvdlinkParameters {
  unsigned width = 64;  ///< as for NVLink-C2C
};

/// One socket. All sockets of a platform are alike.
struct Parameters {
  unsigned clusters = 11;                      ///< 1 ... 64
  std::uint64_t ucf_clock_hz = 2'400'000'000;  ///< the UCF, its PMU and the CMEM latency PMU
  std::uint64_t soc_clock_hz = 1'000'000'000;  ///< the SOC fabric and the PMUs of root complexes
  std::uint64_t c2c_clock_hz = 1'800'000'000;  ///< NVLink-C2C, NV-CLink, NV-DLink
  PrivateCacheParameters private_cache;
  SlcParameters slc;
  LatencyParameters latency;
  PcieParameters pcie;  ///< for all sockets together
  CoreSightPmuParameters ucf_pmu;
  CoreSightPmuParameters pcie_pmu;
  CoreSightPmuParameters pcie_tgt_pmu;
  CmemLatencyPmuParameters cmem_latency_pmu;
  NvlinkC2cParameters nvlink_c2c;
  NvclinkParameters nvclink;
  NvdlinkParameters nvdlink;
};

}  // namespace pmufab::tegra410
