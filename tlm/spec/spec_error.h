// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
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

}  // namespace pmufab
