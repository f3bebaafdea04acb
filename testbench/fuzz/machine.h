// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <tlm>

#include "testbench/fuzz/violation.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::fuzz {

/// Throws Violation with `what` unless `holds`.
template <typename Text>
void require(bool holds, const Text& what) {
  if (holds) [[likely]]
    return;
  if constexpr (std::is_invocable_v<Text>) {
    throw Violation(what());
  } else {
    throw Violation(what);
  }
}

/// Reads registers without touching them (debug transport).
class Peek {
 public:
  explicit Peek(MmioBus& bus) : bus_(&bus) {}
  /// @throws Violation if debug transport does not move all bytes
  [[nodiscard]] std::uint64_t operator()(std::uint64_t address, unsigned length) const;
  /// @return whether it moved all bytes
  bool get(std::uint64_t address, unsigned length, std::uint64_t& value) const;

 private:
  MmioBus* bus_;
};

/// What an operation did, for those who check.
struct Effect {
  bool is_write = false;  ///< a write that was answered TLM_OK_RESPONSE
  std::uint64_t address = 0;
  unsigned length = 0;
  std::uint64_t data = 0;  ///< little endian, the first 8 bytes
  bool may_reset =
      false;             ///< configuration space was written or the platform reset: anything may be at its reset value
  Picoseconds when = 0;  ///< at the end of the operation

  [[nodiscard]] bool writes(std::uint64_t at, unsigned bytes) const noexcept {
    return is_write && address < at + bytes && at < address + length;
  }
};

/// What is fuzzed: some hardware behind a bus, with checks of its own. One per process.
class Machine {
 public:
  virtual ~Machine() = default;
  [[nodiscard]] virtual MmioBus& bus() = 0;
  /// Addresses of registers worth trying.
  [[nodiscard]] virtual const std::vector<std::uint64_t>& places() const = 0;
  /// Is the address in a window whose writes may reset anything?
  [[nodiscard]] virtual bool resets(std::uint64_t /*address*/) const { return false; }
  /// Back to the state in which firmware leaves it, as far as software can see it.
  virtual void reset() = 0;
  /// Traffic or events. Never waits.
  virtual void act(unsigned kind, unsigned place, unsigned choice) = 0;
  /// Is all that act() began over?
  [[nodiscard]] virtual bool idle() const = 0;
  /// Called after each operation, in the order of time. @throws Violation
  virtual void check(const Effect& effect) = 0;
  /// Called when all is over and before the reset. @throws Violation
  virtual void check_end() {}
  /// Called after a reset: everything must be as after the first one. @throws Violation
  virtual void check_reset() = 0;
};

}  // namespace pmufab::fuzz
