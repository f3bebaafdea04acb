// SPDX-License-Identifier: Apache-2.0
// Which requests cross which chip-to-chip interface: docs/tegra410.md, "Chip-to-chip interfaces".
#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_c2c_rig.h"

namespace pmufab::testing::tegra410_c2c_traffic_test {
namespace {

using Opcode = FabricOpcode;
constexpr RequesterKind kGpu = RequesterKind::gpu;
using Sums = std::vector<std::uint64_t>;

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

TEST_F(SimulationTest, c2c_pmu_uses_the_instances_of_a_mask_and_no_others) {  // register side of E5
  platform::PlatformSpec spec = clocked_spec();
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.gpu0_en_mask = 0x0a04;  // instances 2, 9, 11
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.gpu1_en_mask = 0;
  Rig rig(spec);
  C2cWindows nvlink(rig, 0, kNvlink);
  run([&] {
    nvlink.start();
    const auto read = [&](std::uint64_t line, unsigned gpu) {
      rig.request({.opcode = Opcode::read_once, .address = cmem(0, line), .kind = kGpu, .cluster = gpu});
    };
    std::array<std::uint64_t, 14> expected{};
    for (std::uint64_t line = 0; line < 20; ++line) {
      read(line, 0);
      read(line, 1);  // which is not connected
      constexpr unsigned kInstances[] = {2, 9, 11};
      ++expected[kInstances[cmem(0, line) / 64 % 3]];
    }
    advance(1'000 * kNanosecond);
    for (unsigned instance = 0; instance < 14; ++instance)
      EXPECT_EQ(nvlink.get(instance, in_rd_req), expected[instance]);
  });
}

/// Requests that cross an interface, as a list to be counted edge by edge.
struct Crossing {
  Picoseconds start;
  Picoseconds end;
  bool is_in;
  bool is_write;
};

TEST_F(C2cPmu, any_requests_in_any_windows_are_counted_as_if_step_by_step) {  // contract E10
  std::vector<Crossing> crossings;
  std::uint64_t state = 2023;
  const auto random = [&](std::uint64_t limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % limit;
  };
  run([&] {
    const auto traffic = [&](std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const bool is_write = random(3) == 0;
        const std::uint64_t line = random(1000);
        rig.request({.opcode = is_write ? Opcode::write_unique_full : Opcode::read_once,
                     .address = gmem(0, line),
                     .kind = kGpu,
                     .cluster = static_cast<unsigned>(random(2))});
        const Picoseconds accepted = now();
        const Picoseconds sent = accepted + 30 * kNanosecond;
        const Picoseconds back = sent + 250 * kNanosecond;
        crossings.push_back({accepted, is_write ? sent : back, true, is_write});
        crossings.push_back({sent, back, false, is_write});
        if (random(4) == 0) advance(random(9) * 100);
      }
    };
    for (unsigned round = 0; round < 30; ++round) {
      traffic(random(700));  // not counted: most of it is forgotten
      const Picoseconds on = now();
      nvlink.start();
      Picoseconds off = on;
      for (std::uint64_t look = random(4) + 1; look > 0; --look) {
        traffic(random(600));
        advance(random(400) * kNanosecond + random(1'000));
        off = now();
        if (look == 1) nvlink.stop();
        Sums expected(8);
        for (const Crossing& c : crossings) {
          const std::size_t place = (c.is_in ? 0 : 4) + (c.is_write ? 2 : 0);
          if (c.start >= on && c.start < off) ++expected[place + 1];
          const Picoseconds first = (std::max(c.start, on) + kNanosecond - 1) / kNanosecond;
          const Picoseconds end = (std::min(c.end, off) + kNanosecond - 1) / kNanosecond;
          if (end > first) expected[place] += end - first;
        }
        ASSERT_EQ(nvlink.sums(), expected) << "round " << round;
      }
    }
    EXPECT_GT(crossings.size(), 30'000U);
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_c2c_traffic_test
