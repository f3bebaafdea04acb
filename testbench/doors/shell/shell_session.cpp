// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/shell_session.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "testbench/doors/shell/shell_server.h"
#include "testbench/doors/shell/sysfs_tree.h"
#include "testbench/host/pci_access/pci_access.h"
#include "testbench/perf/verdict_json.h"
#include "testbench/run/checks/checks.h"
#include "testbench/run/report/kernel_errors.h"
#include "testbench/run/report/run_checks.h"
#include "testbench/run/results/driver_files.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::shell {
namespace {

using scenario::Json;

constexpr const char* kCounter = "driver";

/// In the machine's thread process: from the drivers' loading to the last line of the journal.
class ShellStory {
 public:
  ShellStory(scenario::Machine& machine, const SessionOptions& options)
      : machine_(machine), options_(options), journal_(options.folder / kJournalName) {}

  /// A driver's counters are shown once, so that perf does not open an event of all PMUs twice.
  [[nodiscard]] std::vector<perf::Pmu> shown_pmus() const {
    std::vector<perf::Pmu> pmus = machine_.pmus().pmus();
    std::set<std::string> names;
    for (const perf::Pmu& pmu : pmus) names.insert(pmu.name);
    std::erase_if(pmus, [&](const perf::Pmu& pmu) { return names.contains(pmu.twin); });
    return pmus;
  }

  bool tell() {
    pci_access::PciAccess pci(machine_.host(), machine_.platform().firmware());
    const std::vector<pci_access::FoundFunction> functions = pci.enumerate();
    machine_.trace_phase(scenario::RunPhase::loading);
    const int loaded = machine_.host().load();
    machine_.tell_loaded();
    const std::vector<perf::Pmu> pmus = shown_pmus();
    scenario::print_kernel_errors(machine_.host().log());
    if (loaded < 0 || machine_.host().pmus().empty()) {
      scenario::print_failure(machine_.host().log(), "the drivers registered no PMU");
      return false;
    }
    write_sysfs(options_.folder / kSysfsName, options_.folder / kProcName, pmus, machine_.platform().firmware(),
                functions, machine_.host().debugfs(), machine_.platform().spec());
    const perf::PmuCatalog catalog(pmus);
    scenario::print_warnings(catalog);
    journal_.write("driver_files", scenario::to_json(machine_.host().driver_files()));
    PerfEvents events(
        machine_, catalog, pci, {options_.folder / kSysfsName / "bus/event_source/devices", options_.time_scale},
        [this](const perf::Verdict& verdict) { journal_.write("verdict", perf::to_json(verdict, kCounter)); });
    ShellServer server(
        {options_.folder / kSocketName, options_.time_scale, options_.simulated_clock, options_.stop, getppid()},
        events);
    machine_.trace_phase(scenario::RunPhase::running);
    machine_.start_traffic();
    options_.on_ready();
    server.serve();
    events.close_all();
    machine_.stop_traffic();
    if (machine_.coverage() != nullptr) journal_.write("coverage", machine_.coverage()->coverage().to_json());
    finish();
    return true;
  }

 private:
  void finish() {
    machine_.trace_phase(scenario::RunPhase::ending);
    scenario::ReleaseCheck release(machine_);
    scenario::QuietCheck quiet(machine_);
    quiet.look_at_used({});
    release.look_at_used({});
    scenario::PublicationCheck published(machine_);
    published.look("at the end");
    published.look_at_drawings("at the end");
    machine_.host().unload();
    for (scenario::TraceListener* const tracer : machine_.tracers()) tracer->finish();
    const Picoseconds end = simulated_time() - release.taken() - published.taken();
    std::vector<std::string> failures = scenario::run_failures(machine_, scenario::Kernel::here);
    const scenario::CheckResult released =
        release.compare_with_fresh({.before_loading = {}, .when_loaded = [&] { quiet.look_at_fresh(); }});
    for (const scenario::CheckResult& check : {published.result(), released, quiet.result()}) {
      if (!check.ok) failures.push_back(check.name + ": " + check.text);
    }
    journal_.write("end", {{"failures", failures}, {"simulated_ps", end}});
  }

  scenario::Machine& machine_;
  const SessionOptions& options_;
  scenario::Journal journal_;
};

/// A span that is not nothing does not become nothing: a loop that waits for a register must end.
Picoseconds scaled(Picoseconds span, double scale) {
  return span == 0 ? 0 : std::max<Picoseconds>(static_cast<Picoseconds>(static_cast<double>(span) * scale), 1);
}

scenario::DelaySpec scaled(scenario::DelaySpec delay, double scale) {
  for (Picoseconds* const span : {&delay.time, &delay.from, &delay.to, &delay.burst}) *span = scaled(*span, scale);
  for (scenario::DelaySpec::Weighted& entry : delay.table) entry.time = scaled(entry.time, scale);
  return delay;
}

/// What CPUs do takes as much of a program's second as it does on Linux.
scenario::HostSpec scaled(scenario::HostSpec host, double scale) {
  host.access_latency = scaled(host.access_latency, scale);
  host.interrupt_delay = scaled(host.interrupt_delay, scale);
  host.handler_time = scaled(host.handler_time, scale);
  if (host.away) host.away = {scaled(host.away->every, scale), scaled(host.away->lasting, scale)};
  return host;
}

}  // namespace

bool run_session(const scenario::ScenarioSpec& spec, const driver_host::DriverSet& drivers,
                 const SessionOptions& options) {
  const scenario::HostSpec host = scaled(spec.host, options.time_scale);
  scenario::Machine::Options machine_options{.echo_log = options.echo_log, .covers = options.covers};
  const scenario::Tracers tracers = make_tracers(options.traces);
  for (const auto& tracer : tracers) machine_options.tracers.push_back(tracer.get());
  scenario::Machine machine(spec.platform, host, spec.workload, drivers, std::move(machine_options));
  bool good = false;
  machine.run([&] { good = ShellStory(machine, options).tell(); });
  return good;
}

SessionResult read_journal(const std::filesystem::path& folder) {
  SessionResult result;
  scenario::read_records(folder / kJournalName, [&](const std::string& record, const Json& content) {
    if (record == "verdict") {
      result.verdicts.push_back(perf::verdict_from_json(content, kCounter));
    } else if (record == "driver_files") {
      result.driver_files = scenario::driver_files_from_json(content);
    } else if (record == "coverage") {
      result.coverage = content;
    } else if (record == "end") {
      content.at("simulated_ps").get_to(result.simulated);
      content.at("failures").get_to(result.failures);
      result.ended = true;
    }
  });
  return result;
}

}  // namespace pmufab::shell
