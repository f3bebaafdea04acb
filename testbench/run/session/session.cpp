// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/session.h"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/plugin/part/plugin_library.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/perf/verdict.h"
#include "testbench/run/checks/checks.h"
#include "testbench/run/occurrences/occurrences.h"
#include "testbench/run/report/run_checks.h"
#include "testbench/run/results/driver_files.h"
#include "testbench/run/session/draining.h"
#include "testbench/run/session/expected_failure.h"
#include "testbench/run/session/injections.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/measurement.h"
#include "testbench/run/yaml/quantity.h"
#include "testbench/traffic/trace_format.h"
#include "tlm/spec/printable.h"

namespace pmufab::scenario {
namespace {

constexpr const char* kAlready = " already: nothing done";

/// @return the PMUs at which the reference software counts in place of drivers
std::string replaced_pmus(const Machine& machine) {
  constexpr std::size_t kTold = 8;
  std::vector<std::string> names;
  for (const auto& fabric : machine.fabrics()) {
    const perf::PmuService* const service = fabric->pmus();
    if (service == nullptr || !service->replaces_drivers()) continue;
    for (const perf::Pmu& pmu : service->pmus()) names.push_back(pmu.name);
  }
  if (names.empty()) return "at no PMU, for drivers have registered none that it knows";
  const std::size_t told = std::min(names.size(), kTold);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(told), ", "),
                     names.size() > told ? fmt::format(", and {} more", names.size() - told) : "");
}

using Begins = std::vector<std::pair<std::string, Picoseconds>>;

void add_begins(const Value& value, const std::string& path, Begins& begins) {
  for (std::size_t i = 0; i < value.items.size(); ++i)
    add_begins(value.items[i], fmt::format("{}[{}]", path, i), begins);
  for (const Value::Entry& entry : value.entries) {
    if (entry.key == "start" && entry.value.kind == Value::Kind::scalar) {
      begins.emplace_back(path, parse_quantity(entry.value.scalar, Quantity::duration));
    } else {
      add_begins(entry.value, path + "." + entry.key, begins);
    }
  }
}

/// @param effective  of a scenario
/// @return "mesh_traffic[0]" and its start, of all traffic and its phases. Of the rest of a scenario, only measures have one
Begins begins_of_traffic(const Value& effective) {
  Begins begins;
  for (const Value::Entry& entry : effective.entries) {
    if (entry.key != "measure") add_begins(entry.value, entry.key, begins);
  }
  return begins;
}

/// One run of a scenario: a list of things to do at given times, carried out in order.
class ScenarioRun {
 public:
  ScenarioRun(const ScenarioSpec& spec, Machine& machine, Journal& journal, const SessionOptions& options,
              sc_core::sc_event& interrupt)
      : spec_(spec), machine_(machine), journal_(journal), options_(options), interrupt_(interrupt) {
    if (options_.simulated_time != nullptr)
      machine_.platform().bus().monitor([this](const MmioBus::BusAccess&) { tell_time(); });
  }

  /// @return true if the run must end now: the user or a limit says so
  bool is_interrupted() {
    tell_time();
    const Picoseconds most = options_.limits.simulated_time;
    if (limit_.empty() && most > 0 && simulated_time() - zero_ > most)
      limit_ = fmt::format("it simulated --limit simulated-time={}", format_quantity(most, Quantity::duration));
    return !limit_.empty() || (options_.interrupted && options_.interrupted());
  }

  void carry_out() {
    zero_ = simulated_time();
    machine_.trace_phase(RunPhase::loading);
    write_for_firmware();
    for (const unsigned cpu : spec_.host.offline_cpus) machine_.host().set_cpu_online(cpu, false);
    const bool loaded = load("load_drivers");
    if (loaded) zero_ = simulated_time();
    if (loaded) machine_.trace_phase(RunPhase::running);
    if (!loaded || !check_names()) {
      finish(is_interrupted());
      return;
    }
    set_limited(options_.limits.simulated_time > 0);
    plan();
    for (const Picoseconds when : options_.looks) {
      Trigger instant;
      instant.time = when;
      machine_.triggers().arm(instant, zero_, [this] { options_.on_look(machine_); });
    }
    began_ = true;
    machine_.start_traffic();
    do {
      carry_out_steps();
      if (!is_interrupted()) wait_for_end();
    } while (!is_interrupted() && has_steps());  // an access has come that an action waited for
    const bool cut_short = is_interrupted();
    set_limited(false);
    close_all(cut_short);
    machine_.stop_traffic();
    if (!cut_short) note_late_traffic();
    drain_fabrics();
    if (options_.records_load) record_load();
    finish(cut_short);
  }

  /// The kernel is dead: write down the results so far.
  void record_panic(const std::string& why) {
    check("kernel_panic", false, why);
    interrupts_ = interrupt_report(machine_);
    const CheckResult interrupts = check_interrupts(machine_);
    if (!interrupts.ok) journal_.write("check", interrupts);
    journal_.write("check", check_traffic(traffic_report(machine_)));
    write_end(true, simulated_time(), machine_.host().log());
  }

