// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/fabrics/tegra410/tests/judge/identities.h"
#include "testbench/tests/judge/scoreboard_fixture.h"

namespace pmufab::scoreboard::test {
namespace {

using E = UcfEvent;
using S = Source;
using D = Destination;
using Op = FabricOpcode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Tallies of a little traffic of all kinds on two sockets.
class Identities : public ::testing::Test {
 protected:
  Identities() {
    ReferenceUcf ucf(small_platform());
    for (std::uint64_t line = 0; line < 24; ++line) {
      ucf.accept(request(cpu(0, 0), Op::write_unique_full, kCmem + 64 * line));
      ucf.accept(request(gpu(0), Op::read_shared, kCmem + 64 * line));
      ucf.accept(request(gpu(0), Op::read_shared, kCmem + 64 * (line + 100)));
      ucf.accept(request(pcie(0), Op::read_once, kCmem + 64 * line, 8));
      ucf.accept(request(cpu(0, 1), Op::write_unique_ptl, kCxl + 64 * line, 4));
      ucf.accept(request(cpu(1, 0), Op::read_unique, kCmem + 64 * line));
      ucf.accept(request(cpu(0, 0), Op::read_shared, kSocketStride + kGmem + 64 * line));
      ucf.accept(request(gpu(1), Op::atomic_store, kSocketStride + kGmem + 64 * line, 8));
    }
    tallies = {ucf.tally(0), ucf.tally(1)};
  }
  std::vector<std::string> violated() const {
    return violated_identities({counts_of(tallies[0]), counts_of(tallies[1])});
  }
  std::vector<UcfTally> tallies;
};

TEST_F(Identities, hold_for_counts_that_are_right) { EXPECT_THAT(violated(), IsEmpty()); }

TEST_F(Identities, expose_one_hit_too_many) {
  tallies[0].count(E::slc_hit_rd, S::loc_noncpu, D::loc_cmem);
  ASSERT_THAT(violated(), Not(IsEmpty()));
  EXPECT_THAT(violated()[0], HasSubstr("socket 0"));
  EXPECT_THAT(violated()[0], HasSubstr("slc_hit_rd + mem_access_rd"));
}

TEST_F(Identities, expose_a_read_sent_over_the_link_that_did_not_arrive) {
  // Removed from the home's counts, with what it caused there, so that only the link's counts show it.
  const std::uint64_t reads = tallies[1][E::slc_access_rd].at(S::rem, D::loc_gmem);
  ASSERT_GT(reads, 0);
  for (const E event : {E::slc_access_rd, E::mem_access_rd}) tallies[1][event].at(S::rem, D::loc_gmem) -= 1;
  for (const E event : {E::slc_bytes_rd, E::mem_bytes_rd}) tallies[1][event].at(S::rem, D::loc_gmem) -= 64;
  EXPECT_THAT(violated(), Not(IsEmpty()));
  for (const std::string& text : violated()) EXPECT_THAT(text, HasSubstr("link"));
}

TEST_F(Identities, expose_each_count_of_an_equation_that_is_doubled) {
  // The other events have only bounds, and a doubled count may be within them.
  for (const E event :
       {E::slc_access_rd, E::slc_hit_rd, E::mem_access_rd, E::slc_refill_wr, E::slc_bytes_rd, E::mem_bytes_rd}) {
    const std::vector<UcfTally> right = tallies;
    tallies[0][event] += tallies[0][event];
    EXPECT_THAT(violated(), Not(IsEmpty())) << to_string(event);
    tallies = right;
  }
}

TEST_F(Identities, expose_bytes_that_do_not_fit_the_accesses) {
  tallies[0][E::slc_bytes_wr].at(S::loc_cpu, D::loc_cmem) += 1;
  ASSERT_EQ(violated().size(), 1U);
  EXPECT_THAT(violated()[0], HasSubstr("slc_bytes_wr <= 64 slc_access_wr"));
}

TEST_F(Identities, expose_a_snoop_from_outside_with_a_local_source) {
  tallies[1].count(E::ext_snp_evict, S::loc_cpu, D::rem);
  ASSERT_THAT(violated(), Not(IsEmpty()));
  for (const std::string& text : violated()) EXPECT_THAT(text, HasSubstr("snoops from outside"));
}

}  // namespace
}  // namespace pmufab::scoreboard::test
