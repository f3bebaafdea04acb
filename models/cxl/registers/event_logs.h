// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "models/cxl/registers/mailbox_protocol.h"

namespace pmufab::cxl {

/// The part of an event record that a device model fills in; the log adds length, handle and time.
struct EventRecord {
  std::array<std::uint8_t, 16> identifier{};  ///< UUID of the record's format, bytes as printed
  std::uint32_t flags = 0;                    ///< 24 bits
  std::array<std::uint8_t, 80> data{};        ///< record bytes 0x30 ... 0x7f
};

/// The event logs of a memory device: records in order of time, read and cleared by mailbox commands (CXL 3.1,
/// 8.2.9.2). A log holds kCapacity records; further ones are only counted.
class EventLogs {
 public:
  static constexpr unsigned kCapacity = 32;
  static constexpr unsigned kHeaderBytes = 32;
  static constexpr unsigned kRecordBytes = 128;

  /// @param timestamp  nanoseconds, as Set Timestamp counts them
  /// @return true if the log was empty before, which is the condition of an interrupt
  bool add(EventLog log, const EventRecord& record, std::uint64_t timestamp);

  /// @return the Event Status register: bit n is set while log n has records.
  [[nodiscard]] std::uint32_t status() const noexcept;
  /// @return the number of records in a log.
  [[nodiscard]] std::size_t size(EventLog log) const noexcept {
    return logs_[static_cast<unsigned>(log)].records.size();
  }

  /// Get Event Records: the oldest that fit into `payload_size` bytes.
  [[nodiscard]] MailboxResult get(const MailboxPayload& input, std::size_t payload_size) const;
  /// Clear Event Records: by handle, from the oldest on; or all, if the log has overflowed.
  MailboxResult clear(const MailboxPayload& input);

  void reset() { logs_ = {}; }

 private:
  struct Stored {
    EventRecord record;
    std::uint16_t handle;
    std::uint64_t timestamp;
  };
  struct Log {
    std::deque<Stored> records;
    std::uint16_t next_handle = 1;  // 0 is reserved
    std::uint16_t overflows = 0;
    std::uint64_t first_overflow = 0;
    std::uint64_t last_overflow = 0;
  };
  std::array<Log, kEventLogs> logs_;
};

}  // namespace pmufab::cxl
