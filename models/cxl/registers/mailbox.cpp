// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/mailbox.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

constexpr std::uint64_t kControl = 0x04;
constexpr std::uint64_t kCommand = 0x08;
constexpr std::uint64_t kDoorbell = 1;
constexpr unsigned kLengthShift = 16;
constexpr std::uint64_t kLengthMask = 0x1f'ffff;
constexpr unsigned kReturnCodeShift = 32;

// Kinds of reports beside the response statuses of TLM, which are at most 1.
constexpr int kReportBusy = 2;
constexpr int kReportNotReady = 3;
constexpr int kReportLength = 4;

constexpr FieldSpec kCapabilitiesFields[] = {
    {.name = "Payload Size", .lsb = 0, .width = 5, .access = Access::ro, .meaning = "log2 of bytes"},
    {.name = "MB Doorbell Interrupt Capable", .lsb = 5, .width = 1, .access = Access::ro},
    {.name = "Background Command Complete Interrupt Capable", .lsb = 6, .width = 1, .access = Access::ro},
    {.name = "Interrupt Message Number", .lsb = 7, .width = 4, .access = Access::ro},
    {.name = "Mailbox Ready Time", .lsb = 11, .width = 8, .access = Access::ro},
    {.name = "Type", .lsb = 19, .width = 4, .access = Access::ro, .reset = 1, .meaning = "memory device"},
};
constexpr FieldSpec kControlFields[] = {
    {.name = "Doorbell", .lsb = 0, .width = 1, .access = Access::w1s},
};
constexpr FieldSpec kCommandFields[] = {
    {.name = "Command Opcode", .lsb = 0, .width = 16, .access = Access::rw},
    {.name = "Payload Length", .lsb = kLengthShift, .width = 21, .access = Access::rw},
};
constexpr FieldSpec kStatusFields[] = {
    {.name = "Background Operation", .lsb = 0, .width = 1, .access = Access::ro},
    {.name = "Return Code", .lsb = kReturnCodeShift, .width = 16, .access = Access::ro},
    {.name = "Vendor Specific Extended Status", .lsb = 48, .width = 16, .access = Access::ro},
};
constexpr FieldSpec kBackgroundFields[] = {{.name = "VALUE", .lsb = 0, .width = 64, .access = Access::ro}};

constexpr RegisterSpec kMailboxRegisters[] = {
    {.name = "Mailbox Capabilities",
     .offset = 0,
     .width = 32,
     .fields = kCapabilitiesFields,
     .source = "CXL 3.1, 8.2.8.4.3"},
    {.name = "Mailbox Control",
     .offset = kControl,
     .width = 32,
     .fields = kControlFields,
     .source = "CXL 3.1, 8.2.8.4.4"},
    {.name = "Command", .offset = kCommand, .width = 64, .fields = kCommandFields, .halves = true},
    {.name = "Mailbox Status", .offset = 0x10, .width = 64, .fields = kStatusFields, .halves = true},
    {.name = "Background Command Status", .offset = 0x18, .width = 64, .fields = kBackgroundFields, .halves = true},
};
static_assert(layout_is_valid(kMailboxRegisters, Mailbox::kPayloadOffset));

unsigned checked(unsigned payload_size_log2) {
  if (payload_size_log2 < 8 || payload_size_log2 > 20) {
    throw SpecError("payload_size_log2", fmt::format("{} is not 8 ... 20", payload_size_log2));
  }
  return payload_size_log2;
}

}  // namespace

Mailbox::Mailbox(std::string name, unsigned payload_size_log2, Picoseconds latency, Execute execute)
    : name_(std::move(name)),
      latency_(latency),
      execute_(std::move(execute)),
      bank_({.name = name_, .size = kPayloadOffset}, kMailboxRegisters),
      control_(bank_.find("Mailbox Control")),
      command_(bank_.find("Command")),
      status_(bank_.find("Mailbox Status")),
      payload_(std::size_t{1} << checked(payload_size_log2)) {
  const RegisterId capabilities = bank_.find("Mailbox Capabilities");
  bank_.set_reset(capabilities, 0, bank_.value(capabilities) | payload_size_log2);
  bank_.on_write(control_, [this](const RegisterWrite& write) { control_written(write); });
}

void Mailbox::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp()) + to_picoseconds(delay);
  settle(when);
  const std::uint64_t offset = payload.get_address();
  if (offset >= kPayloadOffset) return access_payload(payload);
  if (busy_ && payload.is_write() && offset >= kCommand && offset < kCommand + 8) {
    // Writes over PCI Express are posted, so they cannot fail. Only a write that no register ever accepts is an error.
    const std::uint64_t command = bank_.value(command_);
    bank_.b_transport(payload, delay);
    if (!payload.is_response_ok()) return;
    bank_.set_value(command_, command);
    return report(offset, payload.get_data_length(), kReportBusy, "the command register is the device's");
  }
  bank_.b_transport(payload, delay);
}

