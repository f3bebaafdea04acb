// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/types.h>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
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

/// @param table   the text of /proc/net/tcp
/// @param client  the end of a connection, as its owner's socket has it
/// @param server  the other end
/// @return the user whose socket it is; nothing if the table does not have it, or it no longer is connected
[[nodiscard]] std::optional<uid_t> owner_of(std::istream& table, const sockaddr_in& client, const sockaddr_in& server);

/// @param socket  a connection, by a Unix socket or by TCP within this machine
/// @return true if its other end is of this user. False if the system does not tell
[[nodiscard]] bool is_of_this_user(int socket);

}  // namespace pmufab::register_server
