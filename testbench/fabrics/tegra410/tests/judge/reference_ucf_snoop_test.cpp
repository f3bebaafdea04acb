// SPDX-License-Identifier: Apache-2.0
// Hand-computed cases of docs/tegra410.md, "Snoops and the directory".
#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/tests/judge/scoreboard_fixture.h"

namespace pmufab::scoreboard::test {
namespace {

using E = UcfEvent;
using S = Source;
using D = Destination;
using Op = FabricOpcode;

class ReferenceUcfSnoop : public ::testing::Test {
 protected:
  ReferenceUcf ucf{small_platform(3)};

  void send(const Requester& from, Op opcode, std::uint64_t address) {
    for (unsigned socket = 0; socket < 3; ++socket) before_[socket] = ucf.tally(socket);
    const bool dataless = opcode == Op::evict || opcode == Op::clean_unique || opcode == Op::clean_invalid;
    ASSERT_EQ(ucf.accept(request(from, opcode, address, dataless ? 0 : 64)).refused, std::nullopt);
  }
  /// Snoop events of the last request at one UCF.
  UcfTally snoops(unsigned socket) const {
    const UcfTally all = since(ucf.tally(socket), before_[socket]);
    UcfTally only;
    for (const E event : {E::local_snoop, E::ext_snp_access, E::ext_snp_evict}) only[event] = all[event];
    return only;
  }
  UcfTally local(S source, D destination, std::uint64_t amount) {
    return tally_of({{E::local_snoop, source, destination, amount}});
  }
  UcfTally from_outside(std::uint64_t local_holders) {
    return tally_of({{E::ext_snp_access, S::rem, D::rem, 1}, {E::local_snoop, S::rem, D::rem, local_holders}});
  }

 private:
  UcfTally before_[3];
};

constexpr std::uint64_t kLine = kCmem + 0x40;
const UcfTally kNone{};

TEST_F(ReferenceUcfSnoop, sharers_do_not_disturb_each_other) {
  send(cpu(0, 0), Op::read_shared, kLine);
  send(cpu(0, 1), Op::read_shared, kLine);
  EXPECT_EQ(snoops(0), kNone);
  send(gpu(0), Op::read_once, kLine);
  EXPECT_EQ(snoops(0), kNone);
}

TEST_F(ReferenceUcfSnoop, a_unique_owner_is_snooped_by_a_read_and_stays_a_holder) {
  send(cpu(0, 0), Op::read_unique, kLine);
  EXPECT_EQ(snoops(0), kNone);
  send(cpu(0, 1), Op::read_shared, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_cpu, D::loc_cmem, 1));
  send(cpu(0, 2), Op::read_shared, kLine);
  EXPECT_EQ(snoops(0), kNone) << "the ownership is gone";
  send(gpu(0), Op::write_unique_full, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_noncpu, D::loc_cmem, 3)) << "clusters 0, 1 and 2 still held it";
}

TEST_F(ReferenceUcfSnoop, read_once_takes_ownership_away_without_becoming_a_holder) {
  send(cpu(0, 0), Op::read_unique, kLine);
  send(cpu(0, 1), Op::read_once, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_cpu, D::loc_cmem, 1));
  send(gpu(0), Op::clean_invalid, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_noncpu, D::loc_cmem, 1)) << "cluster 0 only";
}

TEST_F(ReferenceUcfSnoop, an_owner_that_reads_its_own_line_stops_being_the_owner) {
  for (const Op opcode : {Op::read_shared, Op::read_once}) {
    const std::uint64_t line = opcode == Op::read_shared ? kLine : kLine + 0x40;
    send(cpu(0, 0), Op::read_unique, line);
    send(cpu(0, 0), opcode, line);
    EXPECT_EQ(snoops(0), kNone);
    EXPECT_FALSE(ucf.dirty_in_slc(0, line)) << "nobody was snooped";
    send(cpu(0, 1), Op::read_shared, line);
    EXPECT_EQ(snoops(0), kNone);
  }
}

