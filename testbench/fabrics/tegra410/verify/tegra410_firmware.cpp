// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/verify/tegra410_machine.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/common/values.h"

namespace pmufab::verify::tegra410 {
namespace {

using scenario::Value;
namespace places = platform::default_map;

// Registers of a CoreSight PMU (Arm IHI 0091), and of the PMUs of CMEM and links (docs/tegra410.md).
constexpr std::uint64_t kEventType = 0x400;
constexpr std::uint64_t kFilter2 = 0x800;
constexpr std::uint64_t kFilter = 0xa00;
constexpr std::uint64_t kCounterEnable = 0xc00;
constexpr std::uint64_t kInterruptEnable = 0xc40;
constexpr std::uint64_t kControl = 0xe04;
constexpr std::uint64_t kSecondPage = 0x1000;
constexpr std::uint64_t kCmemBroadcast = 14 * 0x1000;
constexpr std::uint64_t kCmemClock = 0x800;
constexpr std::uint64_t kCmemControl = 0x808;
constexpr std::uint64_t kLinkControl = 0x864;
constexpr unsigned kBusCycles = 0x1d;

class Firmware {
 public:
  Firmware(Random& random, const Machine& machine) : random_(random), machine_(machine) {}

  Value leave() {
    for (unsigned socket = 0; socket < machine_.sockets; ++socket) {
      const std::uint64_t base = std::uint64_t{socket} << places::kSocketShift;
      if (random_.chance(60)) leave_coresight(base + places::kUcfPmuPage0, machine_.ucf, kBusCycles);
      if (random_.chance(50)) leave_latency(base + places::kCmemLatencyPmu + kCmemBroadcast);
      if (random_.chance(40)) write(base + places::kNvlinkC2cPmu + 14 * 0x1000 + kLinkControl, 4, 1);
      if (random_.chance(40)) write(base + places::kNvclinkPmu + 12 * 0x1000 + kLinkControl, 4, 1);
      if (random_.chance(40)) write(base + places::kNvdlinkPmu + 16 * 0x1000 + kLinkControl, 4, 1);
    }
    for (const RootComplex& complex : machine_.complexes) {
      const std::uint64_t base =
          (std::uint64_t{complex.socket} << places::kSocketShift) + complex.number * places::kPciePmusStride;
      if (random_.chance(40)) leave_coresight(base + places::kPciePmu, machine_.pcie, 2);
      if (random_.chance(40)) leave_coresight(base + places::kPcieTgtPmu, machine_.pcie_tgt, 2);
    }
    return std::move(writes_);
  }

 private:
  void write(std::uint64_t address, unsigned size, std::uint64_t value) {
    writes_.items.push_back(firmware_write(address, size, value));
  }

  void write_counter(std::uint64_t base, const CoreSightShape& shape, unsigned counter, std::uint64_t value) {
    if (shape.width <= 32) {
      write(base + 4 * counter, 4, value);
    } else if (shape.is_atomic) {
      write(base + 8 * counter, 8, value);
    } else {
      write(base + 8 * counter, 4, value & 0xffff'ffff);
      write(base + 8 * counter + 4, 4, value >> 32);
    }
  }

  /// Of a line that is taken as an edge no status is left: a line that is high has no edge to come.
  void leave_coresight(std::uint64_t base, const CoreSightShape& shape, unsigned event) {
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - shape.width);
    const bool overflows = shape.interrupt && !shape.is_edge && random_.chance(50);
    const unsigned counters =
        std::min(shape.event_counters(), 4U);  // the cycle counter's place depends on their number
    for (unsigned counter = 0; counter < counters; ++counter) {
      write(base + kEventType + 4 * counter, 4, event);
      write(base + kFilter + 4 * counter, 4, random_.number(0, 0xfff));
      if (event != kBusCycles) write(base + kFilter2 + 4 * counter, 4, random_.number(0, 0x1f));
      const std::uint64_t value = overflows ? most - random_.number(0, 50) : random_.number(0, most / 2);
      write_counter(base + (shape.dual_page ? kSecondPage : 0), shape, counter, value);
    }
    const std::uint64_t all = (std::uint64_t{1} << counters) - 1;
    if (overflows || random_.chance(50)) write(base + kInterruptEnable, 4, random_.number(0, all));
    write(base + kCounterEnable, 4, overflows ? all : random_.number(0, all));
    if (overflows || random_.chance(50)) write(base + kControl, 4, 1);
  }

  void leave_latency(std::uint64_t broadcast) {
    write(broadcast + kCmemClock, 8, 1);
    if (random_.chance(80)) write(broadcast + kCmemControl, 8, 1);
    if (random_.chance(30)) write(broadcast + kCmemClock, 8, 0);
  }

  Random& random_;
  const Machine& machine_;
  Value writes_ = Value::sequence();
};

}  // namespace

Value draw_firmware(Random& random, const Machine& machine) { return Firmware(random, machine).leave(); }

}  // namespace pmufab::verify::tegra410
