// SPDX-License-Identifier: Apache-2.0
// Watchpoints: which bits of a flit they compare, and which flits trigger them.

#include <array>
#include <cstdint>
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

using CmnWatchpoint = testing::SimulationTest;

constexpr std::array kFormats{FlitFormat::cmn600, FlitFormat::cmn650, FlitFormat::cmn700, FlitFormat::s3_r0,
                              FlitFormat::s3_r2};

/// Fill a flit with random bits. Each field is as wide as on the widest product.
FlitFields random_fields(boost::random::mt19937_64& random) {
  const auto bits = [&](unsigned width) { return random() >> (64 - width); };
  const auto byte = [&](unsigned width) { return static_cast<std::uint8_t>(bits(width)); };
  const auto half = [&](unsigned width) { return static_cast<std::uint16_t>(bits(width)); };
  FlitFields fields;
  fields.addr = bits(52);
  fields.srcid = half(11);
  fields.tgtid = half(11);
  fields.returnnid = half(11);
  fields.homenid = half(11);
  fields.fwdnid = half(11);
  fields.fwdtxnid = half(8);
  fields.dbid = half(16);
  fields.mpam = half(15);
  fields.opcode = byte(7);
  fields.qos = byte(4);
  fields.size = byte(3);
  fields.ns = byte(1);
  fields.allowretry = byte(1);
  fields.order = byte(2);
  fields.pcrdtype = byte(4);
  fields.lpid = byte(5);
  fields.memattr = byte(4);
  fields.excl = byte(1);
  fields.tracetag = byte(1);
  fields.resperr = byte(2);
  fields.resp = byte(3);
  fields.cbusy = byte(3);
  fields.ccid = byte(2);
  fields.dataid = byte(2);
  fields.poison = byte(4);
  fields.rsvdc = byte(8);
  fields.tag = byte(8);
  return fields;
}

constexpr unsigned bits_of(std::uint64_t image, unsigned msb, unsigned lsb) {
  return static_cast<unsigned>(image >> lsb & ((std::uint64_t{1} << (msb - lsb + 1)) - 1));
}