TEST_F(ReferenceUcfSnoop, read_unique_and_clean_unique_drop_the_others_and_own_the_line) {
  for (const Op opcode : {Op::read_unique, Op::clean_unique}) {
    const std::uint64_t line = opcode == Op::read_unique ? kLine : kLine + 0x40;
    for (std::uint16_t cluster = 0; cluster < 3; ++cluster) send(cpu(0, cluster), Op::read_shared, line);
    send(cpu(0, 1), opcode, line);
    EXPECT_EQ(snoops(0), local(S::loc_cpu, D::loc_cmem, 2)) << "not cluster 1 itself";
    send(cpu(0, 0), Op::read_shared, line);
    EXPECT_EQ(snoops(0), local(S::loc_cpu, D::loc_cmem, 1)) << "cluster 1 owned it";
  }
}

TEST_F(ReferenceUcfSnoop, read_unique_of_a_device_drops_all_and_makes_no_holder) {
  send(cpu(0, 0), Op::read_shared, kLine);
  send(gpu(0), Op::read_unique, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_noncpu, D::loc_cmem, 1));
  send(pcie(0), Op::write_unique_full, kLine);
  EXPECT_EQ(snoops(0), kNone);
}

TEST_F(ReferenceUcfSnoop, writes_atomics_and_cleaning_drop_everybody_and_snoop_all_but_the_requester) {
  std::uint64_t line = kLine;
  for (const Op opcode : {Op::write_unique_full, Op::write_unique_ptl, Op::atomic_store, Op::clean_invalid}) {
    line += 0x40;
    send(cpu(0, 0), Op::read_shared, line);
    send(cpu(0, 1), Op::read_shared, line);
    send(cpu(0, 0), opcode, line);
    EXPECT_EQ(snoops(0), local(S::loc_cpu, D::loc_cmem, 1)) << to_string(opcode);
    send(gpu(0), Op::write_unique_full, line);
    EXPECT_EQ(snoops(0), kNone) << to_string(opcode) << ": nobody holds it any more";
  }
}

TEST_F(ReferenceUcfSnoop, giving_a_line_back_ends_holding_without_a_snoop) {
  for (const Op opcode : {Op::write_back_full, Op::evict}) {
    const std::uint64_t line = opcode == Op::evict ? kLine : kLine + 0x40;
    send(cpu(0, 0), Op::read_unique, line);
    send(cpu(0, 0), opcode, line);
    EXPECT_EQ(snoops(0), kNone);
    send(gpu(0), Op::write_unique_full, line);
    EXPECT_EQ(snoops(0), kNone) << to_string(opcode);
  }
}

TEST_F(ReferenceUcfSnoop, a_device_that_writes_back_or_evicts_changes_no_holder) {
  send(cpu(0, 0), Op::read_unique, kLine);
  send(gpu(0), Op::evict, kLine);
  send(cpu(0, 1), Op::read_shared, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_cpu, D::loc_cmem, 1)) << "cluster 0 still owned it";
}

TEST_F(ReferenceUcfSnoop, the_data_of_a_snooped_owner_makes_the_slc_line_dirty) {
  send(cpu(0, 0), Op::read_unique, kLine);
  EXPECT_FALSE(ucf.dirty_in_slc(0, kLine));
  send(cpu(0, 1), Op::read_shared, kLine);
  EXPECT_TRUE(ucf.dirty_in_slc(0, kLine));

  const std::uint64_t other = kLine + 0x40;
  send(cpu(0, 0), Op::read_shared, other);
  send(cpu(0, 1), Op::clean_unique, other);
  EXPECT_FALSE(ucf.dirty_in_slc(0, other)) << "a sharer has nothing to give";
  send(cpu(0, 0), Op::clean_unique, other);
  EXPECT_TRUE(ucf.dirty_in_slc(0, other));
}

