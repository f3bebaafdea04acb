// SPDX-License-Identifier: Apache-2.0
// The CMEM latency PMU through its registers. With a 1 GHz fabric clock, edge n is at n nanoseconds.
#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing::tegra410_cmem_latency_pmu_test {
namespace {

using Opcode = FabricOpcode;
constexpr RequesterKind kGpu = RequesterKind::gpu;
constexpr Picoseconds kNanosecond = 1'000;
constexpr unsigned kInstances = 14;
constexpr unsigned kBroadcast = 14;

/// Offsets that the driver uses.
constexpr std::uint32_t kClockGate = 0x800;
constexpr std::uint32_t kControl = 0x808;
constexpr std::uint32_t kStatus = 0x810;
constexpr std::uint32_t kCycles = 0x818;
constexpr std::uint32_t requests(unsigned controller) { return 0x820 + controller * 0x18; }
constexpr std::uint32_t outstanding(unsigned controller) { return 0x830 + controller * 0x18; }

platform::PlatformSpec clocked_spec(unsigned width = 64) {
  platform::PlatformSpec spec = small_spec(2);
  spec.edit<platform::Tegra410Spec>().ucf_clock_hz = 1'000'000'000;
  spec.edit<platform::Tegra410Spec>().latency.slc = 30 * kNanosecond;
  spec.edit<platform::Tegra410Spec>().latency.cmem = 90 * kNanosecond;
  spec.edit<platform::Tegra410Spec>().latency.cmem_service = 10 * kNanosecond;
  spec.edit<platform::Tegra410Spec>().cmem_latency_pmu.width = width;
  return spec;
}

/// One socket's PMU, accessed as by software.
class Windows {
 public:
  Windows(Rig& rig, unsigned socket) : rig_(rig), base_((std::uint64_t{socket} << 44) + 0x1010'0000) {}
  std::uint64_t address(unsigned window, std::uint32_t offset) const { return base_ + window * 0x1000 + offset; }
  std::uint64_t get(unsigned window, std::uint32_t offset) { return rig_.cpu.get64(address(window, offset)); }
  void put(unsigned window, std::uint32_t offset, std::uint64_t value) {
    rig_.cpu.put64(address(window, offset), value);
  }
  void start() {
    put(kBroadcast, kClockGate, 1);
    put(kBroadcast, kControl, 1);
  }
  void stop() { put(kBroadcast, kControl, 0); }

 private:
  Rig& rig_;
  std::uint64_t base_;
};

class CmemLatencyPmu : public SimulationTest {
 protected:
  void read(std::uint64_t address, unsigned socket = 0, Picoseconds delay = 0) {
    rig.request({.opcode = Opcode::read_once, .address = address, .kind = kGpu, .socket = socket, .delay = delay});
  }
  Rig rig{clocked_spec()};
  Windows pmu{rig, 0};
};

TEST_F(CmemLatencyPmu, a_broadcast_write_reaches_all_instances_at_once) {  // contract D2
  run([&] {
    advance(3'500);
    pmu.start();
    advance(100 * kNanosecond);
    pmu.stop();
    advance(50 * kNanosecond);
    for (unsigned instance = 0; instance < kInstances; ++instance) {
      EXPECT_EQ(pmu.get(instance, kCycles), 100U) << instance;
      EXPECT_EQ(pmu.get(instance, kClockGate), 1U);
    }
  });
}

TEST_F(CmemLatencyPmu, a_write_to_one_instance_leaves_the_others_alone) {  // contract D2
  run([&] {
    pmu.start();
    advance(10 * kNanosecond);
    pmu.put(5, kControl, 0);
    advance(10 * kNanosecond);
    pmu.put(6, kControl, 2);
    advance(10 * kNanosecond);
    EXPECT_EQ(pmu.get(4, kCycles), 30U);
    EXPECT_EQ(pmu.get(5, kCycles), 10U);
    EXPECT_EQ(pmu.get(6, kCycles), 0U);
  });
}

TEST_F(CmemLatencyPmu, broadcast_reads_return_zero) {
  run([&] {
    pmu.start();
    read(cmem(0, 0));
    advance(200 * kNanosecond);
    for (const std::uint32_t offset :
         {0x800U, 0x808U, 0x810U, 0x818U, requests(0), outstanding(0), requests(2), 0x100U}) {
      EXPECT_EQ(pmu.get(kBroadcast, offset), 0U) << std::hex << offset;
    }
  });
}

TEST_F(CmemLatencyPmu, counting_needs_control_and_clock_and_stopping_holds_the_values) {  // contract D3
  run([&] {
    const auto cycles = [&] { return pmu.get(0, kCycles); };
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 0U) << "after reset";
    pmu.put(kBroadcast, kControl, 1);
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 0U) << "no clock, but the write was taken";
    pmu.put(kBroadcast, kClockGate, 1);
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 10U);
    pmu.put(kBroadcast, kClockGate, 0);
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 10U);
    pmu.put(kBroadcast, kClockGate, 1);
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 20U);
    pmu.put(kBroadcast, kControl, 0);
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 20U);
    pmu.put(kBroadcast, kControl, 1);
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 30U) << "enabling does not clear";
    pmu.put(kBroadcast, kControl, 2);
    EXPECT_EQ(cycles(), 0U);
    advance(10 * kNanosecond);
    EXPECT_EQ(cycles(), 0U) << "clearing stops";
    pmu.put(kBroadcast, kControl, 1);
    advance(10 * kNanosecond);
    pmu.put(kBroadcast, kClockGate, 0);
    pmu.put(kBroadcast, kControl, 2);
    EXPECT_EQ(cycles(), 0U) << "clearing works without the clock";
  });
}

