// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// Flits that wait to be uploaded by one device on one channel, in the order of `ready`, then of posting. There are
/// rarely more than a few: the first lie in the box's own cache line.
class alignas(64) Outbox {
 public:
  struct Posted {
    Cycle ready;               ///< first cycle in which it may go
    std::uint32_t handle;      ///< the flit's
    bool tell;                 ///< call the device when it goes
    std::uint8_t target_xp;    ///< destination
    std::uint8_t target_port;  ///< destination
  };

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const Posted& front() const noexcept { return first_[0]; }
  Posted pop() noexcept {
    const Posted first = first_[0];
    std::copy(first_.begin() + 1, first_.end(), first_.begin());
    if (--size_ >= kFirst) first_[kFirst - 1] = others_->pop();
    return first;
  }
  void push(const Posted& posted) {
    if (size_ < kFirst) {
      insert(posted, size_++);
      return;
    }
    ++size_;
    if (first_[kFirst - 1].ready <= posted.ready) {  // the usual case
      others_->push(posted);
    } else {
      others_->push_front(first_[kFirst - 1]);
      insert(posted, kFirst - 1);
    }
  }

 private:
  static constexpr std::uint32_t kFirst = 3;

  class Ring {
   public:
    void push(const Posted& posted) {
      if (size_ == places_.size()) grow();
      // Usually it is the last.
      std::size_t place = size_++;
      for (; place > 0 && at(place - 1).ready > posted.ready; --place) at(place) = at(place - 1);
      at(place) = posted;
    }
    void push_front(const Posted& posted) {
      if (size_ == places_.size()) grow();
      ++size_;
      begin_ = (begin_ - 1) & (places_.size() - 1);
      at(0) = posted;
    }
    Posted pop() noexcept {
      const Posted first = at(0);
      // An empty ring restarts at its beginning, which is likely in the host's caches.
      begin_ = --size_ == 0 ? 0 : (begin_ + 1) & (places_.size() - 1);
      return first;
    }

   private:
    [[nodiscard]] Posted& at(std::size_t i) noexcept { return places_[(begin_ + i) & (places_.size() - 1)]; }
    void grow() {
      std::vector<Posted> larger(2 * places_.size());
      for (std::size_t i = 0; i < size_; ++i) larger[i] = at(i);
      places_.swap(larger);
      begin_ = 0;
    }

    std::vector<Posted> places_ = std::vector<Posted>(32);  // the size is a power of two
    std::size_t begin_ = 0;
    std::size_t size_ = 0;
  };

  /// Insert a flit into the first ones, of which there are `count`.
  void insert(const Posted& posted, std::uint32_t count) noexcept {
    std::uint32_t place = count;
    for (; place > 0 && first_[place - 1].ready > posted.ready; --place) first_[place] = first_[place - 1];
    first_[place] = posted;
  }

  std::array<Posted, kFirst> first_{};
  std::unique_ptr<Ring> others_ = std::make_unique<Ring>();  // made at construction, so that nothing is allocated later
  std::uint32_t size_ = 0;
};
static_assert(sizeof(Outbox) == 64);

}  // namespace pmufab::cmn
