// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
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

}  // namespace pmufab::register_server
