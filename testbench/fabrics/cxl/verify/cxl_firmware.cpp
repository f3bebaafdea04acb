// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/verify/cxl_layout.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/values.h"
#include "testbench/fabrics/cxl/verify/cxl_events.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

// Registers of a CPMU (CXL 3.1, 8.2.7), and the place of CPMU n in BAR 0 of its device (docs/platform.md).
constexpr std::uint64_t kCxlFreeze = 0x18;
constexpr std::uint64_t kCxlConfiguration = 0x200;
constexpr std::uint64_t kCxlFilter = 0x400;
constexpr std::uint64_t kCxlFiltersOfCounter = 0x20;
constexpr std::uint64_t kCxlCounter = 0xc00;
constexpr std::uint64_t kCxlFirstUnit = 0x2'0000;
constexpr std::uint64_t kCxlUnitStride = 0x1'0000;

/// Where a device's registers are: components and buses are numbered depth first.
struct CxlPlace {
  std::uint64_t bar;
  unsigned bus;
};

class CxlFirmware {
 public:
  CxlFirmware(Random& random, bool has_place_filter) : random_(random), has_place_filter_(has_place_filter) {}

  Value leave(const CxlMachine& machine) {
    unsigned component = 0;
    unsigned bus = 0;
    for (const CxlBranch& branch : machine.branches) {
      ++component;  // the root port
      ++bus;
      if (branch.is_switch) {
        ++component;  // the upstream port
        ++bus;
      }
      for (const CxlDevice& device : branch.devices) {
        if (branch.is_switch) {
          ++component;  // the downstream port
          ++bus;
        }
        leave_device(device, {platform::default_map::kCxlBars + component * platform::default_map::kCxlBarStride, bus});
        ++component;
      }
    }
    return std::move(writes_);
  }

 private:
  void write(std::uint64_t address, unsigned size, std::uint64_t value) {
    writes_.items.push_back(firmware_write(address, size, value));
  }

  void leave_device(const CxlDevice& device, const CxlPlace& place) {
    if (random_.chance(30)) return;
    constexpr std::uint64_t kCommand = 4;
    constexpr std::uint64_t kMemorySpaceAndMaster = 6;
    write(platform::default_map::kEcam + (std::uint64_t{place.bus} << 20) + kCommand, 2, kMemorySpaceAndMaster);
    for (std::size_t index = 0; index < device.units.size(); ++index)
      leave_unit(device.units[index], place.bar + kCxlFirstUnit + index * kCxlUnitStride);
  }

  void leave_unit(const CxlUnit& unit, std::uint64_t base) {
    if (!unit.interrupt || !unit.freeze || !unit.writable_while_frozen) return;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - unit.counters());
    for (unsigned counter = 0; counter < unit.configurable; ++counter) {
      if (random_.chance(50)) continue;
      const std::uint64_t filters = base + kCxlFilter + counter * kCxlFiltersOfCounter;
      if (unit.hdm_filter) write(filters, 4, random_.number(0, 0xffff));
      if (unit.ddr_filter && has_place_filter_) write(filters + 4, 4, random_.number(0, 0xffff'ffff));
      const std::uint64_t threshold = random_.number(0, 255) << 16;
      const std::uint64_t interrupt_and_freeze = random_.number(0, 3) << 9;
      write(base + kCxlConfiguration + 8 * counter, 8, threshold | interrupt_and_freeze);
      write(base + kCxlCounter + 8 * counter, 8, random_.number(0, ~std::uint64_t{0} >> (64 - unit.width)));
    }
    if (random_.chance(50)) write(base + kCxlFreeze, 8, random_.number(0, all));
  }

  Random& random_;
  bool has_place_filter_;
  Value writes_ = Value::sequence();
};

}  // namespace

Value cxl_firmware(Random& random, const CxlMachine& machine, std::string_view kernel) {
  return CxlFirmware(random, cxl_has_place_filter(kernel)).leave(machine);
}

}  // namespace pmufab::verify
