// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/perf_event.h>

#include "testbench/doors/shell/protocol.h"
#include "testbench/tests/doors/shell/shell_fixture.h"

namespace pmufab::testing {

/// A request of this version. @param arguments  at most four
inline pmufab_shell_request request(std::uint32_t call, std::initializer_list<std::uint64_t> arguments = {}) {
  pmufab_shell_request result{};
  result.version = PMUFAB_SHELL_VERSION;
  result.call = call;
  std::copy(arguments.begin(), arguments.end(), result.argument);
  return result;
}

/// A connection to the simulator by a client that may violate the protocol.
class Client {
 public:
  explicit Client(int connected) : socket_(connected) {}
  /// @param in_person  as this process; otherwise as one that has ended, so that its requests belong to no other
  /// program
  Client(const std::string& path, bool in_person) : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    const pid_t other = in_person ? 0 : fork();
    if (other == 0) {
      const int result = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
      if (!in_person) _exit(result == 0 ? 0 : 1);
    } else {
      waitpid(other, nullptr, 0);
    }
  }
  ~Client() {
    if (socket_ >= 0) close(socket_);
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] int socket() const { return socket_; }

  bool send(const void* data, std::size_t size) const {
    return ::send(socket_, data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }
  bool send(const pmufab_shell_request& request) const {
    return send(&request, offsetof(pmufab_shell_request, data) + request.length);
  }

  struct Reply : pmufab_shell_reply {
    Reply() : pmufab_shell_reply{} { result = -1; }
    int descriptor = -1;  ///< that came with it
  };
  /// @return nothing at the end of the connection, or if nothing has come for long
  [[nodiscard]] std::optional<Reply> receive(int timeout_ms = 20'000) const {
    pollfd look{socket_, POLLIN, 0};
    if (poll(&look, 1, timeout_ms) != 1) return std::nullopt;
    Reply reply;
    iovec part{static_cast<pmufab_shell_reply*>(&reply), sizeof(pmufab_shell_reply)};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    if (recvmsg(socket_, &message, MSG_CMSG_CLOEXEC) < static_cast<ssize_t>(offsetof(pmufab_shell_reply, data)))
      return std::nullopt;
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
      std::memcpy(&reply.descriptor, CMSG_DATA(header), sizeof(int));
    return reply;
  }
  /// @return the reply; result -1 if there is none
  [[nodiscard]] Reply ask(const pmufab_shell_request& request) const {
    return send(request) ? receive().value_or(Reply()) : Reply();
  }

 private:
  int socket_;
};

/// A shell on a platform, in which a test talks directly to the simulator.
class ShellProtocol : public Shell {
 protected:
  void SetUp() override {
    Shell::SetUp();
    const std::string fifo = (folder / "end").string();
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    pid_ = start(arguments("echo \"$PMUFAB_SHELL_SOCKET\" >" + (folder / "begun").string() + "; read line <" + fifo));
    for (int turn = 0; turn < 3000 && !path.ends_with('\n'); ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      path = read(folder / "begun");
    }
    ASSERT_TRUE(path.ends_with('\n')) << read(folder / "err");
    path.pop_back();
    // The simulator is pmufab's first child.
    std::istringstream children(read("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children"));
    children >> simulator;
    ASSERT_GT(simulator, 0);
  }
  void TearDown() override {
    if (pid_ > 0) end();
    Shell::TearDown();
  }
  /// Leave the shell.
  Session end() {
    std::ofstream(folder / "end") << "\n";
    return finish_session(std::exchange(pid_, -1));
  }

  [[nodiscard]] Client connect(bool in_person = false) const { return {path, in_person}; }
  [[nodiscard]] Client::Reply ask(const pmufab_shell_request& what) const { return connect().ask(what); }
  /// Check that the simulator still answers.
  [[nodiscard]] bool answers() const { return ask(request(PMUFAB_SHELL_CLOCK)).result == 0; }
  /// Let simulated time pass. @param seconds  of a program
  void sleep(double seconds) const {
    const auto nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
    EXPECT_EQ(ask(request(PMUFAB_SHELL_WAIT, {PMUFAB_SHELL_SLEEP, nanoseconds})).result, 0);
  }

  [[nodiscard]] perf_event_attr attributes(const std::string& pmu, std::uint64_t config) const {
    perf_event_attr result{};
    result.size = sizeof(result);
    const std::filesystem::path sysfs = std::filesystem::path(path).parent_path() / "sys";
    result.type = static_cast<std::uint32_t>(std::stoul("0" + read(sysfs / "bus/event_source/devices" / pmu / "type")));
    result.config = config;
    return result;
  }
  static pmufab_shell_request opening(const perf_event_attr& attributes, std::uint64_t leader = 0) {
    pmufab_shell_request result = request(PMUFAB_SHELL_OPEN, {~std::uint64_t{0}, 0, leader});
    result.length = sizeof(attributes);
    std::memcpy(result.data, &attributes, sizeof(attributes));
    return result;
  }

  struct Event {
    Client client;  ///< keeps it open
    std::uint64_t number;
    std::string path;  ///< of the simulator's socket
    /// The result of read(2) with room for this many bytes.
    [[nodiscard]] Client::Reply read(std::uint64_t room = 1024) const {
      return Client(path, false).ask(request(PMUFAB_SHELL_READ, {number, room}));
    }
    [[nodiscard]] std::vector<std::uint64_t> words() const {
      const Client::Reply reply = read();
      EXPECT_EQ(reply.result, 0);
      std::vector<std::uint64_t> all(reply.length / sizeof(std::uint64_t));
      if (!all.empty()) std::memcpy(all.data(), reply.data, all.size() * sizeof(std::uint64_t));
      return all;
    }
    [[nodiscard]] int control(std::uint64_t what, std::uint64_t argument = 0) const {
      return Client(path, false).ask(request(PMUFAB_SHELL_IOCTL, {number, what, argument})).result;
    }
  };
  [[nodiscard]] Event open(const perf_event_attr& attributes, std::uint64_t leader = 0) const {
    const Client::Reply reply = ask(opening(attributes, leader));
    EXPECT_GT(reply.result, 0);
    return {Client(reply.descriptor), reply.value, path};
  }

  std::string path;  ///< of the simulator's socket
  pid_t simulator = 0;

 private:
  pid_t pid_ = -1;
};

}  // namespace pmufab::testing
