// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tlm>

namespace pmufab {

/// A register bank writes here which register an access is about: "PMEVCNTR[3]", of half a register "PMEVCNTR[3] upper
/// half". For tools that show accesses to people; other accesses do not carry one.
struct RegisterNote final : tlm::tlm_extension<RegisterNote> {
  std::string bank;
  std::string name;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new RegisterNote(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const RegisterNote&>(other); }
};

}  // namespace pmufab
