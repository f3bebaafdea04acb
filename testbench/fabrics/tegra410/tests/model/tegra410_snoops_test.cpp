// SPDX-License-Identifier: Apache-2.0
// docs/tegra410.md, "Snoops and the directory", within one socket.
#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing::tegra410_snoops_test {
namespace {

using Opcode = FabricOpcode;
using Counts = Rig::Counts;
constexpr RequesterKind kGpu = RequesterKind::gpu;

class Tegra410Snoops : public SimulationTest {
 protected:
  /// Requests of cluster `cluster` or the GPU to `address`; @return the local snoops they caused.
  std::uint64_t cpu(unsigned cluster, Opcode opcode, std::uint64_t address = cmem(0, 1)) {
    rig.request({.opcode = opcode, .address = address, .cluster = cluster});
    return rig.take()["0 local_snoop cpu>cmem"];
  }
  std::uint64_t gpu(Opcode opcode, std::uint64_t address = cmem(0, 1)) {
    rig.request({.opcode = opcode, .address = address, .kind = kGpu});
    return rig.take()["0 local_snoop noncpu>cmem"];
  }
  /// Remove the line from the SLC and from every directory entry. @return true if it was dirty
  bool clean_out(std::uint64_t address = cmem(0, 1)) {
    rig.request({.opcode = Opcode::clean_invalid, .address = address, .kind = kGpu});
    Counts counts = rig.take();
    return counts["0 slc_wb noncpu>cmem"] != 0;
  }