TEST_F(CmemLatencyPmu, all_instances_have_the_same_cycles_at_every_instant) {  // register side of D5
  run([&] {
    advance(123);
    pmu.start();
    for (const Picoseconds step : {1U, 876U, 1U, 123'456U, 7'000'000U}) {
      advance(step);
      const std::uint64_t cycles = pmu.get(0, kCycles);
      for (unsigned instance = 1; instance < kInstances; ++instance) EXPECT_EQ(pmu.get(instance, kCycles), cycles);
    }
    EXPECT_EQ(pmu.get(0, kCycles), 7'124U);  // edges 1 ... 7124 lie in [123 ps, 7124457 ps)
  });
}

TEST_F(SimulationTest,
       cmem_latency_pmu_of_narrow_counters_wraps_and_tells_in_its_status_until_cleared) {  // register side of D9
  Rig rig(clocked_spec(8));
  Windows pmu(rig, 0);
  run([&] {
    const auto instance = static_cast<unsigned>(cmem(0, 0) / 64 % 14);
    const auto controller = static_cast<unsigned>(cmem(0, 0) / 64 / 14 % 3);
    const std::uint64_t outstanding_bit = std::uint64_t{1} << (1 + 3 * controller);
    const std::uint64_t request_bit = std::uint64_t{1} << (3 + 3 * controller);
    const auto read = [&] { rig.request({.opcode = Opcode::read_once, .address = cmem(0, 0), .kind = kGpu}); };
    pmu.start();
    advance(255 * kNanosecond + 1);  // edges 0 ... 255
    EXPECT_EQ(pmu.get(3, kCycles), 0U);
    EXPECT_EQ(pmu.get(3, kStatus), 1U);
    EXPECT_EQ(pmu.get(13, kStatus), 1U);
    pmu.put(kBroadcast, kControl, 2);
    EXPECT_EQ(pmu.get(3, kStatus), 0U);
    pmu.start();
    advance(255 * kNanosecond);
    EXPECT_EQ(pmu.get(3, kCycles), 255U);
    EXPECT_EQ(pmu.get(3, kStatus), 0U);
    pmu.put(kBroadcast, kControl, 2);

    pmu.put(kBroadcast, kControl, 1);
    for (int count = 0; count < 2; ++count) read();  // 2 * (90 + 110) = 400
    advance(200 * kNanosecond);
    pmu.stop();
    EXPECT_EQ(pmu.get(instance, outstanding(controller)), 400U - 256);
    EXPECT_EQ(pmu.get(instance, requests(controller)), 4U);
    EXPECT_EQ(pmu.get(instance, kStatus), outstanding_bit);
    EXPECT_EQ(pmu.get(instance, kStatus), outstanding_bit) << "reading does not clear";
    EXPECT_EQ(pmu.get((instance + 1) % 14, kStatus), 0U);
    pmu.put(kBroadcast, kControl, 1);
    for (int count = 0; count < 126; ++count) {
      read();
      advance(100);
    }
    advance(30 * kNanosecond + 1);
    EXPECT_EQ(pmu.get(instance, requests(controller)), 0U);  // 4 + 252
    EXPECT_EQ(pmu.get(instance, kStatus) & request_bit, request_bit);
    pmu.put(kBroadcast, kControl, 2);
    EXPECT_EQ(pmu.get(instance, kStatus), 0U);
  });
}

TEST_F(CmemLatencyPmu, only_aligned_64_bit_accesses_are_taken_and_others_are_reported_once) {  // contract D11
  expect_guest_error("instance2", "CYCLE_CNTR");
  expect_guest_error("instance2", "CTRL");
  expect_guest_error("broadcast", "CTRL");
  expect_guest_error("instance2", "MC_REQ_CNTR");
  run([&] {
    pmu.start();
    advance(10 * kNanosecond);
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_EQ(rig.cpu.read32(pmu.address(2, kCycles)).status, tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(rig.cpu.write32(pmu.address(2, kControl), 0).status, tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(rig.cpu.write32(pmu.address(kBroadcast, kControl), 2).status, tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(rig.cpu.read64(pmu.address(2, requests(1)) + 4).status, tlm::TLM_BURST_ERROR_RESPONSE);
    }
    advance(10 * kNanosecond);
    EXPECT_EQ(pmu.get(2, kCycles), 20U) << "nothing was changed";
  });
}

TEST_F(CmemLatencyPmu, counters_and_status_ignore_writes) {
  run([&] {
    pmu.start();
    advance(10 * kNanosecond);
    for (const std::uint32_t offset : {0x810U, 0x818U, requests(0), outstanding(2)}) {
      pmu.put(0, offset, ~std::uint64_t{0});
      pmu.put(kBroadcast, offset, ~std::uint64_t{0});
    }
    EXPECT_EQ(pmu.get(0, kStatus), 0U);
    EXPECT_EQ(pmu.get(0, kCycles), 10U);
    EXPECT_EQ(pmu.get(0, requests(0)), 0U);
    EXPECT_EQ(pmu.get(0, outstanding(2)), 0U);
    for (const std::uint32_t offset : {kClockGate, kControl}) {
      pmu.put(0, offset, ~std::uint64_t{0});
      EXPECT_EQ(pmu.get(0, offset), 1U) << "the only bit that is kept";
    }
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_cmem_latency_pmu_test
