// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/guest_session.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "testbench/doors/guest/acpi/acpi_tables.h"
#include "testbench/doors/guest/devices/aperture.h"
#include "testbench/doors/guest/devices/wired_interrupts.h"
#include "testbench/doors/guest/guest_clock.h"
#include "testbench/doors/guest/guest_server.h"
#include "testbench/doors/guest/qemu_virt.h"
#include "testbench/host/pci_access/pci_access.h"
#include "testbench/run/report/kernel_errors.h"
#include "testbench/run/report/run_checks.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::guest {
namespace {

using nlohmann::json;

json to_json(const std::vector<ExpectedEvent>& events) {
  json list = json::array();
  for (const ExpectedEvent& event : events) {
    json item{{"event", event.text}, {"note", event.note}, {"doubt", event.doubt}};
    if (event.low) item["low"] = *event.low;
    if (event.high) item["high"] = *event.high;
    if (event.is_refused) item["refused"] = true;
    if (event.is_member) item["member"] = true;
    if (event.metric)
      item["metric"] = {event.metric->groups, event.metric->expression, event.metric->scale, event.metric->pmus};
    list.push_back(std::move(item));
  }
  return list;
}

std::vector<ExpectedEvent> from_json(const json& list) {
  std::vector<ExpectedEvent> events;
  for (const json& item : list) {
    ExpectedEvent event{item.at("event"), {}, {}, item.at("note"), item.at("doubt")};
    if (item.contains("low")) event.low = item.at("low").get<std::uint64_t>();
    if (item.contains("high")) event.high = item.at("high").get<std::uint64_t>();
    event.is_refused = item.value("refused", false);
    event.is_member = item.value("member", false);
    if (item.contains("metric")) {
      const json& metric = item.at("metric");
      event.metric = {event.text, metric.at(0), metric.at(1), metric.at(2), metric.at(3)};
    }
    events.push_back(std::move(event));
  }
  return events;
}

/// @return interrupts raised so far, by the names of their lines or messages
std::map<std::string, std::uint64_t> raised_interrupts(const platform::FirmwareDescription& firmware) {
  std::map<std::string, std::uint64_t> raised;
  const auto add = [&](const std::string& name, std::uint64_t count) {
    if (count > 0) raised[name] += count;
  };
  const auto add_line = [&](const platform::InterruptResource& interrupt) {
    if (interrupt.line != nullptr) add(interrupt.line->name(), interrupt.line->rising_edges());
  };
  for (const platform::ApmtNode& node : firmware.apmt) {
    if (node.overflow_interrupt) add_line(*node.overflow_interrupt);
  }
  for (const platform::AcpiDevice& device : firmware.devices) {
    for (const platform::InterruptResource& interrupt : device.interrupts) add_line(interrupt);
  }
  for (const MessageInterrupt* const source : firmware.msi.sources) add(source->name(), source->sent());
  return raised;
}

/// Do a part of the description of the virtual machine. @throws InputError if there can be none
template <typename Action>
auto possible(Action action) {
  try {
    return action();
  } catch (const std::invalid_argument& error) {
    throw scenario::InputError(fmt::format("no virtual machine can have this platform: {}", error.what()),
                               "--cpus and --memory change the virtual machine");
  }
}

/// In the machine's thread process.
class GuestStory {
 public:
  GuestStory(scenario::Machine& machine, const scenario::Workload& workload, const GuestOptions& options)
      : machine_(machine), workload_(workload), options_(options), journal_(options.folder / kGuestJournalName) {}

  void tell() {
    const perf::PmuCatalog catalog = look_up();
    const platform::FirmwareDescription& firmware = machine_.firmware();
    pci_access::PciAccess pci(machine_.host(), firmware);
    const std::vector<pci_access::FoundFunction> functions = pci.enumerate();
    has_switch_ = std::ranges::any_of(functions, is_switch);
    const Aperture aperture(firmware);
    const std::map<std::uint32_t, std::uint32_t> numbers = possible([&] { return assign_interrupts(firmware); });
    WiredInterrupts interrupts(firmware, qemu_virt::kMessageDoorbell, numbers);
    machine_.scoreboard().follow_registers();
    PerfExpectations expectations(
        machine_.scoreboard(), machine_.fabrics(), catalog,
        [this](const std::vector<ExpectedEvent>& events) { journal_.write("run", to_json(events)); });
    expectations.on_printed([this](const std::string& text) { journal_.write("printed", text); });
    if (machine_.coverage() != nullptr) {
      expectations.on_counted([this](const perf::PerfAttributes& attributes, std::uint64_t least) {
        machine_.coverage()->counted(attributes, least);
      });
    }
    const std::unique_ptr<GuestClock> clock = make_clock();
    GuestServer server(machine_, workload_, options_, aperture, interrupts, functions, expectations, *clock);
    server_ = &server;
    possible([&] { describe(aperture, numbers, server.below_ports()); });
    machine_.trace_phase(scenario::RunPhase::running);
    options_.on_ready();
    server.serve();
    server_ = nullptr;
    for (scenario::TraceListener* const tracer : machine_.tracers()) tracer->finish();
    expectations.finish();
    machine_.stop_traffic();
    const GuestServer::Tally& tally = server.tally();
    if (tally.traffic_ended) machine_.scoreboard().finish();
    if (machine_.coverage() != nullptr) journal_.write("coverage", machine_.coverage()->coverage().to_json());
    journal_.write("end", {{"simulated_ps", simulated_time()},
                           {"accesses", tally.accesses},
                           {"interrupts", tally.interrupts + interrupts.delivered()},
                           {"raised", raised_interrupts(firmware)},
                           {"traffic_ended", tally.traffic_ended},
                           {"failures", scenario::run_failures(machine_, scenario::Kernel::guest)}});
  }

