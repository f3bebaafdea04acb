// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "testbench/host/register_access/register_access.h"

namespace pmufab::cxl_client {

/// A filter value that lets everything pass.
inline constexpr std::uint32_t kAny = 0xffff'ffff;

/// What a counter is to count.
struct CpmuRequest {
  std::uint16_t vendor = 0x1e98;
  std::uint16_t group = 0;
  std::uint32_t events = 1;  ///< mask within the group
  std::uint8_t threshold = 0;
  bool invert = false;
  bool edge = false;
  std::uint32_t hdm_decoders = kAny;  ///< filter 0: one bit per decoder
  std::uint32_t ddr_location = kAny;  ///< filter 1: bank, bank group, rank, channel from the lowest byte up; 0xff: any
  bool interrupt = true;              ///< overflow sends a message
  bool global_freeze = false;         ///< overflow freezes all counters until handle_overflow()
};

/// Software that programs a CXL CPMU exactly as the specification (CXL 3.1, 8.2.7) says: the reference for the model
/// and an example for drivers. It owns the CPMU.
///
/// Counts are 64 bits wide whatever the width of the counters, as long as handle_overflow() is called before a counter
/// wraps a second time.
class CpmuClient {
 public:
  /// Reads the capabilities. Nothing is written.
  /// @param access  needs read64, write64 and write32
  /// @param base  address of the register block
  /// @throws std::runtime_error if the version of the block is not 1
  CpmuClient(RegisterAccess access, std::uint64_t base);

  [[nodiscard]] unsigned counters() const noexcept { return static_cast<unsigned>(slots_.size()); }
  [[nodiscard]] unsigned width() const noexcept { return width_; }
  [[nodiscard]] bool can_freeze() const noexcept { return can_freeze_; }
  /// @return true if counters could be opened for all of these at a time, if none were open.
  [[nodiscard]] bool has_counters_for(std::span<const CpmuRequest> requests) const;

  /// Program a free counter and enable it: a fixed one that counts exactly this, or else a configurable one.
  /// @return the counter; empty if none is free, or the CPMU cannot count this
  std::optional<unsigned> open(const CpmuRequest& request);
  /// Disable the counter and remove its program. Its count can be read until it is opened again.
  void close(unsigned counter);

  /// Freeze all counters, or let them count. Initially they count. Does nothing without the freeze capability.
  void freeze();
  void unfreeze();

  /// @return events counted since open(). Counters are frozen during the reading.
  std::uint64_t count(unsigned counter);
  /// Call it for each message of the CPMU: reads and clears the overflow status, and unfreezes counters.
  /// @return the counters that had overflowed; 0: the message was not from this CPMU
  std::uint64_t handle_overflow();

 private:
  struct Group {
    std::uint16_t vendor;
    std::uint16_t group;
    std::uint32_t supported;
    bool taken;  // by a fixed or free-running counter
  };
  struct Slot {
    unsigned type;
    std::uint64_t configuration;  // for fixed counters: the part that cannot be changed
    bool open = false;
    std::uint64_t last = 0;
    std::uint64_t count = 0;
  };

  [[nodiscard]] std::uint64_t read(std::uint64_t offset) const { return access_.read64(base_ + offset); }
  void write(std::uint64_t offset, std::uint64_t value) const { access_.write64(base_ + offset, value); }
  void read_capabilities();
  [[nodiscard]] bool can_filter(const CpmuRequest& request) const;
  [[nodiscard]] std::optional<unsigned> find_fixed(const CpmuRequest& request, const std::vector<Slot>& slots) const;
  [[nodiscard]] static std::optional<unsigned> find_configurable(const std::vector<Slot>& slots);
  [[nodiscard]] std::optional<unsigned> find_group(const CpmuRequest& request) const;
  void start(unsigned counter, std::uint64_t configuration, const CpmuRequest& request);
  std::uint64_t collect();
  void account(unsigned counter, std::uint64_t value, bool overflowed);

  RegisterAccess access_;
  std::uint64_t base_;
  unsigned width_ = 0;
  std::uint64_t filters_ = 0;
  bool can_freeze_ = false;
  bool frozen_ = false;
  std::uint64_t freezable_ = 0;  // one bit per counter
  std::vector<Group> groups_;
  std::vector<Slot> slots_;
};

}  // namespace pmufab::cxl_client
