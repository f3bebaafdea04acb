// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private header of the sources of Ucf.
#include "models/tegra410/ucf/opcode_class.h"
#include "models/tegra410/ucf/ucf.h"

namespace pmufab::tegra410 {

// Qualifier of snoops between sockets and what they cause, at the snooped socket.
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
  Holder requester;            // the cluster, the remote socket, or nobody for requesters that cannot hold lines
  bool is_cpu;                 // the requester is a CPU, in any socket
  bool requester_still_holds;  // at the home: the requester's socket has other holders of the line
  bool owner_snooped;          // a unique owner of the line was snooped, here or on the way
  unsigned qualifier;
};

}  // namespace pmufab::tegra410
