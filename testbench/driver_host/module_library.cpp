#include "testbench/driver_host/module_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "testbench/driver_host/driver_sets.h"

namespace pmufab::driver_host {
namespace {

namespace fs = std::filesystem;

/// A file that is removed again when nobody needs its name any more.
class TemporaryCopy {
 public:
  explicit TemporaryCopy(const fs::path& original) {
    std::string name = (fs::temp_directory_path() / "pmufab_drivers.XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) throw std::runtime_error("cannot make a temporary file in " + fs::temp_directory_path().string());
    close(file);
    path_ = name;
    fs::copy_file(original, path_, fs::copy_options::overwrite_existing);
  }
  ~TemporaryCopy() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

void* open_library(const fs::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw DriverSetError("cannot load the drivers in " + library.string() + ": " + (why != nullptr ? why : "unknown"));
  }
  return handle;
}

}  // namespace

ModuleLibrary::ModuleLibrary(const fs::path& library) {
  const fs::path path = fs::absolute(library);
  if (void* loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); loaded != nullptr) {
    dlclose(loaded);
    handle_ = open_library(TemporaryCopy(path).path());
  } else {
    handle_ = open_library(path);
  }
  void* const symbol = dlsym(handle_, PMUFAB_DRIVER_ENTRY);
  if (symbol == nullptr) {
    unload();
    throw DriverSetError(path.string() + " is not a driver module: it has no " PMUFAB_DRIVER_ENTRY);
  }
  module_ = reinterpret_cast<pmufab_driver_module_function>(symbol)();
  if (module_->abi_version != PMUFAB_DRIVER_ABI_VERSION) {
    const std::uint32_t version = module_->abi_version;
    unload();
    throw DriverSetError(path.string() + " speaks version " + std::to_string(version) +
                         " of the driver host's interface, not " + std::to_string(PMUFAB_DRIVER_ABI_VERSION) +
                         ": build it again with tools/build-drivers");
  }
}

void ModuleLibrary::unload() noexcept {
  if (handle_ != nullptr) dlclose(handle_);
  handle_ = nullptr;
  module_ = nullptr;
}

}  // namespace pmufab::driver_host
