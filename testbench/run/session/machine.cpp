// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/machine.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/plugin/part/plugin_part.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/process/crash_report.h"
#include "testbench/run/process/main_stack.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::scenario {

void Reports::add(const std::string& kind, const std::string& text) {
  constexpr std::size_t kKept = 20;
  if (++of_kind_[kind] <= kKept) list_.push_back(fmt::format("{}: {}", kind, text));
}

/// The thread process that run() starts.
class Machine::Process : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Process);
  Process(const sc_core::sc_module_name& name, std::function<void()> body)
      : sc_core::sc_module(name), body_(std::move(body)) {
    SC_THREAD(run);
    // Drivers call deeply, and sanitizers make frames large.
    set_stack_size(1U << 20);
  }

  /// @return true if the simulation has ended although the body goes on, and nothing has failed
  [[nodiscard]] bool is_cut_off() const noexcept { return !told_ && !exception_; }

  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
    if (!told_) throw std::logic_error("the simulation ran out of events before the scenario ended");
  }

 private:
  void run() {
    try {
      body_();
      told_ = true;
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      exception_ = std::current_exception();
    }
    sc_core::sc_stop();
  }

  std::function<void()> body_;
  std::exception_ptr exception_;
  bool told_ = false;
};

Machine* Machine::current_ = nullptr;

Machine::Machine(const platform::PlatformSpec& platform, const HostSpec& host, const Workload& workload,
                 const driver_host::DriverSet& drivers, Options options) {
  current_ = this;
  is_judged_ = options.is_judged;
  if (!drivers.library.empty()) process::report_crashes_in(drivers.library);
  if (const auto* const plugin = platform.part<platform::PluginSpec>(); plugin != nullptr)
    process::report_crashes_in(plugin->path, "the plug-in " + plugin->file);
  sc_core::sc_report_handler::set_handler(&Machine::on_report);

  platform_ = std::make_unique<platform::Platform>("platform", platform);
  driver_host::DriverHost::Options host_options;
  host_options.access_latency = host.access_latency;
  host_times_ = make_host_times(host, workload.seed);
  host_options.interrupt_delay = host.interrupt_delay.time;
  host_options.times = host_times_.get();
  host_options.echo_log = options.echo_log;
  host_options.log_room = options.log_room;
  try {
    host_ = std::make_unique<driver_host::DriverHost>("host", drivers, host_options);
  } catch (const driver_host::DriverSetError& error) {
    throw InputError(error.what());
  }
  tracers_ = std::move(options.tracers);
  if (options.has_gate || !tracers_.empty()) {
    gate_ = std::make_unique<HardwareGate>("gate", *platform_, *host_, triggers_);
    firmware_ = gate_->faults().interrupts().cut(platform_->firmware());
    host_->bus.bind(gate_->cpus);
    gate_->bus.bind(platform_->bus().socket);
  } else {
    firmware_ = platform_->firmware();
    host_->bus.bind(platform_->bus().socket);
  }
  host_->describe(firmware_);

  scoreboard_ = std::make_unique<scoreboard::Scoreboard>();
  if (options.has_spare_processor && is_judged_) scoreboard_->use_thread();
  fabrics_ = make_fabrics({*platform_, workload, *scoreboard_, *host_, std::move(options.progress),
                           drivers.kernel_version, host.counted_by == HostSpec::CountedBy::reference, is_judged_});
  pmus_ = std::make_unique<perf::PmuServices>(*host_);
  enabled_ = std::make_unique<perf::EnabledEvents>(*scoreboard_);
  for (const auto& fabric : fabrics_) {
    if (perf::PmuService* const service = fabric->pmus()) pmus_->add(*service);
  }
  if (pmus_->replaces_drivers())
    host_->handle_interrupts([this](std::uint32_t number) { return pmus_->handle_interrupt(number); });
  if (gate_) {
    gate_->tell_lost_writes([this](const MmioBus::BusAccess& access) { tell_judge(access); });
  }
  if (options.covers) observe_coverage();
  std::vector<perf::PerfCallObserver*> call_observers(tracers_.begin(), tracers_.end());
  if (coverage_) call_observers.push_back(coverage_.get());
  calls_ = std::make_unique<CallTee>(is_judged_ ? scoreboard_.get() : nullptr, std::move(call_observers), gate_.get());
  host_->observe(calls_.get());
  pmus_->observe(event_observers());
  if (is_judged_) platform_->bus().monitor([this](const MmioBus::BusAccess& access) { tell_judge(access); });
  if (is_judged_)
    platform_->on_reset([this](std::optional<std::uint64_t> window) {
      if (judging_) scoreboard_->on_reset(window, simulated_time());
    });
  if (!tracers_.empty()) attach_tracers();
}

std::vector<perf::EventObserver*> Machine::event_observers() const {
  std::vector<perf::EventObserver*> observers;
  if (is_judged_) observers.push_back(enabled_.get());
  observers.insert(observers.end(), tracers_.begin(), tracers_.end());
  if (coverage_) observers.push_back(coverage_.get());
  return observers;
}

