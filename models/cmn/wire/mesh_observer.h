// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "models/cmn/wire/flit_image.h"
#include "models/cmn/wire/types.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cmn {

/// A CXS flit on the link between two gateways, as it is at either end.
struct LinkFlit {
  /// What is said: a request, or an answer to one.
  enum class Kind : std::uint8_t { read, write, read_answer, write_answer };
  std::uint64_t address = 0;   ///< of requests, as the mesh they go to has it: without bit 47
  std::uint16_t ra_entry = 0;  ///< RHT entry of the request
  std::uint16_t ha_entry = 0;  ///< request tracker entry, of answers
  std::uint8_t bytes = 0;      ///< it carries
  Kind kind = Kind::read;
  bool last = false;  ///< of its message. What is said is told with the last flit only; before, it is all zero
  bool operator==(const LinkFlit&) const = default;
};

/// Wires a monitor can see in a mesh: what goes up from devices, and what XPs transmit. Called in simulation order.
/// A flit's number is its own from upload to download and may be used again afterwards.
class MeshObserver {
 public:
  virtual ~MeshObserver() = default;
  /// A cycle in which the mesh has work begins: devices are about to take what arrives in it.
  virtual void on_begin(Picoseconds /*when*/) {}
  /// A device hands a flit to its XP. @param fields  TgtID says where it goes, on all channels
  virtual void on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t flit,
                         const FlitFields& fields) = 0;
  /// What XPs transmit in a cycle, to neighbours and down to devices, and where a flit waits at an interface for a
  /// credit. @param pulses  in the order of channels as the mesh lists them, then of XPs, then of interfaces
  virtual void on_cycle(Picoseconds when, std::span<const MeshPulse> pulses) = 0;
  /// A cycle in which a device's first flit of a channel (of REQ, RSP, SNP, DAT) is ready but cannot enter the mesh.
  virtual void on_hold(Picoseconds /*when*/, std::uint16_t /*node_id*/, Channel /*channel*/) {}
  /// A gateway of the mesh sends a CXS flit, or takes one that has arrived.
  /// @param node_id  of the gateway
  virtual void on_link_flit(Picoseconds /*when*/, std::uint16_t /*node_id*/, bool /*sent*/, const LinkFlit& /*flit*/) {}
};

}  // namespace pmufab::cmn
