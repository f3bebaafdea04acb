// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/register_session.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <systemc>
#include <tlm>

#include "testbench/doors/register_server/register_bus.h"
#include "testbench/doors/register_server/server.h"
#include "testbench/run/process/time_slice.h"
#include "testbench/run/report/kernel_errors.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::register_server {
namespace {

using WallClock = std::chrono::steady_clock;
using Print = std::function<void(std::string_view)>;

constexpr std::chrono::milliseconds kSlice{4};
constexpr Picoseconds kEnd = 9'000'000'000'000'000'000;  // 64 bits nearly hold later instants

constexpr std::string_view kHelp = R"(run DURATION     let simulated time pass: run 10us
time             show simulated time
regs             list the register banks, with their addresses
regs PATTERN     show the registers of those banks: regs socket0.ucf_pmu, regs 'cmn0.xp*'
reset            reset all registers, counters and interrupts, as a warm reset does
help             show this
)";

std::string shown(Picoseconds time) {
  return time == 0 ? "0 s" : scenario::format_quantity(time, scenario::Quantity::duration);
}

/// In the machine's thread process: everything from the start of traffic on.
class RegisterStory final : public Target {
 public:
  RegisterStory(scenario::Machine& machine, const SessionOptions& options)
      : machine_(machine),
        options_(options),
        bus_([this](std::uint64_t address, unsigned length, bool is_write,
                    std::uint64_t& value) { return access(address, length, is_write, value); },
             [this](std::uint64_t address) { return is_wide(address); }),
        slice_(kSlice) {}

  void tell(const Listener& listener) {
    Server server(listener, options_.stop, *this, options_.on_news);
    server_ = &server;
    machine_.start_traffic();
    options_.on_ready();
    if (options_.scale > 0) {
      serve_with_the_clock();
    } else {
      while (!server.is_stopped()) {
        server.serve(server.first_wait() ? std::optional(std::chrono::milliseconds(0)) : std::nullopt);
        pass_for_clients();
      }
    }
    server_ = nullptr;
    machine_.stop_traffic();
  }

  std::size_t read(std::uint64_t address, std::span<std::uint8_t> bytes) override { return bus_.read(address, bytes); }
  std::size_t write(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    return bus_.write(address, bytes);
  }

  [[nodiscard]] std::uint64_t time() const override { return simulated_time(); }

  bool end_wait(std::uint64_t until, const Print& print) override {
    const Picoseconds now = simulated_time();
    if (now >= until) return true;
    print(fmt::format("interrupted at {}; {} are missing\n", shown(now), shown(until - now)));
    return false;
  }

  bool command(const std::string& words, const Print& print, std::optional<std::uint64_t>& until) override {
    std::istringstream stream(words);
    std::string name;
    std::string rest;
    stream >> name >> std::ws;
    std::getline(stream, rest);
    while (!rest.empty() && rest.back() == ' ') rest.pop_back();
    if (name == "run") return run(rest, print, until);
    if (name == "regs") return show_registers(rest, print);
    if (rest.empty() && name == "time") {
      print(shown(simulated_time()) + "\n");
      return true;
    }
    if (rest.empty() && name == "reset") {
      machine_.platform().reset();
      sc_core::wait(sc_core::SC_ZERO_TIME);
      return true;
    }
    if (rest.empty() && name == "help") {
      print(kHelp);
      return true;
    }
    print(fmt::format("there is no command '{}'; these there are:\n{}", printable(words), kHelp));
    return false;
  }

 private:
  /// Carried out at the present instant: the access itself takes no simulated time.
  bool access(std::uint64_t address, unsigned length, bool is_write, std::uint64_t& value) {
    tlm::tlm_generic_payload payload;
    prepare(payload, address, length, is_write, value);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    machine_.host().run_program([&] { machine_.host().bus->b_transport(payload, delay); });
    // What the write causes at this instant happens before the client looks.
    if (is_write) sc_core::wait(sc_core::SC_ZERO_TIME);
    return payload.is_response_ok();
  }

  bool is_wide(std::uint64_t address) {
    constexpr unsigned kWide = 8;
    std::uint64_t value = 0;
    tlm::tlm_generic_payload payload;
    prepare(payload, address, kWide, false, value);
    return machine_.host().bus->transport_dbg(payload) == kWide;
  }

