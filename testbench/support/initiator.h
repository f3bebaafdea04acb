// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "tlm/clock/clock_domain.h"

namespace pmufab::testing {

/// The result of an access.
struct AccessResult {
  tlm::tlm_response_status status;
  std::uint64_t data;  ///< for a read: little endian, the first 8 bytes; for a write: 0
  Picoseconds delay;   ///< annotated by the target (already waited for, unless Initiator::wait_for_delay is false)
  bool dmi_allowed;    ///< the target hinted that DMI is possible

  [[nodiscard]] bool ok() const noexcept { return status == tlm::TLM_OK_RESPONSE; }
};

/// The bus master of a test: reads and writes registers over blocking transport. Use it only in a thread process.
class Initiator : public sc_core::sc_module {
 public:
  /// One access, with everything a generic payload can hold.
  struct Access {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    std::uint64_t address = 0;
    std::vector<std::uint8_t> data = {};          ///< its size is the data length
    unsigned streaming_width = 0;                 ///< 0: the data length
    std::vector<std::uint8_t> byte_enables = {};  ///< empty: none
    Picoseconds delay = 0;                        ///< annotated when the access reaches the target
  };

  explicit Initiator(const sc_core::sc_module_name& name);

  AccessResult read32(std::uint64_t address) { return read(address, 4); }
  AccessResult read64(std::uint64_t address) { return read(address, 8); }
  AccessResult write32(std::uint64_t address, std::uint32_t data) { return write(address, data, 4); }
  AccessResult write64(std::uint64_t address, std::uint64_t data) { return write(address, data, 8); }
  /// @param length  bytes; 0 ... 8 are copied from or to `data`; further ones are zero
  AccessResult read(std::uint64_t address, unsigned length);
  AccessResult write(std::uint64_t address, std::uint64_t data, unsigned length);
  /// Any access; on return access.data holds what the target stored there.
  AccessResult transport(Access& access);

  /// As above, but the test fails unless the target answers TLM_OK_RESPONSE.
  std::uint32_t get32(std::uint64_t address);
  std::uint64_t get64(std::uint64_t address);
  void put32(std::uint64_t address, std::uint32_t data);
  void put64(std::uint64_t address, std::uint64_t data);

  /// Debug transport. @return bytes moved
  unsigned debug_read(std::uint64_t address, std::uint64_t& data, unsigned length);
  unsigned debug_write(std::uint64_t address, std::uint64_t data, unsigned length);

  /// @return true if the target grants a direct memory pointer for `address`.
  bool dmi(std::uint64_t address, tlm::tlm_command command = tlm::TLM_READ_COMMAND);

  tlm_utils::simple_initiator_socket<Initiator, 64> socket;
  /// Wait for the annotated delay after each access (loosely timed, no quantum).
  bool wait_for_delay = true;
};

}  // namespace pmufab::testing
