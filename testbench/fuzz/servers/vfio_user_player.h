// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::fuzz {

/// Play an input on a vfio-user server, as a client that sends arbitrary bytes.
///
/// The first byte selects how. Bit 0: agree on the version first. Bit 1: send the bytes in pieces, whose size is in
/// bits 2 ... 7, instead of all at once. The other bytes are sent. Checks: the server stays available for the next
/// client, answers are whole messages that fit the requests, and nothing is written outside of the function.
/// @throws Violation
void play_on_vfio_user(std::span<const std::uint8_t> input);

}  // namespace pmufab::fuzz
