// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "tlm/spec/spec_error.h"

namespace pmufab {

/// Names of described hardware become names of SystemC's modules, which replaces dots and blanks in them, and parts of
/// patterns and file names.
/// @param field  of the specification
/// @throws SpecError unless the name has letters, digits, _ and - alone
inline void check_module_name(const std::string& field, const std::string& name) {
  const auto is_possible = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_' || letter == '-';
  };
  if (name.empty()) throw SpecError(field, "is empty", "give it a name");
  if (std::all_of(name.begin(), name.end(), is_possible)) return;
  std::string other = name;
  std::replace_if(
      other.begin(), other.end(), [&](char letter) { return !is_possible(letter); }, '_');
  throw SpecError(field, "'" + name + "' has something else than letters, digits, _ and -", "for example " + other);
}

}  // namespace pmufab
