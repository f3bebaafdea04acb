// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/clock/clock_domain.h"
#include "tlm/transaction/memory_class.h"

/// The independent judge: computes what every counter must read, from the wires and the user's event texts.
namespace pmufab::scoreboard {

/// Bytes of a line, and of a transfer between the system-level cache and memory.
inline constexpr std::uint32_t kLineBytes = 64;

/// A range of system addresses: its home socket and class.
struct MemoryRange {
  std::uint64_t base;
  std::uint64_t size;  ///< bytes
  unsigned socket;
  MemoryClass memory_class;
  unsigned root_complex = 0;  ///< root complex of the socket: for cxl and bar
  unsigned root_port = 0;     ///< root port of the root complex: for bar
};

/// The system-level cache of one socket. Line L lies in slice L mod slices, set (L / slices) mod sets.
struct SlcGeometry {
  unsigned slices = 8;
  unsigned sets = 1024;
  unsigned ways = 16;
};

/// What the events of a CoreSight PMU mean.
enum class CoreSightPmuType : std::uint8_t { ucf, pcie, pcie_tgt };

/// A CoreSight PMU to judge, with the register windows its driver uses.
struct CoreSightPmuSpec {
  CoreSightPmuType type = CoreSightPmuType::ucf;
  std::string name;  ///< its name in perf: "nvidia_pcie_pmu_0_rc_3"
  unsigned socket = 0;
  unsigned root_complex = 0;           ///< of the socket; pcie and pcie_tgt only
  std::uint64_t page0 = 0;             ///< physical address of page 0 (control)
  std::optional<std::uint64_t> page1;  ///< physical address of page 1 (counters) if dual-page
  bool has_cycle_counter = true;
  unsigned width = 64;    ///< bits of a counter
  unsigned counters = 8;  ///< the cycle counter included
};

/// A CMEM latency PMU to judge.
struct CmemPmuSpec {
  std::string name;  ///< its name in perf: "nvidia_cmem_latency_pmu_0"
  unsigned socket = 0;
  std::uint64_t broadcast = 0;  ///< physical address of the broadcast window (control)
  unsigned width = 64;          ///< bits of a counter
};

/// The other end of a chip-to-chip interface.
enum class C2cPeer : std::uint8_t { gpu, cpu, cxl_memory };

/// The PMU of a chip-to-chip interface to judge.
struct C2cPmuSpec {
  std::string name;  ///< its name in perf: "nvidia_nvlink_c2c_pmu_0"
  unsigned socket = 0;
  C2cPeer peer = C2cPeer::gpu;
  unsigned instances = 14;
  std::vector<std::uint32_t> masks;  ///< by peer (GPU 0, GPU 1): the instances that lead to it; 0: none
  bool counts_writes = true;         ///< NV-CLink and NV-DLink count reads only
  std::uint64_t broadcast = 0;       ///< physical address of the broadcast window (control)
  unsigned width = 64;               ///< bits of a counter
};

/// What the scoreboard must know about a platform. The scenario layer makes it from the platform's description, never
/// from the model.
struct Tegra410JudgeSpec {
  unsigned sockets = 1;
  std::vector<MemoryRange> memory;
  SlcGeometry slc;                                                          ///< the same on every socket
  std::vector<MemoryClass> cached = {MemoryClass::cmem, MemoryClass::cxl};  ///< classes that the SLC of the home caches
  std::uint64_t ucf_frequency_hz = 2'400'000'000;                           ///< clock of the UCF and of both PMUs
  Picoseconds slc_latency = 0;                     ///< from acceptance to the instant a read leaves for memory
  Picoseconds cmem_latency = 0;                    ///< of an idle memory controller
  Picoseconds cmem_service = 0;                    ///< of one 32-byte part
  Picoseconds gmem_latency = 0;                    ///< of reads, and until a write is acknowledged
  Picoseconds link_latency = 0;                    ///< of the link between sockets, to and back
  std::uint64_t c2c_frequency_hz = 1'800'000'000;  ///< clock of the chip-to-chip interfaces and their PMUs
  std::uint64_t soc_frequency_hz = 1'000'000'000;  ///< of the SOC fabric: PMUs of root complexes
  unsigned cmem_instances = 14;
  unsigned cmem_controllers = 3;  ///< per instance
  std::vector<CoreSightPmuSpec> coresight_pmus;
  std::vector<CmemPmuSpec> cmem_pmus;
  std::vector<C2cPmuSpec> c2c_pmus;  ///< the PMU with a CPU as peer, at most one, is that of the link between two
                                     ///< sockets

  /// @throws std::invalid_argument that names the field: no socket, an empty, wrapping, unaligned or overlapping range,
  ///         a range or PMU of a socket that does not exist, a geometry of zero, two PMUs of one name, two
  ///         PMUs of one type of one root complex, a mask of instances that do not exist or lead to two GPUs, a
  ///         frequency outside 1 Hz ... 1 THz
  void validate() const;

  /// @return the range that holds `address`, or nullptr.
  [[nodiscard]] const MemoryRange* home_of(std::uint64_t address) const noexcept;
  /// @return true if the SLC of their home caches lines of this class.
  [[nodiscard]] bool caches(MemoryClass memory_class) const noexcept;
};

}  // namespace pmufab::scoreboard
