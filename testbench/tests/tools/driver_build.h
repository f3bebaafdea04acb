// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

namespace pmufab::testing {

/// @param base   kernel of the other drivers
/// @param plain  without sanitizers, which would end a run with wrong drivers
/// @return arguments that build the library of a driver file, compiled as the stock drivers are, so that only the file
///         is compiled and the others' objects are taken from the stock
inline std::vector<std::string> driver_build(const std::string& file, const std::string& base,
                                             const std::string& library, [[maybe_unused]] bool plain = false) {
  setenv("CC", PMUFAB_C_COMPILER, 1);
  std::vector<std::string> arguments = {"driver", "build", file, "--sources", PMUFAB_LINUX_SOURCES,
                                        "--base", base,    "-o", library};
#ifdef PMUFAB_SANITIZED
  if (!plain) arguments.emplace_back("--sanitize");
#endif
  return arguments;
}

}  // namespace pmufab::testing
