// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/product.h"

namespace pmufab::cmn {

namespace {

// Parts, revisions and offsets: arm-cmn.c (enum cmn_part, cmn_revision, arm_cmn_pmu_offset, arm_cmn_dtc_domain,
// arm_cmn_device_connect_info, arm_cmn_discover). Widths and registers no driver reads: the products' register data.
constexpr ProductFacts kCmn600{
    .name = "CMN-600",
    .part = 0x434,
    .revisions = 8,
    .maximum_side = 12,
    .maximum_ports = 2,
    .xp_channels = 7,
    .xp_event_bits = 8,
    .input_sel_bits = 6,
    .unit_infos = 0,
    .port_infos = 2,
    .port_info_step = 8,
    .wide_event_select = false,
    .info = InfoLayout::cmn600,
    .node_info_has_ports = false,
    .node_window = 0x4000,
    .dtm_base = 0x2000,
    .device_base = 0x2000,
    .dtc_base = 0x2000,
    .unit_info = 0,
    .connect_info_2 = 0,
    .watchpoint = WatchpointFormat::cmn600,
    .flit = FlitFormat::cmn600,
};

constexpr ProductFacts make_cmn650() {
  ProductFacts facts = kCmn600;
  facts.name = "CMN-650";
  facts.part = 0x436;
  facts.info = InfoLayout::common;
  facts.revisions = 5;
  facts.input_sel_bits = 8;
  facts.unit_infos = 3;
  facts.node_window = 0x10000;
  facts.unit_info = 0x910;
  facts.connect_info_2 = 0x28;
  facts.watchpoint = WatchpointFormat::cmn650;
  facts.flit = FlitFormat::cmn650;
  return facts;
}

constexpr ProductFacts make_ci700() {
  ProductFacts facts = make_cmn650();
  facts.name = "CI-700";
  facts.part = 0x43a;
  facts.revisions = 3;
  facts.maximum_ports = 6;
  facts.xp_channels = 8;
  facts.node_info_has_ports = true;
  facts.flit = FlitFormat::cmn700;
  return facts;
}

constexpr ProductFacts make_cmn700() {
  ProductFacts facts = make_cmn650();
  facts.name = "CMN-700";
  facts.part = 0x43c;
  facts.revisions = 4;
  facts.maximum_ports = 6;
  facts.xp_channels = 9;
  facts.port_infos = 6;
  facts.port_info_step = 16;  // a second word, not modelled, lies between them
  facts.xp_event_bits = 9;
  facts.wide_event_select = true;
  facts.node_info_has_ports = true;
  facts.unit_info = 0x960;
  facts.connect_info_2 = 0x18;
  facts.watchpoint = WatchpointFormat::cmn700;
  facts.flit = FlitFormat::cmn700;
  return facts;
}

constexpr ProductFacts make_s3(unsigned revision) {
  ProductFacts facts = make_cmn700();
  facts.name = "CMN S3";
  facts.part = 0x43e;
  facts.revisions = 7;
  facts.maximum_side = 14;
  facts.unit_infos = 4;
  facts.device_base = 0xd900;
  facts.dtc_base = 0xd900;
  facts.dtm_base = revision >= 2 ? 0xa000 : 0xd900;  // r1p0
  facts.flit = FlitFormat::s3_r0;
  if (revision >= 3) {  // r2p0
    facts.info = InfoLayout::s3_r2;
    facts.xp_event_bits = 10;
    facts.flit = FlitFormat::s3_r2;
  }
  return facts;
}

constexpr ProductFacts kCmn650 = make_cmn650();
constexpr ProductFacts kCi700 = make_ci700();
constexpr ProductFacts kCmn700 = make_cmn700();
constexpr ProductFacts kS3R0 = make_s3(0);
constexpr ProductFacts kS3R1 = make_s3(2);
constexpr ProductFacts kS3R2 = make_s3(3);

}  // namespace

std::string_view to_string(Product product) noexcept { return facts_of(product, 0).name; }

const ProductFacts& facts_of(Product product, unsigned revision) noexcept {
  switch (product) {
    case Product::cmn600:
      return kCmn600;
    case Product::cmn650:
      return kCmn650;
    case Product::cmn700:
      return kCmn700;
    case Product::ci700:
      return kCi700;
    case Product::s3:
      break;
  }
  return revision >= 3 ? kS3R2 : revision >= 2 ? kS3R1 : kS3R0;
}

}  // namespace pmufab::cmn
