// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/memory_device_commands.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

constexpr std::uint64_t kCapacityUnit = std::uint64_t{256} << 20;  // unit of capacities
constexpr unsigned kIdentifyBytes = 67;
constexpr unsigned kInterruptModeMessage = 1;
constexpr unsigned kInterruptModeReserved = 3;

// UUID of the command effects log, bytes as printed.
constexpr std::uint8_t kCommandEffectsLog[16] = {0x0d, 0xa9, 0xc0, 0xb5, 0xbf, 0x41, 0x4b, 0x78,
                                                 0x8f, 0x79, 0x96, 0xb1, 0x62, 0x3b, 0x3f, 0x17};

// Effects of a command (CXL 3.1, 8.2.9.5.2.1).
constexpr std::uint16_t kImmediatePolicyChange = 0x8;
constexpr std::uint16_t kImmediateLogChange = 0x10;

constexpr int kAnyLength = -1;

}  // namespace

struct MemoryDeviceCommands::Command {
  MailboxOpcode opcode;
  int input_bytes;  // kAnyLength: the command checks it
  std::uint16_t effects;
};

constexpr MemoryDeviceCommands::Command MemoryDeviceCommands::kCommands[] = {
    {MailboxOpcode::get_event_records, 1, 0},
    {MailboxOpcode::clear_event_records, kAnyLength, kImmediateLogChange},
    {MailboxOpcode::get_event_interrupt_policy, 0, 0},
    {MailboxOpcode::set_event_interrupt_policy, 4, kImmediatePolicyChange},
    {MailboxOpcode::get_timestamp, 0, 0},
    {MailboxOpcode::set_timestamp, 8, kImmediatePolicyChange},
    {MailboxOpcode::get_supported_logs, 0, 0},
    {MailboxOpcode::get_log, 24, 0},
    {MailboxOpcode::identify_memory_device, 0, 0},
    {MailboxOpcode::get_partition_info, 0, 0},
};

MemoryDeviceCommands::MemoryDeviceCommands(const MemoryCommandsParameters& parameters) : parameters_(parameters) {
  const auto check_capacity = [](const char* field, std::uint64_t bytes) {
    if (bytes % kCapacityUnit != 0) throw SpecError(field, fmt::format("{:#x} is not a multiple of 256 MiB", bytes));
  };
  check_capacity("volatile_capacity", parameters.volatile_capacity);
  check_capacity("persistent_capacity", parameters.persistent_capacity);
  check_capacity("partition_alignment", parameters.partition_alignment);
  if (parameters.firmware_revision.size() > 16) throw SpecError("firmware_revision", "it has more than 16 characters");
  if (parameters.event_message > 15) throw SpecError("event_message", "it is not 0 ... 15");
  if (parameters.identify_bytes > kIdentifyBytes) throw SpecError("identify_bytes", "an answer has 67 bytes at most");
}

MailboxResult MemoryDeviceCommands::execute(std::uint16_t opcode, const MailboxPayload& input, std::size_t payload_size,
                                            Picoseconds when) {
  ++executed_;
  const auto code = static_cast<MailboxOpcode>(opcode);
  const auto command =
      std::find_if(std::begin(kCommands), std::end(kCommands), [&](const Command& c) { return c.opcode == code; });
  if (command == std::end(kCommands)) return {MailboxReturn::unsupported};
  const auto failure = parameters_.failures.find(code);
  if (failure != parameters_.failures.end()) return {failure->second};
  if (command->input_bytes != kAnyLength && input.size() != static_cast<std::size_t>(command->input_bytes)) {
    return {MailboxReturn::invalid_payload_length};
  }
  switch (code) {
    case MailboxOpcode::get_event_records:
      return logs_.get(input, payload_size);
    case MailboxOpcode::clear_event_records:
      return logs_.clear(input);
    case MailboxOpcode::get_event_interrupt_policy:
      return get_event_interrupt_policy();
    case MailboxOpcode::set_event_interrupt_policy:
      return set_event_interrupt_policy(input);
    case MailboxOpcode::get_timestamp: {
      MailboxResult result;
      result.output.append(timestamp(when), 8);
      return result;
    }
    case MailboxOpcode::set_timestamp:
      return set_timestamp(input, when);
    case MailboxOpcode::get_supported_logs:
      return get_supported_logs();
    case MailboxOpcode::get_log:
      return get_log(input, payload_size);
    case MailboxOpcode::identify_memory_device:
      return identify();
    case MailboxOpcode::get_partition_info:
      return get_partition_info();
  }
  return {MailboxReturn::unsupported};
}

bool MemoryDeviceCommands::is_listed(MailboxOpcode opcode) const {
  const auto failure = parameters_.failures.find(opcode);
  return failure == parameters_.failures.end() || failure->second != MailboxReturn::unsupported;
}

