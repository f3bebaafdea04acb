// SPDX-License-Identifier: Apache-2.0
// docs/tegra410.md, "Private caches": which requests loads and stores become at the fabric.
#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_part.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing::tegra410_private_cache_test {
namespace {

using Opcode = FabricOpcode;

/// Records what crosses the boundary.
struct Recorder : BoundaryObserver {
  void on_request(const Request& request) override { requests.push_back(request); }
  void on_memory_access(const MemoryAccess& access) override { accesses.push_back(access); }

  /// The requests since the last time, as "ReadShared 0x... by 1".
  std::vector<std::string> take() {
    std::vector<std::string> lines;
    for (const Request& request : requests) {
      lines.push_back(std::string(to_string(request.opcode)) + " " + std::to_string(request.address) + " by " +
                      std::to_string(request.requester_id));
    }
    requests.clear();
    return lines;
  }
  std::vector<Request> requests;
  std::vector<MemoryAccess> accesses;
};

std::string ask(const char* opcode, std::uint64_t address, unsigned cluster = 0) {
  return std::string(opcode) + " " + std::to_string(address) + " by " + std::to_string(cluster);
}

using Lines = std::vector<std::string>;

class Tegra410PrivateCache : public SimulationTest {
 protected:
  Tegra410PrivateCache() { rig.platform.get<platform::Tegra410Part>().set_observer(&seen); }
  Rig rig{small_spec(2)};
  Recorder seen;
};

TEST_F(Tegra410PrivateCache, a_load_misses_once_and_then_hits) {
  run([&] {
    rig.load(0, 0, cmem(0, 1) + 56);
    EXPECT_EQ(seen.take(), Lines{ask("ReadShared", cmem(0, 1))});
    EXPECT_EQ(rig.load(0, 0, cmem(0, 1)), 5'000U);
    EXPECT_EQ(seen.take(), Lines{});
  });
}

TEST_F(Tegra410PrivateCache, a_store_miss_fetches_the_line_for_itself) {
  run([&] {
    rig.store(0, 2, cmem(0, 1));
    EXPECT_EQ(seen.take(), Lines{ask("ReadUnique", cmem(0, 1), 2)});
    EXPECT_EQ(rig.store(0, 2, cmem(0, 1)), 5'000U);
    EXPECT_EQ(rig.load(0, 2, cmem(0, 1)), 5'000U);
    EXPECT_EQ(seen.take(), Lines{});
  });
}

TEST_F(Tegra410PrivateCache, a_store_to_a_shared_line_asks_for_ownership_once) {
  run([&] {
    rig.load(0, 0, cmem(0, 1));
    seen.take();
    EXPECT_EQ(rig.store(0, 0, cmem(0, 1)), 30'000U);
    EXPECT_EQ(seen.take(), Lines{ask("CleanUnique", cmem(0, 1))});
    rig.store(0, 0, cmem(0, 1));
    EXPECT_EQ(seen.take(), Lines{});
  });
}

TEST_F(Tegra410PrivateCache, the_least_recently_used_line_is_given_back_before_the_miss) {
  run([&] {
    rig.store(0, 0, cmem(0, 0));  // one set of two ways
    rig.load(0, 0, cmem(0, 2));
    rig.load(0, 0, cmem(0, 0));  // 2 is the older one now
    seen.take();
    rig.load(0, 0, cmem(0, 4));
    EXPECT_EQ(seen.take(), (Lines{ask("Evict", cmem(0, 2)), ask("ReadShared", cmem(0, 4))}));
    rig.store(0, 0, cmem(1, 0));
    EXPECT_EQ(seen.take(), (Lines{ask("WriteBackFull", cmem(0, 0)), ask("ReadUnique", cmem(1, 0))}));
    rig.load(0, 0, cmem(0, 1));  // the other set
    EXPECT_EQ(seen.take(), Lines{ask("ReadShared", cmem(0, 1))});
  });
}

TEST_F(Tegra410PrivateCache, the_observer_sees_full_lines_of_the_cluster_and_no_data_with_dataless_requests) {
  run([&] {
    advance(777);
    rig.load(1, 3, cmem(0, 1) + 8);
    rig.store(1, 3, cmem(0, 1) + 8);
    ASSERT_EQ(seen.requests.size(), 2U);
    const BoundaryObserver::Request& read = seen.requests[0];
    EXPECT_EQ(read.when, 777U);
    EXPECT_EQ(read.address, cmem(0, 1));
    EXPECT_EQ(read.length, 64U);
    EXPECT_EQ(read.requester, RequesterKind::cpu);
    EXPECT_EQ(read.requester_socket, 1U);
    EXPECT_EQ(read.accepting_socket, 1U);
    EXPECT_EQ(read.requester_id, 3U);
    EXPECT_EQ(seen.requests[1].length, 0U);
    ASSERT_EQ(seen.accesses.size(), 1U);
    EXPECT_EQ(seen.accesses[0].socket, 0U);
    EXPECT_FALSE(seen.accesses[0].is_write);
  });
}

TEST_F(Tegra410PrivateCache, a_snoop_of_a_writer_takes_the_line_and_a_snoop_of_a_reader_takes_ownership_only) {
  run([&] {
    rig.store(0, 0, cmem(0, 1));
    rig.load(0, 1, cmem(0, 1));
    seen.take();
    rig.load(0, 0, cmem(0, 1));
    EXPECT_EQ(seen.take(), Lines{}) << "still there";
    rig.store(0, 0, cmem(0, 1));
    EXPECT_EQ(seen.take(), Lines{ask("CleanUnique", cmem(0, 1))}) << "but shared";
    rig.load(0, 1, cmem(0, 1));
    EXPECT_EQ(seen.take(), Lines{ask("ReadShared", cmem(0, 1), 1)}) << "lost to the store";
    rig.request({.opcode = Opcode::write_unique_ptl, .address = cmem(0, 1), .kind = RequesterKind::gpu, .length = 4});
    seen.take();
    rig.load(0, 0, cmem(0, 1));
    rig.load(0, 1, cmem(0, 1));
    EXPECT_EQ(seen.take(), (Lines{ask("ReadShared", cmem(0, 1), 0), ask("ReadShared", cmem(0, 1), 1)}));
  });
}

TEST_F(Tegra410PrivateCache, a_shared_owner_gives_its_line_back_clean) {
  run([&] {
    rig.store(0, 0, cmem(0, 0));
    rig.load(0, 1, cmem(0, 0));  // cluster 0 is no longer unique
    rig.load(0, 0, cmem(0, 2));
    seen.take();
    rig.load(0, 0, cmem(0, 4));
    EXPECT_EQ(seen.take(), (Lines{ask("Evict", cmem(0, 0)), ask("ReadShared", cmem(0, 4))}));
  });
}

TEST_F(Tegra410PrivateCache, snoops_over_the_link_reach_the_private_caches_of_the_other_socket) {
  run([&] {
    rig.store(1, 2, cmem(0, 1));
    rig.load(0, 0, cmem(0, 1));
    seen.take();
    rig.store(1, 2, cmem(0, 1));
    EXPECT_EQ(seen.take(), Lines{ask("CleanUnique", cmem(0, 1), 2)}) << "shared by the read at home";
    rig.store(0, 0, cmem(0, 1));
    seen.take();
    rig.load(1, 2, cmem(0, 1));
    EXPECT_EQ(seen.take(), Lines{ask("ReadShared", cmem(0, 1), 2)}) << "lost to the store at home";
  });
}

TEST_F(Tegra410PrivateCache, a_line_evicted_from_the_slc_of_its_home_leaves_remote_private_caches) {
  run([&] {
    rig.load(1, 0, cmem(0, 0));
    rig.load(0, 0, cmem(0, 0));
    for (const std::uint64_t line : {4, 8}) {
      rig.request({.opcode = Opcode::read_shared, .address = cmem(0, line), .kind = RequesterKind::gpu});
    }
    seen.take();
    rig.load(1, 0, cmem(0, 0));
    EXPECT_EQ(seen.take(), Lines{ask("ReadShared", cmem(0, 0))});
    rig.load(0, 0, cmem(0, 0));
    EXPECT_EQ(seen.take(), Lines{}) << "local holders keep it";
  });
}

}  // namespace
}  // namespace pmufab::testing::tegra410_private_cache_test
