// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::fuzz {

/// Play an input on a vfio-user server, as a client at its socket that sends whatever bytes it likes.
///
/// The first byte says how: bit 0: agree on the version first; bit 1: bytes go in pieces of the size bits 2 ... 7 say,
/// and not all at once; The rest is the bytes. Checked: the server stays there for the next client, answers are whole
/// messages that fit what was asked, nothing is written outside of the function.
/// @throws Violation
void play_on_vfio_user(std::span<const std::uint8_t> input);

}  // namespace pmufab::fuzz
