// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/vfio_user/server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "testbench/run/process/local_socket.h"

namespace pmufab::vfio_user {
namespace {

/// Most bytes of answers that a client may leave unread.
constexpr std::size_t kMostOutput = 1 << 20;
/// Most messages of one client in a row.
constexpr unsigned kMostMessages = 64;

Descriptor make_spare() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

Server::Server(std::filesystem::path socket, Function& function, Log log)
    : path_(std::move(socket)),
      function_(function),
      log_(std::move(log)),
      listener_(process::listen_at(path_, SOCK_STREAM)),
      spare_(make_spare()) {}

Server::~Server() {
  session_.reset();
  unlink(path_.c_str());
}

void Server::add_to(std::vector<pollfd>& files) const {
  files.push_back({listener_.get(), POLLIN, 0});
  if (session_ == nullptr) return;
  short events = POLLIN;
  if (!session_->output().empty()) events |= POLLOUT;
  files.push_back({client_.get(), events, 0});
}

bool Server::serve(const pollfd& file) {
  if (file.revents == 0) return false;
  if (file.fd == listener_.get()) {
    accept_one();
    return false;
  }
  if (session_ == nullptr || file.fd != client_.get()) return false;
  bool heard = false;
  // A client that sends without pause must not keep others waiting.
  for (unsigned i = 0; i < kMostMessages && session_ != nullptr && receive(); ++i) heard = true;
  flush();
  return heard;
}

void Server::accept_one() {
  Descriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!client && (errno == EMFILE || errno == ENFILE)) {
    // Otherwise it would stay in the queue, and poll() would report it for ever.
    spare_.reset();
    client = Descriptor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    client.reset();
    spare_ = make_spare();
    ++refused_;
    if (log_) log_("a client is refused: no file descriptors are left");
    return;
  }
  if (!client) return;
  if (session_ != nullptr) {
    ++refused_;
    if (log_) log_("a second client is refused");
    return;
  }
  client_ = std::move(client);
  session_ = std::make_unique<Session>(function_);
  received_ = 0;
  ++clients_;
  if (log_) log_("a client has connected");
}

long Server::receive_some(std::uint8_t* to, std::size_t most) {
  iovec part{to, most};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t size = 0;
  do {
    size = recvmsg(client_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&message); part_of != nullptr; part_of = CMSG_NXTHDR(&message, part_of)) {
    if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part_of->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part_of) + i * sizeof(int), sizeof(int));
      descriptors_.emplace_back(number);
    }
  }
  // Some descriptors did not fit.
  if ((message.msg_flags & MSG_CTRUNC) != 0) descriptors_.resize(kMostDescriptors + 1);
  return size == 0 ? -1 : size;
}

/// @return true if a message is complete, and there may be another one
bool Server::receive() {
  while (true) {
    if (descriptors_.size() > kMostDescriptors) {
      drop("the client is disconnected: too many descriptors");
      return false;
    }
    if (received_ < sizeof(Header)) {
      const long size = receive_some(reinterpret_cast<std::uint8_t*>(&header_) + received_, sizeof(Header) - received_);
      if (size < 0)
        drop(received_ == 0 ? "the client has disconnected" : "the client has disconnected in the middle of a message");
      if (size <= 0) return false;
      received_ += static_cast<std::size_t>(size);
      if (received_ < sizeof(Header)) continue;
      if (const auto why = Session::reject(header_)) {
        drop("the client is disconnected: " + *why);
        return false;
      }
      payload_.resize(header_.size - sizeof(Header));
    }
    const std::size_t have = received_ - sizeof(Header);
    if (have < payload_.size()) {
      const long size = receive_some(payload_.data() + have, payload_.size() - have);
      if (size < 0) drop("the client has disconnected in the middle of a message");
      if (size <= 0) return false;
      received_ += static_cast<std::size_t>(size);
      continue;
    }
    received_ = 0;
    if (!session_->handle(header_, payload_, std::exchange(descriptors_, {}))) {
      flush();
      if (session_ != nullptr) drop("the client is disconnected: " + session_->error());
      return false;
    }
    return true;
  }
}

void Server::flush() {
  if (session_ == nullptr) return;
  std::vector<std::uint8_t>& output = session_->output();
  std::size_t sent = 0;
  while (sent < output.size()) {
    const ssize_t size = send(client_.get(), output.data() + sent, output.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (size < 0) {
      drop("the client has disconnected");
      return;
    }
    sent += static_cast<std::size_t>(size);
  }
  output.erase(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(sent));
  if (output.size() > kMostOutput) drop("the client is disconnected: it does not read its answers");
}

void Server::drop(const std::string& why) {
  session_.reset();
  client_.reset();
  received_ = 0;
  descriptors_.clear();
  if (log_) log_(why);
}

}  // namespace pmufab::vfio_user
