// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace pmufab::scenario {

/// Fields of registers that turn something on. When the last event was closed, they must be as they are after loading;
/// or, if they say so, off when the drivers have been unloaded.
struct RegisterSwitch {
  enum class Name : std::uint8_t { whole, part };
  Name name = Name::part;        ///< whether `registers` is a register's name, or a part of it
  std::string_view registers;    ///< "PMCNTENSET"
  std::string_view field;        ///< its name begins with this
  std::string_view ending = {};  ///< and ends with this
  std::string_view what;         ///< "a counter is enabled"
  bool is_comparison = false;    ///< any other value, and not only another bit, means that it is on
  bool is_for_unloaded = false;  ///< looked at when the drivers have been unloaded, and only then
  std::string_view banks = {};   ///< the name of the bank ends with this
};

}  // namespace pmufab::scenario
