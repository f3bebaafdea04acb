// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "models/cxl/registers/event_logs.h"
#include "models/cxl/registers/mailbox_protocol.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// What a memory device reports through mailbox commands.
struct MemoryCommandsParameters {
  std::uint64_t volatile_capacity = std::uint64_t{4} << 30;  ///< bytes, a multiple of 256 MiB
  std::uint64_t persistent_capacity = 0;                     ///< bytes, a multiple of 256 MiB
  /// If not 0, capacity can be moved between volatile and persistent in steps of this (a multiple of 256 MiB), and
  /// software reads the present split with Get Partition Info.
  std::uint64_t partition_alignment = 0;
  std::string firmware_revision = "1.0";  ///< up to 16 characters
  unsigned event_message = 0;             ///< message number of the event interrupts, 0 ... 15

  // Deviations of a broken device, for tests of software.
  bool command_effects_log = true;  ///< false: the log is missing
  unsigned identify_bytes = 67;     ///< length of the answer to Identify Memory Device; less: truncated
  /// Commands that return this code. Those that return `unsupported` are not in the command effects log either.
  std::map<MailboxOpcode, MailboxReturn> failures{};
};

/// The mailbox commands of a memory device: logs, time, identity, partitions, events (CXL 3.1, 8.2.9).
///
/// A command with an input payload of the wrong length returns Invalid Payload Length, one with impossible contents
/// Invalid Input (or the code the specification names), an unknown one Unsupported. None of these changes anything.
class MemoryDeviceCommands {
 public:
  /// @throws SpecError naming the impossible parameter
  explicit MemoryDeviceCommands(const MemoryCommandsParameters& parameters);

  /// Execute a command.
  /// @param payload_size  largest size of the answer in bytes
  /// @param when          time at which it is executed
  MailboxResult execute(std::uint16_t opcode, const MailboxPayload& input, std::size_t payload_size, Picoseconds when);

  /// Add a record to an event log, at `when`. @return true if software wants an interrupt for it
  bool add_event(EventLog log, const EventRecord& record, Picoseconds when);
  [[nodiscard]] const EventLogs& logs() const noexcept { return logs_; }

  /// @return nanoseconds as software set them, counted on since; 0 if it never did.
  [[nodiscard]] std::uint64_t timestamp(Picoseconds when) const noexcept;
  /// @return the number of commands executed, whatever their result.
  [[nodiscard]] std::uint64_t executed() const noexcept { return executed_; }

  /// @param cold  also clear the event logs
  void reset(bool cold);

 private:
  struct Command;
  static const Command kCommands[];
  [[nodiscard]] bool is_listed(MailboxOpcode opcode) const;
  [[nodiscard]] MailboxPayload command_effects() const;

  MailboxResult get_supported_logs() const;
  MailboxResult get_log(const MailboxPayload& input, std::size_t payload_size) const;
  MailboxResult set_timestamp(const MailboxPayload& input, Picoseconds when);
  MailboxResult identify() const;
  MailboxResult get_partition_info() const;
  MailboxResult get_event_interrupt_policy() const;
  MailboxResult set_event_interrupt_policy(const MailboxPayload& input);

  MemoryCommandsParameters parameters_;
  EventLogs logs_;
  std::array<std::uint8_t, kEventLogs> interrupt_modes_{};
  bool timestamp_set_ = false;
  std::uint64_t timestamp_ = 0;
  Picoseconds timestamp_when_ = 0;
  std::uint64_t executed_ = 0;
};

}  // namespace pmufab::cxl
