// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/driver_host.h"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "testbench/host/driver_functions.h"
#include "testbench/host/firmware_table.h"
#include "testbench/host/interrupt_controller.h"
#include "testbench/host/kernel_log.h"
#include "testbench/host/module_library.h"
#include "tlm/spec/printable.h"

namespace pmufab::driver_host {
namespace {

constexpr int kErrorIo = -5;         // EIO: the kernel is dead
constexpr int kErrorBusy = -16;      // EBUSY: the last CPU
constexpr int kErrorNoDevice = -19;  // ENODEV: nothing loaded
constexpr int kErrorInvalid = -22;   // EINVAL: no such CPU
constexpr int kLevelError = 3;
constexpr int kLevelWarning = 4;
constexpr int kLevelInfo = 6;
constexpr std::size_t kToldWarnings = 10;
constexpr Picoseconds kLockup = 20'000'000'000;  // Linux waits for 20 s of real time
constexpr unsigned kLockupCalls = 100;           // one handler may take as long, or its CPU be away: that has an end
constexpr unsigned kCallsAtOnce = 100'000;       // of timers at one instant: time never goes on
constexpr unsigned kTimerCalls = 1'000;          // of one timer, without a pause
constexpr Picoseconds kTimerCall = 1'000'000;    // a CPU takes longer for the interrupt of a timer
constexpr std::size_t kStackSize = 1U << 20;     // of the interrupt process: drivers nest calls deeply, more so with
                                                 // sanitizers

Picoseconds now() { return to_picoseconds(sc_core::sc_time_stamp()); }

bool in_thread_process() { return sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_THREAD_PROC_; }

/// @return the text with the driver's function, if that is known
std::string in_function(const std::string& text, const std::string& function) {
  return function.empty() ? text : text + ", in " + function;
}

/// @return why the kernel is dead, although no driver has said so
/// @param last  "that of interrupt 288"
std::string text_of_lockup(const std::string& last) {
  return "the CPU is locked up: for " + std::to_string(kLockup / 1'000'000'000) +
         " ms, interrupt handlers have let nothing else run; the last was " + last;
}

const char* name_of(tlm::tlm_response_status status) {
  constexpr std::array<std::pair<tlm::tlm_response_status, const char*>, 7> kNames{{
      {tlm::TLM_OK_RESPONSE, "TLM_OK_RESPONSE"},
      {tlm::TLM_INCOMPLETE_RESPONSE, "TLM_INCOMPLETE_RESPONSE"},
      {tlm::TLM_GENERIC_ERROR_RESPONSE, "TLM_GENERIC_ERROR_RESPONSE"},
      {tlm::TLM_ADDRESS_ERROR_RESPONSE, "TLM_ADDRESS_ERROR_RESPONSE"},
      {tlm::TLM_COMMAND_ERROR_RESPONSE, "TLM_COMMAND_ERROR_RESPONSE"},
      {tlm::TLM_BURST_ERROR_RESPONSE, "TLM_BURST_ERROR_RESPONSE"},
      {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "TLM_BYTE_ENABLE_ERROR_RESPONSE"},
  }};
  const auto* const found = std::ranges::find(kNames, status, &std::pair<tlm::tlm_response_status, const char*>::first);
  return found == kNames.end() ? "an unknown response" : found->second;
}

}  // namespace

struct DriverHost::State {
  /// Handlers of interrupts and callbacks of timers, one after the other, with nothing else between them.
  struct HandlerSeries {
    bool in_task = false;  ///< a task has let them in, and goes on afterwards
    Picoseconds begun = 0;
    unsigned calls = 0;
    Picoseconds latest_timer = 0;  ///< when a callback ended
    unsigned timers_at_once = 0;   ///< so many have, at that instant
  };

  /// How often a timer has called, since when.
  struct TimerPace {
    Picoseconds begun = 0;
    unsigned calls = 0;
  };

