// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "testbench/doors/register_server/listener.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::register_server {

struct SessionOptions {
  double scale = 0;            ///< simulated seconds per second of the wall clock; 0: time passes only when told to
  bool loads_drivers = false;  ///< before anybody is served
  bool echo_log = false;       ///< kernel log to standard error
  int stop = -1;               ///< file descriptor at whose end the session ends
  std::function<void()> on_ready{};                   ///< clients are served from now on
  std::function<void(const std::string&)> on_news{};  ///< clients come and go
};

/// Build the platform of a scenario, start its traffic, and serve its registers until told to end. The scenario's
/// measures are ignored, and nothing is judged. Runs in this process, at most once per process.
/// @return false if the drivers could not be loaded; the reason is printed on standard error
/// @throws scenario::InputError for a trace that cannot be replayed, drivers that cannot be loaded
bool run_register_session(const scenario::ScenarioSpec& spec, const driver_host::DriverSet& drivers,
                          const Listener& listener, const SessionOptions& options);

}  // namespace pmufab::register_server
