// SPDX-License-Identifier: Apache-2.0
// Two independent tables of match groups must show the same bits of every flit.
#include <array>
#include <cstdint>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>

#include "models/cmn/description/product.h"
#include "models/cmn/pmu/flit_image.h"
#include "testbench/fabrics/cmn/judge/watchpoint_image.h"

namespace pmufab::scoreboard::test {
namespace {

using cmn::Channel;
using cmn::FlitDirection;
using cmn::FlitFields;
using cmn::Product;

struct Layouts {
  WatchpointLayout judge;
  Product product;
  unsigned revision;
};
constexpr std::array kLayouts{
    Layouts{WatchpointLayout::cmn600, Product::cmn600, 5}, Layouts{WatchpointLayout::cmn650, Product::cmn650, 4},
    Layouts{WatchpointLayout::cmn700, Product::cmn700, 3}, Layouts{WatchpointLayout::cmn700, Product::ci700, 2},
    Layouts{WatchpointLayout::s3, Product::s3, 1},         Layouts{WatchpointLayout::s3, Product::s3, 2},
    Layouts{WatchpointLayout::s3_r2, Product::s3, 3}};

/// Every field has random bits, including fields the channel does not have. Fields that share bits get the same bits,
/// because a flit has only one of them.
FlitFields random_fields(boost::random::mt19937_64& random) {
  const auto half = [&] { return static_cast<std::uint16_t>(random()); };
  const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
  FlitFields f;
  f.addr = random();
  for (std::uint16_t* const field : {&f.srcid, &f.tgtid, &f.txnid, &f.returnnid, &f.stashnid, &f.homenid, &f.fwdnid,
                                     &f.fwdtxnid, &f.dbid, &f.mpam, &f.mecid, &f.streamid})
    *field = half();
  for (std::uint8_t* const field :
       {&f.opcode,   &f.qos,           &f.size,       &f.ns,         &f.nse,      &f.allowretry,   &f.order,
        &f.pcrdtype, &f.lpid,          &f.groupidext, &f.expcompack, &f.rsvdc,    &f.likelyshared, &f.memattr,
        &f.snpattr,  &f.excl,          &f.snoopme,    &f.cah,        &f.tagop,    &f.pbha,         &f.secsid,
        &f.tracetag, &f.stashtgtvalid, &f.endian,     &f.deep,       &f.resperr,  &f.resp,         &f.fwdstate,
        &f.datasrc,  &f.stash,         &f.datapull,   &f.cbusy,      &f.devevent, &f.donotgotosd,  &f.rettosrc,
        &f.ccid,     &f.dataid,        &f.poison,     &f.chunkv,     &f.tag,      &f.tu,           &f.numdat,
        &f.replicate})
    *field = byte();
  return f;
}

// contract A50
TEST(WatchpointImage, is_what_the_model_compares_of_every_flit) {
  boost::random::mt19937_64 random(20);
  for (int turn = 0; turn < 500; ++turn) {
    const FlitFields flit = random_fields(random);
    for (const Layouts& layout : kLayouts) {
      const cmn::FlitFormat format = cmn::facts_of(layout.product, layout.revision).flit;
      for (unsigned channel = 0; channel < cmn::kChannels; ++channel) {
        for (unsigned group = 0; group < 4; ++group) {
          for (const bool upload : {false, true}) {
            const FlitDirection direction = upload ? FlitDirection::upload : FlitDirection::download;
            const auto which = static_cast<Channel>(channel);
            ASSERT_EQ(watchpoint_image(layout.judge, which, group, upload, flit),
                      cmn::flit_image(format, which, group, direction, flit))
                << cmn::to_string(layout.product) << " r" << layout.revision << ", " << cmn::to_string(which)
                << ", group " << group << (upload ? ", upload" : ", download");
          }
        }
      }
    }
  }
}

// One field at a time, so that shared bits cannot hide a missing field.
TEST(WatchpointImage, shows_each_single_field_where_the_model_does) {
  const FlitFields none{};
  for (unsigned field = 0; field <= static_cast<unsigned>(cmn::FlitField::replicate); ++field) {
    // Set the field by finding the byte that value_of() reads it from.
    for (std::size_t place = 0; place < sizeof(FlitFields); ++place) {
      FlitFields flit = none;
      reinterpret_cast<unsigned char*>(&flit)[place] = 0xff;  // NOLINT: any object may be seen as bytes
      if (cmn::value_of(flit, static_cast<cmn::FlitField>(field)) == 0) continue;
      for (const Layouts& layout : kLayouts) {
        const cmn::FlitFormat format = cmn::facts_of(layout.product, layout.revision).flit;
        for (const Channel channel : {Channel::req, Channel::rsp, Channel::snp, Channel::dat}) {
          for (unsigned group = 0; group < 3; ++group) {
            for (const bool upload : {false, true}) {
              EXPECT_EQ(watchpoint_image(layout.judge, channel, group, upload, flit),
                        cmn::flit_image(format, channel, group,
                                        upload ? FlitDirection::upload : FlitDirection::download, flit))
                  << "field " << field << ", " << cmn::to_string(layout.product) << " r" << layout.revision << ", "
                  << cmn::to_string(channel) << ", group " << group << (upload ? ", upload" : ", download");
            }
          }
        }
      }
    }
  }
}

// The tables' first and last columns, by hand.
TEST(WatchpointImage, has_fields_where_the_reference_manuals_have_them) {
  FlitFields flit{.addr = 0x1234'5678'9ac0, .srcid = 0x456, .tgtid = 0x123, .opcode = 0x4, .qos = 0xa, .size = 6};
  EXPECT_EQ(watchpoint_image(WatchpointLayout::cmn600, Channel::req, 0, true, flit),
            0x123U | std::uint64_t{4} << 31 | std::uint64_t{6} << 37);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::cmn700, Channel::req, 0, false, flit),
            0x456U | std::uint64_t{4} << 29 | std::uint64_t{6} << 36);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::cmn700, Channel::req, 1, true, flit), 0xaU | flit.addr << 4);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::cmn700, Channel::req, 2, true, flit), 0x123U | 4U << 11);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::cmn600, Channel::rsp, 0, true, flit), 0xaU | 0x123U << 4 | 4U << 15);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::s3_r2, Channel::snp, 1, false, flit), flit.addr >> 3);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::cmn650, Channel::dat, 0, false, flit),
            0xaU | 0x456U << 4 | std::uint64_t{4} << 26);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::cmn650, Channel::dat, 2, false, flit), 0U);
  EXPECT_EQ(watchpoint_image(WatchpointLayout::s3_r2, Channel::pub, 0, false, flit), 0U);
}

TEST(WatchpointImage, of_an_uploaded_snoop_has_no_id_because_snoops_name_no_target) {
  FlitFields flit{.srcid = 0x7ff, .tgtid = 0x7ff};
  for (const Layouts& layout : kLayouts) {
    EXPECT_EQ(watchpoint_image(layout.judge, Channel::snp, 0, true, flit), 0U);
    EXPECT_EQ(watchpoint_image(layout.judge, Channel::snp, 0, false, flit), 0x7ffU);
  }
}

}  // namespace
}  // namespace pmufab::scoreboard::test