  State(DriverHost& host_in, DriverSet drivers_in, const Options& options_in)
      : host(host_in),
        drivers(std::move(drivers_in)),
        options(options_in),
        interrupts(options_in.interrupt_delay, options_in.times),
        library(drivers.library.empty() ? nullptr : std::make_unique<ModuleLibrary>(drivers.library)),
        log(options_in.log_room) {
    door.abi_version = PMUFAB_DRIVER_ABI_VERSION;
    door.context = this;
    door.mmio_read = [](void* self, std::uint64_t address, unsigned size) {
      std::uint64_t value = 0;
      of(self).access(tlm::TLM_READ_COMMAND, address, size, value);
      return value;
    };
    door.mmio_write = [](void* self, std::uint64_t address, unsigned size, std::uint64_t value) {
      of(self).access(tlm::TLM_WRITE_COMMAND, address, size, value);
    };
    door.now = [](void*) { return now(); };
    door.sleep = [](void* self, std::uint64_t until) { of(self).sleep(until); };
    door.set_timer = [](void* self, std::uint64_t at) { of(self).set_timer(at); };
    door.timer_called = [](void* self, const void* function, const void* timer) {
      of(self).count_timer(reinterpret_cast<std::uintptr_t>(function) + 1, timer);  // as if it had called from there
    };
    door.log = [](void* self, int level, const char* text, std::size_t length) {
      of(self).print(level, std::string(text, length));
    };
    door.warned = [](void* self, const char* text) { of(self).warn(printable(text), of(self).function_on_stack()); };
    door.rule_broken = [](void* self, const char* text, const void* place) { of(self).break_rule(text, place); };
    door.function_at = [](void* self, const void* address) {
      of(self).told_function = of(self).function_at(reinterpret_cast<std::uintptr_t>(address));
      return of(self).told_function.c_str();
    };
    door.interrupt_window = [](void* self) { of(self).deliver(true); };
    door.perf_call = [](void* self, int call, int begin, const char* pmu, int event, std::uint64_t value) {
      if (call == PMUFAB_CALL_INTERRUPT) of(self).on_handler(begin != 0, pmu);
      if (of(self).observer != nullptr)
        of(self).observer->on_call(static_cast<PerfCallObserver::Call>(call), begin != 0, pmu, event, value, now());
    };
    door.add_failed = [](void* self, const char* pmu, int event, int error, const void* place) {
      if (of(self).observer == nullptr) return;
      const std::string room = of(self).observer->on_add_failed(pmu, event, error);
      if (room.empty()) return;
      const char* const name = strerrorname_np(-error);
      const std::string answer = name == nullptr ? std::to_string(error) : name;
      of(self).break_rule(("adding an event of " + std::string(pmu) + " answers " + answer + " with " + room).c_str(),
                          place);
    };
    door.call_fails = [](void* self, const char* function, const void* place) {
      return of(self).call_fails(function, place) ? 1 : 0;
    };
    door.fatal = [](void* self, const char* why) { of(self).die(printable(why)); };
  }

  [[noreturn]] void die(const std::string& why) {
    dead = true;
    throw std::runtime_error(in_function("kernel panic in the drivers of Linux " + drivers.kernel_version + ": " + why,
                                         function_on_stack()));
  }

  static State& of(void* self) { return *static_cast<State*>(self); }

  void print(int level, const std::string& given) {
    const std::string text = printable(given);
    log.add(level, text);
    if (log_observer) log_observer(std::string{'<', static_cast<char>('0' + level), '>'} + text);
    if (options.echo_log) std::fprintf(stderr, "[%12.6f] %s\n", static_cast<double>(now()) * 1e-12, text.c_str());
  }

  [[nodiscard]] std::string function_at(std::uintptr_t address) {
    if (!library || address < library->base()) return {};
    if (!functions) {
      std::set<std::string> files;
      (*library)->list_drivers(
          &files,
          [](void* context, const char* file, const char* /*sha256*/, int /*own*/, int /*is_used*/) {
            std::istringstream names(file);
            for (std::string name; std::getline(names, name, '+');)
              static_cast<std::set<std::string>*>(context)->insert(name);
          },
          [](void* /*context*/, const char* /*pmu*/) {});
      functions = std::make_unique<DriverFunctions>(drivers.library, files);
    }
    return functions->at(address - library->base());
  }

  /// @return the driver's innermost function that is being carried out; empty: none
  [[nodiscard]] std::string function_on_stack() {
    struct Search {
      State& state;
      std::string found;
    } search{*this, {}};
    _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* context) {
          Search& mine = *static_cast<Search*>(context);
          // What a signal has interrupted is at its own place, not behind a call.
          int is_exact = 0;
          const std::uintptr_t place = _Unwind_GetIPInfo(frame, &is_exact);
          mine.found = mine.state.function_at(is_exact != 0 ? place + 1 : place);
          return mine.found.empty() ? _URC_NO_REASON : _URC_END_OF_STACK;
        },
        &search);
    return search.found;
  }

