// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/perf/pmu_service.h"
#include "testbench/perf/types.h"
#include "testbench/run/occurrences/hardware_gate.h"

namespace pmufab::scenario {

class Machine;

/// The parts of a run. Times count from the beginning of `loading`, and from 0 again in `running`.
enum class RunPhase : std::uint8_t {
  before,   ///< what happens is no part of the run
  loading,  ///< of the drivers
  running,
  ending,  ///< the scenario is over: checks, and unloading
};

/// Is told what passes between software and platform, in order, and writes it down. It changes nothing in the simulation.
class TraceListener : public perf::PerfCallObserver, public perf::EventObserver {
 public:
  /// The machine is there; it outlives all other calls.
  virtual void attach(Machine& machine) = 0;
  virtual void on_phase(RunPhase phase) = 0;
  /// Drivers were loaded. @param pmus  of drivers
  virtual void on_loaded(const std::vector<perf::Pmu>& pmus) = 0;
  /// A register access has been answered.
  virtual void on_access(const AccessRecord& access) = 0;
  /// A device has driven its interrupt line, or sent a message. @param source  name of the line or message
  virtual void on_line(std::uint32_t number, const std::string& source, bool high) = 0;
  /// The CPUs take an interrupt, or its handlers have returned. @param handled  at the end: one of them took it
  virtual void on_delivery(std::uint32_t number, bool begin, bool handled) = 0;
  /// The scenario opens an event now. @param text  of the event, as written
  virtual void on_opening([[maybe_unused]] const std::string& text) {}
  /// The kernel has printed a line. @param line  with its level: "<4>text"
  virtual void on_kernel_line([[maybe_unused]] const std::string& line) {}
  /// The scenario has done something to the machine.
  virtual void on_note(const std::string& text) = 0;
  /// Nothing more comes.
  virtual void finish() = 0;
};

}  // namespace pmufab::scenario
