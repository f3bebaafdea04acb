// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/tracing/trace_filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "testbench/scenario/run/machine.h"
#include "testbench/scenario/yaml/input_error.h"
#include "testbench/scenario/yaml/quantity.h"

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
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
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
  return filter_.pmus.empty() || std::any_of(filter_.pmus.begin(), filter_.pmus.end(),
                                             [&](const std::string& pattern) { return is_part_of(pattern, name); });
}

bool TraceSelection::is_wanted_interrupt(std::uint32_t number, const std::string& source) const {
  if (!is_wanted()) return false;
  return is_chosen(instance_name(source)) || std::any_of(pmus_.begin(), pmus_.end(), [&](const std::string& pmu) {
           return is_chosen(pmu) && machine_->host().interrupt_is_of(number, pmu);
         });
}

bool TraceSelection::is_chosen(const AccessRecord& access) {
  if (!filter_.pmus.empty()) {
    const std::string window = window_of(access.address);
    const bool is_called = !access.place.pmu.empty() && is_chosen(std::string_view(access.place.pmu));
    if (is_called) accessed_.insert(window);
    if (!is_called && !accessed_.contains(window) && !is_chosen(std::string_view(instance_of(access)))) return false;
  }
  return filter_.registers.empty() ||
         std::any_of(filter_.registers.begin(), filter_.registers.end(),
                     [&](const std::string& pattern) { return is_register(pattern, access); });
}

std::string TraceSelection::instance_of(const AccessRecord& access) const {
  return access.bank.empty() ? window_of(access.address) : instance_name(access.bank);
}

std::string TraceSelection::window_of(std::uint64_t address) const {
  for (const MmioBus::Window& window : windows_) {
    if (address - window.base < window.size) return window.name;
  }
  return {};
}

}  // namespace pmufab::scenario
