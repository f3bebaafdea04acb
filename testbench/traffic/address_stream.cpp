// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/address_stream.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kHotScale = std::uint64_t{1} << 32;

}  // namespace

AddressStream::AddressStream(const PatternSpec& pattern, const Window& window, RandomStream& random)
    : kind_(pattern.kind), base_(window.base), size_(window.size), lines_(window.size / kLineBytes) {
  switch (kind_) {
    case PatternKind::uniform:
    case PatternKind::stream:
      break;
    case PatternKind::stride:
      step_ = pattern.stride % size_;
      break;
    case PatternKind::hotspot:
      hot_lines_ = pattern.hot_size / kLineBytes;
      hot_share_ = rounded(pattern.hot_fraction * static_cast<double>(kHotScale));
      break;
    case PatternKind::zipf:
      zipf_.emplace(std::min(pattern.ranks, lines_), pattern.exponent);
      break;
    case PatternKind::pointer_chase:
      mask_ = std::bit_ceil(lines_) - 1;
      // Hull and Dobell: the period is full, modulo a power of two, if the multiplier is 1 modulo 4 and the increment
      // odd.
      multiplier_ = (random.below(std::uint64_t{1} << 62) << 2 | 1) & mask_;
      increment_ = (random.below(std::uint64_t{1} << 62) << 1 | 1) & mask_;
      scramble_ = random.below(std::uint64_t{1} << 62) << 1 | 1;
      shift_ = std::max(1U, static_cast<unsigned>(std::bit_width(mask_)) / 2);
      cursor_ = random.below(mask_ + 1);
      break;
    case PatternKind::producer_consumer:
      step_ = pattern.block_size;
      break;
  }
}

std::uint64_t AddressStream::in_line(std::uint64_t line, std::uint32_t length, RandomStream& random) const {
  std::uint64_t address = base_ + line * kLineBytes;
  // Short requests use any multiple of their length in the line.
  if (length != 0 && length <= kLineBytes / 2) address += random.below(kLineBytes / length) * length;
  return address;
}

std::uint64_t AddressStream::stream(std::uint32_t length) noexcept {
  const std::uint64_t bytes = length == 0 ? kLineBytes : length;
  const std::uint64_t used = cursor_ % kLineBytes;
  if (used + bytes > kLineBytes) cursor_ += kLineBytes - used;
  if (cursor_ >= size_) cursor_ = 0;
  const std::uint64_t address = base_ + cursor_;
  cursor_ += bytes;
  return address;
}

std::uint64_t AddressStream::stride(std::uint32_t length) noexcept {
  const std::uint64_t bytes = length == 0 ? kLineBytes : length;
  const std::uint64_t line = cursor_ / kLineBytes * kLineBytes;
  // A request that would cross the line is moved down to end with it.
  const std::uint64_t offset = std::min(cursor_ - line, kLineBytes - bytes);
  cursor_ += step_;
  if (cursor_ >= size_) cursor_ -= size_;
  return base_ + line + offset;
}

std::uint64_t AddressStream::chase() noexcept {
  for (;;) {
    cursor_ = (cursor_ * multiplier_ + increment_) & mask_;
    std::uint64_t line = cursor_;
    line ^= line >> shift_;
    line = line * scramble_ & mask_;
    line ^= line >> shift_;
    if (line < lines_) return line;
  }
}

std::uint64_t AddressStream::next(std::uint32_t length, RandomStream& random) {
  switch (kind_) {
    case PatternKind::uniform:
      return in_line(random.below(lines_), length, random);
    case PatternKind::stream:
      return stream(length);
    case PatternKind::stride:
      return stride(length);
    case PatternKind::hotspot: {
      const bool hot = random.below(kHotScale) < hot_share_;
      return in_line(random.below(hot ? hot_lines_ : lines_), length, random);
    }
    case PatternKind::zipf:
      return in_line(zipf_->draw(random), length, random);
    case PatternKind::pointer_chase:
      return in_line(chase(), length, random);
    case PatternKind::producer_consumer:
      break;  // advances by blocks
  }
  return base_;
}

std::uint64_t AddressStream::next_block() noexcept {
  if (size_ - cursor_ < step_) cursor_ = 0;
  const std::uint64_t block = base_ + cursor_;
  cursor_ += step_;
  return block;
}

namespace {

/// @return value^-(exponent / 65536).
double inverse_power(double value, std::uint32_t exponent) {
  double power = 1.0;
  for (std::uint32_t i = 0; i < exponent >> 16; ++i) power *= value;
  double root = value;
  for (std::uint32_t bit = 0x8000; bit != 0; bit >>= 1) {
    root = std::sqrt(root);
    if ((exponent & bit) != 0) power *= root;
  }
  return 1.0 / power;
}

}  // namespace

ZipfTable::ZipfTable(std::uint64_t ranks, double exponent) : columns_(ranks) {
  constexpr double kFirst = 1099511627776.0;  // 2^40: with 2^22 ranks, weight times ranks stays below 2^63
  const auto steps = static_cast<std::uint32_t>(rounded(exponent * 65536.0));
  std::vector<std::uint64_t> scaled(ranks);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const auto weight = static_cast<std::uint64_t>(kFirst * inverse_power(static_cast<double>(rank + 1), steps));
    total_ += weight;
    scaled[rank] = weight * ranks;
  }

  std::vector<std::uint64_t> small;
  std::vector<std::uint64_t> large;
  for (std::uint64_t rank = ranks; rank-- > 0;) (scaled[rank] < total_ ? small : large).push_back(rank);
  while (!small.empty() && !large.empty()) {
    const std::uint64_t poor = small.back();
    const std::uint64_t rich = large.back();
    small.pop_back();
    columns_[poor] = {scaled[poor], rich};
    scaled[rich] -= total_ - scaled[poor];
    if (scaled[rich] < total_) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  // The arithmetic is exact, so each remaining rank fills its column completely.
  for (const std::uint64_t rank : small) columns_[rank] = {total_, rank};
  for (const std::uint64_t rank : large) columns_[rank] = {total_, rank};
}

}  // namespace pmufab::traffic
