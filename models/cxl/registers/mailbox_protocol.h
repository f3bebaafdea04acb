// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace pmufab::cxl {

/// The mailbox commands of a memory device that the model supports (CXL 3.1, 8.2.9).
enum class MailboxOpcode : std::uint16_t {
  get_event_records = 0x0100,
  clear_event_records = 0x0101,
  get_event_interrupt_policy = 0x0102,
  set_event_interrupt_policy = 0x0103,
  get_timestamp = 0x0300,
  set_timestamp = 0x0301,
  get_supported_logs = 0x0400,
  get_log = 0x0401,
  identify_memory_device = 0x4000,
  get_partition_info = 0x4100,
};

/// Return codes of commands (CXL 3.1, 8.2.8.4.5.1; values as Linux 7.3 drivers/cxl/cxlmem.h CMD_CMD_RC_TABLE).
enum class MailboxReturn : std::uint16_t {
  success = 0x0,
  invalid_input = 0x2,
  unsupported = 0x3,
  internal_error = 0x4,
  retry_required = 0x5,
  invalid_handle = 0xe,
  invalid_payload_length = 0x16,
  invalid_log = 0x17,
};

/// The four logs of event records.
enum class EventLog : std::uint8_t { informational = 0, warning = 1, failure = 2, fatal = 3 };
inline constexpr unsigned kEventLogs = 4;

/// A payload with helpers to write and read little-endian numbers.
class MailboxPayload {
 public:
  MailboxPayload() = default;
  explicit MailboxPayload(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}

  void append(std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  template <typename Range>
  void append(const Range& range) {
    bytes_.insert(bytes_.end(), std::begin(range), std::end(range));
  }
  /// @return the little-endian number at an offset.
  /// @param at  at + bytes within the payload
  [[nodiscard]] std::uint64_t number(std::size_t at, unsigned bytes) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{bytes_.at(at + i)} << (8 * i);
    return value;
  }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  void resize(std::size_t size) { bytes_.resize(size); }
  [[nodiscard]] std::vector<std::uint8_t>& bytes() noexcept { return bytes_; }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// The result of a command. The payload is empty unless the command succeeded.
struct MailboxResult {
  MailboxReturn code = MailboxReturn::success;
  MailboxPayload output{};
};

}  // namespace pmufab::cxl
