// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "testbench/run/process/descriptor.h"

namespace pmufab::guest {

/// The time in a virtual machine, and when events from outside may reach it.
class GuestClock {
 public:
  using Duration = std::chrono::nanoseconds;

  virtual ~GuestClock() = default;
  /// @return since the machine was started
  [[nodiscard]] virtual Duration now() const = 0;
  /// @return true if the same program sees the same times in each run: nothing may depend on the wall clock
  [[nodiscard]] virtual bool is_deterministic() const = 0;
  /// @return true if interrupts may be sent and time may pass; otherwise the machine has to halt first
  [[nodiscard]] virtual bool may_act() const = 0;
  /// Let a halted machine continue, once everything has been done.
  virtual void go_on() = 0;

  /// Add descriptors to poll, before everything the machine may have sent earlier.
  virtual void add_to(std::vector<pollfd>& files) const = 0;
  /// Read from a descriptor that poll() reported; descriptors of others are ignored.
  virtual void serve(const pollfd& file) = 0;
};

/// The wall clock: the machine runs as fast as it can, and never waits.
class WallClock final : public GuestClock {
 public:
  [[nodiscard]] Duration now() const override { return std::chrono::steady_clock::now() - begin_; }
  [[nodiscard]] bool is_deterministic() const override { return false; }
  [[nodiscard]] bool may_act() const override { return true; }
  void go_on() override {}
  void add_to(std::vector<pollfd>& /*files*/) const override {}
  void serve(const pollfd& /*file*/) override {}

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The clock counts the machine's instructions, each of which takes the same time. A plugin in QEMU
/// (qemu_plugin/instruction_clock.c) counts them. It halts the machine every kQuantum to report the time and to wait
/// for go_on().
class InstructionClock final : public GuestClock {
 public:
  /// An instruction takes 2 to the power of this many nanoseconds; all CPUs together execute one at a time.
  static constexpr unsigned kShift = 5;
  static constexpr Duration kQuantum = std::chrono::microseconds(100);

  /// @param socket  where the plugin finds it
  /// @throws std::system_error if it cannot be made
  explicit InstructionClock(const std::filesystem::path& socket);

  [[nodiscard]] Duration now() const override { return now_; }
  [[nodiscard]] bool is_deterministic() const override { return true; }
  [[nodiscard]] bool may_act() const override { return halted_; }
  void go_on() override;
  void add_to(std::vector<pollfd>& files) const override;
  void serve(const pollfd& file) override;

 private:
  process::Descriptor listener_;
  process::Descriptor machine_;
  Duration now_{};
  bool halted_ = false;
};

}  // namespace pmufab::guest
