// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>

namespace pmufab::fuzz {

/// A broken invariant. The text says which, for the person who replays the input.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What each fuzzing program gives to fuzz_main.cpp: play() and kFindsLeaks.

/// Play one input. @throws Violation
void play(std::span<const std::uint8_t> input);

/// False if the sanitizer's search for leaks finds what is none, such as what lasts until the process ends. The tests
/// with the seeds look for leaks all the same.
extern const bool kFindsLeaks;

/// Play an input on a session of the register server, as a client that sends arbitrary bytes.
///
/// The first byte selects how. Bits 0 ... 4: the size of the pieces in which the bytes come; 0: all at once. Bit 5: the
/// bytes begin with '+', so that the session does not end at once. Bit 6: what lies between two bytes of 0x00 gets a
/// frame and its checksum, so that it is understood. Checks: replies are whole packets or acknowledgements, none is
/// longer than what the client was told, accesses are of 1 ... 4096 bytes, and afterwards, unless the client ended it,
/// the session answers as before.
/// @throws Violation
void play_on_register_server(std::span<const std::uint8_t> input);

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

/// Play an input on a vfio-user server, as a client that sends arbitrary bytes.
///
/// The first byte selects how. Bit 0: agree on the version first. Bit 1: send the bytes in pieces, whose size is in
/// bits 2 ... 7, instead of all at once. The other bytes are sent. Checks: the server stays available for the next
/// client, answers are whole messages that fit the requests, and nothing is written outside of the function.
/// @throws Violation
void play_on_vfio_user(std::span<const std::uint8_t> input);

/// Read an input as a scenario file, with the files it names, as `pmufab run` does before the first run.
///
/// Checks: it is a scenario, or it is refused by an InputError with the place and without control characters. The
/// effective configuration of a scenario is YAML again.
/// @param folder  that file names in the input are relative to
/// @throws Violation
void play_on_yaml(std::span<const std::uint8_t> input, const std::filesystem::path& folder);

}  // namespace pmufab::fuzz
