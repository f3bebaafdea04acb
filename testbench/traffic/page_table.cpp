// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/page_table.h"

#include <bit>
#include <utility>

namespace pmufab::traffic {
namespace {

constexpr std::size_t kFirstSize = 1024;

}  // namespace

PageTable::PageTable(const TraceSpec& trace, const std::vector<Window>& windows, std::uint64_t table,
                     std::uint64_t tables)
    : page_bits_(static_cast<unsigned>(std::countr_zero(trace.page_size))),
      page_mask_(trace.page_size - 1),
      stride_(tables * trace.page_size),
      seed_(trace.placement_seed),
      entries_(kFirstSize) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    choice_.add(i, trace.placement[i].weight);
    const std::uint64_t base = (windows[i].base + page_mask_) & ~page_mask_;
    const std::uint64_t frames = (windows[i].size - (base - windows[i].base)) >> page_bits_;
    pools_.push_back({base + table * trace.page_size, frames > table ? (frames - table - 1) / tables + 1 : 0});
  }
}

std::optional<std::uint64_t> PageTable::touch(std::uint64_t address) {
  const std::uint64_t page = address >> page_bits_;
  std::size_t slot = slot_of(page);
  if (entries_[slot].page == kFree) {
    Pool& pool = pools_[choice_.at(mix_bits(page ^ mix_bits(seed_)) % choice_.total())];
    if (pool.left == 0) return std::nullopt;
    if (2 * (pages_ + 1) > entries_.size()) {
      grow();
      slot = slot_of(page);
    }
    entries_[slot] = {page, pool.next};
    pool.next += stride_;
    --pool.left;
    ++pages_;
  }
  return entries_[slot].frame | (address & page_mask_);
}

void PageTable::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.page != kFree) entries_[slot_of(entry.page)] = entry;
  }
}

}  // namespace pmufab::traffic
