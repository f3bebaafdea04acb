#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cmn/types.h"

namespace pmufab::cmn {

/// Flits that wait to be uploaded by one device on one channel: in the order of `ready`, then of arrival.
class Outbox {
 public:
  struct Posted {
    Cycle ready;           ///< first cycle in which it may go
    std::uint32_t handle;  ///< of the flit
    bool tell;             ///< the device wants to know when it goes
  };

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const Posted& front() const noexcept { return at(0); }
  Posted pop() noexcept {
    const Posted first = at(0);
    // Starting anew when it is empty keeps to the places that are near in the host's caches.
    first_ = --size_ == 0 ? 0 : (first_ + 1) & (ring_.size() - 1);
    return first;
  }
  void push(const Posted& posted) {
    if (size_ == ring_.size()) grow();
    // Nearly always it is the last.
    std::size_t place = size_++;
    for (; place > 0 && at(place - 1).ready > posted.ready; --place) at(place) = at(place - 1);
    at(place) = posted;
  }

 private:
  [[nodiscard]] Posted& at(std::size_t i) noexcept { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  [[nodiscard]] const Posted& at(std::size_t i) const noexcept { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  void grow() {
    std::vector<Posted> larger(ring_.empty() ? 32 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = at(i);
    ring_.swap(larger);
    first_ = 0;
  }

  std::vector<Posted> ring_;  // its size is a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pmufab::cmn