 private:
  enum class Kind : std::uint8_t {  // order at equal times
    end_measure,
    action,
    note_injection,
    read_interval,
    rotate,
    begin_measure
  };
  struct Step {
    Picoseconds when;  // after zero_
    Kind kind;
    std::size_t index;
    bool operator>(const Step& other) const {
      return std::tie(when, kind, index) > std::tie(other.when, other.kind, other.index);
    }
  };
  /// Wait for transactions in fabrics to end. Those that do not end are lost, and the judge reports it.
  void drain_fabrics() {
    const auto& fabrics = machine_.fabrics();
    const auto look = [&] {
      DrainProgress sum;
      for (const auto& fabric : fabrics) sum += fabric->progress();
      return sum;
    };
    Picoseconds patience = 0;
    for (const auto& fabric : fabrics) patience = std::max(patience, fabric->drain_patience());
    const std::uint64_t left = drain(look, patience, [this] { return is_interrupted(); });
    if (std::ranges::none_of(fabrics, [](const auto& fabric) { return fabric->has_transactions(); })) return;
    check("transactions", left == 0,
          left == 0 ? "every transaction ended"
                    : fmt::format("{} never ended: nodes wait for each other or for lost messages",
                                  counted(left, "transaction")));
  }

  void record_load() {
    Json load = Json::array();
    for (const auto& fabric : machine_.fabrics()) fabric->report_load(load);
    journal_.write("load", std::move(load));
  }

  void tell_time() const {
    if (options_.simulated_time != nullptr)
      options_.simulated_time->store(simulated_time() - zero_, std::memory_order_relaxed);
  }

  void set_limited(bool limited) const {
    if (options_.is_limited != nullptr) options_.is_limited->store(limited ? 1 : 0);
  }

  void write(const FirmwareWriteSpec& write) {
    machine_.host().run_program([&] { machine_.host().write_register(write.address, write.size, write.value); });
  }
  void do_firmware_writes() {
    for (const FirmwareWriteSpec& one : spec_.firmware_writes) write(one);
  }
  void write_for_firmware() {
    for (const FirmwareWriteSpec& one : spec_.firmware_writes) {
      write(one);
      if (!machine_.reports().empty()) throw InputError(one.place, one.path, machine_.reports().front());
    }
  }

  bool load(const char* what) {
    const int result = machine_.host().load();
    loaded_ = true;
    machine_.tell_loaded();
    journal_.write("driver_files", to_json(machine_.host().driver_files()));
    if (result < 0) check(what, false, fmt::format("loading the drivers failed: {}", describe_errno(result)));
    const bool empty = result >= 0 && machine_.host().pmus().empty();
    if (empty) {
      check(what, false,
            machine_.host().log().empty()
                ? "the drivers were loaded and registered no PMU and logged nothing: no driver knows this hardware"
                : "the drivers were loaded and registered no PMU; the kernel log may say why");
    }
    probe_failed_ = !failed_probes(machine_.host().log()).empty();
    published_.loaded();
    published_.look(fmt::format("after {}", what));
    return result >= 0 && !empty;
  }

  /// Find PMUs that are missing although the platform has their device, or may have it. That is a failure of the
  /// driver, not bad input. @return false if there are any
  bool pmus_are_there(const MeasureSpec& measure, const perf::PmuCatalog& catalog) {
    std::set<std::string> missing;
    for (const std::string& text : measure.events) {
      for (const perf::WrittenGroup& group : perf::parse_events(text)) {
        for (const perf::WrittenEvent& event : group.events) {
          if (!catalog.has(event.pmu) && (probe_failed_ || machine_.scoreboard().judges(event.pmu)))
            missing.insert(event.pmu);
        }
      }
    }
    if (missing.empty()) return true;
    check("probe", false,
          fmt::format("{}: the drivers registered no PMU {}; the kernel log may say why", measure.name,
                      quoted_list({missing.begin(), missing.end()})));
    return false;
  }

  void check_events(const std::vector<perf::ResolvedGroup>& groups) {
    for (const auto& fabric : machine_.fabrics()) {
      for (const perf::ResolvedGroup& group : groups) {
        for (const perf::ResolvedEvent& event : group.events) fabric->check_event(event);
      }
    }
  }

  /// @return what is wrong with events of measures besides a first mistake, each reason on a line
  static std::string further_reasons(const std::string& first, const std::vector<MeasureSpec>& measures,
                                     const perf::PmuCatalog& catalog) {
    std::set<std::string> known = {first};
    std::string lines;
    const auto look_at = [&](const perf::WrittenEvent& event) {
      try {
        (void)catalog.resolve(event.text);
      } catch (const perf::EventError& error) {
        if (known.insert(error.reason()).second) lines += "\n" + error.reason();
      }
    };
    for (const MeasureSpec& measure : measures) {
      for (const std::string& text : measure.events) {
        for (const perf::WrittenGroup& group : perf::parse_events(text)) std::ranges::for_each(group.events, look_at);
      }
    }
    return lines;
  }

