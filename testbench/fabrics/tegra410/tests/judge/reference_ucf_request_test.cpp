// SPDX-License-Identifier: Apache-2.0
// Hand-computed cases of docs/tegra410.md, "What a request does at one UCF".
#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/tests/judge/scoreboard_fixture.h"

namespace pmufab::scoreboard::test {
namespace {

using E = UcfEvent;
using S = Source;
using D = Destination;
using Op = FabricOpcode;

class ReferenceUcfRequest : public ::testing::Test {
 protected:
  ReferenceUcf ucf{small_platform()};

  const ReferenceUcf::Outcome& send(const Requester& from, Op opcode, std::uint64_t address,
                                    std::uint32_t length = 64) {
    before_[0] = ucf.tally(0);
    before_[1] = ucf.tally(1);
    const ReferenceUcf::Outcome& outcome = ucf.accept(request(from, opcode, address, length));
    EXPECT_EQ(outcome.refused, std::nullopt);
    return outcome;
  }
  /// Events of the last request.
  UcfTally effect(unsigned socket) const { return since(ucf.tally(socket), before_[socket]); }

 private:
  UcfTally before_[2];
};

constexpr Requester kCpu = cpu(0, 0);

UcfTally read_miss(S source, D destination) {
  return tally_of({{E::slc_access_rd, source, destination, 1},
                   {E::slc_bytes_rd, source, destination, 64},
                   {E::mem_access_rd, source, destination, 1},
                   {E::mem_bytes_rd, source, destination, 64},
                   {E::slc_refill_rd, source, destination, 1},
                   {E::slc_allocate, source, destination, 1}});
}
UcfTally read_hit(S source, D destination) {
  return tally_of({{E::slc_access_rd, source, destination, 1},
                   {E::slc_bytes_rd, source, destination, 64},
                   {E::slc_hit_rd, source, destination, 1}});
}

TEST_F(ReferenceUcfRequest, a_read_miss_refills_and_allocates_clean) {
  const auto& outcome = send(kCpu, Op::read_shared, kCmem + 0x40);
  EXPECT_EQ(effect(0), read_miss(S::loc_cpu, D::loc_cmem));
  EXPECT_EQ(effect(1), UcfTally{});
  EXPECT_EQ(outcome.memory, (std::vector<MemoryOp>{{0, MemoryClass::cmem, kCmem + 0x40, 64, false}}));
  EXPECT_TRUE(ucf.in_slc(0, kCmem + 0x40));
  EXPECT_FALSE(ucf.dirty_in_slc(0, kCmem + 0x40));
}

TEST_F(ReferenceUcfRequest, the_second_read_of_a_line_hits_and_reads_no_memory) {
  send(kCpu, Op::read_unique, kCmem);
  const auto& outcome = send(kCpu, Op::read_shared, kCmem);
  EXPECT_EQ(effect(0), read_hit(S::loc_cpu, D::loc_cmem));
  EXPECT_TRUE(outcome.memory.empty());
}

TEST_F(ReferenceUcfRequest, sources_and_destinations_follow_requester_and_class) {
  send(gpu(0), Op::read_shared, kCmem);
  EXPECT_EQ(effect(0), read_miss(S::loc_noncpu, D::loc_cmem));
  send(pcie(0), Op::read_shared, kCxl);
  EXPECT_EQ(effect(0), read_miss(S::loc_noncpu, D::loc_other));
  send(cpu(1, 3), Op::read_shared, kSocketStride + kCxl);
  EXPECT_EQ(effect(0), UcfTally{});
  EXPECT_EQ(effect(1), read_miss(S::loc_cpu, D::loc_other));
}

TEST_F(ReferenceUcfRequest, read_once_misses_again_because_it_does_not_allocate) {
  const UcfTally miss = tally_of({{E::slc_access_rd, S::loc_noncpu, D::loc_cmem, 1},
                                  {E::slc_bytes_rd, S::loc_noncpu, D::loc_cmem, 8},
                                  {E::mem_access_rd, S::loc_noncpu, D::loc_cmem, 1},
                                  {E::mem_bytes_rd, S::loc_noncpu, D::loc_cmem, 64}});
  send(pcie(0), Op::read_once, kCmem + 0x38, 8);
  EXPECT_EQ(effect(0), miss);
  const auto& outcome = send(pcie(0), Op::read_once, kCmem + 0x38, 8);
  EXPECT_EQ(effect(0), miss);
  EXPECT_EQ(outcome.memory, (std::vector<MemoryOp>{{0, MemoryClass::cmem, kCmem, 64, false}}));
}

TEST_F(ReferenceUcfRequest, read_once_hits_a_line_that_is_there) {
  send(kCpu, Op::read_shared, kCmem);
  send(pcie(0), Op::read_once, kCmem + 1, 2);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_rd, S::loc_noncpu, D::loc_cmem, 1},
                                 {E::slc_bytes_rd, S::loc_noncpu, D::loc_cmem, 2},
                                 {E::slc_hit_rd, S::loc_noncpu, D::loc_cmem, 1}}));
}

