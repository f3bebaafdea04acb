// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/doors/guest/devices/aperture.h"
#include "testbench/doors/guest/devices/pci_function.h"
#include "testbench/doors/guest/devices/register_access.h"
#include "testbench/doors/guest/devices/soc_function.h"
#include "testbench/doors/guest/devices/wired_interrupts.h"
#include "testbench/doors/guest/guest_clock.h"
#include "testbench/doors/guest/guest_session.h"
#include "testbench/doors/guest/perf/perf_expectations.h"
#include "testbench/doors/vfio_user/server.h"
#include "testbench/host/pci_access/pci_access.h"
#include "testbench/run/process/time_slice.h"
#include "testbench/run/session/machine.h"

namespace pmufab::guest {

/// @return true for the functions of the platform that a virtual machine has: CXL memory devices, and NVIDIA's ports
/// with the DVSEC that names their root complex
[[nodiscard]] bool is_shown(const pci_access::FoundFunction& function);

/// @return whether it is the upstream port of a switch. A guest has its devices, and not the switch.
[[nodiscard]] bool is_switch(const pci_access::FoundFunction& function);

/// The simulator's end of a virtual machine: serves its accesses, lets simulated time follow the machine's clock, and
/// begins the traffic when perf has opened its events.
///
/// While an interrupt waits for its handler, simulated time stands still, for at most a second: the speed of the
/// emulated CPU says nothing about the modelled hardware.
class GuestServer {
 public:
  /// The totals of a session.
  struct Tally {
    std::uint64_t accesses = 0;
    std::uint64_t interrupts = 0;
    bool traffic_ended = false;
  };

  /// @param workload   the machine's traffic
  /// @param clock      the virtual machine's clock
  /// @param functions  the platform's PCI functions, as found at its start
  /// @throws std::system_error if a socket cannot be made; scenario::InputError for functions with too many vectors
  GuestServer(scenario::Machine& machine, const scenario::Workload& workload, const GuestOptions& options,
              const Aperture& aperture, WiredInterrupts& interrupts,
              const std::vector<pci_access::FoundFunction>& functions, PerfExpectations& expectations,
              GuestClock& clock);
  ~GuestServer();
  GuestServer& operator=(GuestServer&&) = delete;

  /// Serves until told to stop. To be called in a SystemC thread process.
  void serve();
  /// Takes note of an access on the platform's bus. To be called by the bus monitor.
  void see(const MmioBus::BusAccess& access);

  /// @return for each PCI function whether it must be below a root port; the others are on the root bus
  [[nodiscard]] const std::vector<bool>& below_ports() const noexcept { return below_port_; }

  [[nodiscard]] const Tally& tally() const noexcept { return tally_; }

 private:
  using Duration = GuestClock::Duration;
  using Traffic = PerfExpectations::Traffic;

  /// Accesses on the platform's bus.
  class Bus final : public RegisterAccess {
   public:
    explicit Bus(GuestServer& server) : server_(server) {}
    [[nodiscard]] std::uint64_t read(std::uint64_t address, unsigned bytes) override;
    void write(std::uint64_t address, unsigned bytes, std::uint64_t value) override;

   private:
    GuestServer& server_;
  };

  void add_functions(const std::vector<pci_access::FoundFunction>& functions);
  /// Waits for QEMU, perf's wrapper and the clock, and serves their messages.
  void look(int timeout_ms);
  void hear_perf();
  void write_control(std::uint64_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t read_control(std::uint64_t offset) const;
  void consider_traffic();
  void begin_traffic();
  void follow_the_clock();
  /// @return the simulated time that the clock asks for
  [[nodiscard]] Picoseconds time_by_the_clock() const;
  [[nodiscard]] Picoseconds behind_the_clock() const;
  /// Sends interrupts, unless the virtual machine must halt first.
  void deliver();
  /// Waits until everything sent has reached the virtual machine.
  void settle();
  /// @return true while the virtual machine has an interrupt to handle; simulated time then stands still
  [[nodiscard]] bool is_held() const;
  void note(const std::string& text) const;

  scenario::Machine& machine_;
  bool has_traffic_;
  const GuestOptions& options_;
  WiredInterrupts& interrupts_;
  PerfExpectations& expectations_;
  GuestClock& clock_;
  Bus bus_;
  SocFunction soc_;
  std::deque<PciFunction> functions_;
  std::vector<bool> below_port_;
  std::vector<std::unique_ptr<vfio_user::Server>> servers_;
  process::Descriptor perf_listener_;
  process::Descriptor perf_;
  Tally tally_;
  bool stopped_ = false;
  unsigned long_halts_ = 0;
  bool is_over_ = false;  // the command has ended: simulated time stops
  bool written_ = false;  // a register was written since perf began
  Duration last_write_{};
  Duration last_interrupt_{};            // sent to the virtual machine, or waiting
  Duration last_look_{};                 // when follow_the_clock() last read the clock
  Duration followed_{};                  // time that passed by the clock while nothing was held
  Duration held_since_{};                // when holding began; the last look if nothing is held
  std::vector<std::uint32_t> messages_;  // sent by the platform's functions, not yet delivered
  bool signalled_ = false;               // a descriptor was signalled, whose arrival QEMU does not confirm
  sc_core::sc_event message_sent_;
  bool message_out_ = false;         // a message was sent, and no access came since
  Picoseconds simulated_begin_ = 0;  // moved on by accesses that take longer than the clock shows
  process::TimeSlice slice_;
};

}  // namespace pmufab::guest
