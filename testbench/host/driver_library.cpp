// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/driver_library.h"

#include "testbench/host/module_library.h"

namespace pmufab::driver_host {

std::vector<DriverFile> files_in(const std::filesystem::path& library) {
  ModuleLibrary module(library);
  std::vector<DriverFile> files;
  module->list_drivers(
      &files,
      [](void* context, const char* file, const char* sha256, int own, int is_used) {
        static_cast<std::vector<DriverFile>*>(context)->push_back(
            {.file = file, .sha256 = sha256, .is_own = own != 0, .is_given = own == 1, .is_used = is_used != 0});
      },
      [](void* context, const char* pmu) {
        static_cast<std::vector<DriverFile>*>(context)->back().pmus.emplace_back(pmu);
      });
  module.unload();
  return files;
}

}  // namespace pmufab::driver_host