  void remember(const PerfAttributes& event) {
    if (!opened_before.insert({event.type, event.config, event.config1, event.config2}).second) return;
    opened.push_back(event);
  }

  void warn(const std::string& text, const std::string& function) {
    ++warnings;
    const std::string sentence = in_function(text, function);
    if (warning_texts.size() < kToldWarnings &&
        std::find(warning_texts.begin(), warning_texts.end(), sentence) == warning_texts.end())
      warning_texts.push_back(sentence);
  }

  /// The same mistake is logged once.
  void break_rule(const char* given, const void* place) {
    const std::string text = printable(given);
    std::string function = function_at(reinterpret_cast<std::uintptr_t>(place));
    if (function.empty()) function = function_on_stack();
    if (broken_rules.insert(in_function(text, function)).second)
      print(kLevelError, "BUG: " + in_function(text, function));
    warn(text, function);
  }

  bool call_fails(std::string_view function, const void* place) {
    if (failing_call == 0) return false;
    const std::string caller = function_at(reinterpret_cast<std::uintptr_t>(place));
    if (caller.empty() || ++calls_that_may_fail != failing_call) return false;
    function.remove_prefix(std::min(function.find_first_not_of('_'), function.size()));
    failed_call = std::string(function) + "() in " + caller;
    print(kLevelInfo, "fault injection: this call fails: " + failed_call);
    return true;
  }

  /// A handler begins or ends.
  void on_handler(bool begin, const char* pmu) {
    if (begin) interrupts.handles(pmu);
    if (options.times == nullptr) return;
    if (begin) {
      handler_time = options.times->handler_time();
    } else {
      spend_handler_time();
    }
  }

  void spend_handler_time() {
    if (handler_time > 0) sc_core::wait(to_sc_time(std::exchange(handler_time, 0)));
  }

  /// @return when the CPU goes on; now if it is there
  [[nodiscard]] Picoseconds goes_on_at() const {
    return options.times == nullptr ? now() : options.times->goes_on_at(now());
  }

  /// One register access. Reads or writes `value`; a read that the platform refuses gives all ones.
  void access(tlm::tlm_command command, std::uint64_t address, unsigned size, std::uint64_t& value) {
    if (!in_thread_process()) throw std::logic_error("a driver touches registers outside of a SystemC thread process");
    if (const Picoseconds back = goes_on_at(); back > now()) sc_core::wait(to_sc_time(back - now()));
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host.bus->b_transport(payload, delay);
    const tlm::tlm_response_status status = payload.get_response_status();
    delay += to_sc_time(options.access_latency);
    if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    spend_handler_time();
    if (status != tlm::TLM_OK_RESPONSE) {
      std::array<char, 128> text{};
      std::snprintf(text.data(), text.size(), "WARNING: external abort: %u-byte %s at 0x%016" PRIx64 " answered %s",
                    size, command == tlm::TLM_READ_COMMAND ? "read" : "write", address, name_of(status));
      print(kLevelWarning, text.data());
      if (!abort_is_excused) warn(text.data(), function_on_stack());
      value = ~std::uint64_t{0};
    }
  }

  /// The same, and no driver makes it.
  void access_of_program(tlm::tlm_command command, std::uint64_t address, unsigned size, std::uint64_t& value) {
    is_programs_access = true;
    access(command, address, size, value);
    is_programs_access = false;
  }

  void set_timer(Picoseconds at) {
    timer_at = at;
    timer_due.cancel();
    if (at != PMUFAB_NO_TIMER) timer_due.notify(to_sc_time(std::max(at, now()) - now()));
  }

  void sleep(Picoseconds until) {
    if (!in_thread_process()) throw std::logic_error("a driver sleeps outside of a SystemC thread process");
    if (timer_at > now()) until = std::min(until, timer_at);  // else interrupts are off
    if (until > now()) sc_core::wait(to_sc_time(until - now()), interrupts.changed());
  }

