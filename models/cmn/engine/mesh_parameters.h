// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/cmn/wire/types.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cmn {

/// The structure of a mesh of crosspoints, and its delays in cycles of the mesh's clock.
///
/// Timing of a flit that meets no other: uploaded in cycle t, it can leave its first XP in t + link_delay +
/// router_delay, each further XP link_delay + router_delay after the one before, and reaches the device link_delay
/// after it left the last XP. There is no public cycle-exact description of a CMN's XP; the defaults are plausible.
struct MeshParameters {
  unsigned columns = 1;  ///< XPs in x, 1 ... kMaximumSide
  unsigned rows = 1;     ///< XPs in y, 1 ... kMaximumSide
  /// The networks of the mesh, each with its own buffers and links. PUB moves no flits and must not be among them.
  std::vector<Channel> channels = {Channel::req, Channel::rsp, Channel::snp, Channel::dat};
  /// Device ports of each XP (index y * columns + x), 0 ... kMaximumPorts. Empty: two at every XP.
  std::vector<unsigned> ports = {};
  /// Flits per input of an XP, 1 ... kMaximumBuffer. Meshes with more than 8 here or of credits below are slower.
  unsigned buffer_depth = 8;
  unsigned download_credits = 8;  ///< flits the device at a port takes before it returns credits, 1 ... kMaximumBuffer
  unsigned router_delay = 2;      ///< from a flit's arrival at an XP to its earliest departure, 0 ... kMaximumDelay
  unsigned link_delay = 1;        ///< of links between XPs, and between XP and device both ways, 1 ... kMaximumDelay
  /// From the departure of a flit (or take() of a downloaded one) to the cycle in which its place can be given to
  /// another, 1 ... kMaximumDelay.
  unsigned credit_delay = 1;

  static constexpr unsigned kMaximumBuffer = 128;
  static constexpr unsigned kMaximumDelay = 30;

  [[nodiscard]] unsigned xps() const noexcept { return columns * rows; }
  /// @return the number of device ports of an XP
  [[nodiscard]] unsigned ports_of(unsigned xp) const { return ports.empty() ? 2 : ports[xp]; }

  /// One network with one device port per XP. It reproduces mean packet latencies of BookSim2 (Jiang et al., ISPASS
  /// 2013) with router iq, speculative, one virtual channel, buffers of eight flits and delays of one cycle.
  [[nodiscard]] static MeshParameters booksim2(unsigned columns, unsigned rows);
};

/// @throws SpecError for the first impossible parameter
void validate(const MeshParameters& parameters);

}  // namespace pmufab::cmn