// A second version of the same tables: each check names product, channel, group and its own positions.
TEST(CmnFlitImage, req_fields_are_where_each_product_has_them) {
  boost::random::mt19937_64 random(1);
  for (int turn = 0; turn < 2000; ++turn) {
    const FlitFields f = random_fields(random);
    for (const FlitFormat format : kFormats) {
      const bool is600 = format == FlitFormat::cmn600;
      const std::uint64_t primary = flit_image(format, Channel::req, 0, FlitDirection::download, f);
      const std::uint64_t second = flit_image(format, Channel::req, 1, FlitDirection::download, f);
      const std::uint64_t third = flit_image(format, Channel::req, 2, FlitDirection::download, f);
      EXPECT_EQ(bits_of(primary, 10, 0), f.srcid);
      EXPECT_EQ(bits_of(flit_image(format, Channel::req, 0, FlitDirection::upload, f), 10, 0), f.tgtid);
      EXPECT_EQ(bits_of(primary, 21, 11), f.returnnid);
      EXPECT_EQ(bits_of(second, 3, 0), f.qos);
      if (is600) {
        EXPECT_EQ(bits_of(primary, 36, 31), f.opcode & 0x3fU);
        EXPECT_EQ(bits_of(primary, 39, 37), f.size);
        EXPECT_EQ(bits_of(primary, 40, 40), f.ns);
        EXPECT_EQ(bits_of(primary, 52, 48), f.lpid);
        EXPECT_EQ(second >> 4 & 0xffff'ffff'ffff, f.addr & 0xffff'ffff'ffff);
        EXPECT_EQ(third, 0U);
        EXPECT_EQ(primary >> 63, 0U);
        EXPECT_EQ(bits_of(primary, 54, 54), f.tracetag);
      } else {
        EXPECT_EQ(bits_of(primary, 35, 29), f.opcode);
        EXPECT_EQ(bits_of(third, 17, 11), f.opcode);
        EXPECT_EQ(bits_of(primary, 38, 36), f.size);
        EXPECT_EQ(bits_of(primary, 39, 39), f.ns);
        EXPECT_EQ(bits_of(primary, 51, 47), f.lpid);
        EXPECT_EQ(bits_of(primary, 63, 56), f.rsvdc);
        EXPECT_EQ(second >> 4 & 0xf'ffff'ffff'ffff, f.addr);
        EXPECT_EQ(second >> 63, f.tracetag);
        EXPECT_EQ(bits_of(third, 10, 0), f.srcid);
        EXPECT_EQ(bits_of(primary, 28, 23), 0U);
        const unsigned mpam = format == FlitFormat::s3_r2 ? 15 : format == FlitFormat::s3_r0 ? 12 : 11;
        EXPECT_EQ(bits_of(third, 17 + mpam, 18), f.mpam & ((1U << mpam) - 1));
      }
      EXPECT_EQ(bits_of(second, is600 ? 58 : 62, is600 ? 58 : 62), f.excl);
    }
  }
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST(CmnFlitImage, rsp_snp_and_dat_fields_are_where_each_product_has_them) {
  boost::random::mt19937_64 random(2);
  for (int turn = 0; turn < 2000; ++turn) {
    const FlitFields f = random_fields(random);
    for (const FlitFormat format : kFormats) {
      const bool is600 = format == FlitFormat::cmn600;
      const bool is_r2 = format == FlitFormat::s3_r2;
      const auto image = [&](Channel channel, unsigned group) {
        return flit_image(format, channel, group, FlitDirection::download, f);
      };
      const std::uint64_t rsp = image(Channel::rsp, 0);
      EXPECT_EQ(bits_of(rsp, 3, 0), f.qos);
      EXPECT_EQ(bits_of(rsp, 14, 4), f.srcid);
      EXPECT_EQ(bits_of(rsp, is600 ? 18 : 19, 15), f.opcode & (is600 ? 0xfU : 0x1fU));
      EXPECT_EQ(bits_of(rsp, is600 ? 34 : 42, is600 ? 27 : 31), f.dbid & (is600 ? 0xffU : 0xfffU));
      EXPECT_EQ(bits_of(rsp, is600 ? 38 : 46, is600 ? 35 : 43), f.pcrdtype);
      EXPECT_EQ(image(Channel::rsp2, 0), rsp);
      EXPECT_EQ(image(Channel::rsp, 1), 0U);

      const std::uint64_t snp = image(Channel::snp, 0);
      const std::uint64_t snp1 = image(Channel::snp, 1);
      EXPECT_EQ(bits_of(snp, 10, 0), f.srcid);
      if (is600) {
        EXPECT_EQ(bits_of(snp, 23, 19), f.opcode & 0x1fU);
        EXPECT_EQ(snp >> 28, f.addr >> 3 & 0xf'ffff'ffff);
        EXPECT_EQ(snp1 >> 32, f.addr >> 16 & 0xffff'ffff);
      } else {
        EXPECT_EQ(bits_of(snp, 34, 30), f.opcode & 0x1fU);
        EXPECT_EQ(bits_of(snp, 29, 19), f.fwdnid);
        EXPECT_EQ(snp1 >> (is_r2 ? 0 : 11) & 0x1'ffff'ffff'ffff, f.addr >> 3);
        EXPECT_EQ(bits_of(snp, is_r2 ? 43 : 42, is_r2 ? 40 : 39), f.qos);
      }

      const std::uint64_t dat = image(Channel::dat, 0);
      const std::uint64_t dat1 = image(Channel::dat, 1);
      EXPECT_EQ(bits_of(dat, 25, 15), f.homenid);
      EXPECT_EQ(bits_of(dat, is600 ? 28 : 29, 26), f.opcode & (is600 ? 7U : 15U));
      switch (format) {
        case FlitFormat::cmn600:
          EXPECT_EQ(bits_of(dat, 44, 37), f.dbid & 0xffU);
          EXPECT_EQ(bits_of(dat, 48, 47), f.dataid);
          EXPECT_EQ(dat1, 0U);
          break;
        case FlitFormat::cmn650:
        case FlitFormat::cmn700:
          EXPECT_EQ(bits_of(dat, 53, 42), f.dbid & 0xfffU);
          EXPECT_EQ(bits_of(dat, 57, 56), f.dataid);
          EXPECT_EQ(bits_of(dat, 61, 58), f.poison);
          EXPECT_EQ(bits_of(dat1, 29, 22), format == FlitFormat::cmn700 ? f.tag : 0U);
          break;
        case FlitFormat::s3_r0:
          EXPECT_EQ(bits_of(dat, 54, 43), f.dbid & 0xfffU);
          EXPECT_EQ(bits_of(dat, 58, 57), f.dataid);
          break;
        case FlitFormat::s3_r2:
          EXPECT_EQ(bits_of(dat, 62, 47), f.dbid);
          EXPECT_EQ(bits_of(dat1, 41, 40), f.dataid);
          break;
      }
      if (!is600) {
        EXPECT_EQ(bits_of(dat1, 14, 11), f.opcode & 15U);
      }
    }
  }
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
  FlitFields fields;
  fields.opcode = opcode;
  fields.addr = addr;
  fields.srcid = srcid;
  fields.tgtid = tgtid;
  fields.size = 6;
  return fields;
}

// contract A48, A49
TEST_F(CmnWatchpoint, counts_all_flits_of_its_port_channel_and_direction_or_those_that_match) {
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
    EXPECT_FALSE(rig.pmu.watches(9, 1, FlitDirection::upload, Channel::req));  // idle ones compare nothing
    CmnDriver::Event every = rig.driver.open(rig.xp(9), CmnDriver::Watch{.port = 1});
    CmnDriver::Event exact =
        rig.driver.open(rig.xp(9), CmnDriver::Watch{.port = 1, .group = 1, .value = 0x1'2345'6780 << 4, .mask = 0});
    CmnDriver::Event down = rig.driver.open(rig.xp(9), CmnDriver::Watch{.down = true, .port = 1});
    EXPECT_TRUE(rig.pmu.watches(9, 1, FlitDirection::upload, Channel::req));
    EXPECT_FALSE(rig.pmu.watches(9, 0, FlitDirection::upload, Channel::req));
    EXPECT_FALSE(rig.pmu.watches(9, 1, FlitDirection::upload, Channel::rsp));
    for (std::uint64_t line = 0; line < 10; ++line) {
      rig.pmu.upload(9, 1, Channel::req, request(0x07, 0x1'2345'6780 + 64 * line), now());
    }
    rig.pmu.download(9, 1, Channel::req, request(0x04, 0x1'2345'6780), now());
    rig.pmu.upload(9, 0, Channel::req, request(0x07, 0x1'2345'6780), now());
    rig.pmu.upload(9, 1, Channel::req2, request(0x07, 0x1'2345'6780), now());  // another sub-channel
    rig.pmu.upload(9, 1, Channel::rsp, request(0x04, 0x1'2345'6780), now());
    rig.pmu.upload(10, 1, Channel::req, request(0x07, 0x1'2345'6780), now());
    rig.pmu.upload(9, 1, Channel::req, request(0x00, 0x1'2345'6780), now());  // the return of a link credit
    EXPECT_EQ(rig.driver.close(every), 10U);
    EXPECT_EQ(rig.driver.close(exact), 1U);
    EXPECT_EQ(rig.driver.close(down), 1U);
  });
}

// contract A50
TEST_F(CmnWatchpoint, compares_the_target_of_uploads_and_the_source_of_downloads) {
  CmnRig rig(cmn::examples::cmn650_two_dtcs());
  run([&] {
    ASSERT_TRUE(rig.probe());
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

// contract A51
TEST_F(CmnWatchpoint, exclusive_counts_flits_of_its_port_and_channel_only) {
  CmnRig rig(cmn::examples::cmn600_small());
  run([&] {
    ASSERT_TRUE(rig.probe());
    const CmnDriver::Watch watch{
        .port = 1, .exclusive = true, .value = std::uint64_t{0x07} << 31, .mask = ~(std::uint64_t{0x3f} << 31)};
    CmnDriver::Event event = rig.driver.open(rig.xp(2), watch);
    for (const std::uint8_t opcode : std::initializer_list<std::uint8_t>{0x01, 0x07, 0x04, 0x07, 0x26}) {
      rig.pmu.upload(2, 1, Channel::req, request(opcode, 0), now());
      rig.pmu.upload(2, 0, Channel::req, request(opcode, 0), now());
      rig.pmu.upload(2, 1, Channel::dat, request(opcode, 0), now());
    }
    EXPECT_EQ(rig.driver.close(event), 3U);
  });
}

// contract A52
TEST_F(CmnWatchpoint, a_combined_pair_counts_flits_that_satisfy_both_on_the_first) {
  CmnRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
    const CmnDriver::Watch opcode{.down = true,
                                  .port = 1,
                                  .combine = true,
                                  .value = std::uint64_t{0x07} << 29,
                                  .mask = ~(std::uint64_t{0x7f} << 29)};
    const CmnDriver::Watch address{.down = true,
                                   .port = 1,
                                   .group = 1,
                                   .combine = true,
                                   .value = 0x8000'0000ULL << 4,
                                   .mask = ~(0xffff'f000ULL << 4)};
    for (const bool reversed : {false, true}) {
      CmnDriver::Event first = rig.driver.open(rig.xp(20), reversed ? address : opcode);
      CmnDriver::Event second = rig.driver.open(rig.xp(20), reversed ? opcode : address);
      rig.pmu.download(20, 1, Channel::req, request(0x07, 0x8000'0040), now());
      rig.pmu.download(20, 1, Channel::req, request(0x07, 0x8000'0fc0), now());
      rig.pmu.download(20, 1, Channel::req, request(0x07, 0x8000'1000), now());
      rig.pmu.download(20, 1, Channel::req, request(0x04, 0x8000'0040), now());
      rig.pmu.upload(20, 1, Channel::req, request(0x07, 0x8000'0040), now());
      EXPECT_EQ(rig.driver.close(first), 2U);
      EXPECT_EQ(rig.driver.close(second), 0U);
    }
  });
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
  CmnRig rig(cmn::examples::cmn700_single_xp());
  run([&] {
    ASSERT_TRUE(rig.probe());
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
