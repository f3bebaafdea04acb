// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/cxl/registers/mailbox_protocol.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::cxl {

/// The register side of a mailbox (CXL 3.1, 8.2.8.4). Software fills in command and payload, sets the doorbell, waits
/// until the device clears it, and reads status, length and payload. This is no module: the device's register block
/// forwards the accesses of this window, with addresses relative to it.
///
/// Registers follow the access rules of RegisterBank (64-bit ones also by halves); the payload takes accesses of 1, 2,
/// 4 or 8 bytes, aligned. A command takes `latency` from the doorbell on. There are no background commands and no
/// interrupts. The following guest errors have no effect and are each reported once per place (kGuestErrorReport):
/// - setting the doorbell while a command is executed, or before the mailbox is ready;
/// - a write to command or payload while a command is executed;
/// - a payload length above the payload size; it also returns Invalid Payload Length.
class Mailbox {
 public:
  static constexpr std::uint32_t kPayloadOffset = 0x20;
  /// Executes a command. The answer must not exceed the payload size.
  using Execute = std::function<MailboxResult(std::uint16_t opcode, const MailboxPayload& input, Picoseconds when)>;

  /// @param payload_size_log2  8 ... 20: 256 bytes to 1 MiB
  /// @throws SpecError if it is another
  Mailbox(std::string name, unsigned payload_size_log2, Picoseconds latency, Execute execute);

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);

  [[nodiscard]] std::uint32_t payload_size() const noexcept { return static_cast<std::uint32_t>(payload_.size()); }
  /// @return the size of the window in bytes.
  [[nodiscard]] std::uint32_t size() const noexcept { return kPayloadOffset + payload_size(); }
  /// The doorbell has an effect only while the mailbox is ready.
  void set_ready(bool ready) noexcept { ready_ = ready; }
  [[nodiscard]] bool ready() const noexcept { return ready_; }

  /// Drop the command in execution.
  void reset();
  [[nodiscard]] std::uint64_t guest_errors() const noexcept { return guest_errors_ + bank_.guest_errors(); }

 private:
  void settle(Picoseconds when);
  void control_written(const RegisterWrite& write);
  void access_payload(tlm::tlm_generic_payload& payload);
  void refuse(tlm::tlm_generic_payload& payload, tlm::tlm_response_status status, const char* what);
  void report(std::uint64_t offset, unsigned length, int kind, const std::string& what);

  std::string name_;
  Picoseconds latency_;
  Execute execute_;
  RegisterBank bank_;
  RegisterId control_, command_, status_;
  std::vector<std::uint8_t> payload_;
  bool ready_ = false;
  bool busy_ = false;
  Picoseconds done_ = 0;                                         // end of the command in execution
  std::set<std::tuple<std::uint64_t, unsigned, int>> reported_;  // offset, length, kind
  std::uint64_t guest_errors_ = 0;
};

}  // namespace pmufab::cxl
