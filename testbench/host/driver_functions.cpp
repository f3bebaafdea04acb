// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/driver_functions.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "testbench/host/elf_functions.h"

namespace pmufab::driver_host {
namespace {

/// The compiler marks parts of a function by a dot: "f.cold", "f.isra.0". shim/include/linux/export.h marks exported ones.
std::string function_name(std::string_view symbol) {
  constexpr std::string_view kExported = "__pmufab_exported_";
  if (symbol.starts_with(kExported)) symbol.remove_prefix(kExported.size());
  return std::string(symbol.substr(0, symbol.find('.')));
}

}  // namespace

DriverFunctions::DriverFunctions(const std::filesystem::path& library, const std::set<std::string>& files) {
  for (const ElfFunction& function : elf_functions(library)) {
    if (!files.contains(function.source)) continue;
    functions_.push_back({.begin = function.begin,
                          .end = function.end,
                          .name = function_name(function.symbol) + "() of " + function.source});
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& left, const Function& right) { return left.begin < right.begin; });
}

std::string DriverFunctions::at(std::uintptr_t offset) const {
  const auto after = std::lower_bound(functions_.begin(), functions_.end(), offset,
                                      [](const Function& function, std::uintptr_t at) { return function.begin < at; });
  if (after == functions_.begin()) return {};
  const Function& function = *std::prev(after);
  return offset <= function.end ? function.name : std::string();
}

}  // namespace pmufab::driver_host
