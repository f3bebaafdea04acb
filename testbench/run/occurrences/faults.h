// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/platform/platform.h"
#include "testbench/host/driver_host.h"
#include "testbench/run/occurrences/fault_spec.h"
#include "testbench/run/occurrences/interrupt_paths.h"
#include "testbench/run/occurrences/trigger.h"

namespace pmufab::scenario {

/// Registers that drivers cannot use.
struct Broken {
  std::string fault;              ///< "faults[1] (reads_all_ones)"
  std::set<std::string> windows;  ///< of registers: "socket0.ucf_pmu"
  std::set<std::string> pmus;     ///< whose drivers have accessed them
};

/// The faults of a scenario, between the CPUs and the platform.
class Faults {
 public:
  Faults(platform::Platform& platform, driver_host::DriverHost& host);
  Faults& operator=(Faults&&) = delete;

  [[nodiscard]] InterruptPaths& interrupts() noexcept { return interrupts_; }

  /// Find out what each fault is about, and set when it begins. The drivers are loaded.
  /// @param seed  of random delays
  /// @param zero  the scenario's beginning
  /// @param note  called with what happens
  /// @throws InputError for a block that there is not, and a PMU without an interrupt
  void plan(const std::vector<FaultSpec>& specs, std::uint64_t seed, Triggers& triggers, Picoseconds zero,
            std::function<void(const std::string&)> note);

  /// A register access comes by. @return true if a fault has answered it
  bool answer(tlm::tlm_generic_payload& payload);
  /// @return how much longer it takes
  sc_core::sc_time slowness(const tlm::tlm_generic_payload& payload);
  /// It has been answered by the platform.
  void change_answer(tlm::tlm_generic_payload& payload);
  /// An interrupt handler of a PMU's driver has returned.
  void on_handled(const std::string& pmu);

  /// A driver accesses a register in a call of the perf core for that PMU.
  void on_access(const std::string& pmu, std::uint64_t address);

  /// @return whether a fault changed what happened at some time of a span, whose ends are included. What it has delayed
  ///         belongs to it until it comes. @param start, stop  since zero
  [[nodiscard]] bool lasted_within(const FaultSpec& spec, Picoseconds start, Picoseconds stop) const;
  /// @return what faults now keep drivers from reading or writing. Slow registers and interrupts are not among it
  [[nodiscard]] std::vector<Broken> broken() const;
  /// Mend everything for good, and let nothing arrive that is held back.
  void mend();
  /// @return faults that have changed nothing so far, and why: "faults[1] (interrupt_lost) changed nothing"
  [[nodiscard]] std::vector<std::string> without_effect() const;

 private:
  struct Fault {
    const FaultSpec* spec;
    Delay delay;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges{};  // of addresses: first, size
    std::vector<std::string> windows{};
    bool active = false;
    bool has_begun = false;
    bool has_ended = false;
    Picoseconds first = 0;  // when it began
    Picoseconds last = 0;   // until when its effects reach, once it acts no longer
    std::uint64_t acted = 0;
    std::uint64_t begun = 0;                                                // interrupts that are to come twice
    std::map<std::pair<std::uint64_t, unsigned>, std::uint64_t> answers{};  // counter_stuck: by address and length

    [[nodiscard]] bool acts() const noexcept {
      return active && (spec->count == 0 || std::max(acted, begun) < spec->count);
    }
    [[nodiscard]] bool lasts() const noexcept { return acts() || (active && holds()); }
    /// An interrupt waits for the end of the fault.
    [[nodiscard]] bool holds() const noexcept {
      return spec->kind == FaultSpec::Kind::interrupt_late && spec->until && spec->delay.is_zero();
    }
    [[nodiscard]] bool covers(std::uint64_t address, unsigned length) const;
  };
  void find_place(Fault& fault) const;
  void begin(Fault& fault);
  void end(Fault& fault);
  void tell(const Fault& fault, const std::string& what) const;
  /// @param delay  until it is over
  void act(Fault& fault, const std::string& what, Picoseconds delay = 0);
  InterruptFate fate_of(std::uint32_t number);

  platform::Platform& platform_;
  driver_host::DriverHost& host_;
  InterruptPaths interrupts_;
  std::deque<Fault> faults_;  // elements keep their addresses
  Picoseconds zero_ = 0;
  std::function<void(const std::string&)> note_;
  std::vector<MmioBus::Window> windows_;
  std::map<std::string, std::set<std::string>> accessed_;  // by PMU: register windows its driver has accessed
};

}  // namespace pmufab::scenario
