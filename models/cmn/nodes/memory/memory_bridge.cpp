// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/memory/memory_bridge.h"

#include <stdexcept>

#include <fmt/core.h>

#include "models/cmn/nodes/chi.h"

namespace pmufab::cmn {

BridgeRequest bridge_request(std::string_view who, const FlitFields& request) {
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
      refuse_message(who, {Channel::req, request});
  }
}

void refuse_message(std::string_view who, const Arrival& arrival) {
  throw std::logic_error(fmt::format("{} (node {:#x}) has no use for what node {:#x} sends: {} opcode {:#x}", who,
                                     arrival.fields.tgtid, arrival.fields.srcid, to_string(arrival.channel),
                                     arrival.fields.opcode));
}

}  // namespace pmufab::cmn
