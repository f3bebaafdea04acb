// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/checks.h"

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/checks/check_helpers.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {
namespace {

using driver_host::DriverHost;

/// Counts calls of handlers.
class HandlerCounter final : public perf::PerfCallObserver {
 public:
  explicit HandlerCounter(DriverHost& host) : host_(host) { host_.observe(this); }
  ~HandlerCounter() override { host_.observe(nullptr); }
  HandlerCounter& operator=(HandlerCounter&&) = delete;
  void on_call(Call call, bool begin, const std::string& /*pmu*/, perf::EventHandle /*event*/, std::uint64_t /*value*/,
               Picoseconds /*when*/) override {
    if (call == Call::interrupt && begin) ++calls_;
  }
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }

 private:
  DriverHost& host_;
  std::uint64_t calls_ = 0;
};

}  // namespace

CheckResult check_stray_interrupts(Machine& machine, const std::function<void()>& before_loading) {
  const Unjudged unjudged(machine);
  DriverHost& host = machine.host();
  if (host.panicked()) return {kStrayInterruptsCheck, true, "not checked: the kernel has panicked"};
  const NewWarnings warnings(host);
  const HandlerCounter handlers(host);
  try {
    machine.platform().reset();
    if (before_loading) before_loading();
    host.load_with_interrupts();
    host.unload();
  } catch (const std::exception& error) {
    if (!host.panicked()) throw;
    return {kStrayInterruptsCheck, false, fmt::format("the kernel panicked: {}", error.what())};
  }
  if (std::string warning = warnings.first(); !warning.empty())
    return {kStrayInterruptsCheck, false, std::move(warning)};
  return {kStrayInterruptsCheck, true,
          fmt::format("handlers were called {} times between steps of probe and remove", handlers.calls())};
}

}  // namespace pmufab::scenario
