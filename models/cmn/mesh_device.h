// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/wire/flit_image.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// TxnID of raw flits: filler that no protocol owns. CHI's have at most 12 bits. Nobody answers them: the mesh discards
/// them at their target.
inline constexpr std::uint16_t kRawTxnId = 0xffff;

/// A flit that has arrived at a device and waits to be taken.
struct Arrival {
  Channel channel;
  FlitFields fields;
};

/// Something that is attached to a Mesh: a device behind a port, which receives the flits for one node id and sends
/// with it, or a source of raw flits, which has none.
///
/// Mesh::attach() gives it a number. In run() it looks at what arrived (Mesh::arrival(), Mesh::take()) and hands over
/// what is to be sent (Mesh::post()); Mesh::call() makes run() happen in a later cycle.
class MeshDevice {
 public:
  virtual ~MeshDevice() = default;
  /// Do the work of cycle `now`. Called in each cycle in which a flit waits for the device, and in those it asked for;
  /// at most once per cycle, in the order in which devices were attached.
  virtual void run(Cycle now) = 0;
  /// The flit will wait for the device in the next cycle: time to fetch from the host's memory what run() will look at.
  /// Must change nothing.
  virtual void prepare(const Arrival& /*arrival*/) const noexcept {}
  /// A flit that was posted with `tell` enters the mesh in this cycle.
  virtual void sent(Channel /*channel*/, const FlitFields& /*fields*/, Cycle /*now*/) {}
};

}  // namespace pmufab::cmn
