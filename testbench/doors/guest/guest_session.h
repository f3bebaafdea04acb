// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/doors/guest/acpi/acpi_tables.h"
#include "testbench/doors/guest/perf/perf_expectations.h"
#include "testbench/host/driver_host.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/tracing/tracing.h"

namespace pmufab::guest {

/// Names in the folder of a session. Sockets of functions are called kSocName, and kPciName with the number of a
/// function behind it.
inline constexpr const char* kSocName = "soc";
inline constexpr const char* kPciName = "pci";
inline constexpr const char* kPerfName = "perf";               ///< socket: what the wrapper of perf tells
inline constexpr const char* kClockName = "clock";             ///< socket: where the guest's instructions are told
inline constexpr const char* kDescriptionName = "guest.json";  ///< what a virtual machine has to have
inline constexpr const char* kTablesName = "tables";           ///< for QEMU's -fw_cfg, as are the next two
inline constexpr const char* kRsdpName = "rsdp";
inline constexpr const char* kLoaderName = "loader";
inline constexpr const char* kGuestJournalName = "journal";

struct GuestOptions {
  std::filesystem::path folder;   ///< nobody else's; exists
  double time_scale = 1.0;        ///< simulated seconds per second of the guest
  bool is_deterministic = false;  ///< boots are to be the same: the guest's clock is its instructions, not the wall's
  int stop = -1;                  ///< file descriptor at whose end the session ends
  GuestTopology topology{};
  bool covers = false;             ///< find out what the drivers meet, as far as their register accesses show it
  scenario::TraceOptions traces;   ///< what is written down, and where
  bool log = false;                ///< clients, interrupts and phases to standard error
  std::function<void()> on_ready;  ///< the functions can be connected to from now on
};

/// The results of a session.
struct GuestResult {
  bool ended = false;  ///< the simulator came to its end
  Picoseconds simulated = 0;
  std::uint64_t accesses = 0;    ///< of registers
  std::uint64_t interrupts = 0;  ///< sent to the virtual machine
  /// Interrupts that devices raised, by the names of their lines or messages; without those that raised none. Lines
  /// that stay high are told the virtual machine again, so it may be sent more.
  std::map<std::string, std::uint64_t> raised;
  bool traffic_ended = false;                    ///< all of the traffic was played
  std::vector<std::vector<ExpectedEvent>> runs;  ///< of perf, in order
  std::map<std::size_t, std::string> printed;    ///< to files (-o), by the index of the run
  std::vector<std::string> failures;             ///< scenario::run_failures()
  scenario::Json coverage = {};                  ///< what the drivers met (coverage::Coverage), if that was wanted
};

/// Serve a platform to a virtual machine, traffic included. Runs in this process, at most once per process. Results go
/// to the journal.
/// @throws scenario::InputError for a platform that no virtual machine can have
void run_guest_session(const scenario::ScenarioSpec& spec, const driver_host::DriverSet& drivers,
                       const GuestOptions& options);

/// @return what is in the journal of a folder, as far as it goes.
[[nodiscard]] GuestResult read_guest_journal(const std::filesystem::path& folder);

}  // namespace pmufab::guest
