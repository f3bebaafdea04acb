// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace pmufab {

/// A mistake in a specification (of a platform, a mesh, traffic).
///
/// what() reads "<field>: <reason>", followed by "; <suggestion>" where there is one. The reader of configuration files
/// turns the field into a place in the file.
class SpecError : public std::invalid_argument {
 public:
  /// @param field       path of the faulty member from the top of the specification, for example
  ///                    "crosspoints[3].ports[1].device" or "generators[2].phases[0].pattern.stride"
  /// @param reason      what is wrong with it
  /// @param suggestion  what would be right; empty where the reason says so
  SpecError(std::string field, std::string reason, std::string suggestion = {})
      : std::invalid_argument(field + ": " + reason + (suggestion.empty() ? "" : "; " + suggestion)),
        field_(std::move(field)),
        reason_(std::move(reason)),
        suggestion_(std::move(suggestion)) {}

  [[nodiscard]] const std::string& field() const noexcept { return field_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] const std::string& suggestion() const noexcept { return suggestion_; }

 private:
  std::string field_;
  std::string reason_;
  std::string suggestion_;
};

/// Call `check`, which complains about a member of a larger specification.
/// @param prefix  put before the field's name: "cxl[0].link."
/// @throws SpecError as `check` does, with the longer field
template <typename Check>
void with_field_prefix(std::string_view prefix, Check check) {
  try {
    check();
  } catch (const SpecError& error) {
    throw SpecError(std::string(prefix) + error.field(), error.reason(), error.suggestion());
  }
}

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
