// SPDX-License-Identifier: Apache-2.0
// docs/tegra410.md: lines homed at another socket, and snoops between sockets.
#include <memory>

#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing::tegra410_sockets_test {
namespace {

using Opcode = FabricOpcode;
using Counts = Rig::Counts;
constexpr RequesterKind kGpu = RequesterKind::gpu;

class Tegra410Sockets : public SimulationTest {
 protected:
  void cpu(unsigned socket, unsigned cluster, Opcode opcode, std::uint64_t address) {
    rig->request({.opcode = opcode, .address = address, .socket = socket, .cluster = cluster});
  }
  void gpu(unsigned socket, Opcode opcode, std::uint64_t address) {
    rig->request({.opcode = opcode, .address = address, .kind = kGpu, .socket = socket});
  }
  /// Snoops of all kinds at all sockets since the last call.
  Counts snoops() {
    Counts counts = rig->take();
    std::erase_if(counts, [](const auto& entry) { return entry.first.find("sn") == std::string::npos; });
    return counts;
  }
  /// Remove the line everywhere. @return true if it was dirty in the SLC of its home, socket 0
  bool clean_out(std::uint64_t address) {
    rig->take();
    gpu(0, Opcode::clean_invalid, address);
    return rig->take()["0 slc_wb noncpu>cmem"] != 0;
  }
  void build(unsigned sockets) { rig = std::make_unique<Rig>(small_spec(sockets)); }

