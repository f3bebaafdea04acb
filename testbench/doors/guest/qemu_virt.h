// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Where QEMU's machine `virt` has its devices with gic-version=2 and highmem (the default), as the ACPI tables it
/// makes itself say, and hw/arm/virt.c.
namespace pmufab::guest::qemu_virt {

inline constexpr unsigned kMaximumCpus = 8;  ///< of a GICv2
inline constexpr std::uint64_t kGicDistributor = 0x0800'0000;
inline constexpr std::uint64_t kGicCpuInterface = 0x0801'0000;
inline constexpr std::uint64_t kGicHypervisorInterface = 0x0803'0000;
inline constexpr std::uint64_t kGicVirtualCpuInterface = 0x0804'0000;

/// The GICv2m frame: a write of an interrupt number to its doorbell raises the interrupt, as an edge.
inline constexpr std::uint64_t kMessageFrame = 0x0802'0000;
inline constexpr std::uint64_t kMessageDoorbell = 0x0802'0040;
inline constexpr std::uint32_t kFirstMessageInterrupt = 80;
inline constexpr std::uint32_t kMessageInterrupts = 64;
inline constexpr std::uint32_t kMessageInterruptsEnd = kFirstMessageInterrupt + kMessageInterrupts;

inline constexpr std::uint64_t kUart = 0x0900'0000;  ///< PL011, the first serial console
inline constexpr std::uint64_t kUartSize = 0x1000;
inline constexpr std::uint32_t kUartInterrupt = 33;

inline constexpr std::uint32_t kPmuInterrupt = 23;  ///< of each CPU's own PMU
inline constexpr std::uint32_t kSecureTimerInterrupt = 29;
inline constexpr std::uint32_t kTimerInterrupt = 30;
inline constexpr std::uint32_t kVirtualTimerInterrupt = 27;
inline constexpr std::uint32_t kHypervisorTimerInterrupt = 26;

inline constexpr std::uint64_t kMemory = 0x4000'0000;  ///< RAM, the NUMA nodes' one after the other
/// With more RAM the regions behind it move.
inline constexpr std::uint64_t kMemoryEnd = 0x40'0000'0000;

inline constexpr std::uint64_t kPciEcam = 0x40'1000'0000;  ///< configuration space of buses 0 ... 255
inline constexpr std::uint64_t kPciEcamSize = 0x1000'0000;
inline constexpr std::uint64_t kPciMemory32 = 0x1000'0000;
inline constexpr std::uint64_t kPciMemory32Size = 0x2eff'0000;
inline constexpr std::uint64_t kPciIo = 0x3eff'0000;  ///< where port 0 lies
inline constexpr std::uint64_t kPciIoSize = 0x1'0000;
inline constexpr std::uint64_t kPciMemory64 = 0x80'0000'0000;
inline constexpr std::uint32_t kFirstPciInterrupt = 35;  ///< of INTA ... INTD; device d has pin p at (d + p) modulo 4
inline constexpr unsigned kPciDevices = 32;

}  // namespace pmufab::guest::qemu_virt