  /// A message with an unknown interrupt number is lost, as on a real machine.
  void message(std::uint64_t address, std::uint32_t number) {
    const platform::MessageInterruptDoorbell& msi = firmware->msi;
    if (address == msi.address && number >= msi.first_number && number - msi.first_number < msi.count) {
      interrupts.message(number);
      return;
    }
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "message interrupt lost: 0x%" PRIx32 " written to 0x%016" PRIx64, number,
                  address);
    print(kLevelError, text.data());
  }

  /// Count a handler that has returned. @return true if so many of the series have kept a task from the CPU for so long
  ///         that it never gets there
  [[nodiscard]] bool is_locked_up() {
    // Handlers before a task came have kept nobody waiting.
    if (!series.in_task && waiting_since && *waiting_since > series.begun) {
      series.begun = *waiting_since;
      series.calls = 0;
    }
    const bool is_kept_off = series.in_task || waiting_since;
    return ++series.calls >= kLockupCalls && is_kept_off && now() - series.begun > kLockup;
  }

  /// A timer's callback has returned. @param function  an address in it
  void count_timer(std::uintptr_t function, const void* timer) {
    check_pace(function, timer_paces[timer]);
    series.timers_at_once = series.latest_timer == now() ? series.timers_at_once + 1 : 1;
    series.latest_timer = now();
    if (is_locked_up()) die(text_of_lockup(in_function("that of a timer", function_at(function))));
    if (series.timers_at_once < kCallsAtOnce) return;
    die(in_function(
        "the CPU is locked up: " + std::to_string(kCallsAtOnce) + " callbacks of timers were due at one instant",
        function_at(function)));
  }

  /// A timer that is due again before a CPU could have carried out its callback leaves no time for anything else.
  void check_pace(std::uintptr_t function, TimerPace& pace) {
    if (pace.calls++ == 0) pace.begun = now();
    if (pace.calls <= kTimerCalls) return;
    const Picoseconds taken = now() - pace.begun;
    pace = {};
    if (taken >= kTimerCalls * kTimerCall || taken == 0) return;
    die(in_function("the CPU is locked up: a timer was due " + std::to_string(kTimerCalls) + " times in " +
                        std::to_string(taken / 1'000'000) + " us, and a CPU takes 1 us for each",
                    function_at(function)));
  }

  /// Run the handlers of every interrupt that can be taken, and the timers whose time has come.
  /// @param in_task  a task has let interrupts in, and goes on afterwards
  void deliver(bool in_task) {
    if (const Picoseconds back = goes_on_at(); back > now()) {
      interrupts.changed().notify(to_sc_time(back - now()));
      return;
    }
    const auto wanted = [this](std::uint32_t number) { return (*library)->interrupt_requested(number) != 0; };
    const HandlerSeries outer = std::exchange(series, {.in_task = in_task, .begun = now()});
    do {
      while (const auto number = interrupts.next(wanted)) {
        interrupts.taken(*number);
        if (interrupt_observer) interrupt_observer(*number, true, false);
        const std::optional<bool> by_program = interrupt_program ? interrupt_program(*number) : std::nullopt;
        const bool handled = by_program ? *by_program : (*library)->interrupt(*number) > 0;
        if (interrupt_observer) interrupt_observer(*number, false, handled);
        const std::string complaint = interrupts.finished(*number, handled);
        if (!complaint.empty()) print(kLevelError, complaint);
        if (is_locked_up()) die(text_of_lockup("that of interrupt " + std::to_string(*number)));
      }
      if (timer_at <= now()) (*library)->timers();
    } while (timer_at <= now());
    series = outer;
    interrupts.rearm();
  }

  int load() {
    if (drivers.library.empty()) throw std::logic_error("DriverHost::load: there are no drivers");
    if (!firmware) throw std::logic_error("DriverHost::describe must come before load");
    if (booted) return 0;
    // Reloaded drivers have their initial variables.
    if (!library) library = std::make_unique<ModuleLibrary>(drivers.library);
    (*library)->attach(&door, next_event);
    (*library)->interrupt_at_steps(interrupts_at_steps ? 1 : 0);
    const FirmwareTable table(*firmware, offline);
    booted = true;
    return (*library)->boot(&table.get());
  }

  /// Delivers interrupts while no thread is inside.
  [[noreturn]] void interrupt_process();

  DriverHost& host;
  DriverSet drivers;
  Options options;
  InterruptController interrupts;
  std::unique_ptr<ModuleLibrary> library;  // null after unload(), and without drivers
  pmufab_host door{};
  tlm::tlm_generic_payload payload;
  std::optional<platform::FirmwareDescription> firmware;
  PerfCallObserver* observer = nullptr;
  InterruptObserver interrupt_observer;
  LogObserver log_observer;
  InterruptProgram interrupt_program;
  KernelLog log;
  std::vector<DriverFile> driver_files;
  std::unique_ptr<DriverFunctions> functions;  // null until somebody asks
  std::string told_function;
  std::vector<PerfAttributes> opened;
  std::set<std::array<std::uint64_t, 4>> opened_before;  // as type and configs
  std::uint64_t warnings = 0;
  std::vector<std::string> warning_texts;
  std::set<std::string> broken_rules;
  std::uint64_t failing_call = 0;  // its number; 0: none fails, and calls are not counted
  std::uint64_t calls_that_may_fail = 0;
  std::string failed_call;
  std::set<unsigned> offline;        // CPUs; the drivers are loaded on the others
  bool interrupts_at_steps = false;  // of probe and remove, as the drivers are loaded
  bool booted = false;
  std::optional<Picoseconds> first_loaded;
  bool dead = false;
  bool abort_is_excused = false;
  bool is_programs_access = false;  // the access under way
  int next_event = 1;
  Picoseconds handler_time = 0;            // which the handler under way has still to take
  Picoseconds timer_at = PMUFAB_NO_TIMER;  // of the drivers' first timer
  sc_core::sc_event timer_due;
  HandlerSeries series;  // under way
  std::map<const void*, TimerPace> timer_paces;

  bool busy = false;                         // a thread is inside
  std::optional<Picoseconds> waiting_since;  // of the first thread that waits to come inside
  sc_core::sc_process_handle inside;
  sc_core::sc_event left;
};

