// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "testbench/host/abi.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::driver_host {

/// @return the libraries that a shared library needs (DT_NEEDED), by their names: "libasan.so.8". Nothing for another
/// file
[[nodiscard]] std::vector<std::string> needed_libraries(const std::filesystem::path& library);

/// A driver module (.so) in memory. Each object has its own variables: a library that is already loaded is loaded again
/// from a copy.
class ModuleLibrary {
 public:
  /// @throws DriverSetError with the loader's message if it cannot be loaded or has another ABI version
  explicit ModuleLibrary(const std::filesystem::path& library);
  /// It stays in memory, because a driver that was not shut down may still be on a stack.
  ~ModuleLibrary() = default;
  ModuleLibrary& operator=(ModuleLibrary&&) = delete;

  /// Unload it. Nothing of it may be used afterwards.
  void unload() noexcept;

  /// @return where it is loaded
  [[nodiscard]] std::uintptr_t base() const noexcept { return base_; }
  [[nodiscard]] const pmufab_module& operator*() const noexcept { return *module_; }
  [[nodiscard]] const pmufab_module* operator->() const noexcept { return module_; }

 private:
  void* handle_ = nullptr;
  std::uintptr_t base_ = 0;
  const pmufab_module* module_ = nullptr;
};

/// @return the driver files that a library was built from, in link order, with their SHA-256. No driver is started, so
///         none is in use, and none has a PMU. @throws DriverSetError if it cannot be loaded
[[nodiscard]] std::vector<DriverFile> files_in(const std::filesystem::path& library);

}  // namespace pmufab::driver_host
