// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pmufab::register_server {

/// Bytes between '$' and '#' that a client may send, as qSupported tells it. Escapes count as what they stand for.
inline constexpr std::size_t kPacketSize = 4096;

/// Takes apart what a client sends by the GDB remote serial protocol (GDB manual, "Overview" of that protocol).
class PacketReader {
 public:
  enum class Found : std::uint8_t {
    nothing,      ///< more bytes are needed
    packet,       ///< content() has what was between '$' and '#', without escapes
    bad_packet,   ///< its checksum is wrong or no number, or an escape has no byte
    long_packet,  ///< it is longer than kPacketSize, and was dropped
    interrupt,    ///< the byte 0x03
    resend,       ///< '-': the client did not understand the last reply
  };

  /// Take bytes from the beginning of `bytes` until something is found, and remove them there. Bytes between packets
  /// that mean nothing are skipped.
  Found take(std::string_view& bytes);
  [[nodiscard]] const std::string& content() const noexcept { return content_; }

 private:
  enum class State : std::uint8_t { between, inside, first_digit, second_digit };
  Found take_byte(char byte);
  void begin();
  void take_inside(char byte);
  Found finish(char second_digit);

  State state_ = State::between;
  std::string content_;
  std::uint8_t sum_ = 0;
  char digit_ = 0;
  bool escaped_ = false;
  bool too_long_ = false;
};

/// @return "$content#sum", with escapes
[[nodiscard]] std::string framed(std::string_view content);

/// @return two digits per byte
[[nodiscard]] std::string to_hex(std::string_view bytes);
/// @return false if that is no whole number of pairs of digits
[[nodiscard]] bool from_hex(std::string_view digits, std::string& bytes);

}  // namespace pmufab::register_server