namespace {

/// Scope of being inside the kernel: one thread process at a time.
template <typename State>
class Inside {
 public:
  explicit Inside(State& state) : state_(state) {
    if (!in_thread_process()) throw std::logic_error("DriverHost must be called from a SystemC thread process");
    const sc_core::sc_process_handle self = sc_core::sc_get_current_process_handle();
    if (state_.busy && state_.inside == self)
      throw std::logic_error("DriverHost is called again from inside a call (from an observer?)");
    while (state_.busy) {
      if (!state_.waiting_since) state_.waiting_since = now();
      sc_core::wait(state_.left);
    }
    state_.waiting_since.reset();
    state_.busy = true;
    state_.inside = self;
  }
  ~Inside() {
    state_.busy = false;
    state_.left.notify();
  }
  Inside& operator=(Inside&&) = delete;

 private:
  State& state_;
};

/// A variable has a value as long as this lives, and is zero afterwards.
template <typename T>
class SetFor {
 public:
  SetFor(T& variable, T value) : variable_(variable) { variable = value; }
  ~SetFor() { variable_ = {}; }
  SetFor& operator=(SetFor&&) = delete;

 private:
  T& variable_;
};

}  // namespace

void DriverHost::State::interrupt_process() {
  while (true) {
    sc_core::wait(interrupts.changed() | timer_due);
    if (!booted || dead) continue;
    const Inside inside_now(*this);
    if (booted && !dead) deliver(false);
  }
}

DriverHost::DriverHost(const sc_core::sc_module_name& name, const DriverSet& drivers, const Options& options)
    : sc_core::sc_module(name), bus("bus"), state_(std::make_unique<State>(*this, drivers, options)) {
  sc_core::sc_spawn_options spawn;
  spawn.set_stack_size(kStackSize);
  sc_core::sc_spawn([this] { state_->interrupt_process(); }, "interrupts", &spawn);
}

void DriverHost::run_program(const std::function<void()>& program) {
  const Inside inside_now(*state_);
  program();
}

std::uint64_t DriverHost::read_register(std::uint64_t address, unsigned size) {
  std::uint64_t value = 0;
  state_->access_of_program(tlm::TLM_READ_COMMAND, address, size, value);
  return value;
}

void DriverHost::write_register(std::uint64_t address, unsigned size, std::uint64_t value) {
  state_->access_of_program(tlm::TLM_WRITE_COMMAND, address, size, value);
}

