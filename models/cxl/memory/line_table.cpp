// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/memory/line_table.h"

#include <algorithm>
#include <bit>

namespace pmufab::cxl {

LineTable::LineTable(std::size_t capacity) {
  const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(capacity * 2, 16));
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(buckets));
  buckets_.assign(buckets, kNone);
  lines_.reserve(capacity + 64);
}

LineTable::Index LineTable::insert(std::uint64_t address) {
  Index index = free_;
  if (index == kNone) {
    index = static_cast<Index>(lines_.size());
    lines_.emplace_back();
  } else {
    free_ = (*this)[index].chain;
  }
  Index& head = buckets_[bucket(address)];
  Line& line = (*this)[index];
  line = {};
  line.address = address;
  line.chain = head;
  head = index;
  link_youngest(index);
  ++size_;
  return index;
}

void LineTable::erase(Index index) noexcept {
  Line& line = (*this)[index];
  Index* place = &buckets_[bucket(line.address)];
  while (*place != index) place = &(*this)[*place].chain;
  *place = line.chain;
  unlink(index);
  line.chain = free_;
  free_ = index;
  --size_;
}

void LineTable::touch(Index index) noexcept {
  if (index == youngest_) return;
  unlink(index);
  link_youngest(index);
}

void LineTable::link_youngest(Index index) noexcept {
  Line& line = (*this)[index];
  line.newer = kNone;
  line.older = youngest_;
  if (youngest_ != kNone) {
    (*this)[youngest_].newer = index;
  } else {
    oldest_ = index;
  }
  youngest_ = index;
}

void LineTable::unlink(Index index) noexcept {
  const Line& line = (*this)[index];
  (line.older != kNone ? (*this)[line.older].newer : oldest_) = line.newer;
  (line.newer != kNone ? (*this)[line.newer].older : youngest_) = line.older;
}

}  // namespace pmufab::cxl
