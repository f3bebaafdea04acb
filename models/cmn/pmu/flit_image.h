// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/description/product.h"
#include "models/cmn/wire/flit_fields.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// Upload: from a device into its XP. Download: out of the XP into the device.
enum class FlitDirection : std::uint8_t { upload, download };

/// A field of an image. snp_addr is address bits 51:3, as snoops carry them; addr13 is the bits from 16 up.
enum class FlitField : std::uint8_t {
  addr,
  snp_addr,
  addr13,
  srcid,
  tgtid,
  returnnid,
  stashnid,
  homenid,
  fwdnid,
  fwdtxnid,
  dbid,
  mpam,
  mecid,
  streamid,
  opcode,
  qos,
  size,
  ns,
  nse,
  allowretry,
  order,
  pcrdtype,
  lpid,
  groupidext,
  expcompack,
  rsvdc,
  likelyshared,
  memattr,
  snpattr,
  excl,
  snoopme,
  cah,
  tagop,
  pbha,
  secsid,
  tracetag,
  stashtgtvalid,
  endian,
  deep,
  resperr,
  resp,
  fwdstate,
  datasrc,
  stash,
  datapull,
  cbusy,
  devevent,
  donotgotosd,
  rettosrc,
  ccid,
  dataid,
  poison,
  chunkv,
  tag,
  tu,
  numdat,
  replicate,
};

/// @return the value of a field.
[[nodiscard]] std::uint64_t value_of(const FlitFields& fields, FlitField field) noexcept;

/// @return the 64 bits that a watchpoint of match group `group` sees of a flit; 0 for a group the channel does not
///         have. Where source and target id share bits, an upload shows the target and a download the source.
/// @param channel  a sub-channel counts as its channel; PUB has no flits
[[nodiscard]] std::uint64_t flit_image(FlitFormat format, Channel channel, unsigned group, FlitDirection direction,
                                       const FlitFields& fields) noexcept;
/// @return the bits an image can have set.
[[nodiscard]] std::uint64_t flit_image_bits(FlitFormat format, Channel channel, unsigned group,
                                            FlitDirection direction) noexcept;

}  // namespace pmufab::cmn
