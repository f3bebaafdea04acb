// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "testbench/driver_host/abi.h"

namespace pmufab::driver_host {

/// A driver module (.so) in memory. Each object has variables of its own: a library that is loaded already is loaded a
/// second time from a copy.
class ModuleLibrary {
 public:
  /// @throws DriverSetError with the loader's words if it cannot be loaded or speaks another ABI version
  explicit ModuleLibrary(const std::filesystem::path& library);
  /// Stays in memory: a driver that was not shut down may still be on somebody's stack.
  ~ModuleLibrary() = default;
  ModuleLibrary(const ModuleLibrary&) = delete;
  ModuleLibrary& operator=(const ModuleLibrary&) = delete;

  /// Take it out of memory. Nothing of it may be used afterwards.
  void unload() noexcept;

  [[nodiscard]] const pmufab_module& operator*() const noexcept { return *module_; }
  [[nodiscard]] const pmufab_module* operator->() const noexcept { return module_; }

 private:
  void* handle_ = nullptr;
  const pmufab_module* module_ = nullptr;
};

}  // namespace pmufab::driver_host
