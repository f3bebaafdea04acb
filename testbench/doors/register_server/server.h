// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "testbench/doors/register_server/listener.h"
#include "testbench/doors/register_server/target.h"

namespace pmufab::register_server {

/// Clients that are served at the same time.
inline constexpr std::size_t kMostClients = 64;

/// Serves a target to clients of this user only.
///
/// One packet is answered at a time, in the order in which clients have sent something; a client that sends several at
/// once lets the others have their turn in between. A command that waits for simulated time keeps only its own client
/// waiting. While kMostClients are connected, another one is told so and refused. What the target does for a client stays
/// when the client goes, however it goes.
class Server {
 public:
  using Log = std::function<void(const std::string&)>;

  /// @param stop  file descriptor: when it can be read, or is at its end, the server is stopped
  /// @param log   called when clients come, are refused, and go
  /// @throws std::system_error
  Server(const Listener& listener, int stop, Target& target, Log log = {});
  ~Server();
  Server& operator=(Server&&) = delete;

  /// Wait for something to do, and do what is possible now.
  /// @param patience  how long to wait at most; nothing: until something comes
  void serve(std::optional<std::chrono::milliseconds> patience);
  [[nodiscard]] bool is_stopped() const noexcept;
  /// The first instant that a client's command waits for, in picoseconds of the target's time. Whoever calls serve() lets
  /// time pass until then, in small steps, and calls it after each.
  [[nodiscard]] std::optional<std::uint64_t> first_wait() const;
  [[nodiscard]] std::size_t clients() const noexcept;

 private:
  class Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace pmufab::register_server