  Rig rig{small_spec(1)};
};

TEST_F(Tegra410Snoops, sharers_are_not_snooped_by_reads) {
  run([&] {
    EXPECT_EQ(cpu(0, Opcode::read_shared), 0U);
    EXPECT_EQ(cpu(1, Opcode::read_shared), 0U);
    EXPECT_EQ(cpu(2, Opcode::read_once), 0U);
    EXPECT_EQ(gpu(Opcode::read_once), 0U);
    EXPECT_FALSE(clean_out());
  });
}

TEST_F(Tegra410Snoops, a_read_takes_ownership_from_the_owner_who_stays_a_holder_and_makes_the_slc_line_dirty) {
  run([&] {
    for (const Opcode read : {Opcode::read_shared, Opcode::read_once}) {
      EXPECT_EQ(cpu(0, Opcode::read_unique), 0U);
      EXPECT_EQ(cpu(1, read), 1U) << to_string(read);
      EXPECT_EQ(cpu(1, read), 0U);  // no longer owned
      // Cluster 0 can still be snooped. ReadShared made cluster 1 a holder too, ReadOnce did not.
      EXPECT_EQ(gpu(Opcode::write_unique_full), read == Opcode::read_shared ? 2U : 1U);
      EXPECT_TRUE(clean_out());

      EXPECT_EQ(cpu(0, Opcode::read_unique), 0U);
      EXPECT_EQ(gpu(read), 1U);
      EXPECT_EQ(gpu(read), 0U);
      EXPECT_TRUE(clean_out()) << "the owner's data went to the SLC";
    }
  });
}

TEST_F(Tegra410Snoops, an_owner_that_reads_its_own_line_is_owner_no_more) {
  run([&] {
    for (const Opcode read : {Opcode::read_shared, Opcode::read_once}) {
      cpu(0, Opcode::read_unique);
      EXPECT_EQ(cpu(0, read), 0U);
      EXPECT_EQ(cpu(1, Opcode::read_shared), 0U);
      EXPECT_FALSE(clean_out()) << "nobody else's ownership was taken";
    }
  });
}

TEST_F(Tegra410Snoops, unique_requests_of_a_cluster_drop_the_others_and_leave_it_as_owner) {
  run([&] {
    for (const Opcode opcode : {Opcode::read_unique, Opcode::clean_unique}) {
      cpu(0, Opcode::read_shared);
      cpu(1, Opcode::read_shared);
      cpu(2, Opcode::read_shared);
      EXPECT_EQ(cpu(1, opcode), 2U) << to_string(opcode);
      EXPECT_EQ(cpu(1, opcode), 0U);
      EXPECT_EQ(cpu(3, opcode), 1U);  // only cluster 1 was left
      EXPECT_EQ(gpu(Opcode::read_once), 1U) << "cluster 3 owns the line";
      clean_out();
    }
  });
}

TEST_F(Tegra410Snoops, unique_requests_of_others_leave_nobody) {
  run([&] {
    for (const Opcode opcode : {Opcode::read_unique, Opcode::clean_unique}) {
      cpu(0, Opcode::read_shared);
      cpu(1, Opcode::read_shared);
      EXPECT_EQ(gpu(opcode), 2U) << to_string(opcode);
      EXPECT_EQ(gpu(opcode), 0U);
      EXPECT_EQ(cpu(2, Opcode::read_unique), 0U);
      clean_out();
    }
  });
}

TEST_F(Tegra410Snoops, writes_past_the_caches_drop_everybody_the_writer_without_a_snoop) {
  run([&] {
    for (const Opcode opcode :
         {Opcode::write_unique_full, Opcode::write_unique_ptl, Opcode::atomic_store, Opcode::clean_invalid}) {
      cpu(0, Opcode::read_shared);
      cpu(1, Opcode::read_shared);
      cpu(2, Opcode::read_shared);
      EXPECT_EQ(cpu(1, opcode), 2U) << to_string(opcode);
      EXPECT_EQ(gpu(Opcode::write_unique_full), 0U) << "cluster 1 was dropped, too";
      cpu(3, Opcode::read_unique);
      EXPECT_EQ(cpu(3, opcode), 0U);
      EXPECT_EQ(cpu(0, Opcode::read_unique), 0U);
      clean_out();
    }
  });
}

TEST_F(Tegra410Snoops, giving_a_line_back_ends_the_hold_of_that_cluster_alone) {
  run([&] {
    for (const Opcode opcode : {Opcode::evict, Opcode::write_back_full}) {
      cpu(0, Opcode::read_shared);
      cpu(1, Opcode::read_shared);
      EXPECT_EQ(cpu(0, opcode), 0U) << to_string(opcode);
      EXPECT_EQ(cpu(3, opcode), 0U);  // holds nothing
      EXPECT_EQ(gpu(opcode), 0U);     // cannot hold anything
      EXPECT_EQ(gpu(Opcode::write_unique_full), 1U);
      cpu(0, Opcode::read_unique);
      EXPECT_EQ(cpu(1, opcode), 0U);
      EXPECT_EQ(gpu(Opcode::read_once), 1U) << "cluster 0 still owns it";
      EXPECT_EQ(cpu(0, opcode), 0U);
      EXPECT_EQ(gpu(Opcode::write_unique_full), 0U);
      clean_out();
    }
  });
}

TEST_F(Tegra410Snoops, a_snooped_owner_leaves_the_slc_line_dirty_also_after_requests_that_do_not_write) {
  run([&] {
    cpu(0, Opcode::read_unique);
    EXPECT_EQ(cpu(1, Opcode::read_unique), 1U);
    EXPECT_TRUE(clean_out());
    cpu(0, Opcode::read_unique);
    EXPECT_EQ(cpu(1, Opcode::clean_unique), 1U);
    EXPECT_TRUE(clean_out());
    cpu(0, Opcode::read_shared);
    EXPECT_EQ(cpu(1, Opcode::read_unique), 1U);  // a holder, not an owner
    EXPECT_FALSE(clean_out());
    cpu(0, Opcode::read_unique);
    EXPECT_EQ(cpu(0, Opcode::clean_unique), 0U);  // its own
    EXPECT_FALSE(clean_out());
  });
}

TEST_F(Tegra410Snoops, a_clean_line_dropped_by_clean_invalid_is_not_written_back_although_its_owner_was_snooped) {
  run([&] {
    cpu(0, Opcode::read_unique);
    rig.request({.opcode = Opcode::clean_invalid, .address = cmem(0, 1), .cluster = 1});
    EXPECT_EQ(rig.take(), at(0, "cpu>cmem", {{"slc_access_dataless", 1}, {"local_snoop", 1}}));
    EXPECT_FALSE(clean_out()) << "the line is not in the SLC any more";
  });
}

TEST_F(Tegra410Snoops, making_a_line_dirty_does_not_refresh_its_place_in_the_replacement_order) {
  run([&] {
    cpu(0, Opcode::read_unique, cmem(0, 0));
    gpu(Opcode::read_shared, cmem(0, 4));
    EXPECT_EQ(cpu(1, Opcode::clean_unique, cmem(0, 0)), 1U);  // dirty now, and still next to be replaced
    rig.request({.opcode = Opcode::write_unique_full, .address = cmem(0, 8), .kind = kGpu});
    EXPECT_EQ(rig.take(), at(0, "noncpu>cmem",
                             {{"slc_access_wr", 1},
                              {"slc_bytes_wr", 64},
                              {"slc_allocate", 1},
                              {"slc_wb", 1},
                              {"mem_access_wr", 1},
                              {"mem_bytes_wr", 64}}));
  });
}

TEST_F(Tegra410Snoops, a_local_holder_does_not_notice_that_its_line_leaves_the_slc) {
  run([&] {
    cpu(0, Opcode::read_unique, cmem(0, 0));
    gpu(Opcode::read_shared, cmem(0, 4));
    rig.request({.opcode = Opcode::read_shared, .address = cmem(0, 8), .kind = kGpu});
    Counts counts = rig.take();
    EXPECT_EQ(counts["0 slc_allocate noncpu>cmem"], 1U);
    EXPECT_EQ(counts["0 local_snoop noncpu>cmem"], 0U);
    EXPECT_EQ(gpu(Opcode::read_once, cmem(0, 0)), 1U) << "and owns it still";
  });
}

TEST_F(Tegra410Snoops, lines_the_slc_does_not_keep_are_snooped_all_the_same) {
  run([&] {
    rig.request({.opcode = Opcode::read_unique, .address = gmem(0, 1), .cluster = 2});
    rig.take();
    rig.request({.opcode = Opcode::read_once, .address = gmem(0, 1), .kind = kGpu, .length = 4});
    EXPECT_EQ(
        rig.take(),
        at(0, "noncpu>gmem",
           {{"slc_access_rd", 1}, {"slc_bytes_rd", 4}, {"mem_access_rd", 1}, {"mem_bytes_rd", 4}, {"local_snoop", 1}}));
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_snoops_test
