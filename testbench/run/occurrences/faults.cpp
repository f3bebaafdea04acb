// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/faults.h"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "testbench/run/results/results.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/traffic/random_stream.h"
#include "tlm/transaction/payload_data.h"

namespace pmufab::scenario {
namespace {

using FaultKind = FaultSpec::Kind;

std::string name_of(const FaultSpec& spec) { return fmt::format("{} ({})", spec.path, to_string(spec.kind)); }

}  // namespace

Faults::Faults(platform::Platform& platform, driver_host::DriverHost& host)
    : platform_(platform), host_(host), interrupts_([this](std::uint32_t number) { return fate_of(number); }) {}

bool Faults::Fault::covers(std::uint64_t address, unsigned length) const {
  return std::ranges::any_of(ranges, [&](const auto& range) {
    return address < range.first + range.second && range.first < address + length;
  });
}

void Faults::find_place(Fault& fault) const {
  const FaultSpec& spec = *fault.spec;
  if (!spec.pmu.empty()) {
    const std::vector<std::uint32_t> numbers = interrupts_.numbers();
    const bool has_interrupt =
        std::ranges::any_of(numbers, [&](std::uint32_t number) { return host_.interrupt_is_of(number, spec.pmu); });
    if (!has_interrupt)
      throw InputError(spec.place, spec.path + ".pmu",
                       fmt::format("no driver has asked for an interrupt of a PMU '{}'", spec.pmu));
  }
  if (spec.block.empty()) return;
  std::vector<std::string> names;
  for (const MmioBus::Window& window : windows_) {
    names.push_back(window.name);
    if (fnmatch(spec.block.c_str(), window.name.c_str(), FNM_NOESCAPE) != 0) continue;
    fault.windows.push_back(window.name);
    if (spec.offset >= window.size) continue;
    const std::uint64_t rest = window.size - spec.offset;
    fault.ranges.emplace_back(window.base + spec.offset, spec.size == 0 ? rest : std::min(rest, spec.size));
  }
  if (fault.windows.empty())
    throw InputError(spec.place, spec.path + ".block", fmt::format("there is no block '{}'", spec.block),
                     "there are " + quoted_list(names));
  if (fault.ranges.empty())
    throw InputError(spec.place, spec.path + ".offset", fmt::format("{:#x} is outside of the block", spec.offset));
  if (spec.kind != FaultKind::power_off) return;
  for (const std::string& window : fault.windows) {
    if (!platform_.can_reset(window))
      throw InputError(spec.place, spec.path + ".block", fmt::format("'{}' has no power of its own", window),
                       "name the block of a PMU");
  }
}

void Faults::plan(const std::vector<FaultSpec>& specs, std::uint64_t seed, Triggers& triggers, Picoseconds zero,
                  std::function<void(const std::string&)> note) {
  zero_ = zero;
  note_ = std::move(note);
  windows_ = platform_.bus().windows();
  for (const FaultSpec& spec : specs) {
    const std::uint64_t own_seed = traffic::mix_bits(seed ^ traffic::hash_of(spec.path));
    Fault& fault = faults_.emplace_back(Fault{.spec = &spec, .delay = Delay(spec.delay, own_seed)});
    find_place(fault);
    triggers.arm(spec.at, zero, [this, &fault] { begin(fault); });
    if (spec.until) triggers.arm(*spec.until, zero, [this, &fault] { end(fault); });
  }
}

void Faults::tell(const Fault& fault, const std::string& what) const {
  note_(fmt::format("{}: {}: {}", format_time(simulated_time() - zero_), name_of(*fault.spec), what));
}

void Faults::act(Fault& fault, const std::string& what, Picoseconds delay) {
  fault.last = std::max(fault.last, simulated_time() + delay);
  if (++fault.acted == 1) tell(fault, what);  // a long list would tell no more
}

void Faults::begin(Fault& fault) {
  if (fault.has_ended) return;
  fault.active = fault.has_begun = true;
  fault.first = fault.last = simulated_time();
  const FaultSpec& spec = *fault.spec;
  // It has changed nothing yet: nobody may ever look.
  if (spec.kind == FaultKind::power_off) tell(fault, fmt::format("{} is off", fmt::join(fault.windows, ", ")));
  if (spec.kind == FaultKind::removed) tell(fault, fmt::format("{} is gone", fmt::join(fault.windows, ", ")));
  if (spec.kind != FaultKind::interrupt_spurious) return;
  fault.active = false;
  for (const std::uint32_t number : interrupts_.numbers()) {
    if (host_.interrupt_is_of(number, spec.pmu) && interrupts_.pretend(number))
      act(fault, fmt::format("interrupt {} without a cause", number));
  }
}

void Faults::end(Fault& fault) {
  if (fault.lasts()) fault.last = std::max(fault.last, simulated_time());
  fault.active = false;
  fault.has_ended = true;
  if (fault.spec->kind == FaultKind::interrupt_late) interrupts_.release(&fault);
  if (fault.spec->kind != FaultKind::power_off || !fault.has_begun) return;
  for (const std::string& window : fault.windows) platform_.reset_window(window);
  ++fault.acted;
  tell(fault, fmt::format("{} is on, its registers at reset", fmt::join(fault.windows, ", ")));
}

InterruptFate Faults::fate_of(std::uint32_t number) {
  for (Fault& fault : faults_) {
    const FaultSpec& spec = *fault.spec;
    if (!fault.acts() || spec.pmu.empty() || !host_.interrupt_is_of(number, spec.pmu)) continue;
    switch (spec.kind) {
      case FaultKind::interrupt_lost:
      case FaultKind::removed:
        act(fault, fmt::format("interrupt {} lost", number));
        return {InterruptFate::Kind::lost};
      case FaultKind::interrupt_doubled: {
        const Picoseconds delay = fault.delay.draw();
        ++fault.begun;
        fault.last = std::max(fault.last, simulated_time() + delay);
        return {InterruptFate::Kind::doubled, delay, nullptr,
                [this, &fault, number] { act(fault, fmt::format("interrupt {} comes twice", number)); }};
      }
      case FaultKind::interrupt_late: {
        const Picoseconds delay = fault.delay.draw();
        const bool is_held = fault.holds();
        act(fault,
            is_held ? fmt::format("interrupt {} held back", number)
                    : fmt::format("interrupt {} comes {} late", number, format_time(delay)),
            delay);
        return {is_held ? InterruptFate::Kind::held : InterruptFate::Kind::late, delay, &fault};
      }
      default:
        break;
    }
  }
  return {};
}

sc_core::sc_time Faults::slowness(const tlm::tlm_generic_payload& payload) {
  Picoseconds more = 0;
  for (Fault& fault : faults_) {
    if (fault.spec->kind != FaultKind::slow_access || !fault.acts() ||
        !fault.covers(payload.get_address(), payload.get_data_length()))
      continue;
    const Picoseconds one = fault.delay.draw();
    act(fault, fmt::format("accesses take longer, the first at {:#x} {}", payload.get_address(), format_time(one)),
        one);
    more += one;
  }
  return to_sc_time(more);
}

bool Faults::answer(tlm::tlm_generic_payload& payload) {
  host_.excuse_abort(false);
  for (Fault& fault : faults_) {
    if (!fault.acts() || !fault.covers(payload.get_address(), payload.get_data_length())) continue;
    const FaultKind kind = fault.spec->kind;
    const bool refused = kind == FaultKind::power_off || (kind == FaultKind::reads_refused && payload.is_read());
    const bool all_ones = kind == FaultKind::removed || (kind == FaultKind::reads_all_ones && payload.is_read());
    if (!refused && !all_ones) continue;
    act(fault, fmt::format("first {} at {:#x}", payload.is_read() ? "read" : "write", payload.get_address()));
    if (all_ones && payload.is_read()) set_data(payload, ~std::uint64_t{0});
    payload.set_response_status(refused ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    host_.excuse_abort(refused);
    return true;
  }
  return false;
}

void Faults::change_answer(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || !payload.is_response_ok()) return;
  for (Fault& fault : faults_) {
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    if (fault.spec->kind != FaultKind::counter_stuck || !fault.acts() || !fault.covers(address, length)) continue;
    const auto [answer, is_first] = fault.answers.try_emplace({address, length}, data_of(payload));
    if (is_first) continue;
    if (answer->second != data_of(payload))
      act(fault, fmt::format("the register at {:#x} answers {:#x} again", address, answer->second));
    set_data(payload, answer->second);
  }
}

void Faults::on_handled(const std::string& pmu) {
  interrupts_.handled([&](std::uint32_t number) { return host_.interrupt_is_of(number, pmu); });
}

void Faults::on_access(const std::string& pmu, std::uint64_t address) {
  for (const MmioBus::Window& window : windows_) {
    if (address >= window.base && address - window.base < window.size) accessed_[pmu].insert(window.name);
  }
}

bool Faults::lasted_within(const FaultSpec& spec, Picoseconds start, Picoseconds stop) const {
  return std::ranges::any_of(faults_, [&](const Fault& fault) {
    if (fault.spec != &spec || !fault.has_begun) return false;
    return fault.first <= zero_ + stop && (fault.lasts() || fault.last >= zero_ + start);
  });
}

std::vector<Broken> Faults::broken() const {
  std::vector<Broken> all;
  for (const Fault& fault : faults_) {
    if (!fault.acts() || fault.spec->is_of_interrupts() || fault.spec->kind == FaultKind::slow_access) continue;
    Broken& one = all.emplace_back();
    one.fault = name_of(*fault.spec);
    one.windows.insert(fault.windows.begin(), fault.windows.end());
    if (!fault.spec->pmu.empty()) one.pmus.insert(fault.spec->pmu);
    for (const auto& [pmu, windows] : accessed_) {
      const bool is_touched =
          std::ranges::any_of(windows, [&](const std::string& window) { return one.windows.contains(window); });
      if (is_touched) one.pmus.insert(pmu);
    }
    // Half of a PMU's registers are of no use.
    for (const std::string& pmu : one.pmus) {
      if (const auto known = accessed_.find(pmu); known != accessed_.end())
        one.windows.insert(known->second.begin(), known->second.end());
    }
  }
  return all;
}

void Faults::mend() {
  for (Fault& fault : faults_) fault.active = false;
  interrupts_.forget();
}

std::vector<std::string> Faults::without_effect() const {
  std::vector<std::string> names;
  for (const Fault& fault : faults_) {
    if (fault.acted > 0) continue;
    names.push_back(fmt::format("{} {}", name_of(*fault.spec),
                                fault.has_begun   ? "changed nothing"
                                : fault.has_ended ? "changed nothing: it ended before it began"
                                                  : "changed nothing: the run ended before it began"));
  }
  return names;
}

}  // namespace pmufab::scenario
