// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "testbench/run/process/descriptor.h"

namespace pmufab::register_server {

/// A socket that clients connect to.
struct Listener {
  process::Descriptor socket;
  bool is_local = true;  ///< a Unix socket; otherwise TCP on 127.0.0.1
  std::string address;   ///< as clients name it: a path, or "127.0.0.1:4711"
};

/// @param path  made with access for this user only; what is there is not overwritten
/// @throws std::system_error, also for a path that is too long (std::errc::filename_too_long)
[[nodiscard]] Listener listen_at_file(const std::filesystem::path& path);

/// @param port  of 127.0.0.1; 0: one that is free
/// @throws std::system_error
[[nodiscard]] Listener listen_at_port(std::uint16_t port);

}  // namespace pmufab::register_server
