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
using tegra410::NvlinkPeer;
constexpr RequesterKind kGpu = RequesterKind::gpu;
using Sums = std::vector<std::uint64_t>;

TEST_F(C2cPmu, nvlink_counts_reads_writes_and_atomics_of_gpus_from_acceptance_to_answer) {
  run([&] {
    nvlink.start();
    gpu(Opcode::read_shared, cmem(0, 1));             // 30 + 90
    gpu(Opcode::read_once, cmem(0, 1), 0, 8);         // 30, a hit
    gpu(Opcode::read_unique, cmem(1, 2));             // 30 + 120 + 90
    gpu(Opcode::write_unique_full, cmem(0, 3));       // 30
    gpu(Opcode::write_unique_ptl, cmem(1, 4), 0, 4);  // 30 + 120
    gpu(Opcode::atomic_store, cxl(0, 5), 0, 8);       // 30
    gpu(Opcode::write_back_full, cmem(0, 6));         // 30
    for (const Opcode dataless : {Opcode::evict, Opcode::clean_unique, Opcode::clean_invalid})
      gpu(dataless, cmem(0, 7));
    // Requesters other than GPUs, and a GPU of the other socket.
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 9), .kind = RequesterKind::cpu});
    gpu(Opcode::read_once, cmem(0, 10), 0, 64, 1);
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlink.sums(), (Sums{120 + 30 + 240, 3, 30 + 150 + 30 + 30, 4, 0, 0, 0, 0}));
  });
}

TEST_F(C2cPmu, nvlink_counts_what_the_fabric_reads_from_and_writes_to_gmem) {
  run([&] {
    nvlink.start();
    rig.request({.opcode = Opcode::read_shared, .address = gmem(0, 1)});
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 2), .kind = RequesterKind::cpu, .length = 8});
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 2), .socket = 1});  // from the other socket
    rig.request({.opcode = Opcode::write_unique_full, .address = gmem(0, 3)});
    rig.request({.opcode = Opcode::atomic_store, .address = gmem(0, 3), .length = 8});
    rig.request({.opcode = Opcode::clean_invalid, .address = gmem(0, 3)});
    rig.request({.opcode = Opcode::read_once, .address = gmem(1, 1)});  // another socket's
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 1)});
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlink.sums(), (Sums{0, 0, 0, 0, 3 * 250, 3, 2 * 250, 2}));
  });
}

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

TEST_F(C2cPmu, nvclink_counts_reads_of_remote_homes_at_both_ends_of_the_link) {
  C2cWindows other(rig, 1, kNvclink);
  run([&] {
    nvclink.start();
    other.start();
    rig.load(0, 0, cmem(1, 1));                                                 // out: 30 + 120 + 90, in: 30 + 90
    gpu(Opcode::read_once, cmem(1, 1), 0, 8);                                   // a hit: 150, 30
    rig.request({.opcode = Opcode::read_once, .address = gmem(1, 0)});          // 400, 280
    rig.request({.opcode = Opcode::write_unique_full, .address = cmem(1, 5)});  // no writes
    rig.request({.opcode = Opcode::clean_invalid, .address = cmem(1, 5)});
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 7)});               // not remote
    rig.request({.opcode = Opcode::read_once, .address = cmem(0, 8), .socket = 1});  // the other way: 240, 120
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvclink.sums(), (Sums{120, 1, 0, 0, 240 + 150 + 400, 3, 0, 0}));
    EXPECT_EQ(other.sums(), (Sums{120 + 30 + 280, 3, 0, 0, 240, 1, 0, 0}));
    const auto instance = static_cast<unsigned>(cmem(0, 8) / 64 % 12);
    EXPECT_EQ(nvclink.get(instance, in_rd_req), 1U);
  });
}

