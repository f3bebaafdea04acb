// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/watchpoint_image.h"

#include <initializer_list>

namespace pmufab::scoreboard {
namespace {

using Layout = WatchpointLayout;

class Image {
 public:
  void put(std::uint64_t value, unsigned msb, unsigned lsb) {
    const unsigned width = msb - lsb + 1;
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    bits_ |= (value & mask) << lsb;
  }
  void put(std::uint64_t value, unsigned bit) { put(value, bit, bit); }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

void req_600(Image& image, unsigned group, std::uint64_t node, const cmn::FlitFields& f) {
  if (group == 0) {
    image.put(node, 10, 0);
    image.put(f.returnnid, 21, 11);
    image.put(f.endian, 22);
    image.put(f.opcode, 36, 31);
    image.put(f.size, 39, 37);
    image.put(f.ns, 40);
    image.put(f.allowretry, 41);
    image.put(f.order, 43, 42);
    image.put(f.pcrdtype, 47, 44);
    image.put(f.lpid, 52, 48);
    image.put(f.tracetag, 54);
    image.put(f.rsvdc, 62, 55);
  } else {
    image.put(f.qos, 3, 0);
    image.put(f.addr, 51, 4);
    image.put(f.likelyshared, 52);
    image.put(f.memattr, 56, 53);
    image.put(f.snpattr, 57);
    image.put(f.excl, 58);
    image.put(f.snoopme, 58);
    image.put(f.tracetag, 59);
  }
}

void req_later(Image& image, Layout layout, unsigned group, std::uint64_t node, const cmn::FlitFields& f) {
  const bool s3 = layout == Layout::s3 || layout == Layout::s3_r2;
  if (group == 0) {
    image.put(node, 10, 0);
    image.put(f.returnnid, 21, 11);
    image.put(f.stashnid, 21, 11);
    image.put(f.stashtgtvalid, 22);
    image.put(f.endian, 22);
    if (s3) image.put(f.deep, 22);
    image.put(f.opcode, 35, 29);
    image.put(f.size, 38, 36);
    image.put(f.ns, 39);
    image.put(layout == Layout::s3_r2 ? f.nse : f.allowretry, 40);
    image.put(f.order, 42, 41);
    image.put(f.pcrdtype, 46, 43);
    image.put(f.lpid, 51, 47);
    image.put(f.groupidext, 54, 52);
    image.put(f.expcompack, 55);
    image.put(f.rsvdc, 63, 56);
  } else if (group == 1) {
    image.put(f.qos, 3, 0);
    image.put(f.addr, 55, 4);
    image.put(f.likelyshared, 56);
    image.put(f.memattr, 60, 57);
    image.put(f.snpattr, 61);
    image.put(f.excl, 62);
    image.put(f.snoopme, 62);
    if (s3) image.put(f.cah, 62);
    image.put(f.tracetag, 63);
  } else {
    image.put(node, 10, 0);
    image.put(f.opcode, 17, 11);
    switch (layout) {
      case Layout::cmn600:
      case Layout::cmn650:
        image.put(f.mpam, 28, 18);
        break;
      case Layout::cmn700:
        image.put(f.mpam, 28, 18);
        image.put(f.tagop, 30, 29);
        break;
      case Layout::s3:
        image.put(f.mpam, 29, 18);
        image.put(f.tagop, 31, 30);
        image.put(f.allowretry, 32);
        break;
      case Layout::s3_r2:
        image.put(f.mpam, 32, 18);
        image.put(f.tagop, 34, 33);
        image.put(f.allowretry, 35);
        image.put(f.pbha, 39, 36);
        image.put(f.mecid, 55, 40);
        image.put(f.streamid, 55, 40);
        image.put(f.secsid, 56);
        break;
    }
  }
}

void rsp(Image& image, Layout layout, std::uint64_t node, const cmn::FlitFields& f) {
  image.put(f.qos, 3, 0);
  image.put(node, 14, 4);
  if (layout == Layout::cmn600) {
    image.put(f.opcode, 18, 15);
    image.put(f.resperr, 20, 19);
    image.put(f.resp, 23, 21);
    image.put(f.fwdstate, 26, 24);
    image.put(f.dbid, 34, 27);
    image.put(f.pcrdtype, 38, 35);
    image.put(f.tracetag, 39);
    image.put(f.devevent, 41, 40);
    return;
  }
  image.put(f.opcode, 19, 15);
  image.put(f.resperr, 21, 20);
  image.put(f.resp, 24, 22);
  image.put(f.fwdstate, 27, 25);
  if (layout == Layout::s3 || layout == Layout::s3_r2) image.put(f.datapull, 27, 25);
  image.put(f.cbusy, 30, 28);
  image.put(f.dbid, 42, 31);
  image.put(f.pcrdtype, 46, 43);
  if (layout != Layout::cmn650) image.put(f.tagop, 48, 47);
  image.put(f.tracetag, 49);
  image.put(f.devevent, 51, 50);
}

void snp_600(Image& image, unsigned group, std::uint64_t node, const cmn::FlitFields& f) {
  const std::uint64_t field = f.addr >> 3U & ((std::uint64_t{1} << 45U) - 1);  // PA[47:3]
  image.put(node, 10, 0);
  image.put(f.opcode, 23, 19);
  image.put(f.ns, 24);
  image.put(f.donotgotosd, 25);
  image.put(f.rettosrc, 26);
  image.put(f.tracetag, 27);
  if (group == 0) {
    image.put(field, 63, 28);
  } else {
    image.put(field >> 13U, 63, 32);
  }
}

void snp_later(Image& image, unsigned group, std::uint64_t node, const cmn::FlitFields& f) {
  image.put(node, 10, 0);
  if (group == 0) {
    image.put(f.fwdtxnid, 18, 11);
    image.put(f.fwdnid, 29, 19);
    image.put(f.opcode, 34, 30);
    image.put(f.ns, 35);
    image.put(f.donotgotosd, 36);
    image.put(f.rettosrc, 37);
    image.put(f.tracetag, 38);
    image.put(f.qos, 42, 39);
    image.put(f.mpam, 53, 43);
  } else {
    image.put(f.addr >> 3U, 59, 11);
  }
}

void snp_s3_r2(Image& image, unsigned group, std::uint64_t node, const cmn::FlitFields& f) {
  if (group == 0) {
    image.put(node, 10, 0);
    image.put(f.fwdtxnid, 18, 11);
    image.put(f.fwdnid, 29, 19);
    image.put(f.opcode, 34, 30);
    image.put(f.ns, 35);
    image.put(f.nse, 36);
    image.put(f.donotgotosd, 37);
    image.put(f.rettosrc, 38);
    image.put(f.tracetag, 39);
    image.put(f.qos, 43, 40);
    image.put(f.mecid, 59, 44);
    image.put(f.streamid, 59, 44);
  } else {
    image.put(f.addr >> 3U, 48, 0);
    image.put(f.mpam, 63, 49);
  }
}

void dat_600(Image& image, std::uint64_t node, const cmn::FlitFields& f) {
  image.put(f.qos, 3, 0);
  image.put(node, 14, 4);
  image.put(f.homenid, 25, 15);
  image.put(f.opcode, 28, 26);
  image.put(f.resperr, 30, 29);
  image.put(f.resp, 33, 31);
  image.put(f.fwdstate, 36, 34);
  image.put(f.datasrc, 36, 34);
  image.put(f.dbid, 44, 37);
  image.put(f.ccid, 46, 45);
  image.put(f.dataid, 48, 47);
  image.put(f.tracetag, 49);
  image.put(f.poison, 50);
  image.put(f.chunkv, 52, 51);
  image.put(f.devevent, 54, 53);
  image.put(f.rsvdc, 62, 55);
}

void dat_later_group_0(Image& image, Layout layout, std::uint64_t node, const cmn::FlitFields& f) {
  image.put(f.qos, 3, 0);
  image.put(node, 14, 4);
  image.put(f.homenid, 25, 15);
  image.put(f.opcode, 29, 26);
  image.put(f.resperr, 31, 30);
  image.put(f.resp, 34, 32);
  switch (layout) {
    case Layout::cmn600:
    case Layout::cmn650:
    case Layout::cmn700:
      image.put(f.fwdstate, 38, 35);
      image.put(f.datasrc, 38, 35);
      image.put(f.stash, 38, 35);
      image.put(f.cbusy, 41, 39);
      image.put(f.dbid, 53, 42);
      image.put(f.ccid, 55, 54);
      image.put(f.dataid, 57, 56);
      image.put(f.poison, 61, 58);
      image.put(f.devevent, 63, 62);
      break;
    case Layout::s3:
      image.put(f.fwdstate, 39, 35);
      image.put(f.datasrc, 39, 35);
      image.put(f.stash, 39, 35);
      image.put(f.cbusy, 42, 40);
      image.put(f.dbid, 54, 43);
      image.put(f.ccid, 56, 55);
      image.put(f.dataid, 58, 57);
      image.put(f.poison, 62, 59);
      break;
    case Layout::s3_r2:
      image.put(f.fwdstate, 42, 35);
      image.put(f.datasrc, 42, 35);
      image.put(f.datapull, 43);
      image.put(f.cbusy, 46, 44);
      image.put(f.dbid, 62, 47);
      break;
  }
}

void dat_later_group_1(Image& image, Layout layout, std::uint64_t node, const cmn::FlitFields& f) {
  image.put(node, 10, 0);
  image.put(f.opcode, 14, 11);
  image.put(f.resperr, 16, 15);
  image.put(f.resp, 19, 17);
  if (layout != Layout::cmn650) {
    image.put(f.tagop, 21, 20);
    image.put(f.tag, 29, 22);
    image.put(f.tu, 31, 30);
  }
  if (layout == Layout::s3_r2) {
    image.put(f.tracetag, 32);
    image.put(f.chunkv, 34, 33);
    image.put(f.devevent, 36, 35);
    image.put(f.cah, 37);
    image.put(f.ccid, 39, 38);
    image.put(f.dataid, 41, 40);
    image.put(f.poison, 45, 42);
    image.put(f.numdat, 47, 46);
    image.put(f.replicate, 48);
    image.put(f.rsvdc, 56, 49);
    return;
  }
  image.put(f.dbid, 43, 32);
  image.put(f.tracetag, 44);
  image.put(f.chunkv, 46, 45);
  image.put(f.devevent, 48, 47);
  if (layout == Layout::s3) {
    image.put(f.cah, 49);
    image.put(f.rsvdc, 57, 50);
  } else {
    image.put(f.rsvdc, 56, 49);
  }
}

}  // namespace

std::uint64_t watchpoint_image(Layout layout, cmn::Channel channel, unsigned group, bool upload,
                               const cmn::FlitFields& flit) {
  const std::uint64_t node = upload ? flit.tgtid : flit.srcid;
  Image image;
  switch (channel) {
    case cmn::Channel::req:
    case cmn::Channel::req2:
      if (layout == Layout::cmn600) {
        if (group < 2) req_600(image, group, node, flit);
      } else if (group < 3) {
        req_later(image, layout, group, node, flit);
      }
      break;
    case cmn::Channel::rsp:
    case cmn::Channel::rsp2:
      if (group == 0) rsp(image, layout, node, flit);
      break;
    case cmn::Channel::snp:
    case cmn::Channel::snp2:
      if (group > 1) break;
      // Snoops have no TgtID, so an upload shows no id.
      if (layout == Layout::cmn600) {
        snp_600(image, group, upload ? 0 : flit.srcid, flit);
      } else if (layout == Layout::s3_r2) {
        snp_s3_r2(image, group, upload ? 0 : flit.srcid, flit);
      } else {
        snp_later(image, group, upload ? 0 : flit.srcid, flit);
      }
      break;
    case cmn::Channel::dat:
    case cmn::Channel::dat2:
      if (layout == Layout::cmn600) {
        if (group == 0) dat_600(image, node, flit);
      } else if (group == 0) {
        dat_later_group_0(image, layout, node, flit);
      } else if (group == 1) {
        dat_later_group_1(image, layout, node, flit);
      }
      break;
    case cmn::Channel::pub:
      break;
  }
  return image.bits();
}

}  // namespace pmufab::scoreboard
