// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tlm>

namespace pmufab {

/// A register bank writes here which register an access is about: "PMEVCNTR[3]", of half a register "PMEVCNTR[3] upper
/// half". For tools that show accesses to people; other accesses do not carry one.
/// It exists while the access goes on, no longer: banks look for it only while there is one.
struct RegisterNote final : tlm::tlm_extension<RegisterNote> {
  RegisterNote() { ++existing_; }
  RegisterNote(const RegisterNote& other)
      : tlm::tlm_extension<RegisterNote>(other), bank(other.bank), name(other.name) {
    ++existing_;
  }
  RegisterNote& operator=(const RegisterNote&) = default;
  ~RegisterNote() override { --existing_; }

  /// @return whether any access carries a note.
  [[nodiscard]] static bool is_asked_for() noexcept { return existing_ != 0; }

  std::string bank;
  std::string name;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new RegisterNote(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const RegisterNote&>(other); }

 private:
  inline static unsigned existing_ = 0;  // simulations have one thread
};

}  // namespace pmufab