TEST_F(ReferenceUcfRequest, a_full_line_write_miss_allocates_dirty_and_reads_nothing) {
  for (const Op opcode : {Op::write_unique_full, Op::write_back_full}) {
    const std::uint64_t address = opcode == Op::write_unique_full ? kCmem : kCmem + 0x40;
    const auto& outcome = send(kCpu, opcode, address);
    EXPECT_EQ(effect(0), tally_of({{E::slc_access_wr, S::loc_cpu, D::loc_cmem, 1},
                                   {E::slc_bytes_wr, S::loc_cpu, D::loc_cmem, 64},
                                   {E::slc_allocate, S::loc_cpu, D::loc_cmem, 1}}));
    EXPECT_TRUE(outcome.memory.empty());
    EXPECT_TRUE(ucf.dirty_in_slc(0, address));
  }
}

TEST_F(ReferenceUcfRequest, a_write_hit_makes_the_line_dirty_and_counts_no_hit_event) {
  for (const Op opcode : {Op::write_unique_full, Op::write_back_full, Op::write_unique_ptl}) {
    const std::uint64_t address = kCmem + 64 * static_cast<std::uint64_t>(opcode);
    send(kCpu, Op::read_shared, address);
    const std::uint32_t length = opcode == Op::write_unique_ptl ? 4 : 64;
    send(gpu(0), opcode, address, length);
    UcfTally write = effect(0);
    write[E::local_snoop] = {};  // this test does not check the snoops
    EXPECT_EQ(write, tally_of({{E::slc_access_wr, S::loc_noncpu, D::loc_cmem, 1},
                               {E::slc_bytes_wr, S::loc_noncpu, D::loc_cmem, length}}));
    EXPECT_TRUE(ucf.dirty_in_slc(0, address));
  }
}

TEST_F(ReferenceUcfRequest, a_partial_write_miss_fetches_the_line_first) {
  const auto& outcome = send(gpu(0), Op::write_unique_ptl, kCxl + 4, 4);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_wr, S::loc_noncpu, D::loc_other, 1},
                                 {E::slc_bytes_wr, S::loc_noncpu, D::loc_other, 4},
                                 {E::mem_access_rd, S::loc_noncpu, D::loc_other, 1},
                                 {E::mem_bytes_rd, S::loc_noncpu, D::loc_other, 64},
                                 {E::slc_refill_wr, S::loc_noncpu, D::loc_other, 1},
                                 {E::slc_allocate, S::loc_noncpu, D::loc_other, 1}}));
  EXPECT_EQ(outcome.memory, (std::vector<MemoryOp>{{0, MemoryClass::cxl, kCxl, 64, false}}));
  EXPECT_TRUE(ucf.dirty_in_slc(0, kCxl));
}

TEST_F(ReferenceUcfRequest, an_atomic_is_neither_read_nor_write_at_the_slc) {
  send(kCpu, Op::atomic_store, kCmem, 8);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_atomic, S::loc_cpu, D::loc_cmem, 1},
                                 {E::mem_access_rd, S::loc_cpu, D::loc_cmem, 1},
                                 {E::mem_bytes_rd, S::loc_cpu, D::loc_cmem, 64},
                                 {E::slc_refill_wr, S::loc_cpu, D::loc_cmem, 1},
                                 {E::slc_allocate, S::loc_cpu, D::loc_cmem, 1}}));
  EXPECT_TRUE(ucf.dirty_in_slc(0, kCmem));
  send(kCpu, Op::atomic_store, kCmem, 8);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_atomic, S::loc_cpu, D::loc_cmem, 1}}));
}