DriverHost::~DriverHost() = default;

void DriverHost::describe(const platform::FirmwareDescription& firmware) {
  if (state_->firmware) throw std::logic_error("DriverHost::describe is called twice");
  state_->firmware = firmware;
  for (const platform::ApmtNode& node : firmware.apmt) {
    if (node.overflow_interrupt)
      state_->interrupts.connect(node.overflow_interrupt->number, node.overflow_interrupt->line);
  }
  for (const platform::AcpiDevice& device : firmware.devices) {
    for (const platform::InterruptResource& interrupt : device.interrupts)
      state_->interrupts.connect(interrupt.number, interrupt.line);
  }
  for (MessageInterrupt* source : firmware.msi.sources) {
    source->listen([this](std::uint64_t address, std::uint32_t data) { state_->message(address, data); });
  }
}

void DriverHost::observe(PerfCallObserver* observer) { state_->observer = observer; }

void DriverHost::observe_interrupts(InterruptObserver observer) { state_->interrupt_observer = std::move(observer); }

void DriverHost::observe_log(LogObserver observer) { state_->log_observer = std::move(observer); }

void DriverHost::handle_interrupts(InterruptProgram program) { state_->interrupt_program = std::move(program); }

bool DriverHost::run_handler(const std::string& pmu, const std::function<bool()>& handler) {
  state_->on_handler(true, pmu.c_str());
  const bool handled = handler();
  state_->on_handler(false, pmu.c_str());
  return handled;
}

int DriverHost::load() {
  const Inside inside(*state_);
  if (state_->dead) return kErrorIo;
  const int result = state_->load();
  if (!state_->first_loaded) state_->first_loaded = now();
  state_->driver_files.clear();
  (*state_->library)
      ->list_drivers(
          &state_->driver_files,
          [](void* context, const char* file, const char* sha256, int own, int is_used) {
            static_cast<std::vector<DriverFile>*>(context)->push_back(
                {.file = file, .sha256 = sha256, .is_own = own != 0, .is_given = own == 1, .is_used = is_used != 0});
          },
          [](void* context, const char* name) {
            static_cast<std::vector<DriverFile>*>(context)->back().pmus.emplace_back(name);
          });
  return result;
}

int DriverHost::load_with_failing_call(std::uint64_t number) {
  const Inside inside(*state_);
  if (state_->dead) return kErrorIo;
  state_->calls_that_may_fail = 0;
  state_->failed_call.clear();
  const SetFor<std::uint64_t> set(state_->failing_call, number);
  return state_->load();
}

int DriverHost::load_with_interrupts() {
  const Inside inside(*state_);
  if (state_->dead) return kErrorIo;
  const SetFor<bool> set(state_->interrupts_at_steps, true);
  return state_->load();
}

std::uint64_t DriverHost::calls_that_may_fail() const { return state_->calls_that_may_fail; }

const std::string& DriverHost::failed_call() const { return state_->failed_call; }

void DriverHost::unload() {
  const Inside inside(*state_);
  if (!state_->booted || state_->dead) return;
  (*state_->library)->shutdown();
  state_->set_timer(PMUFAB_NO_TIMER);
  state_->booted = false;
  state_->library->unload();
  state_->library.reset();
}

std::vector<Pmu> DriverHost::pmus() const {
  std::vector<Pmu> result;
  if (!state_->booted || state_->dead) return result;
  const Inside inside(*state_);
  (*state_->library)
      ->list_pmus(
          &result,
          [](void* context, const char* name, std::uint32_t type) {
            static_cast<std::vector<Pmu>*>(context)->push_back(Pmu{.name = name, .type = type, .files = {}});
          },
          [](void* context, const char* path, const char* content, std::size_t length, int error) {
            Pmu& pmu = static_cast<std::vector<Pmu>*>(context)->back();
            pmu.files.emplace_back(path, std::string(content, length));
            if (error != 0) pmu.unreadable.emplace(path, error);
          });
  return result;
}

std::vector<std::pair<std::string, std::string>> DriverHost::debugfs() const {
  std::vector<std::pair<std::string, std::string>> files;
  if (!state_->booted || state_->dead) return files;
  const Inside inside(*state_);
  const auto add = [](void* context, const char* path, const char* content, std::size_t length, int error) {
    if (error != 0) return;
    static_cast<std::vector<std::pair<std::string, std::string>>*>(context)->emplace_back(path,
                                                                                          std::string(content, length));
  };
  (*state_->library)->list_debugfs(&files, add);
  return files;
}