TEST_F(SimulationTest, nvlink_between_sockets_counts_reads_and_writes_and_nvclink_nothing) {
  platform::PlatformSpec spec = clocked_spec(3);
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.peer = NvlinkPeer::cpu;
  Rig rig(spec);
  run([&] {
    std::vector<C2cWindows> nvlinks, nvclinks;
    for (unsigned socket = 0; socket < 3; ++socket) {
      nvlinks.emplace_back(rig, socket, kNvlink).start();
      nvclinks.emplace_back(rig, socket, kNvclink).start();
    }
    rig.request({.opcode = Opcode::read_once, .address = cmem(1, 1), .kind = kGpu});          // 240, 120
    rig.request({.opcode = Opcode::write_unique_full, .address = cmem(2, 1), .kind = kGpu});  // 150, 30
    rig.request({.opcode = Opcode::atomic_store, .address = gmem(2, 1), .length = 8});        // 150, 30
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu});          // crosses no link
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlinks[0].sums(), (Sums{0, 0, 0, 0, 240, 1, 300, 2}));
    EXPECT_EQ(nvlinks[1].sums(), (Sums{120, 1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(nvlinks[2].sums(), (Sums{0, 0, 60, 2, 0, 0, 0, 0}));
    for (C2cWindows& nvclink : nvclinks) EXPECT_EQ(nvclink.sums(), Sums(8));
  });
}

TEST_F(SimulationTest, nvlink_that_leads_nowhere_counts_cycles_alone) {
  platform::PlatformSpec spec = clocked_spec(1);
  spec.edit<platform::Tegra410Spec>().nvlink_c2c.peer = NvlinkPeer::none;
  Rig rig(spec);
  C2cWindows nvlink(rig, 0, kNvlink);
  C2cWindows nvclink(rig, 0, kNvclink);
  run([&] {
    nvlink.start();
    nvclink.start();
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu});
    rig.request({.opcode = Opcode::write_unique_full, .address = gmem(0, 1), .kind = kGpu});
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvlink.sums(), Sums(8));
    EXPECT_EQ(nvclink.sums(), Sums(8)) << "a platform of one socket";
    EXPECT_EQ(nvlink.get(13, kCycles), 1'000U);
  });
}

TEST_F(C2cPmu, nvdlink_counts_reads_from_cxl_memory) {
  run([&] {
    nvdlink.start();
    gpu(Opcode::read_shared, cxl(0, 1));
    gpu(Opcode::read_shared, cxl(0, 1));             // a hit
    gpu(Opcode::write_unique_ptl, cxl(0, 2), 0, 4);  // fetches the line
    gpu(Opcode::write_unique_full, cxl(0, 3));
    gpu(Opcode::clean_invalid, cxl(0, 3));        // writes it back
    gpu(Opcode::read_once, cxl(0, 4), 0, 64, 1);  // from the other socket
    gpu(Opcode::read_once, cxl(1, 4));            // another socket's
    gpu(Opcode::read_once, cmem(0, 4));
    advance(1'000 * kNanosecond);
    EXPECT_EQ(nvdlink.sums(), (Sums{3 * 180, 3, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(nvdlink.get(cxl(0, 2) / 64 % 16, in_rd_req), 1U);
  });
}

TEST_F(C2cPmu, a_request_counts_at_its_start_and_at_each_edge_until_its_end) {
  run([&] {
    nvlink.start();
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1)});  // on the wires in [30 ns, 280 ns)
    advance(30 * kNanosecond);
    EXPECT_EQ(nvlink.sum(out_rd_req), 0U) << "an event of this very instant is not in yet";
    advance(1);
    EXPECT_EQ(nvlink.sum(out_rd_req), 1U);
    EXPECT_EQ(nvlink.sum(out_rd_cum_outs), 1U);
    advance_to(32'500);
    EXPECT_EQ(nvlink.sum(out_rd_cum_outs), 3U);
    advance_to(279'001);
    EXPECT_EQ(nvlink.sum(out_rd_cum_outs), 250U);
    advance_to(1'000'000);
    EXPECT_EQ(nvlink.sum(out_rd_cum_outs), 250U);
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
