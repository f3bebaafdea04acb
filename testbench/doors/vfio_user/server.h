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

#include "testbench/doors/vfio_user/function.h"
#include "testbench/doors/vfio_user/protocol.h"
#include "testbench/doors/vfio_user/session.h"
#include "testbench/run/process/descriptor.h"

namespace pmufab::vfio_user {

/// Serves a function at a Unix socket to one client after the other. Never waits: its owner polls its descriptors and
/// calls serve().
///
/// While a client is connected, another one is refused: its connection ends at once. A client that breaks the protocol,
/// or lets answers pile up, is disconnected. The function keeps its state, and the next client may come.
class Server {
 public:
  using Log = std::function<void(const std::string&)>;

  /// @param socket  created with access for this user only; an existing file is not overwritten
  /// @param log     called when clients connect and disconnect, with the reason
  /// @throws std::system_error, also for a path that is too long (ENAMETOOLONG)
  Server(std::filesystem::path socket, Function& function, Log log = {});
  ~Server();
  Server& operator=(Server&&) = delete;

  /// Add the descriptors to poll.
  void add_to(std::vector<pollfd>& files) const;
  /// Do what is possible now with a descriptor that poll() returned; one of another server's is ignored.
  /// @return true if a client sent something
  bool serve(const pollfd& file);
  /// Send the function's pending output, as far as possible now.
  void flush();

  [[nodiscard]] bool has_client() const noexcept { return session_ != nullptr; }
  /// @return the number of writes to the client's memory that are not answered yet.
  [[nodiscard]] std::uint64_t unanswered_writes() const noexcept {
    return session_ != nullptr ? session_->unanswered_writes() : 0;
  }
  [[nodiscard]] std::uint64_t clients() const noexcept { return clients_; }
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  void accept_one();
  bool receive();
  /// @return bytes; 0 if there are none now, negative if the client is gone
  [[nodiscard]] long receive_some(std::uint8_t* to, std::size_t most);
  void drop(const std::string& why);

  std::filesystem::path path_;
  Function& function_;
  Log log_;
  Descriptor listener_;
  Descriptor spare_;  // closed for a moment to refuse a client when no descriptors are left
  Descriptor client_;
  std::unique_ptr<Session> session_;
  Header header_{};
  std::size_t received_ = 0;  // bytes of the message being received
  std::vector<std::uint8_t> payload_;
  std::vector<Descriptor> descriptors_;
  std::uint64_t clients_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace pmufab::vfio_user