TEST_F(ReferenceUcfSnoop, becoming_dirty_by_a_snoop_does_not_renew_the_line) {
  const std::uint64_t a = kCmem;
  const std::uint64_t b = kCmem + kSameSet;
  send(cpu(0, 0), Op::read_unique, a);
  send(cpu(0, 0), Op::read_shared, b);
  send(cpu(0, 1), Op::clean_unique, a);  // dirty now, and still the older line
  EXPECT_TRUE(ucf.dirty_in_slc(0, a));
  send(gpu(0), Op::read_shared, kCmem + 2 * kSameSet);
  EXPECT_FALSE(ucf.in_slc(0, a));
  EXPECT_TRUE(ucf.in_slc(0, b));
}

TEST_F(ReferenceUcfSnoop, a_read_miss_that_snooped_the_owner_allocates_a_line_that_ends_dirty) {
  send(cpu(0, 0), Op::read_unique, kCmem);
  for (int i = 1; i <= 2; ++i) send(gpu(0), Op::read_shared, kCmem + i * kSameSet);
  ASSERT_FALSE(ucf.in_slc(0, kCmem)) << "evicted; cluster 0 keeps it";
  send(gpu(0), Op::read_once, kCmem);
  EXPECT_EQ(snoops(0), local(S::loc_noncpu, D::loc_cmem, 1));
  EXPECT_FALSE(ucf.in_slc(0, kCmem)) << "ReadOnce does not allocate, so nothing can be dirty";

  send(cpu(0, 0), Op::read_unique, kCxl);
  for (int i = 1; i <= 2; ++i) send(gpu(0), Op::read_shared, kCxl + i * kSameSet);
  ASSERT_FALSE(ucf.in_slc(0, kCxl));
  send(cpu(0, 1), Op::read_shared, kCxl);
  EXPECT_TRUE(ucf.dirty_in_slc(0, kCxl));
}

TEST_F(ReferenceUcfSnoop, cleaning_a_line_whose_owner_was_snooped_writes_nothing_back) {
  // The line is clean when it is dropped, and no longer there when the request is done.
  send(cpu(0, 0), Op::read_unique, kLine);
  const std::uint64_t written = ucf.tally(0)[E::slc_wb].sum();
  send(gpu(0), Op::clean_invalid, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_noncpu, D::loc_cmem, 1));
  EXPECT_EQ(ucf.tally(0)[E::slc_wb].sum(), written);
  EXPECT_FALSE(ucf.in_slc(0, kLine));
}

TEST_F(ReferenceUcfSnoop, memory_that_is_not_cached_is_kept_coherent_all_the_same) {
  send(cpu(0, 0), Op::read_shared, kGmem);
  send(gpu(0), Op::write_unique_full, kGmem);
  EXPECT_EQ(snoops(0), local(S::loc_noncpu, D::loc_gmem, 1));
}

// --- between sockets

TEST_F(ReferenceUcfSnoop, the_home_snoops_the_socket_that_owns_a_line_and_that_socket_its_owner) {
  send(cpu(1, 4), Op::read_unique, kLine);  // line of socket 0, owned by cluster 4 of socket 1
  send(cpu(0, 0), Op::read_shared, kLine);
  EXPECT_EQ(snoops(0), kNone) << "no local cluster held it";
  EXPECT_EQ(snoops(1), from_outside(1));
  EXPECT_EQ(snoops(2), kNone);
  EXPECT_TRUE(ucf.dirty_in_slc(0, kLine));
  send(cpu(0, 0), Op::clean_unique, kLine);
  EXPECT_EQ(snoops(1), from_outside(1)) << "it had stayed a holder";
  send(cpu(0, 1), Op::clean_unique, kLine);
  EXPECT_EQ(snoops(1), kNone) << "and is none any more";
}

