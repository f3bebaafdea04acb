// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/tracing/trace_filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/session/machine.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {
namespace {

constexpr std::string_view kPlatform = "platform.";  // begins the names of the platform's modules

/// Brackets are those of elements: "PMEVCNTR[3]".
bool matches(std::string_view pattern, std::string_view name) {
  std::string escaped;
  for (const char c : pattern) {
    if (c == '[' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fnmatch(escaped.c_str(), std::string(name).c_str(), 0) == 0;
}

/// "PMEVCNTR" and "PMEVCNTR[3]" are names of "PMEVCNTR[3] upper half".
bool is_register(const std::string& pattern, const AccessRecord& access) {
  if (access.spec == nullptr) return false;
  const std::string_view array = access.spec->name;
  const std::size_t end = access.name.find(']');
  return matches(pattern, array) ||
         (end != std::string::npos && matches(pattern, std::string_view(access.name).substr(0, end + 1)));
}

/// A name stands for everything that lies in it: "socket0.ucf_pmu" for "socket0.ucf_pmu.page1".
bool is_part_of(const std::string& pattern, std::string_view name) {
  for (std::size_t end = name.size(); end != std::string_view::npos && end > 0; end = name.rfind('.', end - 1)) {
    if (matches(pattern, name.substr(0, end))) return true;
  }
  return false;
}

Picoseconds time_in(const std::string& text, const std::string& value) {
  try {
    return parse_quantity(value, Quantity::duration);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--trace-filter {}: '{}' {}", text, value, error.what()),
                     std::string(example_of(Quantity::duration)));
  }
}

}  // namespace

void add_condition(TraceFilter& filter, const std::string& text) {
  static const std::vector<std::string> keys = {"pmu", "register", "from", "to"};
  const std::string key = text.substr(0, text.find('='));
  if (std::ranges::find(keys, key) == keys.end())
    throw InputError(fmt::format("--trace-filter {}: there is no key '{}'", text, key),
                     "keys are " + quoted_list(keys));
  if (key.size() + 1 >= text.size())
    throw InputError(fmt::format("--trace-filter {}: gives no value", text), "write KEY=VALUE");
  const std::string value = text.substr(key.size() + 1);
  if (key == "pmu") filter.pmus.push_back(value);
  if (key == "register") filter.registers.push_back(value);
  if (key == "from") filter.from = time_in(text, value);
  if (key == "to") filter.to = time_in(text, value);
  if (filter.from && filter.to && *filter.to < *filter.from)
    throw InputError(fmt::format("--trace-filter {}: nothing lies between from and to", text));
}

std::string instance_name(const std::string& name) {
  return name.starts_with(kPlatform) ? name.substr(kPlatform.size()) : name;
}

void TraceSelection::attach(Machine& machine) {
  machine_ = &machine;
  windows_ = machine.platform().bus().windows();
  for (const platform::NamedRegisters& named : machine.platform().registers()) {
    for (std::size_t page = 0; page < named.bases.size(); ++page)
      banks_.emplace(named.bases[page],
                     named.bases.size() == 1 ? named.name : fmt::format("{}.page{}", named.name, page));
  }
}

void TraceSelection::enter(RunPhase phase) {
  phase_ = phase;
  if (phase == RunPhase::loading || phase == RunPhase::running) zero_ = simulated_time();
}

void TraceSelection::loaded(const std::vector<perf::Pmu>& pmus) {
  pmus_.clear();
  for (const perf::Pmu& pmu : pmus) pmus_.push_back(pmu.name);
}

bool TraceSelection::is_in_time() const {
  if (phase_ == RunPhase::before) return false;
  if (!filter_.from && !filter_.to) return true;
  return phase_ != RunPhase::loading && now() >= filter_.from.value_or(0) &&
         now() <= filter_.to.value_or(~Picoseconds{0});
}

bool TraceSelection::is_chosen(std::string_view name) const {
  bool is_met = filter_.pmus.empty();
  for (const std::string& pattern : filter_.pmus) {
    if (!is_part_of(pattern, name)) continue;
    met_.insert("pmu=" + pattern);
    is_met = true;
  }
  return is_met;
}

bool TraceSelection::is_wanted_interrupt(std::uint32_t number, const std::string& source) const {
  if (!is_wanted()) return false;
  return is_chosen(instance_name(source)) || std::ranges::any_of(pmus_, [&](const std::string& pmu) {
           return is_chosen(pmu) && machine_->host().interrupt_is_of(number, pmu);
         });
}

bool TraceSelection::is_chosen(const AccessRecord& access) {
  if (!filter_.pmus.empty()) {
    const std::string bank = instance_of(access);
    const bool has_caller = !access.place.pmu.empty();
    const bool is_called = has_caller && is_chosen(std::string_view(access.place.pmu));
    if (is_called) accessed_.insert(bank);
    // What another PMU's driver does is not the chosen one's, even in the same place.
    const bool is_known = !has_caller && accessed_.contains(bank);
    // Any PMU may find what firmware leaves. The kernel's own accesses have a CPU.
    const bool is_firmware = phase_ == RunPhase::loading && access.is_write && access.spec != nullptr && !access.cpu;
    if (!is_called && !is_known && !is_firmware && !is_chosen(std::string_view(bank))) return false;
  }
  bool is_met = filter_.registers.empty();
  for (const std::string& pattern : filter_.registers) {
    if (!is_register(pattern, access)) continue;
    met_.insert("register=" + pattern);
    is_met = true;
  }
  return is_met;
}

std::string TraceSelection::instance_of(const AccessRecord& access) const {
  std::string window = window_of(access.address);
  if (access.registers == nullptr) return window;
  const auto above = banks_.upper_bound(access.address);
  const bool is_known = above != banks_.begin() && window_of(std::prev(above)->first) == window;
  return is_known ? std::prev(above)->second : instance_name(access.bank);
}

std::vector<std::string> TraceSelection::unmet() const {
  std::vector<std::string> conditions;
  for (const std::string& pattern : filter_.pmus) conditions.push_back("pmu=" + pattern);
  for (const std::string& pattern : filter_.registers) conditions.push_back("register=" + pattern);
  std::erase_if(conditions, [&](const std::string& condition) { return met_.contains(condition); });
  return conditions;
}

std::string TraceSelection::window_of(std::uint64_t address) const {
  for (const MmioBus::Window& window : windows_) {
    if (address - window.base < window.size) return window.name;
  }
  return "bus";  // nothing is there
}

}  // namespace pmufab::scenario
