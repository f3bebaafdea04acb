// SPDX-License-Identifier: Apache-2.0
// The filter codes of a home's events (docs/cmn-nodes.md, section 3, rules 8 and 9).
#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/homes/home_events.h"
#include "testbench/fabrics/cmn/judge/homes/reference_home.h"

namespace pmufab::scoreboard {

using cmn::FlitFields;
using Codes = NodeCounts::Codes;
namespace req = chi::req;

namespace {

constexpr Codes bit(unsigned code) { return Codes{1} << code; }

/// @return the origin of a request: 0 an RN-F, 1 an RN-I or RN-D, 2 a gateway for a local coherency node, 3 another
///         gateway.
std::optional<unsigned> origin(cmn::DeviceType device, const FlitFields& request) {
  using enum cmn::DeviceType;
  if (is_rn_f_device(device)) return 0;
  if (device == rn_i || device == rn_d) return 1;
  if (device == ccg || device == ccg_smp || device == cxrh || device == cxha || device == cxra)
    return request.lpid == 1 ? 2 : 3;
  return std::nullopt;
}

Codes kind_of(const FlitFields& request) {
  if (req::is_read(request.opcode)) return bit(1);
  if (req::is_write(request.opcode)) return bit(2);
  if (req::is_atomic(request.opcode)) return bit(3);
  return req::is_stash(request.opcode) ? bit(4) : 0;
}

}  // namespace

Codes ReferenceHome::occupancy_codes(const FlitFields& request) const {
  constexpr unsigned kLbt = 6;
  constexpr unsigned kHbt = 7;
  constexpr unsigned kFirstOrigin = 8;
  Codes codes = bit(0) | kind_of(request);
  if (!is_hn_s()) return codes;
  codes |= bit((request.addr & kOtherMesh) != 0 ? kLbt : kHbt);
  if (around().spec().layout != WatchpointLayout::s3_r2) return codes;
  if (const auto from = origin(around().device_at(request.srcid), request)) codes |= bit(kFirstOrigin + *from);
  return codes;
}

Codes ReferenceHome::codes(unsigned id, std::uint64_t address, const FlitFields* request) const {
  constexpr unsigned kHbt = 1;
  constexpr unsigned kLbt = 2;
  constexpr unsigned kFirstOrigin = 3;
  const Codes by_mesh = bit(0) | bit((address & kOtherMesh) != 0 ? kLbt : kHbt);
  switch (filter_of(id)) {
    case NodeFilter::hbt_lbt:
    case NodeFilter::evict_state:
      return by_mesh;
    case NodeFilter::enhanced:
      if (request != nullptr) {
        if (const auto from = origin(around().device_at(request->srcid), *request))
          return by_mesh | bit(kFirstOrigin + *from);
      }
      return by_mesh;
    case NodeFilter::occupancy:
      return request != nullptr ? occupancy_codes(*request) : bit(0);
    default:
      return bit(0);
  }
}

void ReferenceHome::fire(unsigned id, const FlitFields& request) {
  counts_.fire(id, codes(id, request.addr, &request));
}

void ReferenceHome::fire_for_line(unsigned id, std::uint64_t line, const Entry* cause, Codes state) {
  const bool has_states = filter_of(id) == NodeFilter::evict_state;
  counts_.fire(id, codes(id, line << kLineShift, cause != nullptr ? &cause->request : nullptr), has_states ? state : 1);
}

void ReferenceHome::fire_snoop(unsigned id, std::uint64_t txnid) {
  constexpr unsigned kBothChannels = 2;
  if (filter_of(id) != NodeFilter::virtual_channel) {
    counts_.fire(id);
    return;
  }
  const auto channel = static_cast<unsigned>(around().spec().snoop_channels > 1 ? txnid % 2 : 0);
  counts_.fire(id, bit(channel) | bit(kBothChannels));
}

}  // namespace pmufab::scoreboard
