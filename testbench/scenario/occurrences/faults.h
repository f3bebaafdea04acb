// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/platform/platform.h"
#include "testbench/driver_host/driver_host.h"
#include "testbench/scenario/occurrences/fault_spec.h"
#include "testbench/scenario/occurrences/interrupt_paths.h"
#include "testbench/scenario/occurrences/trigger.h"
#include "testbench/traffic/core/random_stream.h"

namespace pmufab::scenario {

/// The faults of a scenario, between the CPUs and the platform.
class Faults {
 public:
  Faults(platform::Platform& platform, driver_host::DriverHost& host);
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

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

  /// @return true while hardware is broken
  [[nodiscard]] bool are_active() const;
  /// @return faults that have changed nothing so far: "faults[1] (interrupt_lost)"
  [[nodiscard]] std::vector<std::string> without_effect() const;

 private:
  struct Fault {
    const FaultSpec* spec;
    traffic::RandomStream random;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges{};  // of addresses: first, size
    std::vector<std::string> windows{};
    bool active = false;
    std::uint64_t acted = 0;
    std::map<std::pair<std::uint64_t, unsigned>, std::uint64_t> answers{};  // counter_stuck: by address and length

    [[nodiscard]] bool acts() const noexcept { return active && (spec->count == 0 || acted < spec->count); }
    [[nodiscard]] bool covers(std::uint64_t address, unsigned length) const;
    [[nodiscard]] Picoseconds draw_delay();
  };
  void find_place(Fault& fault) const;
  void begin(Fault& fault);
  void end(Fault& fault);
  void act(Fault& fault, const std::string& what);
  InterruptFate fate_of(std::uint32_t number);

  platform::Platform& platform_;
  driver_host::DriverHost& host_;
  InterruptPaths interrupts_;
  std::deque<Fault> faults_;  // elements keep their addresses
  Picoseconds zero_ = 0;
  std::function<void(const std::string&)> note_;
};

}  // namespace pmufab::scenario
