// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <istream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/process/local_socket.h"

namespace pmufab::register_server {

Listener listen_at_file(const std::filesystem::path& path) {
  return {process::listen_at(path, SOCK_STREAM), true, path.string()};
}

Listener listen_at_port(std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(port);
  socklen_t size = sizeof(place);
  auto* const general = reinterpret_cast<sockaddr*>(&place);
  const int again = 1;  // while connections of an earlier server still end
  process::Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener || setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &again, sizeof(again)) != 0 ||
      bind(listener.get(), general, size) != 0 || listen(listener.get(), SOMAXCONN) != 0 ||
      getsockname(listener.get(), general, &size) != 0)
    throw std::system_error(errno, std::generic_category(), fmt::format("127.0.0.1:{}", port));
  return {std::move(listener), false, fmt::format("127.0.0.1:{}", ntohs(place.sin_port))};
}

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
