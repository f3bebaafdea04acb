#include "models/cmn/nodes/snoop_filter.h"

namespace pmufab::cmn {

SnoopFilter::SnoopFilter(std::size_t sets, unsigned ways, unsigned limit, unsigned rn_fs)
    : ways_(ways),
      words_(std::max(1U, (rn_fs + 63) / 64)),
      lines_(sets, std::max(ways, limit)),
      slots_(sets * lines_.ways()),
      sharers_(sets * lines_.ways() * words_) {
  for (std::size_t set = 0; set < sets; ++set) {
    for (unsigned i = 0; i < lines_.ways(); ++i) slots(set)[i] = static_cast<std::uint16_t>(i);
  }
}

void SnoopFilter::move_slot_to_front(std::size_t set, unsigned position) noexcept {
  std::uint16_t* const row = slots(set);
  const std::uint16_t slot = row[position];
  std::memmove(row + 1, row, position * sizeof *row);
  row[0] = slot;
}

bool SnoopFilter::look_up(std::size_t set, std::uint64_t line) noexcept {
  const unsigned position = lines_.find(set, line);
  if (position == LruLines::kAbsent) return false;
  if (position == 0) return true;
  lines_.touch(set, position);
  move_slot_to_front(set, position);
  return true;
}

void SnoopFilter::add(std::size_t set, std::uint64_t line) noexcept {
  move_slot_to_front(set, lines_.size(set));
  lines_.insert(set, line, false);
  sharers(set, 0).clear();
}

void SnoopFilter::remove(std::size_t set, unsigned position) noexcept {
  const unsigned last = lines_.size(set) - 1;
  lines_.erase(set, position);
  std::uint16_t* const row = slots(set);
  const std::uint16_t slot = row[position];
  std::memmove(row + position, row + position + 1, (last - position) * sizeof *row);
  row[last] = slot;
}

}  // namespace pmufab::cmn
