// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <iosfwd>
#include <optional>

namespace pmufab::register_server {

/// @param table   the text of /proc/net/tcp
/// @param client  the end of a connection, as its owner's socket has it
/// @param server  the other end
/// @return the user whose socket it is; nothing if the table does not have it, or it no longer is connected
[[nodiscard]] std::optional<uid_t> owner_of(std::istream& table, const sockaddr_in& client, const sockaddr_in& server);

/// @param socket  a connection, by a Unix socket or by TCP within this machine
/// @return true if its other end is of this user. False if the system does not tell
[[nodiscard]] bool is_of_this_user(int socket);

}  // namespace pmufab::register_server
