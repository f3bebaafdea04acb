// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to the sources of Ucf.
#include "models/tegra410/ucf/opcode_class.h"
#include "models/tegra410/ucf/ucf.h"

namespace pmufab::tegra410 {

// Snoops between sockets and what they cause there carry these, seen from the snooped socket.
inline constexpr unsigned kFromOutside = qualifier(Source::rem, Destination::rem);

/// A request as one UCF serves it.
struct Ucf::Pass {
  Picoseconds when;
  std::uint64_t address;
  std::uint64_t line;
  std::uint32_t length;
  FabricOpcode opcode;
  Source source;
  MemoryClass memory_class;
  Holder requester;            // the cluster, the remote socket, or nobody who can hold a line
  bool is_cpu;                 // somewhere
  bool requester_still_holds;  // at the home: the requester's socket has other holders of the line
  bool owner_snooped;          // a unique owner of the line was snooped, here or on the way
  unsigned qualifier;
};

}  // namespace pmufab::tegra410
