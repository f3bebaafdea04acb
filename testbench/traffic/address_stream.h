// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/random_stream.h"
#include "testbench/traffic/target_window.h"

namespace pmufab::traffic {

/// Draws ranks 0 ... n - 1 with a probability proportional to 1 / (rank + 1)^exponent, in constant time.
///
/// Weights are integers, computed with multiplications, divisions and square roots only, which IEEE 754 defines
/// exactly: the C library's pow() differs between machines. The exponent is rounded to a multiple of 2^-16. Ranks less
/// likely than about 2^-40 of the first are never drawn.
class ZipfTable {
 public:
  /// @param ranks     1 ... 2^22
  /// @param exponent  above 0, up to 8
  ZipfTable(std::uint64_t ranks, double exponent);

  std::uint64_t draw(RandomStream& random) const {
    const std::uint64_t column = random.below(columns_.size());
    const Column& chosen = columns_[column];
    return random.below(total_) < chosen.threshold ? column : chosen.alias;
  }

 private:
  // Walker's alias method: every column has the same capacity, filled by itself up to `threshold`, then by `alias`.
  struct Column {
    std::uint64_t threshold;
    std::uint64_t alias;
  };

  std::vector<Column> columns_;
  std::uint64_t total_ = 0;
};

/// The addresses of successive requests of one generator within one of its targets.
///
/// The generator chooses the target of each request, by weight.
class AddressStream {
 public:
  AddressStream(const PatternSpec& pattern, const Window& window, RandomStream& random);

  /// @param length  1 ... 64: bytes of the request, which will not cross a line; 0: a request for a whole line without
  ///                data, at the line's address
  /// @return its system address
  std::uint64_t next(std::uint32_t length, RandomStream& random);
  /// producer_consumer: @return the address of the next block.
  std::uint64_t next_block() noexcept;

 private:
  [[nodiscard]] std::uint64_t in_line(std::uint64_t line, std::uint32_t length, RandomStream& random) const;
  std::uint64_t stream(std::uint32_t length) noexcept;
  std::uint64_t stride(std::uint32_t length) noexcept;
  std::uint64_t chase() noexcept;

  PatternKind kind_;
  std::uint64_t base_;
  std::uint64_t size_;
  std::uint64_t lines_;
  std::uint64_t cursor_ = 0;     // for stream, stride, producer_consumer: bytes from the base
  std::uint64_t step_ = 0;       // for stride, producer_consumer
  std::uint64_t hot_lines_ = 0;  // for hotspot
  std::uint64_t hot_share_ = 0;  // for hotspot: in units of 1 / kHotScale
  // pointer_chase: a full-period linear congruential sequence over the next power of two, with scrambled values. Values
  // outside the window are skipped, which leaves one cycle through all of the window's lines.
  std::uint64_t mask_ = 0;
  std::uint64_t multiplier_ = 0;
  std::uint64_t increment_ = 0;
  std::uint64_t scramble_ = 0;
  unsigned shift_ = 0;
  std::optional<ZipfTable> zipf_;
};

}  // namespace pmufab::traffic
