// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/cxl/registers/type3_device.h"
#include "models/pcie/function.h"
#include "testbench/fuzz/machine.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::fuzz {

/// Checks mailbox, HDM decoders and configuration space of one memory device between operations.
class DeviceChecker {
 public:
  /// @param address  of the BAR
  DeviceChecker(std::string name, MmioBus& bus, cxl::Type3Device& device, std::uint64_t address);

  void check(const Effect& effect);
  /// The device has been reset: start again.
  void forget() noexcept { busy_ = false; }

 private:
  void check_mailbox(const Effect& effect);
  void check_decoders() const;
  void check_configuration() const;
  [[nodiscard]] std::vector<std::uint64_t> payload() const;

  std::string name_;
  Peek peek_;
  cxl::Type3Device& device_;
  std::uint64_t component_;
  std::uint64_t mailbox_;
  std::uint32_t payload_bytes_;
  std::vector<std::pair<unsigned, std::uint32_t>> constant_;  // offset and value of words of configuration space
  bool busy_ = false;
  Picoseconds busy_since_ = 0;
  bool may_have_begun_before_ = false;
  std::vector<std::uint64_t> payload_;
};

}  // namespace pmufab::fuzz