TEST_F(ReferenceUcfRequest, evict_and_clean_unique_touch_neither_cache_nor_memory) {
  for (const Op opcode : {Op::evict, Op::clean_unique}) {
    const auto& outcome = send(kCpu, opcode, kCmem, 0);
    EXPECT_EQ(effect(0), tally_of({{E::slc_access_dataless, S::loc_cpu, D::loc_cmem, 1}}));
    EXPECT_TRUE(outcome.memory.empty());
    EXPECT_FALSE(ucf.in_slc(0, kCmem));
  }
}

TEST_F(ReferenceUcfRequest, clean_invalid_drops_a_clean_line_in_silence) {
  send(gpu(0), Op::read_shared, kCmem);
  send(gpu(0), Op::clean_invalid, kCmem, 0);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_dataless, S::loc_noncpu, D::loc_cmem, 1}}));
  EXPECT_FALSE(ucf.in_slc(0, kCmem));
}

TEST_F(ReferenceUcfRequest, clean_invalid_writes_a_dirty_line_back) {
  send(gpu(0), Op::write_unique_full, kCmem);
  const auto& outcome = send(pcie(0), Op::clean_invalid, kCmem + 0x20, 0);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_dataless, S::loc_noncpu, D::loc_cmem, 1},
                                 {E::slc_wb, S::loc_noncpu, D::loc_cmem, 1},
                                 {E::mem_access_wr, S::loc_noncpu, D::loc_cmem, 1},
                                 {E::mem_bytes_wr, S::loc_noncpu, D::loc_cmem, 64}}));
  EXPECT_EQ(outcome.memory, (std::vector<MemoryOp>{{0, MemoryClass::cmem, kCmem, 64, true}}));
  EXPECT_FALSE(ucf.in_slc(0, kCmem));
}

TEST_F(ReferenceUcfRequest, a_victim_is_written_back_with_the_source_of_the_request_and_its_own_destination) {
  send(kCpu, Op::write_unique_full, kCxl);
  send(kCpu, Op::read_shared, kCmem + kSameSet);
  const auto& outcome = send(gpu(0), Op::read_shared, kCmem + 2 * kSameSet);
  UcfTally expected = read_miss(S::loc_noncpu, D::loc_cmem);
  expected += tally_of({{E::slc_wb, S::loc_noncpu, D::loc_other, 1},
                        {E::mem_access_wr, S::loc_noncpu, D::loc_other, 1},
                        {E::mem_bytes_wr, S::loc_noncpu, D::loc_other, 64}});
  EXPECT_EQ(effect(0), expected);
  EXPECT_EQ(outcome.memory, (std::vector<MemoryOp>{{0, MemoryClass::cmem, kCmem + 2 * kSameSet, 64, false},
                                                   {0, MemoryClass::cxl, kCxl, 64, true}}));
}

TEST_F(ReferenceUcfRequest, a_clean_victim_goes_in_silence) {
  for (int way = 0; way < 2; ++way) send(gpu(0), Op::read_shared, kCmem + way * kSameSet);
  send(gpu(0), Op::read_shared, kCmem + 2 * kSameSet);
  EXPECT_EQ(effect(0), read_miss(S::loc_noncpu, D::loc_cmem));
  EXPECT_FALSE(ucf.in_slc(0, kCmem));
}

TEST_F(ReferenceUcfRequest, gmem_is_not_cached_and_moves_what_was_asked_for) {
  for (int time = 0; time < 2; ++time) {
    const auto& outcome = send(gpu(0), Op::read_once, kGmem + 0x10, 16);
    EXPECT_EQ(effect(0), tally_of({{E::slc_access_rd, S::loc_noncpu, D::loc_gmem, 1},
                                   {E::slc_bytes_rd, S::loc_noncpu, D::loc_gmem, 16},
                                   {E::mem_access_rd, S::loc_noncpu, D::loc_gmem, 1},
                                   {E::mem_bytes_rd, S::loc_noncpu, D::loc_gmem, 16}}));
    EXPECT_EQ(outcome.memory, (std::vector<MemoryOp>{{0, MemoryClass::gmem, kGmem + 0x10, 16, false}}));
  }
  send(kCpu, Op::write_unique_full, kGmem);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_wr, S::loc_cpu, D::loc_gmem, 1},
                                 {E::slc_bytes_wr, S::loc_cpu, D::loc_gmem, 64},
                                 {E::mem_access_wr, S::loc_cpu, D::loc_gmem, 1},
                                 {E::mem_bytes_wr, S::loc_cpu, D::loc_gmem, 64}}));
  send(kCpu, Op::atomic_store, kGmem, 4);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_atomic, S::loc_cpu, D::loc_gmem, 1},
                                 {E::mem_access_wr, S::loc_cpu, D::loc_gmem, 1},
                                 {E::mem_bytes_wr, S::loc_cpu, D::loc_gmem, 4}}));
  send(kCpu, Op::clean_invalid, kGmem, 0);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_dataless, S::loc_cpu, D::loc_gmem, 1}}));
}

