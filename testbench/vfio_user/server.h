// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "testbench/process/descriptor.h"
#include "testbench/vfio_user/function.h"
#include "testbench/vfio_user/protocol.h"
#include "testbench/vfio_user/session.h"

namespace pmufab::vfio_user {

/// Shows a function at a Unix socket to one client after the other. Never waits: whoever owns it polls its descriptors
/// and calls serve().
///
/// While a client is there another one is refused: its connection ends at once. A client that breaks the protocol, or
/// lets answers pile up, is sent away; the function stays as it is, and the next may come.
class Server {
 public:
  using Log = std::function<void(const std::string&)>;

  /// @param socket  is made, only for this user; what lies there is not overwritten
  /// @param log     told when clients come, go, and why
  /// @throws std::system_error, also for a path that is too long (ENAMETOOLONG)
  Server(std::filesystem::path socket, Function& function, Log log = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Add what is to be polled.
  void add_to(std::vector<pollfd>& files) const;
  /// Do what can be done now with a descriptor that poll() named; one of another server's is ignored.
  /// @return true if a client said something
  bool serve(const pollfd& file);
  /// Send what the function had to say meanwhile, as far as it can be now.
  void flush();

  [[nodiscard]] bool has_client() const noexcept { return session_ != nullptr; }
  /// Writes of the client's memory that it has not answered yet.
  [[nodiscard]] std::uint64_t unanswered_writes() const noexcept {
    return session_ != nullptr ? session_->unanswered_writes() : 0;
  }
  [[nodiscard]] std::uint64_t clients() const noexcept { return clients_; }
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  void accept_one();
  bool receive();
  /// @return bytes; 0 if there is nothing now, below if the client is gone
  [[nodiscard]] long receive_some(std::uint8_t* to, std::size_t most);
  void drop(const std::string& why);

  std::filesystem::path path_;
  Function& function_;
  Log log_;
  Descriptor listener_;
  Descriptor spare_;  // given up for a moment to refuse a client when there are no descriptors left
  Descriptor client_;
  std::unique_ptr<Session> session_;
  Header header_{};
  std::size_t received_ = 0;  // of the message under way
  std::vector<std::uint8_t> payload_;
  std::vector<Descriptor> descriptors_;
  std::uint64_t clients_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace pmufab::vfio_user