  /// Names are checked before anything runs, so that misspelt events are reported at once.
  bool check_names() {
    const perf::PmuCatalog catalog(machine_.pmus().pmus());
    bool good = true;
    for (const MeasureSpec& measure : spec_.measures) {
      if (!pmus_are_there(measure, catalog)) {
        good = false;
        continue;
      }
      try {
        for (const std::string& text : measure.events) check_events(catalog.resolve(text));
      } catch (const perf::PublicationError& error) {  // a driver's failure, not bad input
        refuse(measure, error);
        good = false;
      } catch (const perf::EventError& error) {
        if (!published_.result().ok) {
          refuse(measure, error, further_reasons(error.reason(), {measure}, catalog));
          good = false;
          continue;
        }
        if (!measure.source.file) throw;  // from the command line
        throw InputError(measure.source, fmt::format("measure '{}'", measure.name),
                         "\n" + error.picture() + further_reasons(error.reason(), spec_.measures, catalog));
      }
    }
    return good && can_inject(catalog);
  }

  bool can_inject(const perf::PmuCatalog& catalog) {
    try {
      injections_.prepare(spec_.injections, machine_, catalog);
    } catch (const perf::PublicationError& error) {
      check("published", false, fmt::format("what is injected has no meaning: {}", error.reason()));
      return false;
    }
    return true;
  }

  /// The driver publishes what the measure uses so that nobody can use it.
  void refuse(const MeasureSpec& measure, const perf::EventError& error, const std::string& further = {}) {
    check("published", false,
          fmt::format("measure '{}' cannot be opened: {}{}", measure.name, error.reason(), further));
  }

  void plan() {
    if (spec_.host.counted_by == HostSpec::CountedBy::reference)
      note(fmt::format("the reference software counts in place of the drivers: {}", replaced_pmus(machine_)));
    for (std::size_t i = 0; i < spec_.measures.size(); ++i) {
      if (!spec_.measures[i].follows) steps_.push({spec_.measures[i].start, Kind::begin_measure, i});
      if (spec_.measures[i].stop) steps_.push({*spec_.measures[i].stop, Kind::end_measure, i});
    }
    for (std::size_t i = 0; i < spec_.actions.size(); ++i) plan_action(i);
    // Results tell of it just after the injection: until then the scenario does not end. Traces have its instant.
    for (std::size_t i = 0; i < spec_.injections.size(); ++i) {
      const Trigger& at = spec_.injections[i].at;
      if (!at.is_access()) steps_.push({at.time + 1, Kind::note_injection, i});
    }
    injections_.plan(machine_.triggers(), zero_, [this](const InjectionSpec& injection) {
      if (!is_open(injection)) ++unheard_[injection.path];
      if (injection.is_repetition) return;
      if (injection.at.is_access()) {
        note(text_of(injection));
      } else if (!machine_.tracers().empty()) {
        trace(text_of(injection));
      }
    });
    for (const std::string& source : injections_.left_out())
      note(fmt::format("{}: not injected, because the drivers registered no such PMU", source));
    occurrences_.plan(zero_, [this](const std::string& text) { note(text); });
  }

  /// @return whether an event of the PMU that the injection names is open, and enabled
  [[nodiscard]] bool is_open(const InjectionSpec& injection) const {
    const std::string pmu = perf::parse_events(injection.source).at(0).events.at(0).pmu;
    if (opening_ != nullptr && opening_->counts_on(pmu)) return true;
    return std::ranges::any_of(open_,
                               [&](const auto& open) { return open.second != nullptr && open.second->counts_on(pmu); });
  }

  /// Where nobody counts, what happened at once has gone nowhere.
  void note_unheard() {
    std::set<std::string> told;
    for (const InjectionSpec& injection : spec_.injections) {
      const auto found = unheard_.find(injection.path);
      if (found == unheard_.end() || !told.insert(injection.path).second) continue;
      note(fmt::format("{}: {} of {} came while no event of that PMU was enabled", injection.source,
                       with_separators(found->second), counted(injection.times, "injection")));
    }
  }

  /// Traffic whose beginning the run has not lived to see.
  void note_late_traffic() {
    const Picoseconds end = simulated_time() - zero_;
    for (const auto& [path, start] : begins_of_traffic(spec_.effective)) {
      if (start >= end)
        note(fmt::format("{} never begins: its start is {}, and the run ended at {}", path, format_time(start),
                         format_time(end)));
    }
  }

  /// An action that waits for a register access begins when the user's call has returned in which it came.
  void plan_action(std::size_t index) {
    const Trigger& at = spec_.actions[index].at;
    if (!at.is_access()) {
      steps_.push({at.time, Kind::action, index});
      return;
    }
    machine_.triggers().arm(at, zero_, [this, index] {
      steps_.push({simulated_time() - zero_, Kind::action, index});
      interrupt_.notify(sc_core::SC_ZERO_TIME);
    });
  }

  bool ended() const {
    if (spec_.duration) return simulated_time() >= zero_ + *spec_.duration;
    return !machine_.is_busy();
  }

  /// Interval readings and rotation go on until something else ends.
  bool only_endless_steps_left() {
    std::priority_queue<Step, std::vector<Step>, std::greater<>> rest = steps_;
    for (; !rest.empty(); rest.pop()) {
      if (rest.top().kind != Kind::read_interval && rest.top().kind != Kind::rotate) return false;
    }
    return true;
  }

