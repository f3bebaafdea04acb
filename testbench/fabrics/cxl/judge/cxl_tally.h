// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/fabrics/cxl/judge/wires/cxl_wires.h"

namespace pmufab::scoreboard {

/// The messages one component sent and received, by event group, event and HDM decoder.
class CxlTally {
 public:
  static constexpr unsigned kEvents = 32;
  static constexpr unsigned kNoDecoder = 16;  ///< no decoder claims the address, or the component has none

  /// Called for each message as it is counted.
  class Listener {
   public:
    virtual void on_event(std::uint16_t group, unsigned bit, unsigned decoder, std::uint64_t amount,
                          Picoseconds when) = 0;

   protected:
    ~Listener() = default;
  };

  /// @return true if the group is one of messages.
  [[nodiscard]] static constexpr bool has(std::uint16_t group) noexcept {
    return (group >= 0x10 && group <= 0x14) || has_hdm_address(group);
  }
  /// @param amount  of such messages, all at `when`
  void count(std::uint16_t group, unsigned bit, std::optional<unsigned> decoder, Picoseconds when,
             std::uint64_t amount = 1) {
    const unsigned place = std::min(decoder.value_or(kNoDecoder), kNoDecoder);
    counts_[row(group)][bit % kEvents][place] += amount;
    for (Listener* const listener : listeners_) listener->on_event(group, bit, place, amount, when);
  }
  /// @return messages of a decoder, or of none, since the beginning.
  [[nodiscard]] std::uint64_t of(std::uint16_t group, unsigned bit, unsigned decoder) const {
    return counts_[row(group)][bit % kEvents][decoder];
  }
  /// @return messages of all addresses.
  [[nodiscard]] std::uint64_t of(std::uint16_t group, unsigned bit) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t decoder : counts_[row(group)][bit % kEvents]) sum += decoder;
    return sum;
  }
  void add(Listener& listener) { listeners_.push_back(&listener); }
  void remove(Listener& listener) { std::erase(listeners_, &listener); }

 private:
  // 0x10 ... 0x14, 0x20 ... 0x25
  static constexpr unsigned kRows = 11;
  [[nodiscard]] static constexpr std::size_t row(std::uint16_t group) {
    return group >= 0x20 ? group - 0x1bU : group - 0x10U;
  }

  std::array<std::array<std::array<std::uint64_t, kNoDecoder + 1>, kEvents>, kRows> counts_{};
  std::vector<Listener*> listeners_;
};

}  // namespace pmufab::scoreboard
