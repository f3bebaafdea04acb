// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/cmn/mesh_device.h"

namespace pmufab::cmn {

/// The kinds of requests to memory behind AXI.
/// @{
[[nodiscard]] bool is_memory_write(std::uint8_t opcode) noexcept;
[[nodiscard]] bool is_memory_cmo(std::uint8_t opcode) noexcept;
/// @}
/// @throws std::logic_error saying that a node (by kind, "an SBSX") has no use for the message
[[noreturn]] void refuse_message(std::string_view who, const Arrival& arrival);

}  // namespace pmufab::cmn