  void wait_until(Picoseconds when) {
    Picoseconds until = when;
    if (spec_.duration && zero_ + *spec_.duration > simulated_time()) until = std::min(until, zero_ + *spec_.duration);
    const Picoseconds limit = zero_ + options_.limits.simulated_time + 1;  // where the run has passed it
    if (options_.limits.simulated_time > 0 && limit > simulated_time()) until = std::min(until, limit);
    const sc_core::sc_time span = to_sc_time(std::min(until - simulated_time(), patience_.next()));
    if (!spec_.duration && machine_.is_busy() && only_endless_steps_left()) {
      sc_core::wait(span, machine_.idle_events() | interrupt_);
    } else {
      sc_core::wait(span, interrupt_);
    }
  }

  /// Until the end, or until there is something to do.
  void wait_for_end() {
    const bool open = std::ranges::any_of(open_, [](const auto& entry) { return entry.second != nullptr; });
    if (!open) return;
    while (steps_.empty() && !ended() && !is_interrupted()) {
      if (spec_.duration) {
        wait_until(zero_ + *spec_.duration);
      } else {
        // For the user and the limit, look up now and then.
        sc_core::wait(to_sc_time(patience_.next()), machine_.idle_events() | interrupt_);
      }
    }
  }

  /// The kernel's timer runs while a PMU has more events than counters.
  void plan_rotation() {
    crowded_.merge(machine_.calls().take_crowded());
    if (rotation_planned_ || crowded_.empty() || open_.empty()) return;
    steps_.push({simulated_time() - zero_ + spec_.host.rotation, Kind::rotate, 0});
    rotation_planned_ = true;
  }

  [[nodiscard]] bool has_steps() { return !steps_.empty() && !(ended() && only_endless_steps_left()); }

  void carry_out_steps() {
    while (!is_interrupted() && has_steps()) {
      const Step step = steps_.top();
      if (simulated_time() < zero_ + step.when) {
        wait_until(zero_ + step.when);
        continue;
      }
      steps_.pop();
      carry_out(step);
      plan_rotation();
    }
  }

  void carry_out(const Step& step) {
    switch (step.kind) {
      case Kind::begin_measure:
        begin(step.index);
        break;
      case Kind::end_measure:
        end(step.index, false);
        break;
      case Kind::action:
        act(spec_.actions[step.index]);
        break;
      case Kind::note_injection:
        if (const InjectionSpec& injection = spec_.injections[step.index]; !injection.is_repetition)
          journal_.write("action", text_of(injection));
        break;
      case Kind::read_interval:
        if (open_.contains(step.index)) {
          if (open_.at(step.index)->intervals() >= options_.limits.readings) {
            limit_ = too_many_readings(options_.limits);
            break;
          }
          open_.at(step.index)->read_interval();
          steps_.push({step.when + spec_.measures[step.index].interval, Kind::read_interval, step.index});
        }
        break;
      case Kind::rotate:
        rotation_planned_ = false;
        for (const std::string& pmu : std::exchange(crowded_, {})) machine_.host().rotate(pmu);
        break;
    }
  }

  void begin(std::size_t index) {
    const MeasureSpec& measure = spec_.measures[index];
    // Looked up each time: the CPU a PMU is read on moves with CPU hotplug.
    const perf::PmuCatalog catalog(machine_.pmus().pmus());
    if (loaded_ && !pmus_are_there(measure, catalog)) return;
    const auto note_interval = [this, index](const IntervalResult& interval) {
      Json content = interval;
      content["index"] = index;
      journal_.write("interval", std::move(content));
    };
    std::unique_ptr<Measurement> measurement;
    try {
      measurement = std::make_unique<Measurement>(measure, machine_.pmus(), machine_.scoreboard(), catalog, zero_,
                                                  spec_.host.rotation, note_interval);
    } catch (const perf::PublicationError& error) {  // since the drivers were loaded again
      refuse(measure, error);
      return;
    }
    measurement->tell_openings([this](const std::string& text) {
      for (TraceListener* const tracer : machine_.tracers()) tracer->on_opening(text);
    });
    opening_ = measurement.get();
    measurement->begin([this] { return is_interrupted(); });
    opening_ = nullptr;
    if (measure.interval > 0) {
      Json content = measurement->begun();
      content["index"] = index;
      journal_.write("measure_begun", std::move(content));
    }
    open_.emplace(index, std::move(measurement));
    if (measure.window > 0) steps_.push({simulated_time() - zero_ + measure.window, Kind::end_measure, index});
    const Picoseconds begun = measure.follows ? simulated_time() - zero_ : measure.start;
    if (measure.interval > 0) steps_.push({begun + measure.interval, Kind::read_interval, index});
    if (options_.progress && spec_.duration)
      options_.progress(static_cast<double>(simulated_time() - zero_) / static_cast<double>(*spec_.duration));
  }

  void end(std::size_t index, bool cut_short) {
    const auto found = open_.find(index);
    if (found == open_.end()) return;  // an action closed it already
    MeasureResult result = found->second->end(cut_short);
    add_hints(result, machine_.pmus(), machine_.fabrics());
    occurrences_.excuse(result);
    check_expectations(result, cut_short);
    Json content = result;
    content["index"] = index;
    journal_.write("measure", std::move(content));
    open_.erase(found);
    if (!cut_short && index + 1 < spec_.measures.size() && spec_.measures[index + 1].follows)
      steps_.push({simulated_time() - zero_, Kind::begin_measure, index + 1});
  }

