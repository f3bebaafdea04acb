// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/wires/c2c_wires.h"

#include <optional>

#include <fmt/format.h>

#include "testbench/judge/opcodes.h"

namespace pmufab::scoreboard {
namespace {

/// @return true for writes and atomics, false for reads; nothing for requests without data.
std::optional<bool> writes(FabricOpcode opcode) {
  if (is_dataless(opcode)) return std::nullopt;
  return !is_read(opcode);
}

}  // namespace

C2cPmuJudge* C2cWires::judge_of(unsigned socket, C2cPeer peer) const {
  for (C2cPmuJudge* const judge : judges_) {
    if (judge->spec().socket == socket && judge->spec().peer == peer && !judge->spec().masks.empty()) return judge;
  }
  return nullptr;
}

void C2cWires::see(const BoundaryObserver::MemoryAccess& access) {
  const MemoryRange* const home = spec_.home_of(access.address);
  if (home == nullptr || home->socket != access.socket) return;
  const std::uint64_t line = access.address / kLineBytes;
  if (home->memory_class == MemoryClass::gmem) {
    C2cPmuJudge* const judge = judge_of(access.socket, C2cPeer::gpu);
    if (judge == nullptr) return;
    // GPUs have equal shares of each range, in order.
    const std::uint64_t place = line - home->base / kLineBytes;
    const std::uint64_t gpu = place * judge->spec().masks.size() / (home->size / kLineBytes);
    judge->see_request(false, access.is_write, static_cast<unsigned>(gpu), line, access.start, access.end);
  } else if (home->memory_class == MemoryClass::cxl) {
    C2cPmuJudge* const judge = judge_of(access.socket, C2cPeer::cxl_memory);
    if (judge != nullptr) judge->see_request(true, access.is_write, 0, line, access.start, access.end);
  }
}

void C2cWires::see(const BoundaryObserver::LinkRequest& request) {
  crossed_.push_back(request);
  const std::optional<bool> is_write = writes(request.opcode);
  C2cPmuJudge* const judge = judge_of(request.socket, C2cPeer::cpu);
  if (!is_write || judge == nullptr) return;
  judge->see_request(request.socket == request.to_socket, *is_write, 0, request.address / kLineBytes, request.start,
                     request.end);
}

void C2cWires::see_answer(const BoundaryObserver::Request& request, Picoseconds end) {
  check_link(request, end);
  crossed_.clear();
  const std::optional<bool> is_write = writes(request.opcode);
  if (request.requester != RequesterKind::gpu || !is_write) return;
  C2cPmuJudge* const judge = judge_of(request.accepting_socket, C2cPeer::gpu);
  if (judge == nullptr) return;
  const auto gpu = static_cast<unsigned>(request.requester_id % judge->spec().masks.size());
  judge->see_request(true, *is_write, gpu, request.address / kLineBytes, request.when, end);
}

void C2cWires::check_link(const BoundaryObserver::Request& request, Picoseconds end) {
  const MemoryRange* const home = spec_.home_of(request.address);
  if (home == nullptr) return;
  const bool remote = home->socket != request.accepting_socket;
  const auto is_right = [&](const BoundaryObserver::LinkRequest& seen, bool at_home) {
    return seen.address == request.address && seen.length == request.length && seen.opcode == request.opcode &&
           seen.from_socket == request.accepting_socket && seen.to_socket == home->socket &&
           seen.socket == (at_home ? seen.to_socket : seen.from_socket) && seen.start == request.when &&
           seen.end + (at_home ? spec_.link_latency : 0) == end;
  };
  const bool right =
      remote ? crossed_.size() == 2 && is_right(crossed_[0], false) && is_right(crossed_[1], true) : crossed_.empty();
  if (right) return;
  findings_.add(
      Finding::Severity::failure, "link_request",
      fmt::format("{} of {} bytes at {:#x} of socket {}, accepted at socket {}, was seen {} times on the link, "
                  "or at other times than the answer's",
                  to_string(request.opcode), request.length, request.address, home->socket, request.accepting_socket,
                  crossed_.size()),
      request.when);
}

}  // namespace pmufab::scoreboard
