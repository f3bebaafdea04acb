// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/flit_image.h"

#include "models/cmn/pmu/flit_positions.h"

namespace pmufab::cmn {

namespace {

std::span<const FlitPosition> positions(FlitFormat format, Channel channel) {
  switch (channel_class(channel)) {
    case Channel::req:
      return req_positions(format);
    case Channel::rsp:
      return rsp_positions(format);
    case Channel::snp:
      return snp_positions(format);
    case Channel::dat:
      return dat_positions(format);
    default:
      return {};
  }
}

std::uint64_t ones(const FlitPosition& position) { return ~std::uint64_t{0} >> (63 - (position.msb - position.lsb)); }

bool shows(const FlitPosition& position, unsigned group, FlitDirection direction) {
  if (position.group != group) return false;
  if (position.field == FlitField::srcid) return direction == FlitDirection::download;
  if (position.field == FlitField::tgtid) return direction == FlitDirection::upload;
  return true;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one case for each field
std::uint64_t value_of(const FlitFields& fields, FlitField field) noexcept {
  switch (field) {
    case FlitField::addr:
      return fields.addr;
    case FlitField::snp_addr:
      return fields.addr >> 3;
    case FlitField::addr13:
      return fields.addr >> 16;
    case FlitField::srcid:
      return fields.srcid;
    case FlitField::tgtid:
      return fields.tgtid;
    case FlitField::returnnid:
      return fields.returnnid;
    case FlitField::stashnid:
      return fields.stashnid;
    case FlitField::homenid:
      return fields.homenid;
    case FlitField::fwdnid:
      return fields.fwdnid;
    case FlitField::fwdtxnid:
      return fields.fwdtxnid;
    case FlitField::dbid:
      return fields.dbid;
    case FlitField::mpam:
      return fields.mpam;
    case FlitField::mecid:
      return fields.mecid;
    case FlitField::streamid:
      return fields.streamid;
    case FlitField::opcode:
      return fields.opcode;
    case FlitField::qos:
      return fields.qos;
    case FlitField::size:
      return fields.size;
    case FlitField::ns:
      return fields.ns;
    case FlitField::nse:
      return fields.nse;
    case FlitField::allowretry:
      return fields.allowretry;
    case FlitField::order:
      return fields.order;
    case FlitField::pcrdtype:
      return fields.pcrdtype;
    case FlitField::lpid:
      return fields.lpid;
    case FlitField::groupidext:
      return fields.groupidext;
    case FlitField::expcompack:
      return fields.expcompack;
    case FlitField::rsvdc:
      return fields.rsvdc;
    case FlitField::likelyshared:
      return fields.likelyshared;
    case FlitField::memattr:
      return fields.memattr;
    case FlitField::snpattr:
      return fields.snpattr;
    case FlitField::excl:
      return fields.excl;
    case FlitField::snoopme:
      return fields.snoopme;
    case FlitField::cah:
      return fields.cah;
    case FlitField::tagop:
      return fields.tagop;
    case FlitField::pbha:
      return fields.pbha;
    case FlitField::secsid:
      return fields.secsid;
    case FlitField::tracetag:
      return fields.tracetag;
    case FlitField::stashtgtvalid:
      return fields.stashtgtvalid;
    case FlitField::endian:
      return fields.endian;
    case FlitField::deep:
      return fields.deep;
    case FlitField::resperr:
      return fields.resperr;
    case FlitField::resp:
      return fields.resp;
    case FlitField::fwdstate:
      return fields.fwdstate;
    case FlitField::datasrc:
      return fields.datasrc;
    case FlitField::stash:
      return fields.stash;
    case FlitField::datapull:
      return fields.datapull;
    case FlitField::cbusy:
      return fields.cbusy;
    case FlitField::devevent:
      return fields.devevent;
    case FlitField::donotgotosd:
      return fields.donotgotosd;
    case FlitField::rettosrc:
      return fields.rettosrc;
    case FlitField::ccid:
      return fields.ccid;
    case FlitField::dataid:
      return fields.dataid;
    case FlitField::poison:
      return fields.poison;
    case FlitField::chunkv:
      return fields.chunkv;
    case FlitField::tag:
      return fields.tag;
    case FlitField::tu:
      return fields.tu;
    case FlitField::numdat:
      return fields.numdat;
    case FlitField::replicate:
      return fields.replicate;
  }
  return 0;
}

std::uint64_t flit_image(FlitFormat format, Channel channel, unsigned group, FlitDirection direction,
                         const FlitFields& fields) noexcept {
  std::uint64_t image = 0;
  for (const FlitPosition& position : positions(format, channel)) {
    if (!shows(position, group, direction)) continue;
    image |= (value_of(fields, position.field) & ones(position)) << position.lsb;
  }
  return image;
}

std::uint64_t flit_image_bits(FlitFormat format, Channel channel, unsigned group, FlitDirection direction) noexcept {
  std::uint64_t bits = 0;
  for (const FlitPosition& position : positions(format, channel)) {
    if (shows(position, group, direction)) bits |= ones(position) << position.lsb;
  }
  return bits;
}

}  // namespace pmufab::cmn