  void see(const MmioBus::BusAccess& access) {
    if (server_ != nullptr) server_->see(access);
  }

 private:
  [[nodiscard]] std::unique_ptr<GuestClock> make_clock() const {
    if (options_.is_deterministic) return std::make_unique<InstructionClock>(options_.folder / kClockName);
    return std::make_unique<WallClock>();
  }

  /// The drivers' publications are needed to interpret perf's events. The drivers that count are those of the virtual
  /// machine: they find the hardware untouched.
  perf::PmuCatalog look_up() {
    const int loaded = machine_.host().load();
    // Those of the virtual machine say it where nobody looks.
    scenario::print_kernel_errors(machine_.host().log(), "the drivers, outside of the guest,");
    if (loaded < 0) throw scenario::InputError("the drivers cannot be loaded");
    machine_.tell_loaded();
    perf::PmuCatalog catalog(machine_.host().pmus());
    scenario::print_warnings(catalog);
    machine_.host().unload();
    machine_.platform().reset();
    machine_.forget_reports();
    return catalog;
  }

  /// The requirements for the virtual machine.
  void describe(const Aperture& aperture, const std::map<std::uint32_t, std::uint32_t>& interrupts,
                const std::vector<bool>& functions) const {
    const GuestMap map{
        [&](const platform::MemoryResource& range) { return kPlatformBegin + *aperture.offset_of(range.base); },
        interrupts, !has_switch_};
    const AcpiBlobs blobs = make_acpi_tables(machine_.platform().firmware(), options_.topology, map);
    const auto write_file = [&](const char* name, const std::string& content) {
      scenario::write_whole(options_.folder / name, content);
    };
    write_file(kTablesName, blobs.tables);
    write_file(kRsdpName, blobs.rsdp);
    write_file(kLoaderName, blobs.loader);
    json description{{"aperture_base", kPlatformBegin},
                     {"cpus", guest_cpus(machine_.platform().firmware(), options_.topology).size()},
                     {"below_ports", functions}};
    write_file(kDescriptionName, description.dump(2));
  }

  scenario::Machine& machine_;
  const scenario::Workload& workload_;
  const GuestOptions& options_;
  scenario::Journal journal_;
  GuestServer* server_ = nullptr;
  bool has_switch_ = false;
};

}  // namespace

void run_guest_session(const scenario::ScenarioSpec& spec, const driver_host::DriverSet& drivers,
                       const GuestOptions& options) {
  scenario::Machine::Options machine_options{.covers = options.covers};
  const scenario::Tracers tracers = make_tracers(options.traces);
  for (const auto& tracer : tracers) machine_options.tracers.push_back(tracer.get());
  scenario::Machine machine(spec.platform, spec.host, spec.workload, drivers, std::move(machine_options));
  GuestStory story(machine, spec.workload, options);
  machine.platform().bus().monitor([&](const MmioBus::BusAccess& access) { story.see(access); });
  machine.run([&] { story.tell(); });
}

GuestResult read_guest_journal(const std::filesystem::path& folder) {
  GuestResult result;
  scenario::read_records(folder / kGuestJournalName, [&](const std::string& record, const json& content) {
    if (record == "printed") result.printed[result.runs.size()] = content.get<std::string>();
    if (record == "run") result.runs.push_back(from_json(content));
    if (record == "coverage") result.coverage = content;
    if (record != "end") return;
    content.at("simulated_ps").get_to(result.simulated);
    content.at("accesses").get_to(result.accesses);
    content.at("interrupts").get_to(result.interrupts);
    content.at("raised").get_to(result.raised);
    content.at("traffic_ended").get_to(result.traffic_ended);
    content.at("failures").get_to(result.failures);
    result.ended = true;
  });
  return result;
}

}  // namespace pmufab::guest