  static void prepare(tlm::tlm_generic_payload& payload, std::uint64_t address, unsigned length, bool is_write,
                      std::uint64_t& value) {
    payload.set_command(is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

  static bool run(const std::string& text, const Print& print, std::optional<std::uint64_t>& until) {
    Picoseconds span = 0;
    try {
      span = scenario::parse_quantity(text, scenario::Quantity::duration);
    } catch (const std::invalid_argument& error) {
      print(fmt::format("'{}' {}: run 10us\n", printable(text), error.what()));
      return false;
    }
    if (span > kEnd - std::min(simulated_time(), kEnd)) {
      print(fmt::format("that is too long: {} are left\n", shown(kEnd - std::min(simulated_time(), kEnd))));
      return false;
    }
    until = simulated_time() + span;
    return true;
  }

  bool show_registers(const std::string& pattern, const Print& print) {
    std::vector<platform::NamedRegisters> banks = machine_.platform().registers();
    if (pattern.empty()) {
      for (const platform::NamedRegisters& bank : banks)
        print(fmt::format("{:<32} {:#x}\n", bank.name, fmt::join(bank.bases, " ")));
      return true;
    }
    std::vector<std::string> names;
    for (const platform::NamedRegisters& bank : banks) names.push_back(bank.name);
    std::erase_if(banks, [&](const platform::NamedRegisters& bank) { return !platform::is_named(bank, pattern); });
    for (const platform::NamedRegisters& bank : banks) {
      std::ostringstream text;
      bank.dump_text(text, simulated_time());
      print(fmt::format("{} at {:#x}\n{}\n", bank.name, fmt::join(bank.bases, " "), text.str()));
    }
    if (!banks.empty()) return true;
    const std::string suggestion = scenario::did_you_mean(pattern, names);
    print(fmt::format("there are no registers '{}'; {}\n", printable(pattern),
                      suggestion.empty() ? "regs lists all" : suggestion));
    return false;
  }

  /// A part of the time that clients wait for, so that the others are served in between. @return false if nobody waits
  bool pass_for_clients() {
    const std::optional<Picoseconds> until = server_->first_wait();
    if (!until || server_->is_stopped()) return false;
    if (*until > simulated_time()) pass(std::min(*until - simulated_time(), slice_.length()));
    return true;
  }

  void pass(Picoseconds span) {
    const WallClock::time_point begin = WallClock::now();
    sc_core::wait(to_sc_time(span));
    slice_.learn(span, WallClock::now() - begin);
  }

  /// Time that cannot be simulated as fast as the clock goes is not caught up: clients would wait for ever.
  void serve_with_the_clock() {
    constexpr auto kMost = 5 * kSlice;
    WallClock::time_point last = WallClock::now();
    double owed = 0;
    while (!server_->is_stopped()) {
      server_->serve(server_->first_wait() ? std::chrono::milliseconds(0) : kSlice);
      if (pass_for_clients()) {  // as fast as it can be simulated
        last = WallClock::now();
        continue;
      }
      const WallClock::time_point now = WallClock::now();
      const std::chrono::duration<double> passed = std::min<WallClock::duration>(now - last, kMost);
      last = now;
      const double span = passed.count() * 1e12 * options_.scale + owed;
      const Picoseconds left = kEnd - std::min(simulated_time(), kEnd);
      const auto whole = static_cast<Picoseconds>(span);
      owed = span - static_cast<double>(whole);  // less than a picosecond
      if (const Picoseconds part = std::min({whole, slice_.length(), left}); part > 0) pass(part);
    }
  }

  scenario::Machine& machine_;
  const SessionOptions& options_;
  RegisterBus bus_;
  process::TimeSlice slice_;
  Server* server_ = nullptr;
};

bool load(scenario::Machine& machine) {
  const int loaded = machine.host().load();
  scenario::print_kernel_errors(machine.host().log());
  if (loaded < 0) scenario::print_failure(machine.host().log(), "the drivers could not be loaded");
  return loaded >= 0;
}

}  // namespace

bool run_register_session(const scenario::ScenarioSpec& spec, const driver_host::DriverSet& drivers,
                          const Listener& listener, const SessionOptions& options) {
  scenario::Machine machine(spec.platform, spec.host, spec.workload, drivers,
                            {.echo_log = options.echo_log, .is_judged = false});
  machine.set_judging(false);
  bool good = true;
  machine.run([&] {
    if (options.loads_drivers) good = load(machine);
    if (good) RegisterStory(machine, options).tell(listener);
  });
  return good;
}

}  // namespace pmufab::register_server