  void close_all(bool cut_short) {
    while (!open_.empty()) end(open_.begin()->first, cut_short);
  }

  void set_counting(const std::string& measure, bool counting, const std::string& at) {
    const auto found =
        std::ranges::find_if(open_, [&](const auto& open) { return spec_.measures[open.first].name == measure; });
    const std::string done = counting ? "enabled" : "disabled";
    if (found == open_.end()) {
      note(fmt::format("{}: {}: not {}, because it is not open", at, measure, done));
      return;
    }
    const bool is_so = found->second->is_counting() == counting;
    note(fmt::format("{}: {}: {}{}", at, measure, done, is_so ? kAlready : ""));
    found->second->set_counting(counting);
  }

  void set_online(unsigned cpu, bool online, const std::string& at) {
    driver_host::DriverHost& host = machine_.host();
    const bool is_so = host.is_online(cpu) == online;
    const int result = host.set_cpu_online(cpu, online);
    const std::string done = fmt::format("cpu {} {}", cpu, online ? "online" : "offline");
    note(fmt::format("{}: {}{}", at, done, is_so ? kAlready : ""));
    if (!online && result >= 0 && !is_so) cover(coverage::Step::offline);
    if (result < 0) check("cpu_hotplug", false, fmt::format("cpu {}: {}", cpu, describe_errno(result)));
    if (loaded_) published_.look(fmt::format("at {} ({})", at, done));
  }

  void act(const ActionSpec& action) {
    using Action = ActionSpec::Kind;
    driver_host::DriverHost& host = machine_.host();
    const std::string at = format_time(simulated_time() - zero_);
    switch (action.kind) {
      case Action::cpu_offline:
      case Action::cpu_online:
        set_online(action.cpu, action.kind == Action::cpu_online, at);
        break;
      case Action::unload_drivers:
      case Action::reload_drivers:
        close_all(false);
        if (action.kind == Action::unload_drivers)
          note(fmt::format("{}: drivers unloaded{}", at, loaded_ ? "" : kAlready));
        if (loaded_) host.unload();
        loaded_ = false;
        if (action.kind == Action::unload_drivers) break;
        load("reload_drivers");
        note(fmt::format("{}: drivers reloaded", at));
        break;
      case Action::load_drivers:
        note(fmt::format("{}: drivers loaded{}", at, loaded_ ? kAlready : ""));
        if (!loaded_) load("load_drivers");
        break;
      case Action::firmware_writes:
        if (loaded_) {
          check("firmware_writes", false, fmt::format("{}: the drivers are loaded, and own the registers", at));
          break;
        }
        do_firmware_writes();
        note(fmt::format("{}: registers written for firmware", at));
        break;
      case Action::read_events:
        for (const auto& [index, measurement] : open_) measurement->read_again();
        note(fmt::format("{}: {}", at, open_.empty() ? "no events read, because none is open" : "events read"));
        break;
      case Action::reset:
        machine_.platform().reset();
        cover(coverage::Step::reset);
        note(fmt::format("{}: platform reset", at));
        break;
      case Action::disable_events:
      case Action::enable_events:
        set_counting(action.measure, action.kind == Action::enable_events, at);
        break;
      case Action::unbind_driver:
      case Action::bind_driver:
      case Action::write_file:
        write_to_sysfs(action, at);
        break;
    }
  }

  void write_to_sysfs(const ActionSpec& action, const std::string& at) {
    if (action.kind == ActionSpec::Kind::write_file) {
      write_file(action, at);
    } else {
      bind(action, at);
    }
  }

  void bind(const ActionSpec& action, const std::string& at) {
    const bool unbinds = action.kind == ActionSpec::Kind::unbind_driver;
    driver_host::DriverHost& host = machine_.host();
    const int result = unbinds ? host.unbind_driver(action.driver) : host.bind_driver(action.driver);
    const char* const done = unbinds ? "unbound from" : "bound to";
    if (result == -ENOENT) {  // the kernel does not offer it
      note(fmt::format("{}: driver {} stays as it is: it has no files to bind and unbind it (suppress_bind_attrs)", at,
                       action.driver));
    } else if (result <= 0) {
      check(unbinds ? "unbind_driver" : "bind_driver", false,
            result == 0 ? fmt::format("{}: driver {} is {} no device", at, action.driver, done)
                        : fmt::format("{}: there is no driver '{}'", at, action.driver));
    } else {
      note(fmt::format("{}: driver {} {} {} device{}", at, action.driver, done, result, result == 1 ? "" : "s"));
    }
  }

  void write_file(const ActionSpec& action, const std::string& at) {
    const std::size_t slash = action.file.find('/');
    const int result =
        machine_.host().write_file(action.file.substr(0, slash), action.file.substr(slash + 1), action.text + "\n");
    if (result < 0)
      check("write_file", false,
            fmt::format("{}: writing '{}' to {}: {}", at, action.text, action.file, describe_errno(result)));
    note(fmt::format("{}: '{}' written to {}", at, action.text, action.file));
  }

