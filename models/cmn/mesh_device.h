// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/wire/flit_fields.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// TxnID of raw flits, which belong to no protocol. CHI's TxnIDs have at most 12 bits. No node answers raw flits: the
/// mesh discards them at their target.
inline constexpr std::uint16_t kRawTxnId = 0xffff;

/// A flit that has arrived at a device and waits to be taken.
struct Arrival {
  Channel channel;
  FlitFields fields;
};

/// Something attached to a Mesh: a device behind a port, which receives the flits for one node id and sends with that
/// id, or a source of raw flits, which has no id.
///
/// Mesh::attach() gives it a number. In run() it reads what arrived (Mesh::arrival(), Mesh::take()) and posts what it
/// sends (Mesh::post()). Mesh::call() requests run() in a later cycle.
class MeshDevice {
 public:
  virtual ~MeshDevice() = default;
  /// Do the work of cycle `now`. Called in each cycle in which a flit waits for the device, and in those requested with
  /// Mesh::call(); at most once per cycle. Devices run in the order of attachment. The cycle's time is Mesh::time_of(); it
  /// may lie ahead of sc_time_stamp().
  virtual void run(Cycle now) = 0;
  /// Prefetch hook: the flit will wait for the device in the next cycle, so fetch what run() will read. Must change
  /// nothing.
  virtual void prepare(const Arrival& /*arrival*/) const noexcept {}
  /// A flit that was posted with `tell` enters the mesh in this cycle.
  virtual void sent(Channel /*channel*/, const FlitFields& /*fields*/, Cycle /*now*/) {}
};

}  // namespace pmufab::cmn