MailboxPayload MemoryDeviceCommands::command_effects() const {
  MailboxPayload log;
  for (const Command& command : kCommands) {
    if (!is_listed(command.opcode)) continue;
    log.append(static_cast<std::uint16_t>(command.opcode), 2);
    log.append(command.effects, 2);
  }
  return log;
}

MailboxResult MemoryDeviceCommands::get_supported_logs() const {
  MailboxResult result;
  result.output.append(parameters_.command_effects_log ? 1 : 0, 2);
  result.output.append(0, 6);
  if (parameters_.command_effects_log) {
    result.output.append(kCommandEffectsLog);
    result.output.append(command_effects().size(), 4);
  }
  return result;
}

MailboxResult MemoryDeviceCommands::get_log(const MailboxPayload& input, std::size_t payload_size) const {
  if (!parameters_.command_effects_log ||
      !std::equal(std::begin(kCommandEffectsLog), std::end(kCommandEffectsLog), input.bytes().begin())) {
    return {MailboxReturn::invalid_log};
  }
  const MailboxPayload log = command_effects();
  const std::uint64_t offset = input.number(16, 4);
  const std::uint64_t length = input.number(20, 4);
  if (offset > log.size() || length > log.size() - offset || length > payload_size) {
    return {MailboxReturn::invalid_input};
  }
  MailboxResult result;
  const auto begin = log.bytes().begin() + static_cast<std::ptrdiff_t>(offset);
  result.output.bytes().assign(begin, begin + static_cast<std::ptrdiff_t>(length));
  return result;
}

MailboxResult MemoryDeviceCommands::set_timestamp(const MailboxPayload& input, Picoseconds when) {
  timestamp_ = input.number(0, 8);
  timestamp_when_ = when;
  timestamp_set_ = true;
  return {};
}

std::uint64_t MemoryDeviceCommands::timestamp(Picoseconds when) const noexcept {
  if (!timestamp_set_) return 0;
  return timestamp_ + (when > timestamp_when_ ? (when - timestamp_when_) / 1000 : 0);
}

MailboxResult MemoryDeviceCommands::identify() const {
  const bool partitions = parameters_.partition_alignment != 0;
  MailboxResult result;
  MailboxPayload& out = result.output;
  out.append(parameters_.firmware_revision);
  out.resize(16);
  out.append((parameters_.volatile_capacity + parameters_.persistent_capacity) / kCapacityUnit, 8);
  // Capacity that is only volatile, and only persistent. With partitions, all of it may become either.
  out.append(partitions ? 0 : parameters_.volatile_capacity / kCapacityUnit, 8);
  out.append(partitions ? 0 : parameters_.persistent_capacity / kCapacityUnit, 8);
  out.append(parameters_.partition_alignment / kCapacityUnit, 8);
  for (unsigned log = 0; log < kEventLogs; ++log) out.append(EventLogs::kCapacity, 2);
  // No label storage, no poison list, no quality of service telemetry.
  out.resize(kIdentifyBytes);
  out.resize(parameters_.identify_bytes);
  return result;
}

MailboxResult MemoryDeviceCommands::get_partition_info() const {
  MailboxResult result;
  result.output.append(parameters_.volatile_capacity / kCapacityUnit, 8);
  result.output.append(parameters_.persistent_capacity / kCapacityUnit, 8);
  result.output.append(0, 8);  // no change at the next reset
  result.output.append(0, 8);
  return result;
}

MailboxResult MemoryDeviceCommands::get_event_interrupt_policy() const {
  MailboxResult result;
  for (const std::uint8_t mode : interrupt_modes_)
    result.output.append(mode == kInterruptModeMessage ? mode | parameters_.event_message << 4 : mode, 1);
  return result;
}

MailboxResult MemoryDeviceCommands::set_event_interrupt_policy(const MailboxPayload& input) {
  for (unsigned log = 0; log < kEventLogs; ++log) {
    if ((input.number(log, 1) & 3) == kInterruptModeReserved) return {MailboxReturn::invalid_input};
  }
  for (unsigned log = 0; log < kEventLogs; ++log)
    interrupt_modes_[log] = static_cast<std::uint8_t>(input.number(log, 1) & 3);
  return {};
}

bool MemoryDeviceCommands::add_event(EventLog log, const EventRecord& record, Picoseconds when) {
  return logs_.add(log, record, timestamp(when)) &&
         interrupt_modes_[static_cast<unsigned>(log)] == kInterruptModeMessage;
}

void MemoryDeviceCommands::reset(bool cold) {
  interrupt_modes_ = {};
  timestamp_set_ = false;
  if (cold) logs_.reset();
}

}  // namespace pmufab::cxl
