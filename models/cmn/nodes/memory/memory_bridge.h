// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/cmn/mesh_device.h"

namespace pmufab::cmn {

/// The kinds of requests to memory behind AXI.
enum class BridgeRequest : std::uint8_t { read, write, cmo };
/// @throws std::logic_error if the request is of no such kind, see refuse_message()
[[nodiscard]] BridgeRequest bridge_request(std::string_view node_kind, const FlitFields& request);
/// @throws std::logic_error saying that a node (by kind, "an SBSX") has no use for the message
[[noreturn]] void refuse_message(std::string_view node_kind, const Arrival& arrival);

}  // namespace pmufab::cmn
