// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/tegra410/ucf/large_table.h"

namespace pmufab::tegra410 {

/// A holder of lines: a local cluster or a remote socket. 0 is nobody.
using Holder = std::uint8_t;
inline constexpr Holder kNobody = 0;
inline constexpr unsigned kFirstCluster = 1;
inline constexpr unsigned kFirstSocket = 65;
constexpr Holder holder_of_cluster(unsigned cluster) noexcept { return static_cast<Holder>(kFirstCluster + cluster); }
constexpr Holder holder_of_socket(unsigned socket) noexcept { return static_cast<Holder>(kFirstSocket + socket); }

/// The exact holders of each line: a hash table of flat 16-byte entries with linear probing. A line without holders has
/// no entry. The table is small at first, because a large one costs a cache miss for each look-up, and grows by doubling;
/// otherwise nothing is allocated.
class Directory {
 public:
  class Entry {
   public:
    [[nodiscard]] std::uint64_t line() const noexcept { return word_ >> kLineShift; }
    [[nodiscard]] std::uint64_t clusters() const noexcept { return clusters_; }      ///< bit per local cluster
    [[nodiscard]] unsigned sockets() const noexcept { return word_ & kSocketMask; }  ///< bit per remote socket
    /// The holder that owns the line uniquely, or kNobody.
    [[nodiscard]] Holder owner() const noexcept { return static_cast<Holder>(word_ >> kOwnerShift); }
    [[nodiscard]] bool empty() const noexcept { return clusters_ == 0 && (word_ & kSocketMask) == 0; }

    void set_owner(Holder owner) noexcept {
      word_ = (word_ & ~(std::uint64_t{0xff} << kOwnerShift)) | std::uint64_t{owner} << kOwnerShift;
    }
    void add(Holder holder) noexcept {
      if (holder >= kFirstSocket)
        word_ |= std::uint64_t{1} << (holder - kFirstSocket);
      else
        clusters_ |= std::uint64_t{1} << (holder - kFirstCluster);
    }
    /// Remove a holder. Also ends its ownership.
    void remove(Holder holder) noexcept {
      if (holder >= kFirstSocket)
        word_ &= ~(std::uint64_t{1} << (holder - kFirstSocket));
      else if (holder != kNobody)
        clusters_ &= ~(std::uint64_t{1} << (holder - kFirstCluster));
      if (owner() == holder) set_owner(kNobody);
    }
    /// Make `holder` the only holder and the owner.
    void give_to(Holder holder) noexcept {
      clusters_ = 0;
      word_ &= ~std::uint64_t{kSocketMask};
      add(holder);
      set_owner(holder);
    }
    void forget_sockets() noexcept {
      word_ &= ~std::uint64_t{kSocketMask};
      if (owner() >= kFirstSocket) set_owner(kNobody);
    }

   private:
    friend class Directory;
    static constexpr unsigned kOwnerShift = 4;
    static constexpr unsigned kLineShift = 12;
    static constexpr unsigned kSocketMask = 0xf;
    std::uint64_t word_ = 0;  // line, owner, sockets
    std::uint64_t clusters_ = 0;
  };

  Directory();

  /// Prefetch: a request for the line follows soon.
  void prefetch(std::uint64_t line) const noexcept { __builtin_prefetch(&entries_[home(line)], 1); }

  /// @return the entry of the line or nullptr; valid until the next insert() or erase()
  [[nodiscard]] Entry* find(std::uint64_t line) noexcept {
    std::size_t slot = home(line);
    while (!entries_[slot].empty()) {
      if (entries_[slot].line() == line) return &entries_[slot];
      slot = (slot + 1) & mask_;
    }
    return nullptr;
  }
  /// Add `holder` to the line's entry, which is made if absent. @return the entry
  Entry& add(std::uint64_t line, Holder holder);
  /// Remove the entry; the line has no holders any more.
  void erase(Entry* entry) noexcept;
  void erase_if_empty(Entry* entry) noexcept {
    if (entry->empty()) erase(entry);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] std::size_t home(std::uint64_t line) const noexcept {
    return static_cast<std::size_t>(line * 0x9e37'79b9'7f4a'7c15U >> shift_);
  }
  void grow();

  std::vector<Entry, LargeTableAllocator<Entry>> entries_;
  std::size_t mask_;
  unsigned shift_;
  std::size_t size_ = 0;
};

}  // namespace pmufab::tegra410
