// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/random_stream.h"
#include "testbench/traffic/target_window.h"

namespace pmufab::traffic {

/// Maps the virtual pages of a trace to physical frames.
///
/// The weights and a hash of the page's number choose its target, independent of everything else. Within a target,
/// pages get frames in the order in which they are first touched. Several tables share the targets: table k of n takes
/// the frames k, k + n, k + 2n, ...
class PageTable {
 public:
  /// @param windows  of the placement's targets, in its order
  PageTable(const TraceSpec& trace, const std::vector<Window>& windows, std::uint64_t table, std::uint64_t tables);

  /// @return the physical address of `address`. Its page gets a frame if it has none; empty if its target has no frame
  ///         left.
  std::optional<std::uint64_t> touch(std::uint64_t address);
  /// @return the physical address of `address`, whose page has been touched.
  [[nodiscard]] std::uint64_t translate(std::uint64_t address) const noexcept {
    const Entry& entry = entries_[slot_of(address >> page_bits_)];
    return entry.frame | (address & page_mask_);
  }
  /// @return the number of pages with a frame.
  [[nodiscard]] std::uint64_t pages() const noexcept { return pages_; }

 private:
  // An open hash table, at most half full. It is never iterated, so its order has no effect.
  struct Entry {
    std::uint64_t page = kFree;
    std::uint64_t frame = 0;  // its address
  };
  struct Pool {
    std::uint64_t next;  // address
    std::uint64_t left;  // frames
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // no page has this number: pages have 64 bytes or more

  [[nodiscard]] std::size_t slot_of(std::uint64_t page) const noexcept {
    std::size_t slot = mix_bits(page) & (entries_.size() - 1);
    while (entries_[slot].page != page && entries_[slot].page != kFree) slot = (slot + 1) & (entries_.size() - 1);
    return slot;
  }
  void grow();

  unsigned page_bits_;
  std::uint64_t page_mask_;
  std::uint64_t stride_;  // distance between frames of the table
  std::uint64_t seed_;
  WeightedChoice<std::size_t> choice_;
  std::vector<Pool> pools_;
  std::vector<Entry> entries_;
  std::uint64_t pages_ = 0;
};

}  // namespace pmufab::traffic
