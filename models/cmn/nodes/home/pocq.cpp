// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/home/pocq.h"

#include <stdexcept>

namespace pmufab::cmn {

Pocq::Pocq(unsigned entries) : entries_(entries), lines_(entries, kNoLine), sequences_(entries), numbers_(entries) {}

unsigned Pocq::allocate(const PocqEntry& request, Cycle now) {
  const unsigned number = numbers_.allocate();
  entries_[number] = request;
  lines_[number] = request.line;
  sequences_[number] = next_sequence_++;
  occupancy_.change(request.classes.of(FilterKind::occup1), 1, now);
  class_occupancy_.change(request.classes.of(FilterKind::class_occup), 1, now);
  full_.set(numbers_.free() == 0, now);
  return number;
}

void Pocq::free(unsigned number, Cycle now) {
  const PocqEntry& entry = entries_[number];
  occupancy_.change(entry.classes.of(FilterKind::occup1), -1, now);
  class_occupancy_.change(entry.classes.of(FilterKind::class_occup), -1, now);
  lines_[number] = kNoLine;
  numbers_.release(number);
  full_.set(false, now);
}

PocqEntry& Pocq::at(unsigned number) {
  if (number >= entries_.size() || lines_[number] == kNoLine)
    throw std::out_of_range("a message came for a POCQ entry that is free");
  return entries_[number];
}

unsigned Pocq::oldest_waiting(std::uint64_t line) const noexcept {
  unsigned oldest = kNoEntry;
  if (waiting_ == 0) return oldest;
  for (unsigned number = 0; number < entries_.size(); ++number) {
    if (lines_[number] != line || !entries_[number].waits) continue;
    if (oldest == kNoEntry || sequences_[number] < sequences_[oldest]) oldest = number;
  }
  return oldest;
}

}  // namespace pmufab::cmn
