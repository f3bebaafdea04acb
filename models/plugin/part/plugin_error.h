// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "tlm/spec/printable.h"

namespace pmufab::platform {

/// A plug-in cannot be used, or has failed. what() names its file: "the plug-in my.so threw ...". What it has said itself
/// is made printable here, so it can go to a terminal.
class PluginError : public std::runtime_error {
 public:
  /// @param file  as the user named it
  /// @param what  follows the name: "is no shared library"
  PluginError(const std::string& file, const std::string& what)
      : std::runtime_error(printable_message("the plug-in " + file + " " + what)), reason_(printable_message(what)) {}

  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  std::string reason_;
};

}  // namespace pmufab::platform
