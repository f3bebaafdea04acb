// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <tlm>

#include "tlm/registers/register_bank.h"
#include "tlm/registers/register_spec.h"

namespace pmufab {

/// A register bank writes here which register an access is about, and what it held. For tools that show accesses
/// to people; other accesses do not carry one.
/// It exists while the access goes on, no longer: banks look for it only while there is one.
struct RegisterNote final : tlm::tlm_extension<RegisterNote> {
  RegisterNote() { ++existing_; }
  RegisterNote(const RegisterNote& other)
      : tlm::tlm_extension<RegisterNote>(other),
        bank(other.bank),
        name(other.name),
        registers(other.registers),
        spec(other.spec),
        reg(other.reg),
        element(other.element),
        shift(other.shift),
        before(other.before) {
    ++existing_;
  }
  RegisterNote& operator=(const RegisterNote&) = default;
  ~RegisterNote() override { --existing_; }

  /// @return whether any access carries a note.
  [[nodiscard]] static bool is_asked_for() noexcept { return existing_ != 0; }

  std::string bank;                         ///< its name; empty: no register answered
  std::string name;                         ///< "PMEVCNTR[3]", of half a register "PMEVCNTR[3] upper half"
  const RegisterBank* registers = nullptr;  ///< the bank
  const RegisterSpec* spec = nullptr;       ///< of the register
  RegisterId reg{};                         ///< in the bank
  unsigned element = 0;                     ///< of an array
  unsigned shift = 0;                       ///< lowest bit of the register that the access covers: 32 of an upper half
  std::uint64_t before = 0;                 ///< what software would have read of the whole register before the access

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new RegisterNote(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const RegisterNote&>(other); }

 private:
  inline static unsigned existing_ = 0;  // simulations have one thread
};

}  // namespace pmufab
