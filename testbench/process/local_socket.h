// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "testbench/process/descriptor.h"

namespace pmufab::process {

/// Make a local socket for connections of this user. No operation on it waits.
/// @param type  SOCK_STREAM or SOCK_SEQPACKET
/// @throws std::system_error, also for a path that is too long (std::errc::filename_too_long)
[[nodiscard]] Descriptor listen_at(const std::filesystem::path& path, int type);

}  // namespace pmufab::process
