// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/operation.h"

#include <algorithm>

namespace pmufab::fuzz {

namespace {
constexpr unsigned kMostShift = 24;  // 255 << 24 picoseconds are 4 milliseconds
constexpr unsigned kDataInInput = 8;
}  // namespace

std::uint8_t OperationReader::byte() noexcept {
  if (input_.empty()) return 0;
  const std::uint8_t first = input_.front();
  input_ = input_.subspan(1);
  return first;
}

void OperationReader::read_data(Operation& operation) noexcept {
  for (unsigned i = 0; i < std::min(operation.length, kDataInInput); ++i) operation.data[i] = byte();
}

std::optional<Operation> OperationReader::next() noexcept {
  if (input_.empty()) return std::nullopt;
  const std::uint8_t head = byte();
  Operation operation;
  operation.kind = static_cast<Operation::Kind>(head >> 5);
  operation.argument = head & 0x1f;
  switch (operation.kind) {
    case Operation::Kind::write_place:
    case Operation::Kind::read_place:
      operation.place = byte();
      operation.length = 1U << (operation.argument & 3);
      operation.offset = operation.argument >> 2;
      if (operation.kind == Operation::Kind::write_place) read_data(operation);
      break;
    case Operation::Kind::write_window:
    case Operation::Kind::read_window:
      operation.place = byte();
      for (unsigned i = 0; i < 4; ++i) operation.offset |= std::uint64_t{byte()} << (8 * i);
      operation.length = operation.argument;
      if (operation.kind == Operation::Kind::write_window) read_data(operation);
      break;
    case Operation::Kind::advance:
      operation.duration = std::uint64_t{byte()} << std::min(operation.argument, kMostShift);
      break;
    case Operation::Kind::activity:
    case Operation::Kind::special:
      operation.place = byte();
      operation.choice = byte();
      break;
    case Operation::Kind::write_bit: {
      operation.place = byte();
      operation.choice = byte();
      operation.length = (operation.argument & 1) != 0 ? 4 : 8;
      const unsigned bit = operation.choice & 63;
      if (operation.choice < 128) operation.data[bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
      if (operation.choice >= 192) operation.data.fill(0xff);
      break;
    }
  }
  return operation;
}

}  // namespace pmufab::fuzz
