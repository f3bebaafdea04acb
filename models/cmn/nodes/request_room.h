#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "models/cmn/nodes/ring.h"

namespace pmufab::cmn {

/// Room for requests, and who waits for some: the retry protocol of a node that receives requests (rule 1.6).
class RequestRoom {
 public:
  /// @param places    how many requests fit
  /// @param node_ids  ids of senders are below this
  RequestRoom(unsigned places, std::size_t node_ids) : free_(places), reserved_(node_ids) {}

  /// A request arrives. @return true if it has room now; false: RetryAck, and its sender is remembered
  /// @throws std::logic_error if it claims a reservation its sender does not have
  bool take(std::uint16_t sender, bool allow_retry) {
    if (!allow_retry) {
      if (reserved_[sender] == 0) throw std::logic_error("a request came with a credit its sender does not have");
      --reserved_[sender];
      return true;
    }
    if (free_ == 0) {
      waiting_.push(sender);
      return false;
    }
    --free_;
    return true;
  }
  /// A request leaves. @return who gets its room, reserved now: PCrdGrant
  std::optional<std::uint16_t> give_back() {
    if (waiting_.empty()) {
      ++free_;
      return std::nullopt;
    }
    const std::uint16_t sender = waiting_.pop();
    ++reserved_[sender];
    return sender;
  }

  [[nodiscard]] unsigned free() const noexcept { return free_; }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

 private:
  unsigned free_;
  Ring<std::uint16_t> waiting_;
  std::vector<std::uint16_t> reserved_;  // by node id
};

}  // namespace pmufab::cmn
