// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "testbench/run/process/descriptor.h"

namespace pmufab::process {

/// Make a local socket for connections of this user. No operation on it waits.
/// @param type  SOCK_STREAM or SOCK_SEQPACKET
/// @throws std::system_error, also for a path that is too long (std::errc::filename_too_long)
[[nodiscard]] Descriptor listen_at(const std::filesystem::path& path, int type);

/// Send bytes on a local socket, and with them a file descriptor of this process. A peer that is gone is no error.
/// @param descriptor  what the peer gets a copy of; negative: none
void send_to(int socket, const void* bytes, std::size_t size, int descriptor = -1) noexcept;

}  // namespace pmufab::process
