// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cinttypes>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "testbench/tests/host/driver_host_test.h"
#include "testbench/tests/host/fake_cxl.h"

namespace pmufab::driver_host::testing {

using Memory = FakeCxlMemory;
// Events: vendor, group and bit.
constexpr std::uint64_t kClockTicks = 0x1e98'0000'0000'0001, kMemInv = 0x1e98'0020'0000'0001,
                        kMemRd = 0x1e98'0020'0000'0002;
constexpr Picoseconds kSecond = 1'000'000'000'000;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Two sockets of two CPUs, and a PCI segment with memory devices that a test adds.
class Cxl : public DriverHostTest {
 protected:
  static constexpr std::uint64_t kEcam = 0x1000'0000'0000, kBar = 0x2000'0000'0000, kDoorbell = 0x8080040;
  static constexpr std::uint64_t kFirstPmu = 0x20000, kSecondPmu = 0x30000;

  Cxl() {
    firmware.apmt.clear();
    firmware.devices.clear();
    firmware.pci_segments.push_back({.number = 0, .ecam_base = kEcam, .last_bus = 3, .node = 1});
    firmware.msi.address = kDoorbell;
    bus.map(kEcam, 4ULL << 20, ecam);
  }

  Memory& add_memory(const Memory::Options& shape = {}, unsigned on_bus = 0) {
    const auto index = static_cast<unsigned>(memories.size());
    memories.push_back(
        std::make_unique<Memory>("memory" + std::to_string(index), bus, kBar + index * Memory::kBarSize, shape));
    ecam.add(on_bus, on_bus == 0 ? index : 0, 0, memories.back()->function);
    firmware.msi.sources.push_back(&memories.back()->line);
    return *memories.back();
  }
  /// A memory device with PMUs at the two places in its locator.
  Memory& add_memory_with_two(const FakeCpmu::Options& first = {}, const FakeCpmu::Options& second = {.message = 2}) {
    Memory::Options shape;
    shape.locator.push_back({.id = 4, .offset = kSecondPmu});
    Memory& memory = add_memory(shape);
    cpmu0 = &memory.add_cpmu(kFirstPmu, first);
    cpmu1 = &memory.add_cpmu(kSecondPmu, second);
    return memory;
  }
  /// As boot(), with more than a second of simulated time.
  void boot_slowly(std::function<void()> story) {
    make_host();
    run(
        [&] {
          ASSERT_EQ(host->load(), 0);
          story();
        },
        200 * kSecond);
  }

  /// Accesses to the PMU at `offset` of the first device since the bus was cleared, for example "W8 18=0".
  [[nodiscard]] std::vector<std::string> trace(std::uint64_t offset = kFirstPmu) const {
    std::vector<std::string> lines;
    const std::uint64_t base = memories.front()->base() + offset;
    for (const FakeBus::Access& access : bus.accesses(base, 0xe00)) {
      char text[64];
      std::snprintf(text, sizeof(text), "%c%u %" PRIx64 "=%" PRIx64, access.is_write ? 'W' : 'R', access.size,
                    access.address - base, access.value);
      lines.emplace_back(text);
    }
    return lines;
  }

  FakeEcam ecam;
  std::vector<std::unique_ptr<Memory>> memories;
  FakeCpmu* cpmu0 = nullptr;
  FakeCpmu* cpmu1 = nullptr;
};

/// Kernels that have cxl_pmu and its dependencies.
inline std::vector<DriverSet> cxl_driver_sets() {
  return sets_that_hold(all_driver_sets(), {"cxl_core", "cxl_pci", "cxl_pmu"});
}

}  // namespace pmufab::driver_host::testing
