// SPDX-License-Identifier: Apache-2.0
// The registers of a CPMU: the effect of reads and writes.

#include <fmt/format.h>

#include "models/cxl/cpmu/cpmu.h"

namespace pmufab::cxl {

void Cpmu::build_registers() {
  bank_.set_reset(bank_.find("CPMU Capability"), 0, capability());
  const RegisterId events = bank_.find("CPMU Event Capabilities");
  bank_.limit(events, static_cast<unsigned>(groups_.size()));
  for (unsigned index = 0; index < groups_.size(); ++index) {
    const EventGroup& group = groups_[index];
    bank_.set_reset(events, index,
                    group.supported | std::uint64_t{group.group} << 32 | std::uint64_t{group.vendor} << 48);
  }
  const RegisterId overflow = bank_.find("CPMU Overflow Status");
  bank_.on_read(overflow, [this](unsigned, Picoseconds) { return overflow_status_; });
  bank_.on_write(overflow, [this](const RegisterWrite& write) { clear_overflow(write.written, write.when); });
  const RegisterId freeze = bank_.find("CPMU Freeze");
  bank_.on_read(freeze, [this](unsigned, Picoseconds) { return frozen_; });
  bank_.on_write(freeze, [this](const RegisterWrite& write) { write_freeze(write.written, write.when); });
  build_counter_registers();
}

void Cpmu::build_counter_registers() {
  const auto count = static_cast<unsigned>(slots_.size());
  configuration_ = bank_.find("Counter Unit Configuration");
  bank_.limit(configuration_, count);
  for (unsigned counter = 0; counter < count; ++counter)
    bank_.set_reset(configuration_, counter, reset_configuration(parameters_.counters[counter]));
  bank_.on_write(configuration_, [this](const RegisterWrite& write) { write_configuration(write); });

  hdm_filter_ = bank_.find("Filter ID 0");
  ddr_filter_ = bank_.find("Filter ID 1");
  bank_.limit(hdm_filter_, parameters_.hdm_filter ? count : 0);
  bank_.limit(ddr_filter_, parameters_.ddr_filter ? count : 0);
  for (const RegisterId filter : {hdm_filter_, ddr_filter_}) {
    bank_.on_write(filter, [this](const RegisterWrite& write) {
      if (write.after != write.before) write_filter(write.element, write.when);
    });
  }

  const RegisterId data = bank_.find("Counter Data");
  bank_.limit(data, count);
  bank_.on_read(data, [this](unsigned counter, Picoseconds when) { return counter_value(counter, when); });
  bank_.on_write(data, [this](const RegisterWrite& write) { write_data(write.element, write.written, write.when); });
}

std::uint64_t Cpmu::capability() const {
  const auto bit = [](bool set, unsigned position) { return std::uint64_t{set} << position; };
  return (slots_.size() - 1) | std::uint64_t{parameters_.width} << 8 | (groups_.size() - 1) << 20 |
         bit(parameters_.hdm_filter, 32) | bit(parameters_.ddr_filter, 33) |
         std::uint64_t{parameters_.message_number} << 44 | bit(parameters_.writable_while_frozen, 48) |
         bit(parameters_.freeze, 49) | bit(parameters_.interrupt, 50) | std::uint64_t{1} << 60;
}

std::uint64_t Cpmu::reset_configuration(const CpmuCounterParameters& counter) const {
  const auto type = static_cast<std::uint64_t>(counter.type);
  if (counter.type == CounterType::configurable)
    return type | std::uint64_t{1} << CounterConfiguration::kThresholdShift;
  return type | (counter.type == CounterType::free_running ? CounterConfiguration::kEnable : 0) |
         std::uint64_t{counter.threshold} << CounterConfiguration::kThresholdShift |
         std::uint64_t{counter.events} << CounterConfiguration::kEventsShift |
         std::uint64_t{counter.group} << CounterConfiguration::kGroupShift;
}

std::uint64_t Cpmu::writable_fields(const CpmuCounterParameters& counter) const {
  std::uint64_t fields = 0;
  if (parameters_.interrupt) fields |= CounterConfiguration::kInterrupt;
  if (parameters_.freeze) fields |= CounterConfiguration::kGlobalFreeze;
  if (counter.type != CounterType::free_running) fields |= CounterConfiguration::kEnable;
  if (counter.type == CounterType::configurable) fields |= CounterConfiguration::kProgram;
  return fields;
}

void Cpmu::write_configuration(const RegisterWrite& write) {
  const unsigned counter = write.element;
  const std::uint64_t writable = writable_fields(parameters_.counters[counter]);
  const std::uint64_t after = (write.before & ~writable) | (write.after & writable);
  CounterUnit& unit = *slots_[counter].unit;
  bank_.set_value(configuration_, write.before, counter);
  unit.settle(write.when);  // earlier overflows act under the old settings
  bank_.set_value(configuration_, after, counter);
  const std::uint64_t changed = write.before ^ after;
  const bool stays_enabled = (write.before & after & CounterConfiguration::kEnable) != 0;
  if (stays_enabled && changed != 0 && !is_free_running(counter)) {
    mistake(counter, Mistake::changed_while_enabled,
            "has its configuration changed while enabled, which is undefined; the change acts at once");
  }
  if ((changed & CounterConfiguration::kProgram) != 0) {
    if (unit.is_running()) unit.stop(write.when);
    slots_[counter].selected = false;
  }
  apply(counter, write.when);
}

void Cpmu::write_filter(unsigned counter, Picoseconds when) {
  CounterUnit& unit = *slots_[counter].unit;
  if (unit.is_running()) unit.stop(when);
  slots_[counter].selected = false;
  apply(counter, when);
}

void Cpmu::write_data(unsigned counter, std::uint64_t value, Picoseconds when) {
  CounterUnit& unit = *slots_[counter].unit;
  if (unit.is_running()) {
    mistake(counter, Mistake::written_while_running,
            "is written while it counts, which is undefined; it takes the value");
  } else if (configuration(counter).enable() && !parameters_.writable_while_frozen) {
    mistake(counter, Mistake::written_while_frozen,
            "is written while frozen, which the capability register denies; it keeps its value");
    return;
  }
  unit.set_value(value, when);
  predict(unit, when);
}

void Cpmu::write_freeze(std::uint64_t value, Picoseconds when) {
  frozen_ = value & can_freeze_;
  for (unsigned counter = 0; counter < slots_.size(); ++counter) apply(counter, when);
}

void Cpmu::clear_overflow(std::uint64_t bits, Picoseconds when) {
  // While the status is set, overflows are not reported in time: process them before it is cleared.
  for (const Slot& slot : slots_) slot.unit->settle(when);
  overflow_status_ &= ~bits;
  for (const Slot& slot : slots_) predict(*slot.unit, when);
}

void Cpmu::mistake(unsigned counter, Mistake mistake, std::string_view text) {
  ++guest_errors_;
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(mistake));
  if ((slots_[counter].mistakes_told & bit) != 0) return;
  slots_[counter].mistakes_told |= bit;
  SC_REPORT_WARNING(kGuestErrorReport, fmt::format("{}: counter {} {}", name(), counter, text).c_str());
}

}  // namespace pmufab::cxl
