// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "testbench/tests/host/fake_devices.h"

namespace pmufab::driver_host::testing {

/// The registers of an Arm CMN mesh, as far as arm-cmn reads them: a configuration node, a grid of XPs, debug trace
/// controllers (DTC) on the first XPs, and one HN-F on every XP. This is not a model: nothing moves, and a test sets
/// the counts. Offsets and fields: CMN-600 technical reference manual, as the driver uses them (arm_cmn_discover).
class FakeCmn : public FakeDevice {
 public:
  struct Options {
    std::uint32_t part = 0x434;      ///< as in PERIPH_ID: CMN-600
    std::uint64_t root = 0x2000000;  ///< offset of the configuration node; 0 on all but CMN-600
  };
  static constexpr unsigned kColumns = 2;
  static constexpr unsigned kRows = 2;
  static constexpr std::uint64_t kWindow = 64ULL << 20;
  static constexpr unsigned kCounters = 8;             ///< of a DTC, besides the cycle counter
  static constexpr std::uint64_t kDtcControl = 0xa00;  ///< dtc_ctl, from the DTC's node
  static constexpr std::uint64_t kPmcr = 0x100;        ///< from the PMU registers, like the following
  static constexpr std::uint64_t kPmccntr = 0x40;
  static constexpr std::uint64_t kPmovsr = 0x118;
  static constexpr std::uint64_t kPmovsrClear = 0x120;
  static constexpr std::uint32_t kCycleBit = 1U << kCounters;  ///< in PMOVSR

  /// @param overflow one line for each DTC
  FakeCmn(const Options& options, std::vector<InterruptLine*> overflow);

  std::uint64_t read(std::uint64_t offset, unsigned size) override;
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;

  /// Offset of a DTC's node, and of its PMU registers.
  [[nodiscard]] std::uint64_t dtc(unsigned index) const;
  [[nodiscard]] std::uint64_t dtc_pmu(unsigned index) const { return dtc(index) + pmu_offset_; }
  /// Node ID of an XP: X and Y in a bit each, then three bits of port and device.
  [[nodiscard]] static std::uint32_t xp_id(unsigned xp) { return xp % kColumns << 4 | xp / kColumns << 3; }

  /// The PMU of every DTC is on. DTC 0 reports it.
  [[nodiscard]] bool runs() const;
  /// Add to the cycle counter of a DTC (40 bits) if it runs.
  void cycle(unsigned dtc, std::uint64_t cycles);
  [[nodiscard]] std::uint32_t overflow(unsigned dtc) const;

 private:
  [[nodiscard]] std::uint64_t xp_base(unsigned xp) const { return 0x100000ULL * (xp + 1); }
  void add_node(std::uint64_t offset, std::uint32_t type, std::uint32_t id, std::uint32_t logical_id);
  void set_children(std::uint64_t offset, const std::vector<std::uint64_t>& children);
  std::uint64_t& at(std::uint64_t offset) { return registers_[offset]; }
  [[nodiscard]] std::uint64_t value(std::uint64_t offset) const;
  void set_overflow(unsigned dtc, std::uint32_t bits);

  std::uint64_t pmu_offset_;
  std::vector<InterruptLine*> lines_;
  std::map<std::uint64_t, std::uint64_t> registers_;  ///< 64 bits each
};

}  // namespace pmufab::driver_host::testing
