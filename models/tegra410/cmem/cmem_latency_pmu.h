// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/pmu/cycle_count.h"
#include "models/pmu/occupancy_accumulator.h"
#include "models/tegra410/cmem/cmem_controllers.h"
#include "models/tegra410/parameters.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::tegra410 {

/// The CMEM latency PMU of a socket (ACPI NVDA2021): 14 instances with three memory controllers each, and a window that
/// writes to all instances at once. Registers are those of nvidia_t410_cmem_latency_pmu.c; 64-bit accesses only.
///
/// Nothing is stepped or scheduled: counters and overflow status are computed when they are read.
class CmemLatencyPmu : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kWindowSize = 0x1000;
  static constexpr unsigned kWindows = kCmemInstances + 1;  ///< the last one is the broadcast window

  /// @param clock  the UCF clock; must outlive the PMU
  CmemLatencyPmu(const sc_core::sc_module_name& name, const CmemLatencyPmuParameters& parameters,
                 const ClockDomain& clock);
  ~CmemLatencyPmu() override;

  /// A read of `parts` 32-byte requests is on the wires in [start, end). `now` is when it was accepted; no later call
  /// or register access may name an earlier time.
  void read(CmemControllers::Place place, std::uint64_t parts, Picoseconds now, Picoseconds start, Picoseconds end) {
    controllers_[place.instance * kCmemControllersPerInstance + place.controller].add(now, start, end, parts);
  }

  /// Let `cycles` cycles of the clock pass at once, for the cycle counters that run. Outstanding reads do not see these
  /// cycles.
  void pass_cycles(std::uint64_t cycles, Picoseconds when) {
    for (Instance& instance : instances_) instance.passed_all |= instance.cycles.pass(cycles, when);
  }
  [[nodiscard]] const ClockDomain& clock() const noexcept { return instances_.front().cycles.clock(); }

  /// Set registers and counters to the state after power-up. Reads under way remain.
  void reset();

  /// @param window  0 ... 13: instances; 14: broadcast
  [[nodiscard]] const RegisterBank& bank(unsigned window) const { return *banks_.at(window); }

  /// All windows, one after the other.
  tlm_utils::simple_target_socket<CmemLatencyPmu, 64> socket;

 private:
  struct Instance {
    CycleCount cycles;        // always 64 bits, to detect wraps of a narrower counter
    bool passed_all = false;  // 64 bits of cycles that passed at once wrapped
    bool enabled = false;
    bool clocked = false;
    bool running = false;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void build_instance(unsigned index);
  void build_broadcast();
  void write_clock_gate(unsigned index, std::uint64_t value, Picoseconds when);
  void write_enable(unsigned index, std::uint64_t value, Picoseconds when);
  void update(unsigned index, Picoseconds when);
  void clear(unsigned index, Picoseconds when);
  [[nodiscard]] std::uint64_t status(unsigned index, Picoseconds when) const;
  [[nodiscard]] OccupancyAccumulator& controller(unsigned instance, unsigned controller) {
    return controllers_[instance * kCmemControllersPerInstance + controller];
  }

  std::uint64_t maximum_;
  std::vector<Instance> instances_;
  std::vector<OccupancyAccumulator> controllers_;
  std::vector<std::unique_ptr<RegisterBank>> banks_;
  RegisterField clock_gate_{}, enable_{};  // the same in every bank
};

}  // namespace pmufab::tegra410
