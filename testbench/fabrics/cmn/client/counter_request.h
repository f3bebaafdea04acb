// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/fabrics/cmn/client/mesh.h"

namespace pmufab::cmn_client {

/// How wide the counters of a mesh are. No register tells it.
struct CounterWidths {
  unsigned local = 16;   ///< bits of a DTM's counters
  unsigned global = 32;  ///< bits of a DTC's counters
  unsigned cycles = 40;  ///< bits of a DTC's cycle counter
};

/// What is to be counted.
struct CounterRequest {
  enum class Kind : std::uint8_t {
    node,        ///< an event of nodes of one type
    crosspoint,  ///< flits that leave crosspoints by an interface, or wait there
    watchpoint,  ///< flits between crosspoints and devices that match
    cycles,      ///< cycles of a DTC
  };
  /// The flits a watchpoint counts: those of which the image of its group equals the value in all bits that the mask has
  /// zero.
  struct Watchpoint {
    bool upload = true;      ///< from the device, or else to it
    unsigned port = 0;       ///< device port of the crosspoint
    unsigned channel = 0;    ///< 0 REQ, 1 RSP, 2 SNP, 3 DAT
    unsigned group = 0;      ///< match group
    bool exclusive = false;  ///< counts those that do not match
    /// Not 0: one of a pair. The one that is opened first counts the flits that match both, and the other counts none.
    /// Both have the same number.
    unsigned pair = 0;
    std::uint64_t value = 0;
    std::uint64_t mask = 0;
  };

  Kind kind = Kind::node;
  std::optional<std::uint16_t> id{};  ///< of a node or crosspoint; nothing: all nodes of the type, or all crosspoints
  unsigned type = 0;                  ///< of a node: EventNode::type
  unsigned event = 0;                 ///< number of an event of a node or crosspoint
  std::array<unsigned, 2> filters{};  ///< values of the fields that an event of a node has
  Watchpoint watchpoint{};
};

/// The counters that count a request.
struct Placement {
  /// One local counter, and what feeds it.
  struct Local {
    unsigned source;          ///< number of the node or crosspoint in the mesh
    unsigned dtm;             ///< number of the DTM in the mesh
    unsigned counter;         ///< of the DTM; also the slot of the event select
    unsigned watchpoint = 0;  ///< of the DTM
  };
  std::vector<Local> locals;
  std::array<std::optional<unsigned>, kMostDtcs> globals{};  ///< by DTC: the counter they carry into
  std::optional<unsigned> cycles{};                          ///< the DTC whose cycles are counted
};

}  // namespace pmufab::cmn_client
