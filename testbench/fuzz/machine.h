// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <tlm>

#include "testbench/fuzz/players.h"
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

/// Reads registers without side effects (debug transport).
class Peek {
 public:
  explicit Peek(MmioBus& bus) : bus_(&bus) {}
  /// @throws Violation if debug transport does not move all bytes
  [[nodiscard]] std::uint64_t operator()(std::uint64_t address, unsigned length) const;
  /// @return true if it moved all bytes
  bool get(std::uint64_t address, unsigned length, std::uint64_t& value) const;

 private:
  MmioBus* bus_;
};

/// The effects of an operation, for the checkers.
struct Effect {
  bool is_write = false;  ///< a write that was answered TLM_OK_RESPONSE
  std::uint64_t address = 0;
  unsigned length = 0;
  std::uint64_t data = 0;  ///< little endian, the first 8 bytes
  bool may_reset = false;  ///< configuration space was written or the platform reset: registers may be at their reset
                           ///< values
  Picoseconds when = 0;    ///< at the end of the operation

  [[nodiscard]] bool writes(std::uint64_t at, unsigned bytes) const noexcept {
    return is_write && address < at + bytes && at < address + length;
  }
};

/// The hardware under test: models behind a bus, with specific checks. One per process.
class Machine {
 public:
  virtual ~Machine() = default;
  [[nodiscard]] virtual MmioBus& bus() = 0;
  /// @return addresses of registers worth accessing.
  [[nodiscard]] virtual const std::vector<std::uint64_t>& places() const = 0;
  /// @return true if the address is in a window whose writes may reset something.
  [[nodiscard]] virtual bool resets(std::uint64_t /*address*/) const { return false; }
  /// Return to the state in which firmware leaves the machine, as far as software can see it.
  virtual void reset() = 0;
  /// Cause traffic or events. Never waits.
  virtual void act(unsigned kind, unsigned place, unsigned choice) = 0;
  /// @return true if everything that act() began has ended.
  [[nodiscard]] virtual bool idle() const = 0;
  /// Called after each operation, in the order of time. @throws Violation
  virtual void check(const Effect& effect) = 0;
  /// Called when all is over and before the reset. @throws Violation
  virtual void check_end() {}
  /// Called after a reset: everything must be as after the first reset. @throws Violation
  virtual void check_reset() = 0;
};

}  // namespace pmufab::fuzz