void Mailbox::access_payload(tlm::tlm_generic_payload& payload) {
  payload.set_dmi_allowed(false);
  const std::uint64_t offset = payload.get_address() - kPayloadOffset;
  const unsigned length = payload.get_data_length();
  const bool is_write = payload.is_write();
  if (!is_write && !payload.is_read())
    return refuse(payload, tlm::TLM_COMMAND_ERROR_RESPONSE, "only reads and writes are possible");
  if (payload.get_byte_enable_ptr() != nullptr)
    return refuse(payload, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "byte enables are not possible");
  if (offset >= payload_.size() || length > payload_.size() - offset)
    return refuse(payload, tlm::TLM_ADDRESS_ERROR_RESPONSE, "it is outside the payload registers");
  if ((length != 1 && length != 2 && length != 4 && length != 8) || payload.get_streaming_width() < length)
    return refuse(payload, tlm::TLM_BURST_ERROR_RESPONSE, "the payload is accessed with 1, 2, 4 or 8 bytes");
  if (offset % length != 0) return refuse(payload, tlm::TLM_BURST_ERROR_RESPONSE, "it must be aligned to its size");
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!is_write) {
    std::memcpy(payload.get_data_ptr(), payload_.data() + offset, length);
  } else if (busy_) {
    report(offset + kPayloadOffset, length, kReportBusy, "the payload registers are the device's");
  } else {
    std::memcpy(payload_.data() + offset, payload.get_data_ptr(), length);
  }
}

void Mailbox::control_written(const RegisterWrite& write) {
  if ((write.written & kDoorbell) == 0) return;
  if (busy_) return report(kControl, 4, kReportBusy, "the doorbell is set already");
  if (!ready_) {
    bank_.set_value(control_, write.before);
    return report(kControl, 4, kReportNotReady, "the mailbox is not ready (memory device status bit 4)");
  }
  busy_ = true;
  done_ = write.when + latency_;
  settle(write.when);
}

void Mailbox::settle(Picoseconds when) {
  if (!busy_ || when < done_) return;
  busy_ = false;
  bank_.set_value(control_, bank_.value(control_) & ~kDoorbell);
  const std::uint64_t command = bank_.value(command_);
  const std::uint64_t length = command >> kLengthShift & kLengthMask;
  MailboxResult result{MailboxReturn::invalid_payload_length};
  if (length > payload_.size()) {
    report(kCommand, 8, kReportLength,
           fmt::format("a payload of {} bytes does not fit into {} bytes", length, payload_.size()));
  } else {
    const auto begin = payload_.begin();
    const MailboxPayload input(std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(length)));
    result = execute_(static_cast<std::uint16_t>(command), input, done_);
  }
  const std::vector<std::uint8_t>& output = result.output.bytes();
  assert(output.size() <= payload_.size());
  std::copy(output.begin(), output.end(), payload_.begin());
  bank_.set_value(command_, (command & 0xffff) | std::uint64_t{output.size()} << kLengthShift);
  bank_.set_value(status_, static_cast<std::uint64_t>(result.code) << kReturnCodeShift);
}

unsigned Mailbox::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address < kPayloadOffset) return bank_.transport_dbg(payload);
  const std::uint64_t offset = address - kPayloadOffset;
  const unsigned length = payload.get_data_length();
  if (offset >= payload_.size() || length > payload_.size() - offset) return 0;
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), payload_.data() + offset, length);
  } else if (payload.is_write()) {
    std::memcpy(payload_.data() + offset, payload.get_data_ptr(), length);
  } else {
    return 0;
  }
  return length;
}

void Mailbox::reset() {
  bank_.reset();
  std::fill(payload_.begin(), payload_.end(), std::uint8_t{0});
  busy_ = false;
  reported_.clear();
}

void Mailbox::refuse(tlm::tlm_generic_payload& payload, tlm::tlm_response_status status, const char* what) {
  payload.set_response_status(status);
  report(payload.get_address(), payload.get_data_length(), static_cast<int>(status),
         fmt::format("{}-byte {}: {}", payload.get_data_length(), payload.is_write() ? "write" : "access", what));
}

void Mailbox::report(std::uint64_t offset, unsigned length, int kind, const std::string& what) {
  ++guest_errors_;
  if (!reported_.emplace(offset, length, kind).second) return;
  const char* const state = kind == kReportBusy ? " while a command is executed" : "";
  const std::string text = fmt::format("{}: at offset {:#x}{}: {}", name_, offset, state, what);
  SC_REPORT_WARNING(kGuestErrorReport, text.c_str());
}

}  // namespace pmufab::cxl
