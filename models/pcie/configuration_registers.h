// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/pcie/configuration_space.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::pcie {

/// The configuration space of a function as registers with fields, for dumps: the header, the main registers of the PCI
/// Express capability, and those the product adds. Software's accesses do not come here; they reach the space through
/// Ecam, which tells by the bank what they are about.
class ConfigurationRegisters {
 public:
  /// @param space  must outlive this object
  /// @param port   the header is of type 1
  /// @param more   registers of the product's own capabilities, 32 bits wide, at their offsets; fields must outlive
  ///               this object
  ConfigurationRegisters(ConfigurationSpace& space, bool port, std::span<const RegisterSpec> more = {});

  /// @return a bank that reads what software would read now.
  [[nodiscard]] const RegisterBank& bank() const noexcept { return bank_; }

 private:
  std::vector<RegisterSpec> registers_;
  RegisterBank bank_;
};

}  // namespace pmufab::pcie