  /// @param cut_short  counts cover only the time until the cut
  void check_expectations(MeasureResult& result, bool cut_short) {
    for (const ExpectationSpec& expectation : spec_.expectations) {
      if (!expectation.measure.empty() && expectation.measure != result.name) continue;
      for (CounterResult& counter : result.counters) {
        if (counter.event != expectation.event) continue;
        met_.insert(&expectation);
        if (cut_short) continue;
        // The driver's refusal is a failure of its own. The bound adds nothing to it.
        if (counter.check == CounterResult::Check::not_opened) continue;
        // That an event never has a turn is told by a count of 0.
        const bool had_no_turn = counter.time_enabled > 0 && counter.time_running == 0 && expectation.equals != 0U;
        if (!counter.driver || had_no_turn) {
          result.checks.push_back(
              {"expect", false,
               fmt::format("there is no count of '{}' to compare with the value the scenario expects", counter.event)});
          continue;
        }
        std::string wrong;
        if (expectation.equals && *counter.driver != *expectation.equals) {
          wrong = fmt::format("the scenario expects {}", with_separators(*expectation.equals));
        } else if (expectation.minimum && *counter.driver < *expectation.minimum) {
          wrong = fmt::format("the scenario expects at least {}", with_separators(*expectation.minimum));
        } else if (expectation.maximum && *counter.driver > *expectation.maximum) {
          wrong = fmt::format("the scenario expects at most {}", with_separators(*expectation.maximum));
        }
        if (wrong.empty()) continue;
        counter.check = CounterResult::Check::wrong;
        counter.note += (counter.note.empty() ? "" : "; ") + wrong;
      }
    }
  }

  void cover(coverage::Step step) {
    if (machine_.coverage() != nullptr) machine_.coverage()->did(step);
  }
  [[nodiscard]] std::string text_of(const InjectionSpec& injection) const {
    return fmt::format("{}: {} times {}{}",
                       injection.at.is_access() ? format_time(simulated_time() - zero_) + ", " + describe(injection.at)
                                                : format_time(injection.at.time),
                       with_separators(injection.count), injection.source,
                       injection.times == 1
                           ? ""
                           : fmt::format(", {} times in all, every {}", with_separators(injection.times),
                                         format_time(injection.every)));
  }
  void trace(const std::string& action) const {
    for (TraceListener* const tracer : machine_.tracers()) tracer->on_note(action);
  }
  void note(const std::string& action) {
    journal_.write("action", action);
    trace(action);
  }
  void check(const std::string& name, bool ok, const std::string& text) {
    journal_.write("check", CheckResult{name, ok, text});
  }

  /// Actions whose access came when the run had ended.
  std::vector<std::string> undone_actions() const {
    std::vector<std::string> undone;
    for (auto rest = steps_; !rest.empty(); rest.pop()) {
      if (rest.top().kind != Kind::action) continue;
      undone.push_back(fmt::format("the run ended before the action {} was carried out",
                                   describe(spec_.actions[rest.top().index].at)));
    }
    return undone;
  }

  /// What the checks of the end cannot look at. The report says so.
  BrokenParts find_broken() {
    BrokenParts parts;
    for (const Broken& one : occurrences_.broken()) {
      parts.windows.insert(one.windows.begin(), one.windows.end());
      parts.pmus.insert(one.pmus.begin(), one.pmus.end());
      const std::string what =
          one.pmus.empty() ? "registers that no event used" : fmt::format("{}", fmt::join(one.pmus, ", "));
      parts.reasons.push_back(fmt::format("{}: {} lasts until the end", what, one.fault));
    }
    for (const std::string& reason : parts.reasons) note("released and quiet not judged of " + reason);
    return parts;
  }

  /// How the drivers begin if firmware has left nothing set.
  void look_at_clean(QuietCheck& quiet) {
    if (machine_.host().panicked()) return;
    machine_.set_judging(false);
    machine_.platform().reset();
    if (machine_.host().load() >= 0) quiet.look_at_clean();
    machine_.host().unload();
    machine_.set_judging(true);
  }

