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
    std::uint32_t part = 0x434;  ///< as in PERIPH_ID: CMN-600
    unsigned revision = 0;
    std::uint64_t root = 0x2000000;  ///< offset of the configuration node; 0 on all but CMN-600
    unsigned columns = 2;
    unsigned rows = 2;
  };
  static constexpr std::uint64_t kWindow = 64ULL << 20;
  static constexpr unsigned kCounters = 8;             ///< of a DTC, besides the cycle counter
  static constexpr unsigned kLocalCounters = 4;        ///< of an XP's DTM
  static constexpr std::uint64_t kDtcControl = 0xa00;  ///< dtc_ctl, from the DTC's node
  static constexpr std::uint64_t kPmcr = 0x100;        ///< from the PMU registers, like the following
  static constexpr std::uint64_t kPmevcnt = 0x0;       ///< counters 0 and 1
  static constexpr std::uint64_t kPmccntr = 0x40;
  static constexpr std::uint64_t kPmovsr = 0x118;
  static constexpr std::uint64_t kPmovsrClear = 0x120;
  static constexpr std::uint64_t kDtmPmuConfig = 0x210;
  static constexpr std::uint64_t kDtmPmevcnt = 0x220;
  static constexpr std::uint32_t kCycleBit = 1U << kCounters;  ///< in PMOVSR

  /// @param overflow one line for each DTC
  FakeCmn(const Options& options, std::vector<InterruptLine*> overflow);

  std::uint64_t read(std::uint64_t offset, unsigned size) override;
  void write(std::uint64_t offset, unsigned size, std::uint64_t value) override;

  /// Offset of a DTC's node, of its PMU registers, and of the PMU registers of an XP.
  [[nodiscard]] std::uint64_t dtc(unsigned index) const;
  [[nodiscard]] std::uint64_t dtc_pmu(unsigned index) const { return dtc(index) + pmu_offset_; }
  [[nodiscard]] std::uint64_t dtm(unsigned xp) const { return xp_base(xp) + pmu_offset_; }
  /// Node ID of an XP: X and Y in as many bits as the larger dimension needs, then three bits of port and device.
  [[nodiscard]] std::uint32_t xp_id(unsigned xp) const;

  /// The PMU of every DTC is on. DTC 0 reports it.
  [[nodiscard]] bool runs() const;
  /// Add to the cycle counter of a DTC (40 bits) if it runs.
  void cycle(unsigned dtc, std::uint64_t cycles);
  /// Add to counter `counter` of an XP (16 bits) if it runs; what wraps goes to the DTC counter it is paired with.
  void count(unsigned xp, unsigned counter, std::uint64_t amount);
  [[nodiscard]] std::uint32_t overflow(unsigned dtc) const;

 private:
  [[nodiscard]] std::uint64_t xp_base(unsigned xp) const { return 0x100000ULL * (xp + 1); }
  void add_node(std::uint64_t offset, std::uint32_t type, std::uint32_t id, std::uint32_t logical_id);
  void set_children(std::uint64_t offset, const std::vector<std::uint64_t>& children);
  std::uint64_t& at(std::uint64_t offset) { return registers_[offset]; }
  [[nodiscard]] std::uint64_t value(std::uint64_t offset) const;
  void set_overflow(unsigned dtc, std::uint32_t bits);

  Options options_;
  std::uint64_t pmu_offset_;
  std::vector<InterruptLine*> lines_;
  std::map<std::uint64_t, std::uint64_t> registers_;  ///< 64 bits each
};

}  // namespace pmufab::driver_host::testing
