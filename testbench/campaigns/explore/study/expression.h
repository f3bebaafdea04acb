// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::explore {

/// An expression of named numbers: "100 * (happened - reported) / happened". Conditions are 1 or 0.
///
/// It has + - * / ^, comparisons, && and ||, "condition ? one : other", and the functions of function_names().
class Expression {
 public:
  /// @param names   that it may have
  /// @param source  where it stands
  /// @param path    its key, for messages
  /// @throws InputError with the column within the text, and near names
  Expression(std::string text, const std::vector<std::string>& names, const scenario::Source& source,
             const std::string& path);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// @param value  gives a name's number
  /// @return nothing if a number is missing that it names, or if the result is no number, as of 1 / 0
  [[nodiscard]] std::optional<double> evaluate(
      const std::function<std::optional<double>(const std::string&)>& value) const;
  /// @return whether the condition holds; nothing if it cannot be computed
  [[nodiscard]] std::optional<bool> holds(const std::function<std::optional<double>(const std::string&)>& value) const;

  [[nodiscard]] const std::string& text() const noexcept;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

/// @return the functions of expressions, which no value can be named after
[[nodiscard]] const std::vector<std::string>& function_names();

}  // namespace pmufab::explore
