// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/ucf/directory.h"

#include <bit>
#include <utility>

namespace pmufab::tegra410 {

namespace {
constexpr std::size_t kFirstEntries = 256;  // a power of two
}  // namespace

Directory::Directory()
    : entries_(kFirstEntries),
      mask_(entries_.size() - 1),
      shift_(64U - static_cast<unsigned>(std::countr_zero(entries_.size()))) {}

Directory::Entry& Directory::add(std::uint64_t line, Holder holder) {
  if (size_ * 3 >= entries_.size() * 2) grow();
  std::size_t slot = home(line);
  while (!entries_[slot].empty() && entries_[slot].line() != line) slot = (slot + 1) & mask_;
  Entry& entry = entries_[slot];
  if (entry.empty()) {
    entry.word_ = line << Entry::kLineShift;
    ++size_;
  }
  entry.add(holder);
  return entry;
}

void Directory::erase(Entry* entry) noexcept {
  // Close the gap: a later entry of the same run moves back unless it would land before its home slot.
  std::size_t gap = static_cast<std::size_t>(entry - entries_.data());
  std::size_t slot = gap;
  for (;;) {
    slot = (slot + 1) & mask_;
    if (entries_[slot].empty()) break;
    if (((slot - home(entries_[slot].line())) & mask_) >= ((slot - gap) & mask_)) {
      entries_[gap] = entries_[slot];
      gap = slot;
    }
  }
  entries_[gap] = Entry{};
  --size_;
}

void Directory::grow() {
  decltype(entries_) old(entries_.size() * 2);
  std::swap(old, entries_);
  mask_ = entries_.size() - 1;
  --shift_;
  for (const Entry& entry : old) {
    if (entry.empty()) continue;
    std::size_t slot = home(entry.line());
    while (!entries_[slot].empty()) slot = (slot + 1) & mask_;
    entries_[slot] = entry;
  }
}

}  // namespace pmufab::tegra410