std::vector<DriverHost::LoadedModule> DriverHost::modules() const {
  std::vector<LoadedModule> result;
  if (!state_->booted) return result;
  (*state_->library)->list_modules(&result, [](void* context, const char* name, int is_helper) {
    static_cast<std::vector<LoadedModule>*>(context)->push_back({.name = name, .is_helper = is_helper != 0});
  });
  return result;
}

template <typename Function, typename... Arguments>
int DriverHost::call(Function function, Arguments... arguments) {
  if (state_->dead) return kErrorIo;
  const Inside inside(*state_);
  if (!state_->booted) return kErrorNoDevice;
  return ((**state_->library).*function)(arguments...);
}

int DriverHost::unload_module(const std::string& name) { return call(&pmufab_module::unload_module, name.c_str()); }

int DriverHost::load_module(const std::string& name) { return call(&pmufab_module::load_module, name.c_str()); }

int DriverHost::unbind_driver(const std::string& driver) { return call(&pmufab_module::unbind_driver, driver.c_str()); }

int DriverHost::bind_driver(const std::string& driver) { return call(&pmufab_module::bind_driver, driver.c_str()); }

int DriverHost::write_file(const std::string& pmu, const std::string& path, const std::string& text) {
  return call(&pmufab_module::write_file, pmu.c_str(), path.c_str(), text.data(), text.size());
}

std::vector<DriverHost::BoundDevice> DriverHost::bound_devices() const {
  std::vector<BoundDevice> result;
  if (!state_->booted || state_->dead) return result;
  const auto add = [](void* context, const char* name, const char* driver, unsigned pmus, unsigned files) {
    static_cast<std::vector<BoundDevice>*>(context)->push_back(
        {.name = name, .driver = driver, .pmu_count = pmus, .file_count = files});
  };
  (*state_->library)->list_bound(&result, add);
  return result;
}

namespace {

pmufab_event_attributes to_abi(const PerfAttributes& from) {
  pmufab_event_attributes to{};
  to.type = from.type;
  to.config = from.config;
  to.config1 = from.config1;
  to.config2 = from.config2;
  to.sample_period = from.sample_period;
  to.pinned = from.pinned ? 1 : 0;
  to.exclusive = from.exclusive ? 1 : 0;
  to.disabled = from.disabled ? 1 : 0;
  to.exclude_user = from.exclude_user ? 1 : 0;
  to.exclude_kernel = from.exclude_kernel ? 1 : 0;
  to.exclude_guest = from.exclude_guest ? 1 : 0;
  return to;
}

EventReading from_abi(const pmufab_event_reading& from) {
  return {.value = from.value, .time_enabled = from.time_enabled, .time_running = from.time_running};
}

}  // namespace

EventHandle DriverHost::open(const PerfAttributes& attributes, int cpu, EventHandle group_leader) {
  return open_event(attributes, cpu, group_leader, false);
}

EventHandle DriverHost::open_for_task(const PerfAttributes& attributes, int cpu) {
  return open_event(attributes, cpu, 0, true);
}

void DriverHost::try_software_group(const PerfAttributes& attributes, int cpu) {
  const pmufab_event_attributes abi = to_abi(attributes);
  call(&pmufab_module::try_software_group, &abi, cpu);
}

EventHandle DriverHost::open_event(const PerfAttributes& attributes, int cpu, EventHandle leader, bool for_task) {
  const pmufab_event_attributes abi = to_abi(attributes);
  const EventHandle event = call(&pmufab_module::open, &abi, cpu, leader, for_task ? 1 : 0);
  state_->next_event = std::max(state_->next_event, event + 1);
  if (event > 0) state_->remember(attributes);
  return event;
}

int DriverHost::try_event(PerfAttributes attributes, int cpu) {
  attributes.disabled = true;
  const pmufab_event_attributes abi = to_abi(attributes);
  const EventHandle event = call(&pmufab_module::open, &abi, cpu, 0, 0);
  if (event <= 0) return event;
  state_->next_event = std::max(state_->next_event, event + 1);
  close(event);
  return 0;
}

