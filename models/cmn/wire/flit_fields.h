// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pmufab::cmn {

/// The fields of a CHI flit that watchpoints can compare, by their CHI names. Fields that the channel does not have
/// stay 0.
///
/// Fields that share bits in a flit (for example returnnid and stashnid) also share them in its image: set the one that
/// the opcode has.
struct FlitFields {
  std::uint64_t addr = 0;  ///< byte address, also for a snoop
  std::uint16_t srcid = 0;
  std::uint16_t tgtid = 0;
  std::uint16_t txnid = 0;  ///< no watchpoint compares it
  std::uint16_t returnnid = 0;
  std::uint16_t stashnid = 0;
  std::uint16_t homenid = 0;
  std::uint16_t fwdnid = 0;
  std::uint16_t fwdtxnid = 0;
  std::uint16_t dbid = 0;
  std::uint16_t mpam = 0;
  std::uint16_t mecid = 0;
  std::uint16_t streamid = 0;
  std::uint8_t opcode = 0;  ///< watchpoints ignore 0, the return of a link credit
  std::uint8_t qos = 0;
  std::uint8_t size = 0;
  std::uint8_t ns = 0;
  std::uint8_t nse = 0;
  std::uint8_t allowretry = 0;
  std::uint8_t order = 0;
  std::uint8_t pcrdtype = 0;
  std::uint8_t lpid = 0;
  std::uint8_t groupidext = 0;
  std::uint8_t expcompack = 0;
  std::uint8_t rsvdc = 0;
  std::uint8_t likelyshared = 0;
  std::uint8_t memattr = 0;
  std::uint8_t snpattr = 0;
  std::uint8_t excl = 0;
  std::uint8_t snoopme = 0;
  std::uint8_t cah = 0;
  std::uint8_t tagop = 0;
  std::uint8_t pbha = 0;
  std::uint8_t secsid = 0;
  std::uint8_t tracetag = 0;
  std::uint8_t stashtgtvalid = 0;
  std::uint8_t endian = 0;
  std::uint8_t deep = 0;
  std::uint8_t resperr = 0;
  std::uint8_t resp = 0;
  std::uint8_t fwdstate = 0;
  std::uint8_t datasrc = 0;
  std::uint8_t stash = 0;
  std::uint8_t datapull = 0;
  std::uint8_t cbusy = 0;
  std::uint8_t devevent = 0;
  std::uint8_t donotgotosd = 0;
  std::uint8_t rettosrc = 0;
  std::uint8_t ccid = 0;
  std::uint8_t dataid = 0;
  std::uint8_t poison = 0;
  std::uint8_t chunkv = 0;
  std::uint8_t tag = 0;
  std::uint8_t tu = 0;
  std::uint8_t numdat = 0;
  std::uint8_t replicate = 0;
};

}  // namespace pmufab::cmn
