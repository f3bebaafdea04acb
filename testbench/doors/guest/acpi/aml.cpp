// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/acpi/aml.h"

#include <cstddef>
#include <stdexcept>

#include "testbench/doors/guest/acpi/byte_writer.h"

namespace pmufab::guest::aml {
namespace {

std::string opcode(unsigned value) {
  std::string bytes;
  if (value > 0xff) bytes.push_back(static_cast<char>(value >> 8));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string joined(const std::vector<Term>& terms) {
  std::string bytes;
  for (const Term& term : terms) bytes += term;
  return bytes;
}

/// A term of variable length: opcode, PkgLength, contents. The length includes its own bytes. One byte holds up to 63.
/// In a longer one the first byte holds four bits, and each further byte eight.
Term sized(unsigned code, const std::string& contents) {
  std::size_t width = 1;
  while (contents.size() + width >= (width == 1 ? std::size_t{1} << 6 : std::size_t{1} << (8 * width - 4))) ++width;
  const std::size_t length = contents.size() + width;
  std::string bytes = opcode(code);
  if (width == 1) {
    bytes.push_back(static_cast<char>(length));
  } else {
    bytes.push_back(static_cast<char>((width - 1) << 6 | (length & 0xf)));
    for (std::size_t rest = length >> 4, i = 1; i < width; ++i, rest >>= 8) bytes.push_back(static_cast<char>(rest));
  }
  return bytes + contents;
}

unsigned hex_digit(char character) {
  return static_cast<unsigned>(std::string_view("0123456789abcdef").find(static_cast<char>(character | 0x20)));
}

}  // namespace

Term argument(unsigned number) { return opcode(0x68 + number); }

Term integer(std::uint64_t value) {
  if (value <= 1) return opcode(static_cast<unsigned>(value));
  ByteWriter bytes;
  if (value <= 0xff) return bytes.u8(0x0a).u8(static_cast<std::uint8_t>(value)).bytes();
  if (value <= 0xffff) return bytes.u8(0x0b).u16(static_cast<std::uint16_t>(value)).bytes();
  if (value <= 0xffff'ffff) return bytes.u8(0x0c).u32(static_cast<std::uint32_t>(value)).bytes();
  return bytes.u8(0x0e).u64(value).bytes();
}

Term string(std::string_view text) { return opcode(0x0d) + std::string(text) + '\0'; }

Term buffer(std::string_view bytes) { return sized(0x11, integer(bytes.size()) + std::string(bytes)); }

Term package(const std::vector<Term>& elements) {
  if (elements.size() > 0xff) throw std::length_error("an AML package has at most 255 elements");
  return sized(0x12, static_cast<char>(elements.size()) + joined(elements));
}

Term uuid(std::string_view text) {
  // The first three of the five groups are little-endian integers.
  static constexpr std::size_t kOrder[] = {6, 4, 2, 0, 11, 9, 16, 14, 19, 21, 24, 26, 28, 30, 32, 34};
  std::string bytes;
  for (const std::size_t at : kOrder)
    bytes.push_back(static_cast<char>(hex_digit(text.at(at)) << 4 | hex_digit(text.at(at + 1))));
  return buffer(bytes);
}

Term eisa_id(std::string_view text) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 3; ++i) value = value << 5 | (static_cast<unsigned>(text.at(i)) - 0x40U);
  for (std::size_t i = 3; i < 7; ++i) value = value << 4 | hex_digit(text.at(i));
  ByteWriter bytes;
  bytes.u8(0x0c);
  for (int shift = 24; shift >= 0; shift -= 8) bytes.u8(static_cast<std::uint8_t>(value >> shift));
  return bytes.bytes();
}

Term name(std::string_view name, const Term& value) { return opcode(0x08) + std::string(name) + value; }

Term device(std::string_view name, const std::vector<Term>& objects) {
  return sized(0x5b82, std::string(name) + joined(objects));
}

Term scope(std::string_view path, const std::vector<Term>& objects) {
  return sized(0x10, std::string(path) + joined(objects));
}

Term method(std::string_view name, unsigned arguments, const std::vector<Term>& body) {
  constexpr unsigned kSerialized = 0x08;
  return sized(0x14, std::string(name) + static_cast<char>(arguments | kSerialized) + joined(body));
}

Term if_then(const Term& condition, const std::vector<Term>& body) { return sized(0xa0, condition + joined(body)); }
Term otherwise(const std::vector<Term>& body) { return sized(0xa1, joined(body)); }
Term equal(const Term& left, const Term& right) { return opcode(0x93) + left + right; }
Term greater(const Term& left, const Term& right) { return opcode(0x94) + left + right; }
Term either(const Term& left, const Term& right) { return opcode(0x91) + left + right; }
Term negation(const Term& condition) { return opcode(0x92) + condition; }
Term bit_and(const Term& left, const Term& right, const Term& target) { return opcode(0x7b) + left + right + target; }
Term bit_or(const Term& left, const Term& right, const Term& target) { return opcode(0x7d) + left + right + target; }
Term store(const Term& value, const Term& target) { return opcode(0x70) + value + target; }
Term dword_field(const Term& buffer, std::uint64_t offset, std::string_view name) {
  return opcode(0x8a) + buffer + integer(offset) + std::string(name);
}
Term return_value(const Term& value) { return opcode(0xa4) + value; }

namespace {

constexpr std::uint8_t kFixedRange = 0x0c;  // both ends are fixed

}  // namespace

std::string memory_range(std::uint64_t base, std::uint64_t size, Use use) {
  constexpr std::uint8_t kReadWrite = 1;  // not cacheable
  return ByteWriter{}
      .u8(0x8a)
      .u16(0x2b)
      .u8(0)
      .u8(use == Use::consumer ? kFixedRange | 1 : kFixedRange)
      .u8(kReadWrite)
      .u64(0)
      .u64(base)
      .u64(base + size - 1)
      .u64(0)
      .u64(size)
      .bytes();
}

std::string port_window(std::uint64_t base, std::uint64_t size) {
  constexpr std::uint8_t kEntireRange = 3;
  return ByteWriter{}
      .u8(0x8a)
      .u16(0x2b)
      .u8(1)
      .u8(kFixedRange)
      .u8(kEntireRange)
      .u64(0)
      .u64(0)
      .u64(size - 1)
      .u64(base)
      .u64(size)
      .bytes();
}

std::string bus_numbers(std::uint16_t first, std::uint16_t last) {
  return ByteWriter{}
      .u8(0x88)
      .u16(0x0d)
      .u8(2)
      .u8(kFixedRange)
      .u8(0)
      .u16(0)
      .u16(first)
      .u16(last)
      .u16(0)
      .u16(static_cast<std::uint16_t>(last - first + 1))
      .bytes();
}

std::string interrupt(std::uint32_t number, bool is_edge) {
  constexpr std::uint8_t kConsumer = 1;
  constexpr std::uint8_t kEdge = 2;
  return ByteWriter{}.u8(0x89).u16(6).u8(is_edge ? kConsumer | kEdge : kConsumer).u8(1).u32(number).bytes();
}

Term resources(std::string_view descriptors) {
  // The end tag's checksum may be 0.
  return buffer(std::string(descriptors) + std::string("\x79\0", 2));
}

}  // namespace pmufab::guest::aml
