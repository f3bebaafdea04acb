// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "models/plugin/plugin.h"
#include "tlm/spec/printable.h"

namespace pmufab::platform {

/// Load the library of a plug-in into this process, for as long as that lives. The library's own code runs: let a
/// process of its own do this first.
/// @param file  as the user named it, for messages
/// @param path  absolute
/// @return what the library says of itself, of this interface version, SystemC and ABI
/// @throws PluginError if it is no library, no plug-in, or one for another interface version, SystemC or ABI
[[nodiscard]] const plugin::Descriptor& load_plugin(const std::string& file, const std::string& path);

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
