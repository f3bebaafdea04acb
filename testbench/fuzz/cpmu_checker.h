// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/cxl/cpmu/cpmu_parameters.h"
#include "testbench/fuzz/machine.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::fuzz {

/// Checks the registers of one CXL CPMU from outside: reads them by debug transport after each operation, and compares
/// the changes with what the specification (CXL 3.1, 8.2.7) allows between two checks.
class CpmuChecker {
 public:
  /// @param address  of the register block
  CpmuChecker(std::string name, MmioBus& bus, std::uint64_t address, const cxl::CpmuParameters& parameters);

  /// @param messages  number of messages the CPMU has sent since the beginning
  void check(const Effect& effect, std::uint64_t messages);
  /// Check at the end of an input: no message may be outstanding.
  void check_end() const;
  /// Start again: accept the present state as right.
  void forget(Picoseconds when, std::uint64_t messages);

 private:
  struct Counter {
    std::uint64_t configuration = 0;
    std::uint64_t data = 0;
  };
  struct Look {
    std::uint64_t status = 0;
    std::uint64_t freeze = 0;
    std::vector<Counter> counters;
  };

  [[nodiscard]] Look look() const;
  void check_look(const Look& after) const;
  void check_status(const Effect& effect, const Look& after);
  void check_freeze(const Effect& effect, const Look& after) const;
  void check_counter(const Effect& effect, const Look& after, unsigned counter);
  void check_overflow(const Effect& effect, const Look& after, unsigned counter);
  [[nodiscard]] bool writes(const Effect& effect, std::uint64_t offset) const {
    return effect.writes(address_ + offset, 8);
  }
  [[nodiscard]] std::string text(unsigned counter, const char* what) const;

  std::string name_;
  Peek peek_;
  std::uint64_t address_;
  cxl::CpmuParameters parameters_;
  unsigned count_;
  std::uint64_t mask_;  // mask of counter values
  std::uint64_t can_freeze_ = 0;
  std::uint64_t capability_;
  Look before_;
  std::vector<Picoseconds> owed_;  // by counter: since when the status of a wrapped counter must be set; 0: it need not
                                   // be
  std::uint64_t sent_ = 0;         // messages up to the last check
  std::uint64_t base_ = 0;         // up to the last forget()
  std::uint64_t certain_ = 0;      // messages since then that must have been or will be sent
  std::uint64_t possible_ = 0;     // messages that may have been sent
};

}  // namespace pmufab::fuzz