int DriverHost::enable(EventHandle event, bool group) { return call(&pmufab_module::enable, event, group ? 1 : 0); }

int DriverHost::disable(EventHandle event, bool group) { return call(&pmufab_module::disable, event, group ? 1 : 0); }

bool DriverHost::in_error(EventHandle event) { return call(&pmufab_module::in_error, event) > 0; }

int DriverHost::read(EventHandle event, EventReading& reading) {
  pmufab_event_reading abi{};
  const int result = call(&pmufab_module::read, event, &abi);
  if (result >= 0) reading = from_abi(abi);
  return result;
}

int DriverHost::read_group(EventHandle leader, std::vector<EventReading>& readings) {
  // A group cannot have more members than were ever opened.
  std::vector<pmufab_event_reading> abi(static_cast<std::size_t>(state_->next_event));
  const int count = call(&pmufab_module::read_group, leader, abi.data(), static_cast<int>(abi.size()));
  if (count < 0) return count;
  readings.clear();
  for (int i = 0; i < count; ++i) readings.push_back(from_abi(abi[static_cast<std::size_t>(i)]));
  return 0;
}

void DriverHost::close(EventHandle event) { call(&pmufab_module::close, event); }

void DriverHost::rotate(const std::string& pmu) { call(&pmufab_module::rotate, pmu.c_str()); }

int DriverHost::set_cpu_online(unsigned cpu, bool online) {
  const std::size_t cpus = state_->firmware ? state_->firmware->cpus.size() : 0;
  int result = 0;
  if (state_->booted) {
    result = call(&pmufab_module::set_cpu_online, cpu, online ? 1 : 0);
  } else if (cpu >= cpus) {
    result = kErrorInvalid;
  } else if (!online && !state_->offline.contains(cpu) && state_->offline.size() + 1 == cpus) {
    result = kErrorBusy;
  }
  if (result < 0) return result;
  if (online) {
    state_->offline.erase(cpu);
  } else {
    state_->offline.insert(cpu);
  }
  return result;
}

void DriverHost::set_all_online() {
  if (!state_->booted) state_->offline.clear();
}

bool DriverHost::is_online(unsigned cpu) const {
  return state_->firmware && cpu < state_->firmware->cpus.size() && !state_->offline.contains(cpu);
}

const std::vector<PerfAttributes>& DriverHost::opened() const { return state_->opened; }
std::string DriverHost::kernel_version() const {
  return state_->library == nullptr ? std::string() : (*state_->library)->kernel_version;
}
const std::vector<DriverFile>& DriverHost::driver_files() const { return state_->driver_files; }
const std::vector<std::string>& DriverHost::log() const { return state_->log.lines(); }
bool DriverHost::panicked() const { return state_->dead; }
std::uint64_t DriverHost::warnings() const { return state_->warnings; }
const std::vector<std::string>& DriverHost::warning_texts() const { return state_->warning_texts; }
std::string DriverHost::driver_function() const { return state_->busy ? state_->function_on_stack() : std::string(); }
std::optional<unsigned> DriverHost::driver_cpu() const {
  if (!state_->busy || !state_->booted || state_->is_programs_access) return {};
  return (*state_->library)->cpu();
}
bool DriverHost::interrupt_is_of(std::uint32_t number, const std::string& pmu) const {
  return state_->booted && !state_->dead && (*state_->library)->interrupt_is_of(number, pmu.c_str()) != 0;
}
void DriverHost::die(const std::string& why) { state_->die(why); }
void DriverHost::excuse_abort(bool excused) { state_->abort_is_excused = excused; }
unsigned DriverHost::disabled_interrupts() const { return state_->interrupts.disabled(); }
std::uint64_t DriverHost::unhandled_interrupts() const { return state_->interrupts.unhandled(); }
std::uint64_t DriverHost::handled_interrupts() const { return state_->interrupts.handled(); }
Picoseconds DriverHost::first_loaded() const { return state_->first_loaded.value_or(0); }
Picoseconds DriverHost::handler_time() const { return state_->interrupts.busy(); }
const std::vector<InterruptStorm>& DriverHost::interrupt_storms() const { return state_->interrupts.storms(); }
std::uint64_t DriverHost::lost_interrupts() const { return state_->interrupts.lost(); }

}  // namespace pmufab::driver_host
