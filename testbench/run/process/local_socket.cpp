// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/local_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace pmufab::process {

Descriptor listen_at(const std::filesystem::path& path, int type) {
  const std::string text = path.string();
  const auto fail = [&](int error) { throw std::system_error(error, std::generic_category(), text); };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (text.size() >= sizeof(address.sun_path)) fail(ENAMETOOLONG);
  text.copy(address.sun_path, text.size());
  Descriptor listener(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) fail(errno);
  // Set before it can be connected to; the file gets this mode.
  constexpr mode_t kMine = 0600;
  if (fchmod(listener.get(), kMine) != 0 ||
      bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    fail(errno);
  if (listen(listener.get(), SOMAXCONN) != 0) {
    const int error = errno;
    unlink(text.c_str());
    fail(error);
  }
  return listener;
}

void send_to(int socket, const void* bytes, std::size_t size, int descriptor) noexcept {
  iovec part{const_cast<void*>(bytes), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  static_cast<void>(!sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace pmufab::process