TEST_F(ReferenceUcfSnoop, a_drop_reaches_every_holder_in_every_socket) {
  send(cpu(1, 0), Op::read_shared, kLine);
  send(cpu(1, 1), Op::read_shared, kLine);
  send(cpu(2, 0), Op::read_shared, kLine);
  send(cpu(0, 0), Op::read_shared, kLine);
  send(cpu(0, 1), Op::read_unique, kLine);
  EXPECT_EQ(snoops(0), local(S::loc_cpu, D::loc_cmem, 1));
  EXPECT_EQ(snoops(1), from_outside(2));
  EXPECT_EQ(snoops(2), from_outside(1));
}

TEST_F(ReferenceUcfSnoop, a_read_does_not_snoop_sockets_that_merely_share) {
  send(cpu(1, 0), Op::read_shared, kLine);
  send(cpu(2, 0), Op::read_shared, kLine);
  send(cpu(0, 0), Op::read_shared, kLine);
  for (unsigned socket = 0; socket < 3; ++socket) EXPECT_EQ(snoops(socket), kNone) << socket;
}

TEST_F(ReferenceUcfSnoop, a_remote_requester_snoops_home_clusters_as_source_rem_and_never_itself) {
  send(cpu(0, 0), Op::read_shared, kLine);
  send(cpu(1, 0), Op::read_shared, kLine);
  send(cpu(1, 1), Op::read_unique, kLine);
  EXPECT_EQ(snoops(1), local(S::loc_cpu, D::rem, 1)) << "its own cluster 0, at its own UCF, once";
  EXPECT_EQ(snoops(0), local(S::rem, D::loc_cmem, 1));
  send(cpu(2, 0), Op::read_shared, kLine);
  EXPECT_EQ(snoops(1), from_outside(1)) << "socket 1 owned it, through cluster 1";
  EXPECT_EQ(snoops(0), kNone);
  EXPECT_EQ(snoops(2), kNone);
}

TEST_F(ReferenceUcfSnoop, an_owner_snooped_at_the_requesters_socket_makes_the_line_dirty_at_home) {
  send(cpu(1, 0), Op::read_unique, kLine);
  ASSERT_FALSE(ucf.dirty_in_slc(0, kLine));
  send(cpu(1, 1), Op::read_shared, kLine);
  EXPECT_EQ(snoops(1), local(S::loc_cpu, D::rem, 1));
  EXPECT_EQ(snoops(0), kNone) << "at home the requester's socket owned it itself";
  EXPECT_TRUE(ucf.dirty_in_slc(0, kLine));
  send(cpu(2, 0), Op::read_shared, kLine);
  EXPECT_EQ(snoops(1), kNone) << "the ownership ended at home as well";
}

TEST_F(ReferenceUcfSnoop, a_device_of_another_socket_drops_that_sockets_clusters_once) {
  send(cpu(1, 0), Op::read_shared, kLine);
  send(gpu(1), Op::write_unique_full, kLine);
  EXPECT_EQ(snoops(1), local(S::loc_noncpu, D::rem, 1));
  EXPECT_EQ(snoops(0), kNone);
  send(cpu(0, 0), Op::read_unique, kLine);
  EXPECT_EQ(snoops(1), kNone) << "the home forgot socket 1 too";
}

TEST_F(ReferenceUcfSnoop, the_home_keeps_a_socket_while_it_has_other_holders) {
  send(cpu(1, 0), Op::read_shared, kLine);
  send(cpu(1, 1), Op::read_shared, kLine);
  send(cpu(1, 0), Op::evict, kLine);
  send(cpu(0, 0), Op::read_unique, kLine);
  EXPECT_EQ(snoops(1), from_outside(1)) << "cluster 1 was left";

  const std::uint64_t other = kLine + 0x40;
  send(cpu(1, 0), Op::read_shared, other);
  send(cpu(1, 1), Op::read_shared, other);
  send(cpu(1, 0), Op::evict, other);
  send(cpu(1, 1), Op::evict, other);
  send(cpu(0, 0), Op::read_unique, other);
  EXPECT_EQ(snoops(1), kNone) << "nobody was left";
}

