// SPDX-License-Identifier: Apache-2.0
// Watchpoints: which flits trigger them. watchpoint_image_test.cpp compares the bits of a flit that they see.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>

#include "models/cmn/pmu/flit_image.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"

namespace pmufab {
namespace {

using cmn::Channel;
using cmn::flit_image;
using cmn::FlitDirection;
using cmn::FlitFields;
using cmn::FlitFormat;
using testing::CmnDriver;
using testing::CmnRig;
using testing::now;

using CmnWatchpoint = testing::CmnRigTest;

constexpr std::array kFormats{FlitFormat::cmn600, FlitFormat::cmn650, FlitFormat::cmn700, FlitFormat::s3_r0,
                              FlitFormat::s3_r2};

/// Every field has random bits, more than it has on any product.
FlitFields random_fields(boost::random::mt19937_64& random) {
  FlitFields fields;
  std::ranges::generate(std::as_writable_bytes(std::span(&fields, 1)),
                        [&] { return static_cast<std::byte>(random()); });
  return fields;
}

TEST(CmnFlitImage, no_image_has_a_bit_its_group_does_not_define) {
  boost::random::mt19937_64 random(3);
  for (const FlitFormat format : kFormats) {
    for (const Channel channel : {Channel::req, Channel::rsp, Channel::snp, Channel::dat}) {
      for (unsigned group = 0; group < 3; ++group) {
        for (const FlitDirection direction : {FlitDirection::upload, FlitDirection::download}) {
          const std::uint64_t defined = cmn::flit_image_bits(format, channel, group, direction);
          std::uint64_t seen = 0;
          for (int turn = 0; turn < 100; ++turn) {
            seen |= flit_image(format, channel, group, direction, random_fields(random));
          }
          EXPECT_EQ(seen & ~defined, 0U);
        }
      }
    }
  }
}

/// A REQ flit as tests send them.
FlitFields request(std::uint8_t opcode, std::uint64_t addr, std::uint16_t srcid = 0x44, std::uint16_t tgtid = 0x88) {
  return {.addr = addr, .srcid = srcid, .tgtid = tgtid, .opcode = opcode, .size = 6};
}

// contract A50
TEST_F(CmnWatchpoint, compares_the_target_of_uploads_and_the_source_of_downloads) {
  on(cmn::examples::cmn650_two_dtcs(), [&](CmnRig& rig) {
    CmnDriver::Event up = rig.driver.open(rig.xp(6), CmnDriver::Watch{.group = 2, .value = 0x88, .mask = ~0x7ffULL});
    CmnDriver::Event down =
        rig.driver.open(rig.xp(6), CmnDriver::Watch{.down = true, .group = 2, .value = 0x88, .mask = ~0x7ffULL});
    rig.pmu.upload(6, 0, Channel::req, request(1, 0, 0x44, 0x88), now());
    rig.pmu.upload(6, 0, Channel::req, request(1, 0, 0x88, 0x44), now());
    rig.pmu.download(6, 0, Channel::req, request(1, 0, 0x44, 0x88), now());
    rig.pmu.download(6, 0, Channel::req, request(1, 0, 0x88, 0x44), now());
    rig.pmu.download(6, 0, Channel::req, request(1, 0, 0x88, 0x48), now());
    EXPECT_EQ(rig.driver.close(up), 1U);
    EXPECT_EQ(rig.driver.close(down), 2U);
  });
}

// contract A51, A57
TEST_F(CmnWatchpoint, exclusive_fires_on_the_flits_that_do_not_match) {
  for (const bool old : {true, false}) {
    SCOPED_TRACE(old);
    const unsigned opcode_lsb = old ? 31 : 29;
    const FlitFormat format = old ? FlitFormat::cmn600 : FlitFormat::cmn700;
    const cmn::Topology topology = old ? cmn::examples::cmn600_small() : cmn::examples::ci700_small();
    const cmn::ProductFacts& facts = cmn::facts_of(topology.product, topology.revision);
    ASSERT_EQ(facts.flit, format);
    const std::uint64_t value = std::uint64_t{0x07} << opcode_lsb;
    const std::uint64_t mask = ~(std::uint64_t{0x3f} << opcode_lsb);
    const cmn::Watchpoint exclusive(facts, false, 0, FlitDirection::upload, 1U << (old ? 5 : 8), value, mask);
    EXPECT_TRUE(exclusive.matches(Channel::req, request(0x04, 0)));
    EXPECT_FALSE(exclusive.matches(Channel::req, request(0x07, 0)));
    EXPECT_TRUE(exclusive.sees(0, Channel::req));
    EXPECT_FALSE(exclusive.sees(0, Channel::dat));
    const cmn::Watchpoint combining(facts, false, 0, FlitDirection::upload, 1U << (old ? 6 : 9), value, mask);
    EXPECT_TRUE(combining.combines());
    EXPECT_TRUE(combining.matches(Channel::req, request(0x07, 0)));
    // An exclusive wildcard never triggers. Some tools switch a watchpoint off in this way.
    const cmn::Watchpoint parked(facts, false, 0, FlitDirection::upload, 1U << (old ? 5 : 8), 0, ~0ULL);
    EXPECT_FALSE(parked.can_fire());
    EXPECT_FALSE(parked.matches(Channel::req, request(0x04, 0)));
  }
}

// contract A55
TEST_F(CmnWatchpoint, names_any_port_with_one_dtm_or_several) {
  for (const bool several : {false, true}) {
    cmn::Topology topology = cmn::examples::s3_small(2);
    topology.multiple_dtm = several;
    const cmn::ProductFacts& facts = cmn::facts_of(topology.product, topology.revision);
    for (unsigned port = 0; port < 6; ++port) {
      const std::uint64_t config = several ? port & 1U : (port & 1U) | (port >> 1) << 17;
      const cmn::Watchpoint watchpoint(facts, several, several ? port / 2 : 0, FlitDirection::download, config, 0,
                                       ~0ULL);
      for (unsigned other = 0; other < 6; ++other) EXPECT_EQ(watchpoint.sees(other, Channel::req), other == port);
    }
  }
}

// contract A55
TEST_F(CmnWatchpoint, counts_at_the_dtm_of_its_port) {
  on(cmn::examples::cmn700_single_xp(), [&](CmnRig& rig) {
    std::vector<CmnDriver::Event> events;
    for (unsigned port = 0; port < 6; ++port) {
      events.push_back(rig.driver.open(rig.xp(0), CmnDriver::Watch{.down = true, .port = port, .channel = 3}));
      EXPECT_EQ(events.back().dtms[0], rig.layout.dtm_of(0, port));
    }
    for (unsigned port = 0; port < 6; ++port) {
      for (unsigned i = 0; i < 10 + port; ++i) rig.pmu.download(0, port, Channel::dat, request(4, 64 * i), now());
    }
    for (unsigned port = 0; port < 6; ++port) EXPECT_EQ(rig.driver.close(events[port]), 10 + port);
  });
}

// contract A56
TEST_F(CmnWatchpoint, idle_ones_fire_on_nothing_whatever_their_channel_and_group) {
  boost::random::mt19937_64 random(4);
  for (const cmn::Product product :
       {cmn::Product::cmn600, cmn::Product::cmn650, cmn::Product::cmn700, cmn::Product::s3}) {
    for (unsigned config = 0; config < 64; ++config) {
      const cmn::ProductFacts& facts = cmn::facts_of(product, 3);
      const cmn::Watchpoint idle(facts, false, 0, FlitDirection::upload, config & ~0x20U, ~0ULL, 0);
      for (int turn = 0; turn < 20; ++turn) {
        EXPECT_FALSE(idle.matches(static_cast<Channel>(config >> 1 & 3U), random_fields(random)));
      }
    }
  }
}

TEST_F(CmnWatchpoint, selects_a_sub_channel_where_the_register_can) {
  const cmn::ProductFacts& newer = cmn::facts_of(cmn::Product::cmn700, 3);
  const cmn::Watchpoint second(newer, false, 0, FlitDirection::upload, 3U << 1 | 1U << 19, 0, ~0ULL);
  EXPECT_TRUE(second.sees(0, Channel::dat2));
  EXPECT_FALSE(second.sees(0, Channel::dat));
  const cmn::ProductFacts& older = cmn::facts_of(cmn::Product::cmn650, 3);
  const cmn::Watchpoint both(older, false, 0, FlitDirection::upload, 3U << 1, 0, ~0ULL);
  EXPECT_TRUE(both.sees(0, Channel::dat2));
  EXPECT_TRUE(both.sees(0, Channel::dat));
  const cmn::Watchpoint reserved(older, false, 0, FlitDirection::upload, 4U << 1, 0, ~0ULL);
  EXPECT_EQ(reserved.channels(), 0U);
}

}  // namespace
}  // namespace pmufab
