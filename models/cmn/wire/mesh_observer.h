// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "models/cmn/wire/flit_fields.h"
#include "models/cmn/wire/types.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cmn {

/// A CXS flit on the link between two gateways, as seen at either end.
struct LinkFlit {
  /// The message: a request, or an answer to one.
  enum class Kind : std::uint8_t { read, write, read_answer, write_answer };
  std::uint64_t address = 0;   ///< for requests: as in the mesh they go to, without bit 47
  std::uint16_t ra_entry = 0;  ///< RHT entry of the request
  std::uint16_t ha_entry = 0;  ///< for answers: request tracker entry
  std::uint8_t bytes = 0;      ///< bytes it carries
  Kind kind = Kind::read;
  bool last = false;  ///< last flit of its message. The message's fields are zero in all others
  bool operator==(const LinkFlit&) const = default;
};

/// The wires a monitor can see in a mesh: uploads by devices, and transmissions by XPs. Called in simulation order. Times
/// may lie ahead of sc_time_stamp(), but never behind anything that another process can see. A flit keeps its number from upload to download; afterwards the number may be used again.
class MeshObserver {
 public:
  virtual ~MeshObserver() = default;
  /// A cycle with work begins. Devices are about to take the flits that arrive in it.
  virtual void on_begin(Picoseconds /*when*/) {}
  /// A device hands a flit to its XP.
  /// @param fields  TgtID is the destination, on all channels
  virtual void on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t flit,
                         const FlitFields& fields) = 0;
  /// What XPs transmit in a cycle, to neighbours and down to devices, and where a flit waits at an interface for a
  /// credit.
  /// @param pulses  ordered by channel as the mesh lists them, then XP, then interface
  virtual void on_cycle(Picoseconds when, std::span<const MeshPulse> pulses) = 0;
  /// A cycle in which a device's first flit of a channel (REQ, RSP, SNP or DAT) is ready but cannot enter the mesh.
  virtual void on_hold(Picoseconds /*when*/, std::uint16_t /*node_id*/, Channel /*channel*/) {}
  /// A gateway of the mesh, the one with this node id, sends a CXS flit, or takes one that has arrived.
  virtual void on_link_flit(Picoseconds /*when*/, std::uint16_t /*node_id*/, bool /*sent*/, const LinkFlit& /*flit*/) {}
};

}  // namespace pmufab::cmn