TEST_F(ReferenceUcfSnoop, giving_back_beside_other_holders_ends_the_sockets_ownership_at_home) {
  send(cpu(1, 0), Op::read_unique, kLine);
  send(cpu(1, 1), Op::write_back_full, kLine);  // never held it, but the directory believes what clusters send
  send(cpu(0, 0), Op::read_shared, kLine);
  EXPECT_EQ(snoops(1), kNone) << "home knows no owner any more";
  EXPECT_EQ(snoops(0), kNone);
  send(cpu(0, 1), Op::read_unique, kLine);
  EXPECT_EQ(snoops(1), from_outside(1)) << "but still a holder";
}

TEST_F(ReferenceUcfSnoop, an_owner_known_only_at_its_own_socket_makes_the_line_dirty_too) {
  send(cpu(1, 0), Op::read_unique, kLine);
  send(cpu(1, 1), Op::evict, kLine);  // home: a holder, no owner; socket 1: owned by cluster 0
  ASSERT_FALSE(ucf.dirty_in_slc(0, kLine));
  send(cpu(0, 0), Op::clean_unique, kLine);
  EXPECT_EQ(snoops(1), from_outside(1));
  EXPECT_TRUE(ucf.dirty_in_slc(0, kLine));
}

TEST_F(ReferenceUcfSnoop, evicting_a_line_calls_it_back_from_other_sockets_only) {
  send(cpu(0, 0), Op::read_shared, kCmem);
  send(cpu(1, 0), Op::read_shared, kCmem);
  send(cpu(1, 1), Op::read_shared, kCmem);
  send(gpu(0), Op::read_shared, kCmem + kSameSet);
  EXPECT_EQ(snoops(1), kNone) << "there was room";
  send(gpu(0), Op::read_shared, kCmem + 2 * kSameSet);
  EXPECT_EQ(snoops(0), kNone) << "local holders are not touched";
  EXPECT_EQ(snoops(1), tally_of({{E::ext_snp_evict, S::rem, D::rem, 1}, {E::local_snoop, S::rem, D::rem, 2}}));
  EXPECT_EQ(snoops(2), kNone);

  send(gpu(0), Op::write_unique_full, kCmem);
  EXPECT_EQ(snoops(0), local(S::loc_noncpu, D::loc_cmem, 1)) << "cluster 0 still holds it";
  EXPECT_EQ(snoops(1), kNone) << "the home forgot socket 1";
}

TEST_F(ReferenceUcfSnoop, a_victim_called_back_from_its_owner_is_not_dirty_by_that) {
  send(cpu(1, 0), Op::read_unique, kCmem);
  send(gpu(0), Op::read_shared, kCmem + kSameSet);
  const std::uint64_t written = ucf.tally(0)[E::slc_wb].sum();
  send(gpu(0), Op::read_shared, kCmem + 2 * kSameSet);
  EXPECT_EQ(snoops(1), tally_of({{E::ext_snp_evict, S::rem, D::rem, 1}, {E::local_snoop, S::rem, D::rem, 1}}));
  EXPECT_EQ(ucf.tally(0)[E::slc_wb].sum(), written);
  EXPECT_FALSE(ucf.dirty_in_slc(0, kCmem + 2 * kSameSet));
}

TEST_F(ReferenceUcfSnoop, the_allocating_socket_itself_may_hold_the_victim) {
  send(cpu(1, 0), Op::read_shared, kCmem);
  send(cpu(1, 0), Op::read_shared, kCmem + kSameSet);
  send(cpu(1, 0), Op::read_shared, kCmem + 2 * kSameSet);
  EXPECT_EQ(snoops(1), tally_of({{E::ext_snp_evict, S::rem, D::rem, 1}, {E::local_snoop, S::rem, D::rem, 1}}));
}

}  // namespace
}  // namespace pmufab::scoreboard::test
