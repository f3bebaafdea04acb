// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::fuzz {

/// Play an input on a shell's server, as programs that violate its protocol. Call it outside of any process.
///
/// The input is a list of steps. A byte has the kind of step in bits 2:0 and the connection in bits 5:3 (of those that
/// are open). What follows is little endian, and missing bytes are zero:
///
/// | kind | step | bytes that follow |
/// |---|---|---|
/// | 0 | connect | |
/// | 1 | send arbitrary bytes | 2 of their number, the bytes |
/// | 2, 3 | send a request of this version | call, 4 of argument (below), 2 of the length it claims, 1 of data, the data |
/// | 4 | as 2, with a file descriptor | as for 2 |
/// | 5 | send a request of another version | 4 of the version, 2 of the number of bytes |
/// | 6 | leave | |
/// | 7 | let the server look | |
///
/// An argument byte selects an interesting number; from 128 on it is that number less 128.
/// A descriptor that comes with a reply is a connection from then on, as an event's is. Checks: replies are whole, the
/// events see only valid calls, each open event is closed with its connection, and no file descriptor is left.
/// @throws Violation
void play_on_shell(std::span<const std::uint8_t> input);

}  // namespace pmufab::fuzz
