// SPDX-License-Identifier: Apache-2.0
// The registers of the chip-to-chip interfaces' PMUs, and which instance counts which request.
#include <vector>

#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_c2c_rig.h"

namespace pmufab::testing::tegra410_c2c_pmu_test {
namespace {

using Opcode = FabricOpcode;
constexpr RequesterKind kGpu = RequesterKind::gpu;
using Sums = std::vector<std::uint64_t>;

TEST_F(C2cPmu, control_from_0_to_1_clears_and_starts_every_instance_at_once) {  // contract E4
  run([&] {
    for (C2cWindows* const pmu : {&nvlink, &nvclink, &nvdlink}) {
      advance(300);
      pmu->start();
      advance(100 * kNanosecond);
      pmu->start();  // a second 1
      advance(10 * kNanosecond);
      pmu->stop();
      advance(50 * kNanosecond);
      for (unsigned instance = 0; instance < pmu->broadcast(); ++instance) {
        EXPECT_EQ(pmu->get(instance, kCycles), 110U) << instance;
        EXPECT_EQ(pmu->get32(instance, kControl), 0U);
      }
      pmu->start();
      EXPECT_EQ(pmu->get(3, kCycles), 0U);
      EXPECT_EQ(pmu->get32(3, kControl), 1U);
      advance(10 * kNanosecond);
      for (unsigned instance = 0; instance < pmu->broadcast(); ++instance) EXPECT_EQ(pmu->get(instance, kCycles), 10U);
    }
  });
}

TEST_F(C2cPmu, control_0_holds_every_counter_and_a_start_clears_them) {  // contract E4, E7
  run([&] {
    const auto everything = [&] {
      for (const Opcode opcode : {Opcode::read_once, Opcode::write_unique_full}) gpu(opcode, gmem(0, 5));
    };
    nvlink.start();
    everything();
    advance(1'000 * kNanosecond);
    nvlink.stop();
    const Sums held = nvlink.sums();
    EXPECT_EQ(held, (Sums{280, 1, 30, 1, 250, 1, 250, 1}));
    everything();
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlink.sums(), held);
    EXPECT_EQ(nvlink.get(0, kCycles), 1'000U);
    nvlink.start();
    EXPECT_EQ(nvlink.sums(), Sums(8));
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlink.sums(), Sums(8));
  });
}

TEST_F(SimulationTest, c2c_pmu_of_a_fast_clock_carries_into_the_upper_half_at_one_instant) {  // contract E7
  platform::PlatformSpec spec = clocked_spec();
  spec.edit<platform::Tegra410Spec>().c2c_clock_hz = 1'000'000'000'000;
  Rig rig(spec);
  C2cWindows nvlink(rig, 0, kNvlink);
  run([&] {
    nvlink.start();
    advance((Picoseconds{1} << 32) - 1);
    EXPECT_EQ(nvlink.get32(2, kCycles + 4), 0U);
    EXPECT_EQ(nvlink.get32(2, kCycles), 0xffff'ffffU);
    advance(1);
    EXPECT_EQ(nvlink.get32(2, kCycles), 0U) << "between the two reads of the upper half";
    EXPECT_EQ(nvlink.get32(2, kCycles + 4), 1U) << "differs from before: the driver reads again";
    EXPECT_EQ(nvlink.get32(2, kInStatus), 0U);
  });
}

TEST_F(C2cPmu, control_of_one_instance_acts_on_that_one) {
  run([&] {
    nvlink.start();
    advance(10 * kNanosecond);
    nvlink.put(5, kControl, 0);
    advance(10 * kNanosecond);
    nvlink.put(6, kControl, 1);
    EXPECT_EQ(nvlink.get(4, kCycles), 20U);
    EXPECT_EQ(nvlink.get(5, kCycles), 10U);
    EXPECT_EQ(nvlink.get(6, kCycles), 20U);
    nvlink.start();  // starts number 5 only
    advance(5 * kNanosecond);
    EXPECT_EQ(nvlink.get(4, kCycles), 25U);
    EXPECT_EQ(nvlink.get(5, kCycles), 5U);
  });
}

TEST_F(C2cPmu, broadcast_reads_return_zero) {
  run([&] {
    nvlink.start();
    gpu(Opcode::read_once, gmem(0, 0));
    advance(400 * kNanosecond);
    for (std::uint32_t offset = 0x860; offset < 0x8c0; offset += 4) {
      EXPECT_EQ(nvlink.get32(nvlink.broadcast(), offset), 0U) << std::hex << offset;
    }
  });
}

TEST_F(C2cPmu, other_than_aligned_32_bit_accesses_are_reported_once_and_change_nothing) {  // contract E8
  expect_guest_error("instance2", "0x86c");
  expect_guest_error("instance2", "IN_RD_CUM_OUTS_CNTR_HI");
  expect_guest_error("instance2", "OUT_RD_CUM_OUTS_CNTR_LO");
  expect_guest_error("broadcast", "CTRL");
  expect_guest_error("broadcast", "OUT_CNTR");
  run([&] {
    nvlink.start();
    advance(10 * kNanosecond);
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_EQ(rig.cpu.read64(nvlink.address(2, kCycles)).status, tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(rig.cpu.read64(nvlink.address(2, in_rd_cum_outs + 4)).status, tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(rig.cpu.read64(nvlink.address(2, out_rd_cum_outs)).status, tlm::TLM_BURST_ERROR_RESPONSE)
          << "though it lies at a multiple of 8";
      EXPECT_EQ(rig.cpu.write64(nvlink.address(nvlink.broadcast(), kControl - 4), 0).status,
                tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(rig.cpu.read64(nvlink.address(nvlink.broadcast(), out_rd_cum_outs)).status,
                tlm::TLM_BURST_ERROR_RESPONSE);
    }
    advance(10 * kNanosecond);
    EXPECT_EQ(nvlink.get(2, kCycles), 20U);
  });
}

TEST_F(C2cPmu, counters_and_status_ignore_writes) {
  run([&] {
    nvlink.start();
    advance(10 * kNanosecond);
    for (const std::uint32_t offset : {kInStatus, kOutStatus, kCycles, kCycles + 4, std::uint32_t{in_rd_req}}) {
      nvlink.put(0, offset, ~0U);
      nvlink.put(nvlink.broadcast(), offset, ~0U);
    }
    EXPECT_EQ(nvlink.get(0, kCycles), 10U);
    EXPECT_EQ(nvlink.sums(), Sums(8));
    EXPECT_EQ(nvlink.get32(0, kInStatus) | nvlink.get32(0, kOutStatus), 0U);
    nvlink.put(0, kControl, ~0U);
    EXPECT_EQ(nvlink.get32(0, kControl), 1U) << "the only bit that is kept";
  });
}

TEST_F(SimulationTest, c2c_pmu_of_narrow_counters_wraps_and_tells_in_its_status_until_cleared) {  // register side of E9
  platform::PlatformSpec spec = clocked_spec();
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.width = 8;
  Rig rig(spec);
  C2cWindows nvlink(rig, 0, kNvlink);
  run([&] {
    const auto instance = static_cast<unsigned>(gmem(0, 7) / 64 % 7);
    nvlink.start();
    advance(255 * kNanosecond + 1);  // edges 0 ... 255
    EXPECT_EQ(nvlink.get(13, kCycles), 0U);
    EXPECT_EQ(nvlink.get32(13, kInStatus), 1U);
    EXPECT_EQ(nvlink.get32(13, kInStatus), 1U) << "reading does not clear";
    nvlink.start();
    EXPECT_EQ(nvlink.get32(13, kInStatus), 1U) << "nor does a second 1";
    nvlink.stop();
    EXPECT_EQ(nvlink.get32(13, kInStatus), 1U);
    nvlink.start();
    EXPECT_EQ(nvlink.get32(13, kInStatus), 0U);

    for (int count = 0; count < 2; ++count) {
      for (const Opcode opcode : {Opcode::read_once, Opcode::write_unique_full})
        rig.request({.opcode = opcode, .address = gmem(0, 7), .kind = kGpu});
    }
    advance(250 * kNanosecond);
    EXPECT_EQ(nvlink.get32(instance, kInStatus), 2U) << "2 x 250 edges of reads";
    EXPECT_EQ(nvlink.get(instance, in_rd_cum_outs), 500U - 256);
    EXPECT_EQ(nvlink.get32(instance, kOutStatus), 1U | 4U) << "2 x 220 edges";
    EXPECT_EQ(nvlink.get(instance, out_rd_cum_outs), 440U - 256);
    EXPECT_EQ(nvlink.get32((instance + 1) % 7, kOutStatus), 0U);
    nvlink.stop();
    nvlink.start();
    for (int count = 0; count < 256; ++count) {
      for (const Opcode opcode : {Opcode::read_once, Opcode::write_unique_full})
        rig.request({.opcode = opcode, .address = gmem(0, 7), .kind = kGpu});
    }
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlink.get32(instance, kInStatus), 0x1fU);
    EXPECT_EQ(nvlink.get32(instance, kOutStatus), 0xfU);
    for (const Counter counter : {in_rd_req, in_wr_req, out_rd_req, out_wr_req})
      EXPECT_EQ(nvlink.get(instance, counter), 0U);
    nvlink.stop();
    nvlink.start();
    EXPECT_EQ(nvlink.get32(instance, kInStatus) | nvlink.get32(instance, kOutStatus), 0U);
  });
}

TEST_F(C2cPmu, reset_stops_and_clears_and_leaves_requests_under_way) {
  run([&] {
    nvlink.start();
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu});  // on the wires until 280 ns
    advance(100 * kNanosecond);
    rig.platform.reset();
    EXPECT_EQ(nvlink.sums(), Sums(8));
    EXPECT_EQ(nvlink.get32(0, kControl), 0U);
    nvlink.start();
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlink.sums(), (Sums{180, 0, 0, 0, 180, 0, 0, 0}));
  });
}

// docs/tegra410.md, "Chip-to-chip interfaces".
TEST_F(C2cPmu, requests_and_memory_of_a_gpu_go_through_its_own_instances_by_line) {  // register side of E5
  constexpr std::uint32_t kMask[] = {0x7f, 0x3f80};
  constexpr std::uint64_t kHalf = (std::uint64_t{256} << 30) / 64 / 2;  // lines of default GMEM
  run([&] {
    nvlink.start();
    std::array<std::uint64_t, 14> expected_in{}, expected_out{};
    for (unsigned id = 0; id < 2; ++id) {
      for (std::uint64_t line = 0; line < 30; ++line) {
        const std::uint64_t times = 1 + line % 5;
        for (std::uint64_t i = 0; i < times; ++i) gpu(Opcode::read_once, cmem(0, line), id);
        expected_in[id * 7 + cmem(0, line) / 64 % 7] += times;
        const std::uint64_t place = line + (id == 0 ? kHalf - 30 : kHalf);
        rig.request({.opcode = Opcode::write_unique_full, .address = gmem(0, place)});
        expected_out[id * 7 + gmem(0, place) / 64 % 7] += 1;
      }
    }
    gpu(Opcode::read_once, cmem(0, 0), 3);  // modulo the number of GPUs
    expected_in[7 + cmem(0, 0) / 64 % 7] += 1;
    advance(1'000 * kNanosecond);
    for (unsigned instance = 0; instance < 14; ++instance) {
      EXPECT_EQ(nvlink.get(instance, in_rd_req), expected_in[instance]) << instance;
      EXPECT_EQ(nvlink.get(instance, out_wr_req), expected_out[instance]) << instance;
    }
    EXPECT_EQ(nvlink.sum(out_wr_req, kMask[0]), 30U);
    EXPECT_EQ(nvlink.sum(out_wr_req, kMask[1]), 30U);
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_c2c_pmu_test