TEST_F(ReferenceUcfRequest, which_classes_are_cached_is_the_platforms_choice) {
  Tegra410JudgeSpec spec = small_platform();
  spec.cached = {MemoryClass::gmem};
  ReferenceUcf other(spec);
  other.accept(request(kCpu, Op::read_shared, kGmem));
  EXPECT_EQ(other.tally(0), read_miss(S::loc_cpu, D::loc_gmem));
  other.accept(request(kCpu, Op::read_shared, kCmem));
  EXPECT_EQ(other.tally(0)[E::slc_allocate].at(S::loc_cpu, D::loc_cmem), 0);
  EXPECT_EQ(other.tally(0)[E::mem_bytes_rd].at(S::loc_cpu, D::loc_cmem), 64);
}

TEST_F(ReferenceUcfRequest, a_request_to_remote_memory_is_counted_at_both_ends) {
  const auto& outcome = send(kCpu, Op::read_once, kSocketStride + kCmem + 0x30, 16);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_rd, S::loc_cpu, D::rem, 1},
                                 {E::slc_bytes_rd, S::loc_cpu, D::rem, 16},
                                 {E::mem_access_rd, S::loc_cpu, D::rem, 1},
                                 {E::mem_bytes_rd, S::loc_cpu, D::rem, 16}}));
  EXPECT_EQ(effect(1), tally_of({{E::slc_access_rd, S::rem, D::loc_cmem, 1},
                                 {E::slc_bytes_rd, S::rem, D::loc_cmem, 16},
                                 {E::mem_access_rd, S::rem, D::loc_cmem, 1},
                                 {E::mem_bytes_rd, S::rem, D::loc_cmem, 64}}));
  EXPECT_EQ(outcome.memory, (std::vector<MemoryOp>{{1, MemoryClass::cmem, kSocketStride + kCmem, 64, false}}));
}

TEST_F(ReferenceUcfRequest, remote_memory_is_cached_at_its_home_only) {
  send(kCpu, Op::read_shared, kSocketStride + kCmem);
  EXPECT_FALSE(ucf.in_slc(0, kSocketStride + kCmem));
  EXPECT_TRUE(ucf.in_slc(1, kSocketStride + kCmem));
  send(kCpu, Op::read_shared, kSocketStride + kCmem);
  EXPECT_EQ(effect(0)[E::mem_access_rd].at(S::loc_cpu, D::rem), 1);
  EXPECT_EQ(effect(0)[E::slc_hit_rd].sum(), 0);
  EXPECT_EQ(effect(1), read_hit(S::rem, D::loc_cmem));
}

TEST_F(ReferenceUcfRequest, a_remote_atomic_and_a_remote_dataless_request) {
  send(gpu(0), Op::atomic_store, kSocketStride + kGmem, 8);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_atomic, S::loc_noncpu, D::rem, 1},
                                 {E::mem_access_wr, S::loc_noncpu, D::rem, 1},
                                 {E::mem_bytes_wr, S::loc_noncpu, D::rem, 8}}));
  EXPECT_EQ(effect(1), tally_of({{E::slc_access_atomic, S::rem, D::loc_gmem, 1},
                                 {E::mem_access_wr, S::rem, D::loc_gmem, 1},
                                 {E::mem_bytes_wr, S::rem, D::loc_gmem, 8}}));
  send(kCpu, Op::evict, kSocketStride + kCxl, 0);
  EXPECT_EQ(effect(0), tally_of({{E::slc_access_dataless, S::loc_cpu, D::rem, 1}}));
  EXPECT_EQ(effect(1), tally_of({{E::slc_access_dataless, S::rem, D::loc_other, 1}}));
}