  /// @param cut_short  the user or a limit ended it
  void finish(bool cut_short) {
    machine_.trace_phase(RunPhase::ending);
    ReleaseCheck release(machine_);
    QuietCheck quiet(machine_);
    const bool looks = loaded_ && began_ && !cut_short;
    interrupts_ = interrupt_report(machine_);
    for (const auto& fabric : machine_.fabrics()) fabric->report_busiest(busiest_);
    machine_.triggers().disarm();
    note_unheard();
    const std::optional<CheckResult> occurred = occurrences_.check(undone_actions());  // in the scenario's own time
    if (looks) {
      const BrokenParts broken = find_broken();
      if (broken.windows.empty()) published_.look_at_drawings("at the end");
      if (!machine_.host().panicked()) published_.try_events(broken.pmus, "at the end");
      quiet.look_at_used(broken);
      release.look_at_used(broken);
    }
    if (loaded_) machine_.host().unload();
    machine_.host().set_all_online();  // what comes now is another start of the machine
    finish_traces();
    if (looks) quiet.look_at_unloaded();
    const Picoseconds end = simulated_time() - release.taken() - published_.taken();
    for (const ExpectationSpec& expectation : spec_.expectations) {
      if (began_ && !met_.contains(&expectation))
        check("expect", false, fmt::format("no event '{}' was measured", expectation.event));
    }

    if (machine_.is_judged()) machine_.scoreboard().finish();
    if (occurred && began_ && !cut_short) journal_.write("check", *occurred);
    for (const CheckResult& result : run_checks(machine_, Kernel::here)) journal_.write("check", result);
    journal_.write("check", published_.result());
    const std::vector<std::string> log = machine_.host().log();  // without what comes now
    if (!cut_short) check_log(log);
    if (looks) {
      occurrences_.mend();
      std::optional<CheckResult> modules;
      const ReleaseCheck::Steps steps{.before_loading = [&] { do_firmware_writes(); },
                                      .when_loaded = [&] { quiet.look_at_fresh(); },
                                      .at_end = [&] { modules = reload_modules(machine_); }};
      journal_.write("check", release.compare_with_fresh(steps));
      if (modules) journal_.write("check", *modules);
      if (!spec_.firmware_writes.empty()) look_at_clean(quiet);
      journal_.write("check", quiet.result());
      if (spec_.failing_calls) {
        FailingCallsCheck failing(
            machine_, *spec_.failing_calls, [&] { do_firmware_writes(); }, [&] { return is_interrupted(); });
        journal_.write("check", failing.run());
      }
      if (spec_.stray_interrupts)
        journal_.write("check", check_stray_interrupts(machine_, [&] { do_firmware_writes(); }));
    }
    write_end(cut_short, end, log);
  }

  void check_log(const std::vector<std::string>& log) {
    const LogExpectationSpec& expected = spec_.kernel_log;
    if (expected.has.empty() && expected.lacks.empty()) return;
    std::vector<std::string> wrong;
    const auto compare = [&](const std::vector<std::string>& texts, bool wanted) {
      for (const std::string& text : texts) {
        const bool is_there =
            std::ranges::any_of(log, [&](const std::string& line) { return line.find(text) != std::string::npos; });
        if (is_there != wanted) wrong.push_back(fmt::format("{} '{}'", wanted ? "lacks" : "has", text));
      }
    };
    compare(expected.has, true);
    compare(expected.lacks, false);
    check("kernel_log", wrong.empty(),
          wrong.empty() ? "it says what the scenario expects, and nothing that it excludes"
                        : printable_message(fmt::format("it {}", fmt::join(wrong, " and "))));
  }

  void finish_traces() const {
    for (TraceListener* const tracer : machine_.tracers()) tracer->finish();
  }

  void write_end(bool cut_short, Picoseconds when, const std::vector<std::string>& log) {
    finish_traces();  // if the kernel is dead, they do not know
    Json content;
    content["interrupted"] = cut_short && is_interrupted();  // a dead kernel cuts short, too
    content["limit"] = limit_;
    content["partial"] = cut_short;
    content["simulated_time_ps"] = when - zero_;
    content["findings"] = findings(cut_short);
    content["traffic"] = traffic_report(machine_);
    content["interrupts"] = interrupts_;
    content["busiest"] = busiest_;
    journal_.write("kernel_log", log);
    if (machine_.coverage() != nullptr) journal_.write("coverage", machine_.coverage()->coverage().to_json());
    journal_.write("end", std::move(content));
  }

  /// Notes on a run that was cut short would only describe the cut.
  std::vector<std::string> findings(bool cut_short) {
    std::vector<std::string> list;
    if (!machine_.is_judged()) return list;
    for (const scoreboard::Finding& finding : machine_.scoreboard().findings().list()) {
      if (cut_short && finding.severity == scoreboard::Finding::Severity::note) continue;
      list.push_back(describe(finding));
    }
    return list;
  }

  /// Simulated time until the next check for a user's interrupt; the machine simulates it quickly. It depends on
  /// the simulation's progress and not on a clock, because waking up may decide what comes first at an instant.
  class Patience {
   public:
    explicit Patience(const Machine& machine) : machine_(machine) {}

    Picoseconds next() {
      constexpr std::uint64_t kFew = 5'000;
      constexpr std::uint64_t kMany = 20'000;
      const std::uint64_t now = machine_.steps();
      const std::uint64_t steps = now - std::exchange(last_, now);
      if (steps < kFew) {
        span_ = std::min(2 * span_, kLongest);
      } else if (steps > kMany) {
        span_ = std::max(span_ / 2, kShortest);
      }
      return span_;
    }

   private:
    static constexpr Picoseconds kShortest = 1'000'000;          // 1 us
    static constexpr Picoseconds kLongest = 60'000'000'000'000;  // a minute
    const Machine& machine_;
    Picoseconds span_ = kShortest;
    std::uint64_t last_ = 0;
  };

