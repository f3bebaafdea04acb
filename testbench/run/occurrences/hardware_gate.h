// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/platform/platform.h"
#include "testbench/host/driver_host.h"
#include "testbench/run/occurrences/faults.h"
#include "testbench/run/occurrences/trigger.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_note.h"

namespace pmufab::scenario {

/// One register access of a driver or a program, for those who show it.
struct AccessRecord {
  Picoseconds when = 0;
  Triggers::Place place;  ///< the call it belongs to, and its number in it; no PMU: it belongs to none
  std::uint64_t address = 0;
  unsigned size = 0;
  bool is_write = false;
  bool ok = true;
  std::uint64_t value = 0;
  std::string bank;             ///< of registers: "platform.socket0.ucf_pmu.page1"; empty: none answered
  std::string name;             ///< of the register: "PMEVCNTR[0]"
  std::string function;         ///< of the driver
  std::optional<unsigned> cpu;  ///< that carries out the driver
  // As in RegisterNote; `after` is what software would read after it:
  const RegisterBank* registers = nullptr;
  const RegisterSpec* spec = nullptr;
  std::uint16_t index = 0;
  std::uint16_t element = 0;
  unsigned shift = 0;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

/// Stands between the CPUs and the platform, in runs in which something waits for a register access, or hardware fails,
/// or accesses are recorded. Other runs do without.
class HardwareGate final : public sc_core::sc_module {
 public:
  HardwareGate(const sc_core::sc_module_name& name, platform::Platform& platform, driver_host::DriverHost& host,
               Triggers& triggers);

  [[nodiscard]] Faults& faults() noexcept { return faults_; }

  /// The perf core's calls.
  void on_call(Triggers::Call call, bool begin, const std::string& pmu);
  /// Call `take` for every register access that comes by, after it.
  void record(std::function<void(const AccessRecord&)> take) { takers_.push_back(std::move(take)); }

  /// Call `take` for every write that a fault keeps from the registers: the driver has done its part.
  void tell_lost_writes(std::function<void(const MmioBus::BusAccess&)> take) { take_lost_ = std::move(take); }

  tlm_utils::simple_target_socket<HardwareGate, 64> cpus;
  tlm_utils::simple_initiator_socket<HardwareGate, 64> bus;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return bus->transport_dbg(payload); }
  void record(const tlm::tlm_generic_payload& payload, const RegisterNote& note) const;

  driver_host::DriverHost& host_;
  Triggers& triggers_;
  Faults faults_;
  std::vector<std::function<void(const AccessRecord&)>> takers_;
  std::function<void(const MmioBus::BusAccess&)> take_lost_;
};

}  // namespace pmufab::scenario