// --- the order of replacement

TEST_F(ReferenceUcfRequest, the_least_recently_used_line_goes_and_every_hit_renews) {
  const std::uint64_t a = kCmem;
  const std::uint64_t b = kCmem + kSameSet;
  const std::uint64_t c = kCmem + 2 * kSameSet;
  for (const Op renewing : {Op::read_shared, Op::read_once, Op::write_unique_full, Op::write_unique_ptl,
                            Op::write_back_full, Op::atomic_store}) {
    ReferenceUcf fresh(small_platform());
    fresh.accept(request(gpu(0), Op::read_shared, a));
    fresh.accept(request(gpu(0), Op::read_shared, b));
    fresh.accept(request(gpu(0), renewing, a));
    fresh.accept(request(gpu(0), Op::read_shared, c));
    EXPECT_TRUE(fresh.in_slc(0, a)) << to_string(renewing);
    EXPECT_FALSE(fresh.in_slc(0, b)) << to_string(renewing);
  }
}

TEST_F(ReferenceUcfRequest, a_dataless_request_renews_nothing) {
  for (const Op opcode : {Op::evict, Op::clean_unique}) {
    ReferenceUcf fresh(small_platform());
    fresh.accept(request(gpu(0), Op::read_shared, kCmem));
    fresh.accept(request(gpu(0), Op::read_shared, kCmem + kSameSet));
    fresh.accept(request(gpu(0), opcode, kCmem, 0));
    fresh.accept(request(gpu(0), Op::read_shared, kCmem + 2 * kSameSet));
    EXPECT_FALSE(fresh.in_slc(0, kCmem)) << to_string(opcode);
    EXPECT_TRUE(fresh.in_slc(0, kCmem + kSameSet)) << to_string(opcode);
  }
}

TEST_F(ReferenceUcfRequest, an_invalid_way_is_taken_before_a_victim) {
  send(gpu(0), Op::write_unique_full, kCmem);
  send(gpu(0), Op::write_unique_full, kCmem + kSameSet);
  send(gpu(0), Op::clean_invalid, kCmem + kSameSet, 0);
  send(gpu(0), Op::read_shared, kCmem + 2 * kSameSet);
  EXPECT_EQ(effect(0), read_miss(S::loc_noncpu, D::loc_cmem));
  EXPECT_TRUE(ucf.in_slc(0, kCmem));
}

TEST_F(ReferenceUcfRequest, slices_and_sets_divide_the_lines) {
  // 8 lines fill 2 slices x 2 sets x 2 ways exactly. The ninth replaces line 0.
  for (std::uint64_t line = 0; line < 8; ++line) send(gpu(0), Op::read_shared, kCmem + 64 * line);
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_TRUE(ucf.in_slc(0, kCmem + 64 * line)) << line;
  send(gpu(0), Op::read_shared, kCmem + 64 * 8);
  for (std::uint64_t line = 0; line < 9; ++line) EXPECT_EQ(ucf.in_slc(0, kCmem + 64 * line), line != 0) << line;
}

TEST_F(ReferenceUcfRequest, a_requesters_error_is_told_and_counts_nothing) {
  const auto refused = [&](Op opcode, std::uint64_t address, std::uint32_t length) {
    return ucf.accept(request(kCpu, opcode, address, length)).refused.has_value();
  };
  EXPECT_TRUE(refused(Op::read_once, 0x5000'0000, 8)) << "no memory there";
  EXPECT_TRUE(refused(Op::evict, 0x5000'0000, 0)) << "no memory there";
  EXPECT_TRUE(refused(Op::read_once, kCmem + 60, 8)) << "crosses a line";
  EXPECT_TRUE(refused(Op::write_unique_full, kCmem, 32)) << "half a line";
  EXPECT_TRUE(refused(Op::read_shared, kCmem, 32)) << "half a line";
  EXPECT_TRUE(refused(Op::read_once, kCmem, 0)) << "no bytes";
  EXPECT_FALSE(refused(Op::clean_unique, kCmem, 64)) << "the length of a dataless request means nothing";
  EXPECT_EQ(ucf.tally(0), tally_of({{E::slc_access_dataless, S::loc_cpu, D::loc_cmem, 1}}));
}

}  // namespace
}  // namespace pmufab::scoreboard::test
