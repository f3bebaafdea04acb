#pragma once

#include <cstdint>

#include "models/cmn/flit_image.h"
#include "models/cmn/types.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cmn {

/// Wires a monitor can see in a mesh: what goes up from devices, and what XPs transmit. Called in simulation order.
/// A flit's number is its own from upload to download and may be used again afterwards.
class MeshObserver {
 public:
  virtual ~MeshObserver() = default;
  /// A device hands a flit to its XP. @param fields  TgtID says where it goes, on all channels
  virtual void on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t flit,
                         const FlitFields& fields) = 0;
  /// An XP transmits a flit: to a neighbour, or down to a device.
  virtual void on_transmit(Picoseconds when, unsigned xp, Interface interface, Channel channel, std::uint32_t flit) = 0;
  /// A cycle in which a flit waits at an interface for a credit.
  virtual void on_stall(Picoseconds when, unsigned xp, Interface interface, Channel channel) = 0;
};

}  // namespace pmufab::cmn
