// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {

inline constexpr Picoseconds kNanosecond = 1'000;

/// Offsets of the registers of a chip-to-chip PMU, as the driver uses them.
inline constexpr std::uint32_t kControl = 0x864;
inline constexpr std::uint32_t kInStatus = 0x868;
inline constexpr std::uint32_t kOutStatus = 0x890;
inline constexpr std::uint32_t kCycles = 0x86c;
/// Lower halves of the counters.
enum Counter : std::uint32_t {
  in_rd_cum_outs = 0x874,
  in_rd_req = 0x87c,
  in_wr_cum_outs = 0x884,
  in_wr_req = 0x88c,
  out_rd_cum_outs = 0x898,
  out_rd_req = 0x8a0,
  out_wr_cum_outs = 0x8a8,
  out_wr_req = 0x8b0,
};
inline constexpr Counter kCounters[] = {in_rd_cum_outs,  in_rd_req,  in_wr_cum_outs,  in_wr_req,
                                        out_rd_cum_outs, out_rd_req, out_wr_cum_outs, out_wr_req};

/// One of the three interfaces of a socket.
struct Interface {
  std::uint64_t offset;
  unsigned instances;
};
inline constexpr Interface kNvlink{0x1011'0000, 14};
inline constexpr Interface kNvclink{0x1012'0000, 12};
inline constexpr Interface kNvdlink{0x1013'0000, 16};

/// A clock of 1 GHz (edge n is at n nanoseconds), and latencies whose sums are all different.
inline platform::PlatformSpec clocked_spec(unsigned sockets = 2) {
  platform::PlatformSpec spec = small_spec(sockets);
  spec.edit<platform::Tegra410Spec>().c2c_clock_hz = 1'000'000'000;
  spec.edit<platform::Tegra410Spec>().latency = {.slc = 30 * kNanosecond,
                                                 .cmem = 90 * kNanosecond,
                                                 .cmem_service = 1 * kNanosecond,
                                                 .gmem = 250 * kNanosecond,
                                                 .cxl = 180 * kNanosecond,
                                                 .link = 120 * kNanosecond};
  return spec;
}

/// One PMU, accessed as by software.
class C2cWindows {
 public:
  C2cWindows(Rig& rig, unsigned socket, Interface interface)
      : rig_(rig), base_((std::uint64_t{socket} << 44) + interface.offset), instances_(interface.instances) {}
  std::uint64_t address(unsigned window, std::uint32_t offset) const { return base_ + window * 0x1000 + offset; }
  unsigned broadcast() const { return instances_; }
  std::uint32_t get32(unsigned window, std::uint32_t offset) { return rig_.cpu.get32(address(window, offset)); }
  std::uint64_t get(unsigned window, std::uint32_t offset) {
    const std::uint64_t high = offset == in_wr_req ? 0 : get32(window, offset + 4);
    return high << 32 | get32(window, offset);
  }
  void put(unsigned window, std::uint32_t offset, std::uint32_t value) {
    rig_.cpu.put32(address(window, offset), value);
  }
  void start() { put(broadcast(), kControl, 1); }
  void stop() { put(broadcast(), kControl, 0); }
  std::uint64_t sum(std::uint32_t offset, std::uint32_t mask = 0xffff) {
    std::uint64_t total = 0;
    for (unsigned instance = 0; instance < instances_; ++instance) {
      if ((mask >> instance & 1U) != 0) total += get(instance, offset);
    }
    return total;
  }
  /// The eight sums, in the order of kCounters.
  std::vector<std::uint64_t> sums() {
    std::vector<std::uint64_t> all;
    for (const Counter counter : kCounters) all.push_back(sum(counter));
    return all;
  }

 private:
  Rig& rig_;
  std::uint64_t base_;
  unsigned instances_;
};

/// Two sockets, and the PMUs of the first.
class C2cPmu : public SimulationTest {
 protected:
  void gpu(FabricOpcode opcode, std::uint64_t address, unsigned id = 0, unsigned length = 64, unsigned socket = 0) {
    rig.request({.opcode = opcode,
                 .address = address,
                 .kind = RequesterKind::gpu,
                 .socket = socket,
                 .cluster = id,
                 .length = length});
  }
  Rig rig{clocked_spec()};
  C2cWindows nvlink{rig, 0, kNvlink};
  C2cWindows nvclink{rig, 0, kNvclink};
  C2cWindows nvdlink{rig, 0, kNvdlink};
};

}  // namespace pmufab::testing
