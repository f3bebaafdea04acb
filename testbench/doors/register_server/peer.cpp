// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/peer.h"

#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <istream>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace pmufab::register_server {
namespace {

/// As /proc/net/tcp writes an end: the address as the number its bytes are on this machine, and the port.
std::string end_of(const sockaddr_in& place) {
  return fmt::format("{:08X}:{:04X}", place.sin_addr.s_addr, ntohs(place.sin_port));
}

/// A socket of IPv6 can be connected to 127.0.0.1, too.
std::string mapped(const std::string& end) { return "0000000000000000FFFF0000" + end; }

template <typename Address>
bool ask(int (*question)(int, sockaddr*, socklen_t*), int socket, Address& answer) {
  socklen_t size = sizeof(answer);
  return question(socket, reinterpret_cast<sockaddr*>(&answer), &size) == 0 && size <= sizeof(answer);
}

}  // namespace

std::optional<uid_t> owner_of(std::istream& table, const sockaddr_in& client, const sockaddr_in& server) {
  const std::string from = end_of(client);
  const std::string to = end_of(server);
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    std::string skipped;
    uid_t owner = 0;
    words >> number >> local >> remote >> state >> skipped >> skipped >> skipped >> owner;
    constexpr const char* kEstablished = "01";  // of others, the table does not always know the owner
    if (!words || state != kEstablished) continue;
    if ((local == from && remote == to) || (local == mapped(from) && remote == mapped(to))) return owner;
  }
  return std::nullopt;
}

bool is_of_this_user(int socket) {
  sockaddr_storage any{};
  if (!ask(getsockname, socket, any)) return false;
  if (any.ss_family == AF_UNIX) {
    ucred peer{};
    socklen_t size = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
  }
  sockaddr_in client{};
  sockaddr_in server{};
  if (any.ss_family != AF_INET || !ask(getpeername, socket, client) || !ask(getsockname, socket, server)) return false;
  for (const char* const file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream table(file);
    if (const std::optional<uid_t> owner = owner_of(table, client, server)) return *owner == geteuid();
  }
  return false;
}

}  // namespace pmufab::register_server
