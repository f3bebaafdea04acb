// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/run/tracing/trace_listener.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scenario {

/// What of a run is written down. Without any condition: everything.
struct TraceFilter {
  std::vector<std::string> pmus;       ///< patterns: perf's names of PMUs, and names of register banks
  std::vector<std::string> registers;  ///< patterns: names of registers; then nothing but them
  std::optional<Picoseconds> from{};   ///< times since the drivers were loaded; then nothing of their loading
  std::optional<Picoseconds> to{};
};

/// Add a condition as an option says: "pmu=nvidia_ucf_pmu_0", "register=PMEVCNTR", "from=10us". Conditions of one key are
/// alternatives.
/// @throws InputError for an unknown key or an impossible value
void add_condition(TraceFilter& filter, const std::string& text);

/// @return the name of an interrupt line without what all names of the platform begin with
[[nodiscard]] std::string instance_name(const std::string& name);

/// Where a run is, and what of it is wanted now.
class TraceSelection {
 public:
  explicit TraceSelection(TraceFilter filter) : filter_(std::move(filter)) {}

  void attach(Machine& machine);
  void enter(RunPhase phase);
  void loaded(const std::vector<perf::Pmu>& pmus);

  [[nodiscard]] RunPhase phase() const noexcept { return phase_; }
  /// @return the time in the present phase's count
  [[nodiscard]] Picoseconds now() const { return simulated_time() - zero_; }
  [[nodiscard]] bool is_in_time() const;
  /// @return whether something is wanted that belongs to no PMU
  [[nodiscard]] bool is_wanted() const { return filter_.registers.empty() && is_in_time(); }
  /// @return whether something of a PMU is wanted that is no register access. @param name  perf's
  [[nodiscard]] bool is_wanted_pmu(std::string_view name) const { return is_wanted() && is_chosen(name); }
  /// @return whether a gauge of that name is wanted, at whatever time
  [[nodiscard]] bool is_wanted_gauge(std::string_view name) const {
    return filter_.registers.empty() && is_chosen(name);
  }
  [[nodiscard]] bool is_wanted_interrupt(std::uint32_t number, const std::string& source) const;
  /// @return whether an access is of a register that is wanted, at whatever time. It is remembered what belongs to which
  ///         PMU
  [[nodiscard]] bool is_chosen(const AccessRecord& access);
  /// @return the register bank of an access, as pmufab regs names it, with the page; else the window of the bus
  [[nodiscard]] std::string instance_of(const AccessRecord& access) const;
  /// @return the conditions that nothing has met so far: "pmu=nvidia_ucf_pmu_9"
  [[nodiscard]] std::vector<std::string> unmet() const;

 private:
  [[nodiscard]] bool is_chosen(std::string_view name) const;
  [[nodiscard]] std::string window_of(std::uint64_t address) const;

  TraceFilter filter_;
  Machine* machine_ = nullptr;
  RunPhase phase_ = RunPhase::before;
  Picoseconds zero_ = 0;
  std::vector<MmioBus::Window> windows_;
  std::map<std::uint64_t, std::string> banks_;  // by base: names, as Platform::registers() has them
  std::vector<std::string> pmus_;               // perf's names
  std::set<std::string> accessed_;              // banks that the driver of a chosen PMU has accessed
  mutable std::set<std::string> met_;           // patterns that something has matched
};

}  // namespace pmufab::scenario