  std::unique_ptr<Rig> rig;
};

const Counts kReadRemote =
    at(1, "cpu>rem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"mem_access_rd", 1}, {"mem_bytes_rd", 64}});

Counts snooped(unsigned socket, std::uint64_t clusters) {
  return at(socket, "rem>rem", {{"ext_snp_access", 1}}) +
         (clusters == 0 ? Counts{} : at(socket, "rem>rem", {{"local_snoop", clusters}}));
}

TEST_F(Tegra410Sockets, a_read_of_a_remote_line_counts_at_both_sockets_and_is_cached_at_its_home_only) {
  build(2);
  run([&] {
    cpu(1, 0, Opcode::read_shared, cmem(0, 1));
    EXPECT_EQ(rig->take(), kReadRemote + at(0, "rem>cmem",
                                            {{"slc_access_rd", 1},
                                             {"slc_bytes_rd", 64},
                                             {"mem_access_rd", 1},
                                             {"mem_bytes_rd", 64},
                                             {"slc_refill_rd", 1},
                                             {"slc_allocate", 1}}));
    cpu(1, 0, Opcode::read_shared, cmem(0, 1));
    EXPECT_EQ(rig->take(),
              kReadRemote + at(0, "rem>cmem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"slc_hit_rd", 1}}));
  });
}

TEST_F(Tegra410Sockets, remote_requests_of_every_kind_reach_every_class_of_memory) {
  build(2);
  run([&] {
    const Ask ask{.opcode = Opcode::read_once, .address = 0, .kind = kGpu, .socket = 1, .length = 20};
    const auto with = [&](Opcode opcode, std::uint64_t address) {
      Ask changed = ask;
      changed.opcode = opcode;
      changed.address = address;
      return changed;
    };
    const Counts out_read =
        at(1, "noncpu>rem", {{"slc_access_rd", 1}, {"slc_bytes_rd", 20}, {"mem_access_rd", 1}, {"mem_bytes_rd", 20}});
    rig->request(with(Opcode::read_once, cxl(0, 1)));
    EXPECT_EQ(rig->take(),
              out_read + at(0, "rem>cxl",
                            {{"slc_access_rd", 1}, {"slc_bytes_rd", 20}, {"mem_access_rd", 1}, {"mem_bytes_rd", 64}}));
    rig->request(with(Opcode::read_once, gmem(0, 1)));
    EXPECT_EQ(rig->take(),
              out_read + at(0, "rem>gmem",
                            {{"slc_access_rd", 1}, {"slc_bytes_rd", 20}, {"mem_access_rd", 1}, {"mem_bytes_rd", 20}}));
    rig->request(with(Opcode::write_unique_ptl, gmem(0, 1)));
    EXPECT_EQ(
        rig->take(),
        at(1, "noncpu>rem", {{"slc_access_wr", 1}, {"slc_bytes_wr", 20}, {"mem_access_wr", 1}, {"mem_bytes_wr", 20}}) +
            at(0, "rem>gmem",
               {{"slc_access_wr", 1}, {"slc_bytes_wr", 20}, {"mem_access_wr", 1}, {"mem_bytes_wr", 20}}));
    rig->request(with(Opcode::atomic_store, cmem(0, 1)));
    EXPECT_EQ(rig->take(), at(1, "noncpu>rem", {{"slc_access_atomic", 1}, {"mem_access_wr", 1}, {"mem_bytes_wr", 20}}) +
                               at(0, "rem>cmem",
                                  {{"slc_access_atomic", 1},
                                   {"mem_access_rd", 1},
                                   {"mem_bytes_rd", 64},
                                   {"slc_refill_wr", 1},
                                   {"slc_allocate", 1}}));
    rig->request(with(Opcode::clean_invalid, cmem(0, 1)));
    EXPECT_EQ(
        rig->take(),
        at(1, "noncpu>rem", {{"slc_access_dataless", 1}}) +
            at(0, "rem>cmem", {{"slc_access_dataless", 1}, {"slc_wb", 1}, {"mem_access_wr", 1}, {"mem_bytes_wr", 64}}));
  });
}

TEST_F(Tegra410Sockets, a_remote_owner_is_snooped_by_a_read_at_home_and_its_data_lands_in_the_slc) {
  build(2);
  run([&] {
    for (const Opcode read : {Opcode::read_shared, Opcode::read_once}) {
      cpu(1, 0, Opcode::read_unique, cmem(0, 1));
      EXPECT_EQ(snoops(), Counts{});
      cpu(0, 0, read, cmem(0, 1));
      EXPECT_EQ(snoops(), snooped(1, 1)) << to_string(read);
      cpu(0, 0, read, cmem(0, 1));
      EXPECT_EQ(snoops(), Counts{}) << "nobody owns the line now";
      EXPECT_TRUE(clean_out(cmem(0, 1)));
    }
  });
}

TEST_F(Tegra410Sockets, an_intruding_write_at_home_drops_every_holder_of_the_other_socket) {
  build(2);
  run([&] {
    cpu(1, 0, Opcode::read_shared, cmem(0, 1));
    cpu(1, 2, Opcode::read_shared, cmem(0, 1));
    cpu(0, 3, Opcode::read_shared, cmem(0, 1));
    EXPECT_EQ(snoops(), Counts{});
    gpu(0, Opcode::write_unique_full, cmem(0, 1));
    EXPECT_EQ(snoops(), snooped(1, 2) + at(0, "noncpu>cmem", {{"local_snoop", 1}}));
    gpu(0, Opcode::write_unique_full, cmem(0, 1));
    EXPECT_EQ(snoops(), Counts{});
    cpu(1, 1, Opcode::read_unique, cmem(0, 1));
    EXPECT_EQ(snoops(), Counts{}) << "the other socket has forgotten its holders, too";
  });
}

TEST_F(Tegra410Sockets, the_home_keeps_a_socket_as_holder_until_its_last_cluster_gives_the_line_back) {
  build(2);
  run([&] {
    for (const Opcode back : {Opcode::evict, Opcode::write_back_full}) {
      cpu(1, 0, Opcode::read_shared, cmem(0, 1));
      cpu(1, 1, Opcode::read_shared, cmem(0, 1));
      cpu(1, 0, back, cmem(0, 1));
      cpu(0, 0, Opcode::read_unique, cmem(0, 1));
      EXPECT_EQ(snoops(), snooped(1, 1)) << to_string(back);
      clean_out(cmem(0, 1));

      cpu(1, 0, Opcode::read_shared, cmem(0, 1));
      cpu(1, 1, Opcode::read_shared, cmem(0, 1));
      cpu(1, 0, back, cmem(0, 1));
      cpu(1, 1, back, cmem(0, 1));
      cpu(0, 0, Opcode::read_unique, cmem(0, 1));
      EXPECT_EQ(snoops(), Counts{}) << to_string(back);
      clean_out(cmem(0, 1));
    }
  });
}

TEST_F(Tegra410Sockets, giving_a_line_back_ends_the_sockets_ownership_at_home_though_its_owner_keeps_it) {
  build(2);
  run([&] {
    cpu(1, 0, Opcode::read_unique, cmem(0, 1));
    cpu(1, 1, Opcode::evict, cmem(0, 1));        // of a line it never had
    cpu(0, 0, Opcode::read_shared, cmem(0, 1));  // so no cluster is snooped
    EXPECT_EQ(snoops(), Counts{});
    clean_out(cmem(0, 1));
    cpu(1, 0, Opcode::read_unique, cmem(0, 1));
    cpu(1, 1, Opcode::evict, cmem(0, 1));
    rig->take();
    cpu(0, 1, Opcode::read_unique, cmem(0, 1));
    EXPECT_EQ(snoops(), snooped(1, 1));
    EXPECT_TRUE(clean_out(cmem(0, 1))) << "an owner was snooped, though the home did not know it as one";
  });
}

TEST_F(Tegra410Sockets, snoops_within_the_requesters_socket_come_first_and_make_the_homes_line_dirty) {
  build(2);
  run([&] {
    cpu(1, 0, Opcode::read_unique, cmem(0, 1));
    rig->take();
    cpu(1, 1, Opcode::read_shared, cmem(0, 1));
    EXPECT_EQ(snoops(), at(1, "cpu>rem", {{"local_snoop", 1}}));
    cpu(0, 0, Opcode::read_shared, cmem(0, 1));
    EXPECT_EQ(snoops(), Counts{}) << "the socket as a whole is owner no more";
    EXPECT_TRUE(clean_out(cmem(0, 1)));

    cpu(1, 0, Opcode::read_unique, cmem(0, 1));
    rig->take();
    gpu(1, Opcode::read_once, cmem(0, 1));
    EXPECT_EQ(snoops(), at(1, "noncpu>rem", {{"local_snoop", 1}}));
    cpu(0, 0, Opcode::read_shared, cmem(0, 1));
    EXPECT_EQ(snoops(), Counts{});
    gpu(0, Opcode::write_unique_full, cmem(0, 1));
    EXPECT_EQ(snoops(), snooped(1, 1) + at(0, "noncpu>cmem", {{"local_snoop", 1}})) << "but it is a holder";
  });
}

TEST_F(Tegra410Sockets, a_gpu_of_another_socket_drops_its_own_sockets_holders_without_a_snoop_over_the_link) {
  build(2);
  run([&] {
    for (const Opcode opcode : {Opcode::read_unique, Opcode::write_unique_full, Opcode::clean_unique}) {
      cpu(1, 0, Opcode::read_shared, cmem(0, 1));
      cpu(1, 1, Opcode::read_shared, cmem(0, 1));
      cpu(0, 2, Opcode::read_shared, cmem(0, 1));
      rig->take();
      gpu(1, opcode, cmem(0, 1));
      EXPECT_EQ(snoops(), at(1, "noncpu>rem", {{"local_snoop", 2}}) + at(0, "rem>cmem", {{"local_snoop", 1}}));
      gpu(0, Opcode::write_unique_full, cmem(0, 1));
      EXPECT_EQ(snoops(), Counts{}) << to_string(opcode);
      clean_out(cmem(0, 1));
    }
  });
}

TEST_F(Tegra410Sockets, a_line_that_leaves_the_slc_is_taken_from_remote_holders_but_not_from_local_ones) {
  build(2);
  run([&] {
    cpu(1, 0, Opcode::read_shared, cmem(0, 0));
    cpu(1, 3, Opcode::read_shared, cmem(0, 0));
    cpu(0, 2, Opcode::read_shared, cmem(0, 0));
    gpu(0, Opcode::read_shared, cmem(0, 4));
    EXPECT_EQ(snoops(), Counts{});
    gpu(0, Opcode::read_shared, cmem(0, 8));  // line 0 is replaced
    EXPECT_EQ(snoops(), at(1, "rem>rem", {{"ext_snp_evict", 1}, {"local_snoop", 2}}));
    gpu(0, Opcode::write_unique_full, cmem(0, 0));
    EXPECT_EQ(snoops(), at(0, "noncpu>cmem", {{"local_snoop", 1}}));
  });
}

TEST_F(Tegra410Sockets, taking_a_line_from_a_remote_owner_by_eviction_ends_its_ownership_and_writes_nothing_back) {
  build(2);
  run([&] {
    cpu(1, 0, Opcode::read_unique, cmem(0, 0));
    gpu(0, Opcode::read_shared, cmem(0, 4));
    rig->take();
    gpu(0, Opcode::read_shared, cmem(0, 8));
    EXPECT_EQ(rig->take(), at(1, "rem>rem", {{"ext_snp_evict", 1}, {"local_snoop", 1}}) + at(0, "noncpu>cmem",
                                                                                             {{"slc_access_rd", 1},
                                                                                              {"slc_bytes_rd", 64},
                                                                                              {"mem_access_rd", 1},
                                                                                              {"mem_bytes_rd", 64},
                                                                                              {"slc_refill_rd", 1},
                                                                                              {"slc_allocate", 1}}));
    cpu(0, 0, Opcode::read_shared, cmem(0, 0));
    EXPECT_EQ(snoops(), Counts{});
    EXPECT_FALSE(clean_out(cmem(0, 8))) << "the snooped owner was not of this line";
  });
}

TEST_F(Tegra410Sockets, dropping_a_line_by_clean_invalid_snoops_remote_holders_once) {
  build(2);
  run([&] {
    cpu(1, 0, Opcode::read_shared, cmem(0, 0));
    rig->take();
    gpu(0, Opcode::clean_invalid, cmem(0, 0));
    EXPECT_EQ(rig->take(), snooped(1, 1) + at(0, "noncpu>cmem", {{"slc_access_dataless", 1}}));
  });
}

TEST_F(Tegra410Sockets, of_four_sockets_each_holder_but_the_requester_is_snooped) {
  build(4);
  run([&] {
    const std::uint64_t line = cmem(0, 1);
    for (unsigned socket = 0; socket < 4; ++socket) cpu(socket, socket, Opcode::read_shared, line);
    EXPECT_EQ(snoops(), Counts{});
    cpu(2, 2, Opcode::clean_unique, line);
    EXPECT_EQ(snoops(), snooped(1, 1) + snooped(3, 1) + at(0, "rem>cmem", {{"local_snoop", 1}}));
    cpu(3, 0, Opcode::read_shared, line);  // socket 2 owns it
    EXPECT_EQ(snoops(), snooped(2, 1));
    cpu(1, 0, Opcode::read_once, line);
    EXPECT_EQ(snoops(), Counts{});
    gpu(1, Opcode::write_unique_full, line);
    EXPECT_EQ(snoops(), snooped(2, 1) + snooped(3, 1));
    EXPECT_TRUE(clean_out(line));
  });
}

TEST_F(Tegra410Sockets, each_of_four_sockets_is_home_to_its_own_memory) {
  build(4);
  run([&] {
    for (unsigned home = 0; home < 4; ++home) {
      const unsigned other = (home + 1) % 4;
      gpu(other, Opcode::read_shared, cmem(home, 1));
      EXPECT_EQ(rig->take(),
                at(other, "noncpu>rem",
                   {{"slc_access_rd", 1}, {"slc_bytes_rd", 64}, {"mem_access_rd", 1}, {"mem_bytes_rd", 64}}) +
                    at(home, "rem>cmem",
                       {{"slc_access_rd", 1},
                        {"slc_bytes_rd", 64},
                        {"mem_access_rd", 1},
                        {"mem_bytes_rd", 64},
                        {"slc_refill_rd", 1},
                        {"slc_allocate", 1}}));
    }
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_sockets_test