  const ScenarioSpec& spec_;
  Machine& machine_;
  Journal& journal_;
  const SessionOptions& options_;
  PublicationCheck published_{machine_};
  sc_core::sc_event& interrupt_;
  Patience patience_{machine_};
  Picoseconds zero_ = 0;
  Json interrupts_ = {};  // of the scenario's own time
  Json busiest_ = {};     // the same
  bool loaded_ = false;
  bool probe_failed_ = false;
  bool began_ = false;  // to do what the scenario says
  std::string limit_;   // that makes the run end; empty: none
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps_;
  std::map<std::size_t, std::unique_ptr<Measurement>> open_;  // by index of the measure
  const Measurement* opening_ = nullptr;                      // whose events are being opened
  std::set<std::string> crowded_;                             // PMUs with more events than counters
  bool rotation_planned_ = false;
  std::set<const ExpectationSpec*> met_;
  Injections injections_;
  std::map<std::string, std::uint64_t> unheard_;  // injections that no open event counted, by path
  Occurrences occurrences_{spec_, machine_, journal_};
};

}  // namespace

namespace {

/// Shows the drivers' host to SessionOptions::on_host as long as this lives.
class HostShown {
 public:
  HostShown(const SessionOptions& options, const driver_host::DriverHost& host) : options_(options) {
    if (options_.on_host) options_.on_host(&host);
  }
  ~HostShown() {
    if (options_.on_host) options_.on_host(nullptr);
  }
  HostShown& operator=(HostShown&&) = delete;

 private:
  const SessionOptions& options_;
};

/// @return what a machine must be like, without those who watch it
Machine::Options options_for(const ScenarioSpec& spec, const SessionOptions& session) {
  Machine::Options options;
  options.echo_log = session.echo_log;
  options.log_room = session.limits.log;
  options.covers = session.covers;
  options.is_judged = spec.is_judged;
  options.has_spare_processor = session.has_spare_processor;
  options.has_gate = needs_gate(spec);
  return options;
}

/// What the judge keeps does not grow with time, but what waits does.
std::string out_of_memory(std::uint64_t limit) {
  const std::string limited =
      limit == 0 ? "" : fmt::format(" (--limit memory={} is reached)", format_quantity(limit, Quantity::bytes));
  const Picoseconds now = simulated_time();
  if (now == 0) return fmt::format("memory ran out{} before the simulation began: the platform is too large", limited);
  return fmt::format(
      "memory ran out{} at {} of simulated time: does traffic offer more than is served, so that ever more requests "
      "wait?",
      limited, format_quantity(now, Quantity::duration));
}

}  // namespace

int run_session(const ScenarioSpec& spec, const driver_host::DriverSet& drivers, Journal& journal,
                const SessionOptions& options) {
  journal.write("begin", begin_record(spec, drivers.kernel_version));
  try {
    sc_core::sc_event interrupt("interrupted_by_user");
    Machine::Options machine_options = options_for(spec, options);
    const Tracers tracers = make_tracers(options.traces);
    for (const auto& tracer : tracers) machine_options.tracers.push_back(tracer.get());
    ScenarioRun* running = nullptr;
    machine_options.progress = [&](const TrafficProgress& progress) {
      // Requests up to that time are sent already. Before it, no count can be right.
      if (running != nullptr && running->is_interrupted())
        interrupt.notify(to_sc_time(progress.sent_until + 1 - simulated_time()));
      if (!options.progress) return;
      if (spec.duration) {
        options.progress(std::min(1.0, static_cast<double>(progress.sent_until) / static_cast<double>(*spec.duration)));
      } else if (progress.fraction) {
        options.progress(*progress.fraction);
      }
    };
    Machine machine(spec.platform, spec.host, spec.workload, drivers, std::move(machine_options));
    ScenarioRun run(spec, machine, journal, options, interrupt);
    running = &run;
    const HostShown shown(options, machine.host());
    try {
      machine.run([&] { run.carry_out(); });
    } catch (const platform::PluginError&) {  // it may be why the kernel is dead
      throw;
    } catch (const std::exception& error) {
      // A dead kernel is the driver's failure, not ours. Earlier measurements stay.
      if (!machine.host().panicked()) throw;
      // Where a timer or an interrupt handler died, SystemC has put words around it.
      const auto* const report = dynamic_cast<const sc_core::sc_report*>(&error);
      run.record_panic(report != nullptr ? report->get_msg() : error.what());
    }
    return 0;
  } catch (const perf::EventError& error) {
    journal.write_error(Journal::Cause::input, "\n" + error.picture());
    return 2;
  } catch (const InputError& error) {
    journal.write_error(Journal::Cause::input, with_place(error, spec.written).what());
    return 2;
  } catch (const traffic::TraceError& error) {
    journal.write_error(Journal::Cause::input, error.what());
    return 2;
  } catch (const std::system_error& error) {
    const bool no_room = is_output_error(error.code());
    journal.write_error(no_room ? Journal::Cause::output : Journal::Cause::internal,
                        no_room ? InputError(error.what(), "is the disk full?").what() : error.what());
    return no_room ? 2 : 3;
  } catch (const std::bad_alloc&) {
    journal.write_error(Journal::Cause::internal, out_of_memory(options.limits.memory));
    return 3;
  } catch (const std::exception& error) {
    journal.write_error(Journal::Cause::internal, error.what());
    return 3;
  }
}

}  // namespace pmufab::scenario
