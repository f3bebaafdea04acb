// SPDX-License-Identifier: Apache-2.0
#include "models/plugin/part/plugin_library.h"

#include <dlfcn.h>

#include <string_view>

#include <fmt/format.h>

namespace pmufab::platform {
namespace {

void check_versions(const std::string& file, const plugin::Descriptor& descriptor) {
  constexpr const char* kAgain = "compile it again with the header of this pmufab";
  if (descriptor.interface_version != plugin::kInterfaceVersion)
    throw PluginError(file,
                      fmt::format("was made for version {} of the plug-in interface; this pmufab has version {} ({})",
                                  descriptor.interface_version, plugin::kInterfaceVersion, kAgain));
  const auto check = [&](const char* what, const char* its, std::string_view ours) {
    if (its == nullptr || its != ours)
      throw PluginError(file, fmt::format("was compiled with {} {}; this pmufab was with {} ({})", what,
                                          its == nullptr ? "(none)" : its, ours, kAgain));
  };
  check("SystemC", descriptor.systemc, plugin::kSystemC);
  check("the ABI", descriptor.abi, plugin::kAbi);
  if (descriptor.make == nullptr || descriptor.name == nullptr)
    throw PluginError(file, "has a descriptor without a name, or without a function that makes it");
}

}  // namespace

const plugin::Descriptor& load_plugin(const std::string& file, const std::string& path) {
  dlerror();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const error = dlerror();
    throw PluginError(file, fmt::format("cannot be loaded: {}", error == nullptr ? "dlopen fails" : error));
  }
  const auto entry = reinterpret_cast<plugin::Entry>(dlsym(library, plugin::kSymbol));
  if (entry == nullptr)
    throw PluginError(file, fmt::format("is a library, but no plug-in: it has no function {}() (see PMUFAB_PLUGIN)",
                                        plugin::kSymbol));
  const plugin::Descriptor* const descriptor = entry();
  if (descriptor == nullptr) throw PluginError(file, fmt::format("returns nothing from {}()", plugin::kSymbol));
  check_versions(file, *descriptor);
  return *descriptor;
}

}  // namespace pmufab::platform