void Machine::tell_judge(const MmioBus::BusAccess& access) {
  if (is_judged_ && judging_) scoreboard_->on_bus_access(access);
}

void Machine::attach_tracers() {
  gate_->record([this](const AccessRecord& access) {
    for (TraceListener* const tracer : tracers_) tracer->on_access(access);
  });
  gate_->faults().interrupts().listen([this](std::uint32_t number, const std::string& source, bool high) {
    for (TraceListener* const tracer : tracers_) tracer->on_line(number, source, high);
  });
  host_->observe_interrupts([this](std::uint32_t number, bool begin, bool handled) {
    for (TraceListener* const tracer : tracers_) tracer->on_delivery(number, begin, handled);
  });
  host_->observe_log([this](const std::string& line) {
    for (TraceListener* const tracer : tracers_) tracer->on_kernel_line(line);
  });
  for (TraceListener* const tracer : tracers_) tracer->attach(*this);
}

void Machine::trace_phase(RunPhase phase) const {
  for (TraceListener* const tracer : tracers_) tracer->on_phase(phase);
}

void Machine::tell_loaded() {
  if (coverage_) coverage_->loaded(host_->pmus());
  if (tracers_.empty()) return;
  const std::vector<perf::Pmu> pmus = host_->pmus();
  for (TraceListener* const tracer : tracers_) tracer->on_loaded(pmus);
}

void Machine::observe_coverage() {
  coverage_ =
      std::make_unique<coverage::Collector>(platform_->spec(), *scoreboard_, [this](const perf::ResolvedEvent& event) {
        for (const auto& fabric : fabrics_) fabric->check_event(event);
      });
  platform_->bus().monitor([this](const MmioBus::BusAccess& access) {
    if (judging_) coverage_->on_access(access);
  });
}

void Machine::set_judging(bool judging) {
  judging_ = judging;
  host_->observe(judging ? calls_.get() : nullptr);
  pmus_->observe(judging ? event_observers() : std::vector<perf::EventObserver*>());
}

Machine::~Machine() {
  host_->observe(nullptr);
  current_ = nullptr;
  sc_core::sc_report_handler::set_handler(nullptr);
}

void Machine::start_traffic() {
  for (const auto& fabric : fabrics_) fabric->start_traffic();
}

void Machine::stop_traffic() {
  for (const auto& fabric : fabrics_) fabric->stop_traffic();
}

bool Machine::traffic_is_over() const {
  return std::ranges::all_of(fabrics_, [](const auto& fabric) { return fabric->traffic_is_over(); });
}

bool Machine::is_busy() const {
  return std::ranges::any_of(fabrics_, [](const auto& fabric) { return fabric->is_busy(); });
}

std::uint64_t Machine::steps() const {
  std::uint64_t steps = sc_core::sc_delta_count();
  for (const auto& fabric : fabrics_) steps += fabric->operations_ahead();
  return steps;
}

sc_core::sc_event_or_list Machine::idle_events() const {
  sc_core::sc_event_or_list events;
  for (const auto& fabric : fabrics_) {
    if (const sc_core::sc_event* event = fabric->idle_event()) events |= *event;
  }
  return events;
}

void Machine::run(const std::function<void()>& body) {
  process_ = std::make_unique<Process>("story", body);
  const auto* const plugin = platform_->find<platform::PluginPart>();
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {  // SystemC makes one of what a process other than the story throws
    process::return_to_main_stack();
    if (plugin != nullptr) plugin->rethrow(false);  // the kernel may have died of it
    const char* const culprit = report.get_process_name();
    const std::exception_ptr error =
        plugin == nullptr || culprit == nullptr ? nullptr : plugin->error_of(culprit, report.get_msg());
    if (error) std::rethrow_exception(error);
    throw;
  } catch (...) {
    process::return_to_main_stack();
    throw;
  }
  process::return_to_main_stack();
  if (plugin != nullptr) plugin->rethrow(process_->is_cut_off() && sc_core::sc_get_status() == sc_core::SC_STOPPED);
  process_->rethrow();
}

void Machine::on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING && current_ != nullptr) {
    if (!current_->judging_) return;
    std::string text = report.get_msg();
    const std::string_view kind = report.get_msg_type();
    if (kind == kGuestErrorReport || kind == kLostWriteReport) {
      const std::string address = fmt::format("{:#x}", current_->platform_->bus().latest_address());
      if (text.find(address) == std::string::npos) text += ", address " + address;
    }
    if (kind.find("pmufab/") == std::string_view::npos) {  // SystemC's own, or a plug-in's: no access of a driver
      current_->warnings_.add(report.get_msg_type(), text);
      return;
    }
    const std::string function = current_->host_ ? current_->host_->driver_function() : std::string();
    if (!function.empty()) text += ", in " + function;
    current_->reports_.add(report.get_msg_type(), text);
    return;
  }
  // Messages of sc_stop and the like are not shown to the user.
  if (report.get_severity() == sc_core::SC_INFO) return;
  sc_core::sc_report_handler::default_handler(report, actions);
}

}  // namespace pmufab::scenario
