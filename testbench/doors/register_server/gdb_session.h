// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "testbench/doors/register_server/gdb_packet.h"
#include "testbench/doors/register_server/target.h"

namespace pmufab::register_server {

/// One client's session by the GDB remote serial protocol, without its socket: bytes in, bytes out.
///
/// The client sees a machine with one stopped thread, which cannot be started: there is no CPU. What it cannot do is
/// answered with an error or, as the protocol demands, with an empty reply. Whatever a client sends, the session goes on
/// until the client ends it.
class Session {
 public:
  explicit Session(Target& target) : target_(target) {}

  /// Take bytes of the client, and answer them, until much is to be sent, or a command waits.
  /// @param packets  how many to answer at most
  /// @return how many bytes it has taken
  std::size_t receive(std::string_view bytes, std::size_t packets = std::numeric_limits<std::size_t>::max());
  /// The instant that a command waits for, in picoseconds. No more is taken before end_wait().
  [[nodiscard]] std::optional<std::uint64_t> waits_until() const noexcept { return waits_until_; }
  /// @param bytes  what the client has sent and receive() has not taken
  /// @return true if there is an interrupt among its packets
  [[nodiscard]] static bool is_interrupted_by(std::string_view bytes);
  /// Answer the command that waits, whether its instant has come or not.
  void end_wait();
  /// What is to be sent; who has sent it removes it.
  [[nodiscard]] std::string& output() noexcept { return output_; }
  /// @return true if the client has detached, has killed what it believes to debug, or does not speak this protocol
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

 private:
  void handle(const std::string& packet);
  void reply(std::string_view content);
  void handle_query(std::string_view packet);
  void handle_v(std::string_view packet);
  void support(std::string_view packet);
  void describe_machine(std::string_view place);
  void read_memory(std::string_view arguments);
  void write_memory(std::string_view arguments, bool is_binary);
  void command(std::string_view digits);
  void print(std::string_view text);

  Target& target_;
  PacketReader reader_;
  std::string output_;
  std::string last_reply_;  // as it was sent
  std::optional<std::uint64_t> waits_until_;
  bool has_begun_ = false;
  bool acknowledges_ = true;
  bool is_over_ = false;
  bool knows_x86_ = false;  // the client says so
};

}  // namespace pmufab::register_server
