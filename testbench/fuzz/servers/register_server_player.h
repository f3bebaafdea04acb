// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::fuzz {

/// Play an input on a session of the register server, as a client that sends arbitrary bytes.
///
/// The first byte selects how. Bits 0 ... 4: the size of the pieces in which the bytes come; 0: all at once. Bit 5: the
/// bytes begin with '+', so that the session does not end at once. Bit 6: what lies between two bytes of 0x00 gets a
/// frame and its checksum, so that it is understood. Checks: replies are whole packets or acknowledgements, none is
/// longer than what the client was told, accesses are of 1 ... 4096 bytes, and afterwards, unless the client ended it,
/// the session answers as before.
/// @throws Violation
void play_on_register_server(std::span<const std::uint8_t> input);

}  // namespace pmufab::fuzz
