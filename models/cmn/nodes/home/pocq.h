// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/home/home_output.h"
#include "models/cmn/nodes/home/home_rules.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/pmu/occupancy.h"

namespace pmufab::cmn {

/// A request in a home's point of coherency queue, and its progress.
struct PocqEntry {
  static constexpr std::uint16_t kNoRnf = 0xffff;

  std::uint64_t address = 0;
  std::uint64_t line = 0;
  HomeClasses classes;  ///< classes of the request's events
  HomeRule rule;
  std::uint16_t requester = 0;  ///< node id; for a stash that pulls data, later its target
  std::uint16_t rnf = kNoRnf;   ///< the requester's index among RN-Fs
  std::uint16_t txnid = 0;      ///< the requester's
  std::uint16_t stash_target = 0;
  bool stash_target_valid = false;
  std::uint8_t opcode = 0;
  std::uint8_t size = 0;
  std::uint8_t qos = 0;
  std::uint8_t qos_class = 0;
  std::uint8_t memattr = 0;
  std::uint8_t ns = 0;
  bool expects_ack = false;  ///< ExpCompAck

  /// @name What the request still waits for
  /// @{
  std::uint16_t snoops_left = 0;
  std::uint8_t memory_flits_left = 0;
  std::uint8_t write_flits_left = 0;
  std::uint8_t sends_left = 0;
  bool ack_left = false;
  /// @}

  /// @name Progress
  /// @{
  bool waits = false;        ///< for its line
  bool snooped = false;      ///< all snoop responses have arrived
  bool complete = false;     ///< the data has arrived, and the SLC is up to date
  bool slc_hit = false;      ///< at lookup
  bool slc_dirty = false;    ///< at lookup
  bool alone = false;        ///< the requester is the only sharer in the snoop filter
  bool snoop_data = false;   ///< a snoop response brought data
  bool snoop_dirty = false;  ///< and it was dirty
  bool forwarded = false;    ///< the requester gets the data from an RN-F
  bool memory_data = false;  ///< the data comes from memory
  std::uint8_t write_resp = 0;
  /// @}
};

/// A home's point of coherency queue: an entry for each request that is in progress or waits for its line.
class Pocq {
 public:
  static constexpr unsigned kNoEntry = ~0U;

  explicit Pocq(unsigned entries);

  /// @return true if a request for the line is in the queue.
  [[nodiscard]] bool has(std::uint64_t line) const noexcept {
    bool found = false;
    for (const std::uint64_t one : lines_) found |= one == line;  // without an early exit, which is faster
    return found;
  }
  /// Give a request the lowest free entry. There must be one.
  unsigned allocate(const PocqEntry& request, Cycle now);
  void free(unsigned number, Cycle now);
  [[nodiscard]] PocqEntry& operator[](unsigned number) noexcept { return entries_[number]; }
  /// @return the line of an entry; meaningless for a free entry.
  [[nodiscard]] std::uint64_t line(unsigned number) const noexcept { return lines_[number]; }
  /// @throws std::out_of_range for a free entry
  [[nodiscard]] PocqEntry& at(unsigned number);

  /// Let a request wait for its line.
  void wait(unsigned number) noexcept {
    entries_[number].waits = true;
    ++waiting_;
  }
  void end_wait(unsigned number) noexcept {
    entries_[number].waits = false;
    --waiting_;
  }
  /// @return the oldest request that waits for the line, or kNoEntry.
  [[nodiscard]] unsigned oldest_waiting(std::uint64_t line) const noexcept;

  [[nodiscard]] unsigned used() const noexcept { return numbers_.used(); }
  [[nodiscard]] unsigned unused() const noexcept { return numbers_.free(); }
  /// Entries by filter occup1 and by class_occup.
  [[nodiscard]] const Occupancy& occupancy() const noexcept { return occupancy_; }
  [[nodiscard]] const Occupancy& class_occupancy() const noexcept { return class_occupancy_; }
  /// The cycles in which there was no free entry.
  [[nodiscard]] const Level& full() const noexcept { return full_; }

 private:
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

  std::vector<PocqEntry> entries_;
  std::vector<std::uint64_t> lines_;      // by entry; kNoLine for free ones
  std::vector<std::uint64_t> sequences_;  // order of allocation
  EntryNumbers numbers_;
  std::uint64_t next_sequence_ = 0;
  unsigned waiting_ = 0;
  Occupancy occupancy_;
  Occupancy class_occupancy_;
  Level full_;
};

}  // namespace pmufab::cmn
