// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pmufab::fuzz {

/// One step of an input. The format is in this folder's README.md; every sequence of bytes is a valid input.
struct Operation {
  enum class Kind : std::uint8_t {
    write_place,  ///< a write at, or some bytes after, a place of the machine
    read_place,
    write_window,  ///< a write in, or just outside of, a window
    read_window,
    advance,   ///< let time pass
    activity,  ///< machine-specific activity: traffic, events
    special,   ///< reset, unusual accesses, accesses ahead of time
    write_bit  ///< a write of one bit, of zeros, or of ones
  };
  static constexpr std::size_t kMostBytes = 32;

  Kind kind{};
  unsigned argument = 0;                        ///< 0 ... 31; its meaning depends on the kind
  unsigned place = 0;                           ///< number of the place or window, modulo their number
  std::uint64_t offset = 0;                     ///< bytes from there
  unsigned length = 0;                          ///< bytes of the access, 0 ... 31
  std::array<std::uint8_t, kMostBytes> data{};  ///< for a write
  std::uint64_t duration = 0;                   ///< picoseconds
  unsigned choice = 0;                          ///< selects an address, a counter, ...; 0 ... 255
};

/// Splits an input into operations. Bytes missing at the end count as zeros.
class OperationReader {
 public:
  explicit OperationReader(std::span<const std::uint8_t> input) noexcept : input_(input) {}
  /// @return the next operation; none at the end of the input
  std::optional<Operation> next() noexcept;

 private:
  std::uint8_t byte() noexcept;
  void read_data(Operation& operation) noexcept;

  std::span<const std::uint8_t> input_;
};

}  // namespace pmufab::fuzz
