// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

namespace pmufab::cmn {

/// A requester's record of requests answered with RetryAck: when each may be sent again (docs/cmn-nodes.md, rule 1.6).
/// A credit of a node and type goes to the request retried longest ago.
class RetriedRequests {
 public:
  static constexpr unsigned kNone = ~0U;

  /// @param entries  number of transactions of the requester: 0 ... entries - 1
  explicit RetriedRequests(unsigned entries) : next_(entries, kNone) {
    constexpr std::size_t kUsualNodes = 160;  // no mesh has more that take requests
    queues_.reserve(kUsualNodes);
  }

  /// RetryAck for a transaction. @return the transaction to send again now, or kNone
  unsigned retry(std::uint16_t node, std::uint8_t type, unsigned entry) {
    Queue& queue = queue_of(node, type);
    ++waiting_;
    next_[entry] = kNone;
    (queue.first == kNone ? queue.first : next_[queue.last]) = entry;
    queue.last = entry;
    if (queue.credits == 0) return kNone;
    --queue.credits;
    return pop(queue);
  }
  /// PCrdGrant. @return the transaction to send again now, or kNone: the credit waits for the RetryAck
  unsigned grant(std::uint16_t node, std::uint8_t type) {
    Queue& queue = queue_of(node, type);
    if (queue.first != kNone) return pop(queue);
    ++queue.credits;
    return kNone;
  }
  /// @return the number of transactions that wait for a credit.
  [[nodiscard]] unsigned waiting() const noexcept { return waiting_; }

 private:
  struct Queue {
    std::uint16_t node;
    std::uint8_t type;
    unsigned credits = 0;
    unsigned first = kNone;
    unsigned last = kNone;
  };
  Queue& queue_of(std::uint16_t node, std::uint8_t type) {
    for (Queue& queue : queues_) {
      if (queue.node == node && queue.type == type) return queue;
    }
    return queues_.emplace_back(Queue{node, type});
  }
  unsigned pop(Queue& queue) noexcept {
    const unsigned entry = queue.first;
    queue.first = next_[entry];
    --waiting_;
    return entry;
  }

  std::vector<Queue> queues_;
  std::vector<unsigned> next_;  // list of those waiting for a credit of the same node
  unsigned waiting_ = 0;
};

/// A completer's record of the requests it had no room for, and of reserved room (rule 1.6).
class RequestCredits {
 public:
  /// @return true if a request may take one of `free` places. A request without AllowRetry uses a reservation of its
  ///         sender.
  [[nodiscard]] bool accept(std::uint16_t sender, bool allow_retry, unsigned free) noexcept {
    if (allow_retry) return free > reserved_;
    assert(sender < reservations_.size() && reservations_[sender] > 0 && free > 0);
    --reservations_[sender];
    --reserved_;
    return true;
  }
  /// A request gets RetryAck.
  void remember(std::uint16_t sender) {
    if (size_ == ring_.size()) grow();
    ring_[(first_ + size_++) & (ring_.size() - 1)] = sender;
    if (sender >= reservations_.size()) reservations_.resize(sender + std::size_t{1});
  }
  /// Reserve a free place for the sender that has waited longest. @return true if there is one; it gets PCrdGrant
  [[nodiscard]] bool grant(unsigned free, std::uint16_t& sender) noexcept {
    if (size_ == 0 || free <= reserved_) return false;
    sender = ring_[first_];
    first_ = (first_ + 1) & (ring_.size() - 1);
    --size_;
    ++reserved_;
    ++reservations_[sender];
    return true;
  }
  /// @return the number of reserved places and remembered requests.
  [[nodiscard]] unsigned pending() const noexcept { return reserved_ + static_cast<unsigned>(size_); }

 private:
  void grow() {
    std::vector<std::uint16_t> larger(ring_.empty() ? 256 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }

  std::vector<std::uint16_t> ring_;  // senders; its size is a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  unsigned reserved_ = 0;
  std::vector<std::uint16_t> reservations_;  // by sender
};

}  // namespace pmufab::cmn
