// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pmufab::driver_host {

/// A function in the symbol table of a library or program (ELF, 64 bits).
struct ElfFunction {
  std::uintptr_t begin = 0;  ///< addresses from where the file is loaded
  std::uintptr_t end = 0;
  std::string symbol;  ///< as the table has it: the name of a C++ function is mangled
  std::string source;  ///< file of a static function, without folders; otherwise that of the symbols before
};

/// @return the functions of a file, in the order of its table; none if it has no table or cannot be read
[[nodiscard]] std::vector<ElfFunction> elf_functions(const std::filesystem::path& file);

}  // namespace pmufab::driver_host
