// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "testbench/register_server/listener.h"
#include "testbench/register_server/target.h"

namespace pmufab::register_server {

/// Serves a target to one client after the other, of this user only.
///
/// While a client is connected, another one is refused: its connection ends at once. What the target does for a client
/// stays when the client goes, however it goes.
class Server {
 public:
  using Log = std::function<void(const std::string&)>;

  /// @param stop  file descriptor: when it can be read, or is at its end, the server is stopped
  /// @param log   called when clients come, are refused, and go
  /// @throws std::system_error
  Server(const Listener& listener, int stop, Target& target, Log log = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Wait for something to do, and do what is possible now.
  /// @param patience  how long to wait at most; nothing: until something comes
  void serve(std::optional<std::chrono::milliseconds> patience);
  [[nodiscard]] bool is_stopped() const noexcept;
  /// Within a command of the target that takes long: @return true if it is to end, because the client sends an
  /// interrupt or goes, or because the server is stopped
  [[nodiscard]] bool is_interrupted();
  [[nodiscard]] bool has_client() const noexcept;

 private:
  class Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace pmufab::register_server
