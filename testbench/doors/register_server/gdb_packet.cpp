// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/gdb_packet.h"

#include <optional>

namespace pmufab::register_server {
namespace {

constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;
constexpr char kInterrupt = 0x03;

constexpr char kDigits[] = "0123456789abcdef";

std::optional<std::uint8_t> value_of(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
  if (digit >= 'A' && digit <= 'F') return static_cast<std::uint8_t>(digit - 'A' + 10);
  return std::nullopt;
}

std::optional<std::uint8_t> value_of(char high, char low) {
  const std::optional<std::uint8_t> first = value_of(high);
  const std::optional<std::uint8_t> second = value_of(low);
  if (!first || !second) return std::nullopt;
  return static_cast<std::uint8_t>(*first << 4 | *second);
}

}  // namespace

PacketReader::Found PacketReader::take(std::string_view& bytes) {
  while (!bytes.empty()) {
    const char byte = bytes.front();
    bytes.remove_prefix(1);
    if (const Found found = take_byte(byte); found != Found::nothing) return found;
  }
  return Found::nothing;
}

PacketReader::Found PacketReader::take_byte(char byte) {
  switch (state_) {
    case State::between:
      if (byte == '$') begin();
      if (byte == kInterrupt) return Found::interrupt;
      return byte == '-' ? Found::resend : Found::nothing;
    case State::inside:
      take_inside(byte);
      return Found::nothing;
    case State::first_digit:
      digit_ = byte;
      state_ = State::second_digit;
      return Found::nothing;
    case State::second_digit:
      state_ = State::between;
      return finish(byte);
  }
  return Found::nothing;
}

void PacketReader::begin() {
  state_ = State::inside;
  content_.clear();
  sum_ = 0;
  escaped_ = too_long_ = false;
}

void PacketReader::take_inside(char byte) {
  if (byte == '$') return begin();  // the packet before was cut off
  if (byte == '#') {
    state_ = State::first_digit;
    return;
  }
  sum_ = static_cast<std::uint8_t>(sum_ + static_cast<std::uint8_t>(byte));
  if (byte == kEscape && !escaped_) {
    escaped_ = true;
    return;
  }
  if (content_.size() < kPacketSize) {
    content_ += escaped_ ? static_cast<char>(byte ^ kEscapeBit) : byte;
  } else {
    too_long_ = true;
  }
  escaped_ = false;
}

PacketReader::Found PacketReader::finish(char second_digit) {
  if (too_long_) return Found::long_packet;
  const std::optional<std::uint8_t> told = value_of(digit_, second_digit);
  return told && *told == sum_ && !escaped_ ? Found::packet : Found::bad_packet;
}

std::string framed(std::string_view content) {
  std::string packet = "$";
  std::uint8_t sum = 0;
  const auto add = [&](char byte) {
    packet += byte;
    sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(byte));
  };
  for (const char byte : content) {
    if (byte == '$' || byte == '#' || byte == kEscape || byte == '*') {
      add(kEscape);
      add(static_cast<char>(byte ^ kEscapeBit));
    } else {
      add(byte);
    }
  }
  packet += '#';
  packet += kDigits[sum >> 4];
  packet += kDigits[sum & 0xf];
  return packet;
}

std::string to_hex(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<std::uint8_t>(byte);
    digits += kDigits[value >> 4];
    digits += kDigits[value & 0xf];
  }
  return digits;
}

bool from_hex(std::string_view digits, std::string& bytes) {
  bytes.clear();
  if (digits.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::optional<std::uint8_t> value = value_of(digits[i], digits[i + 1]);
    if (!value) return false;
    bytes += static_cast<char>(*value);
  }
  return true;
}

}  // namespace pmufab::register_server
