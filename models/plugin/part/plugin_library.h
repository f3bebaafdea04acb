// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/plugin/plugin.h"

namespace pmufab::platform {

/// Load the library of a plug-in into this process, for as long as that lives. The library's own code runs: let a
/// process of its own do this first.
/// @param file  as the user named it, for messages
/// @param path  absolute
/// @return what the library says of itself, of this interface version, SystemC and ABI
/// @throws PluginError if it is no library, no plug-in, or one for another interface version, SystemC or ABI
[[nodiscard]] const plugin::Descriptor& load_plugin(const std::string& file, const std::string& path);

}  // namespace pmufab::platform
