// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/memory_bridge.h"

#include <stdexcept>

#include <fmt/core.h>

#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

BridgeRequest bridge_request(std::string_view node_kind, const FlitFields& request) {
  switch (request.opcode) {
    case chi::req::kReadNoSnp:
      return BridgeRequest::read;
    case chi::req::kWriteNoSnpFull:
    case chi::req::kWriteNoSnpPtl:
      return BridgeRequest::write;
    case chi::req::kCleanShared:
    case chi::req::kCleanInvalid:
    case chi::req::kMakeInvalid:
    case chi::req::kCleanSharedPersist:
      return BridgeRequest::cmo;
    default:
      refuse_message(node_kind, {Channel::req, request});
  }
}

void refuse_message(std::string_view node_kind, const Arrival& arrival) {
  throw std::logic_error(fmt::format("{} (node {:#x}) has no use for what node {:#x} sends: {} opcode {:#x}", node_kind,
                                     arrival.fields.tgtid, arrival.fields.srcid, to_string(arrival.channel),
                                     arrival.fields.opcode));
}

}  // namespace pmufab::cmn
