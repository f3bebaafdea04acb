// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "models/cmn/description/product.h"
#include "models/pmu/alarm.h"
#include "models/pmu/carry_path.h"
#include "models/pmu/counter.h"
#include "models/pmu/cycle_counter.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::cmn {

/// The path of carries from the DTMs of a domain to the DTC's counters.
struct CarryParameters {
  Picoseconds latency = 0;     ///< latency of the wires
  unsigned per_cycle = 0;      ///< carries a DTC takes per clock; 0: unlimited, without a queue
  std::size_t queue_room = 0;  ///< carries that can wait; more are lost. 0: unlimited. Needs per_cycle
};

/// Design parameters of the PMU. The defaults are the products', and exact.
struct PmuParameters {
  unsigned local_width = 16;   ///< bits of a DTM's counter: 8 ... 16
  unsigned global_width = 32;  ///< bits of a DTC's counter: 8 ... 32
  unsigned cycle_width = 40;   ///< bits of the cycle counter: 8 ... 40
  CarryParameters carry{};
  unsigned occupancy_width = 8;  ///< bits of the occupancy accumulators: 1 ... 32. Not public (inferred)
  bool snp_vc2_is_all = true;    ///< see passes()
  /// The cycle counter needs cg_disable. Linux 6.1 never sets it; with false, the counter runs without it, as on a part
  /// whose clock is not gated.
  bool cycles_need_cg_disable = true;
};

/// The PMU of a debug/trace controller: eight global counters, the cycle counter, overflow status and the interrupt.
///
/// - Global counters hold while the DTC does not count; a carry that arrives then is lost.
/// - The cycle counter runs while dt_en, pmu_en and cg_disable are set (strict: without cg_disable the real clock may
///   be gated at any time).
/// - Joined counters (pmcr.cntcfg, never used by the driver): the even one wraps into the odd one and sets no status;
///   the odd one takes no carries of its own (inferred).
class Dtc {
 public:
  /// Calls into the rest of the PMU.
  struct Callbacks {
    std::function<void(Picoseconds when)> settle;    ///< before anything is read or changed
    std::function<void(Picoseconds when)> changed;   ///< dtc_ctl or pmcr changed: recompute what is counted
    std::function<void(Picoseconds when)> snapshot;  ///< take a snapshot of the domain's DTMs
  };

  /// @param bank  the DTC node's registers; the DTC installs hooks in it
  Dtc(const ClockDomain& clock, const PmuParameters& parameters, RegisterBank& bank, InterruptLine& line,
      Callbacks callbacks);
  Dtc& operator=(Dtc&&) = delete;

  /// @return true if dt_en and pmu_en are set.
  [[nodiscard]] bool is_counting() const noexcept { return dt_en_ && pmu_en_; }
  /// @return the counter that DTMs carry into; nullptr if it takes no carries.
  [[nodiscard]] Counter* carry_target(unsigned counter) noexcept;
  [[nodiscard]] CarryPath& carry_path() noexcept { return path_; }
  [[nodiscard]] const CarryPath& carry_path() const noexcept { return path_; }

  /// Let `cycles` cycles pass at once for the cycle counter, if it runs.
  void pass_cycles(std::uint64_t cycles, Picoseconds when) { cycles_.pass(cycles, when); }

  /// Return to the state after reset. The owner resets the bank first.
  void reset();

 private:
  struct Place {
    Dtc* dtc;
    unsigned counter;
  };
  struct LineChange {
    Picoseconds when;
    bool high;
  };
  static constexpr unsigned kCycleBit = 8;

  void connect();
  void connect_counters();
  void connect_status();
  static void counter_overflowed(void* context, std::uint64_t wraps, Picoseconds when);
  static void cycles_overflowed(void* context, Picoseconds when);
  void overflowed(unsigned bit, Picoseconds when);
  void pmcr_changed(Picoseconds when);
  void update_running(Picoseconds when);
  [[nodiscard]] std::uint64_t counter_pair(unsigned pair) const;
  void write_counter_pair(const RegisterWrite& write);
  [[nodiscard]] std::uint64_t status(Picoseconds when) const;
  void clear_status(std::uint64_t bits, Picoseconds when);
  void take_snapshot(Picoseconds when);
  [[nodiscard]] bool is_joined(unsigned counter) const noexcept { return (cntcfg_ >> counter / 2 & 1U) != 0; }
  void update_line(Picoseconds when);
  void drive_line();

  RegisterBank& bank_;
  InterruptLine& line_;
  Callbacks callbacks_;
  CarryPath path_;
  std::deque<Counter> counters_;
  std::array<Place, kGlobalCounters> places_{};
  CycleCounter cycles_;
  bool cycles_need_cg_disable_;
  // Fields of dtc_ctl and pmcr.
  bool dt_en_ = false;
  bool cg_disable_ = false;
  bool pmu_en_ = false;
  unsigned cntcfg_ = 0;
  bool cntr_rst_ = false;
  bool ovfl_intr_en_ = false;
  std::uint64_t pmovsr_ = 0;                                // status so far; may lack an overflow of cycles_
  std::array<Picoseconds, kGlobalCounters + 1> set_times_;  // by bit: time of the last overflow
  std::uint64_t cycles_shadow_ = 0;
  std::uint64_t snapshot_status_ = 0;
  bool line_high_ = false;
  std::vector<LineChange> line_changes_;  // not driven yet
  Alarm line_alarm_;
};

}  // namespace pmufab::cmn
