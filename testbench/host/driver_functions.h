// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace pmufab::driver_host {

/// The functions of drivers in a library, by address. They come from its symbol table, which knows a static function's
/// file. Functions that were compiled into their callers count as these.
class DriverFunctions {
 public:
  /// @param library  a file of tools/build-drivers. Without a symbol table, or if it cannot be read, nothing is found
  /// @param files    names of the drivers' files, without folders: "arm-cmn.c"
  DriverFunctions(const std::filesystem::path& library, const std::set<std::string>& files);

  /// @param offset  of the address behind an instruction, from where the library is loaded
  /// @return "arm_cmn_event_add() of arm-cmn.c"; empty if the instruction is not a driver's
  [[nodiscard]] std::string at(std::uintptr_t offset) const;

 private:
  struct Function {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::string name;
  };
  std::vector<Function> functions_;  // by address
};

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
