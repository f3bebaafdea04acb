// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/event_logs.h"

#include <algorithm>

namespace pmufab::cxl {

namespace {

constexpr unsigned kClearHeaderBytes = 6;
constexpr std::uint8_t kOverflow = 1;
constexpr std::uint8_t kMoreRecords = 2;
constexpr std::uint8_t kClearAll = 1;

void append_record(MailboxPayload& out, const EventRecord& record, std::uint16_t handle, std::uint64_t timestamp) {
  out.append(record.identifier);
  out.append(EventLogs::kRecordBytes, 1);
  out.append(record.flags, 3);
  out.append(handle, 2);
  out.append(0, 2);  // related handle
  out.append(timestamp, 8);
  out.append(0, 8);  // maintenance operation class and reserved bytes
  out.append(0, 8);
  out.append(record.data);
}

}  // namespace

bool EventLogs::add(EventLog log, const EventRecord& record, std::uint64_t timestamp) {
  Log& target = logs_[static_cast<unsigned>(log)];
  if (target.records.size() == kCapacity) {
    if (target.overflows == 0) target.first_overflow = timestamp;
    target.last_overflow = timestamp;
    if (target.overflows != 0xffff) ++target.overflows;
    return false;
  }
  target.records.push_back({record, target.next_handle, timestamp});
  if (++target.next_handle == 0) target.next_handle = 1;
  return target.records.size() == 1;
}

std::uint32_t EventLogs::status() const noexcept {
  std::uint32_t bits = 0;
  for (unsigned log = 0; log < kEventLogs; ++log) bits |= logs_[log].records.empty() ? 0U : 1U << log;
  return bits;
}

MailboxResult EventLogs::get(const MailboxPayload& input, std::size_t payload_size) const {
  if (input.size() != 1) return {MailboxReturn::invalid_payload_length};
  const std::uint64_t number = input.number(0, 1);
  if (number >= kEventLogs) return {MailboxReturn::invalid_input};
  const Log& log = logs_[number];
  const std::size_t count = std::min(log.records.size(), (payload_size - kHeaderBytes) / kRecordBytes);
  MailboxResult result;
  MailboxPayload& out = result.output;
  out.append((log.overflows != 0 ? kOverflow : 0U) | (count < log.records.size() ? kMoreRecords : 0U), 2);
  out.append(log.overflows, 2);
  out.append(log.first_overflow, 8);
  out.append(log.last_overflow, 8);
  out.append(count, 2);
  out.append(0, 8);
  out.append(0, 2);
  for (std::size_t i = 0; i < count; ++i)
    append_record(out, log.records[i].record, log.records[i].handle, log.records[i].timestamp);
  return result;
}

MailboxResult EventLogs::clear(const MailboxPayload& input) {
  if (input.size() < kClearHeaderBytes) return {MailboxReturn::invalid_payload_length};
  const std::uint64_t number = input.number(0, 1);
  const std::uint64_t flags = input.number(1, 1);
  const std::uint64_t count = input.number(2, 1);
  if (input.size() != kClearHeaderBytes + 2 * count) return {MailboxReturn::invalid_payload_length};
  if (number >= kEventLogs) return {MailboxReturn::invalid_input};
  Log& log = logs_[number];
  const auto forget_overflow = [&] { log.overflows = 0, log.first_overflow = 0, log.last_overflow = 0; };
  if ((flags & kClearAll) != 0) {
    if (log.overflows == 0) return {MailboxReturn::invalid_input};
    log.records.clear();
    forget_overflow();
    return {};
  }
  if (count > log.records.size()) return {MailboxReturn::invalid_handle};
  for (std::size_t i = 0; i < count; ++i) {
    if (input.number(kClearHeaderBytes + 2 * i, 2) != log.records[i].handle) return {MailboxReturn::invalid_handle};
  }
  log.records.erase(log.records.begin(), log.records.begin() + static_cast<std::ptrdiff_t>(count));
  if (count != 0) forget_overflow();
  return {};
}

}  // namespace pmufab::cxl
