// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/module_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "testbench/host/driver_sets.h"

namespace pmufab::driver_host {
namespace {

namespace fs = std::filesystem;

/// A file that is removed when its name is no longer needed.
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
  TemporaryCopy& operator=(TemporaryCopy&&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

[[noreturn]] void refuse(const fs::path& library, const std::string& why) {
  throw DriverSetError("cannot load the drivers in " + library.string() + ": " + why +
                       ": make them again with pmufab driver fetch or pmufab driver build");
}

/// The loader trusts the file's headers: a truncated file would crash this process.
void check_whole(const fs::path& library) {
  std::ifstream stream(library, std::ios::binary);
  Elf64_Ehdr header{};
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    refuse(library, "the file is not a shared library");
  const std::uint64_t size = fs::file_size(library);
  const auto fits = [size](std::uint64_t offset, std::uint64_t length) {
    return offset <= size && length <= size - offset;
  };
  bool whole = fits(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize) &&
               fits(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize) &&
               header.e_phentsize == sizeof(Elf64_Phdr);
  stream.seekg(static_cast<std::streamoff>(whole ? header.e_phoff : 0));
  for (unsigned i = 0; whole && i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    whole = static_cast<bool>(stream.read(reinterpret_cast<char*>(&segment), sizeof segment)) &&
            fits(segment.p_offset, segment.p_filesz);
  }
  if (!whole) refuse(library, "the file is damaged: its headers point beyond its " + std::to_string(size) + " bytes");
}

void* open_library(const fs::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    refuse(library, why != nullptr ? why : "unknown");
  }
  return handle;
}

}  // namespace

std::vector<std::string> needed_libraries(const fs::path& library) {
  std::error_code error;
  if (!fs::is_regular_file(library, error)) return {};  // nobody is waited for, who would write to a pipe
  std::ifstream stream(library, std::ios::binary);
  const auto read_at = [&stream](std::uint64_t place, auto& value) {
    stream.seekg(static_cast<std::streamoff>(place));
    return static_cast<bool>(stream.read(reinterpret_cast<char*>(&value), sizeof value));
  };
  std::vector<std::string> needed;
  Elf64_Ehdr header{};
  if (!read_at(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return needed;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    Elf64_Shdr names{};
    if (!read_at(header.e_shoff + i * sizeof section, section)) return needed;
    if (section.sh_type != SHT_DYNAMIC) continue;
    if (!read_at(header.e_shoff + section.sh_link * sizeof names, names)) return needed;
    Elf64_Dyn entry{};
    for (std::uint64_t at = 0; at < section.sh_size && read_at(section.sh_offset + at, entry); at += sizeof entry) {
      if (entry.d_tag != DT_NEEDED) continue;
      stream.seekg(static_cast<std::streamoff>(names.sh_offset + entry.d_un.d_val));
      std::string name;
      if (!std::getline(stream, name, '\0')) return needed;
      needed.push_back(name);
    }
  }
  return needed;
}

ModuleLibrary::ModuleLibrary(const fs::path& library) {
  const fs::path path = fs::absolute(library);
  check_whole(path);
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
  Dl_info where{};
  if (dladdr(symbol, &where) != 0) base_ = reinterpret_cast<std::uintptr_t>(where.dli_fbase);
  module_ = reinterpret_cast<pmufab_driver_module_function>(symbol)();
  if (module_->abi_version != PMUFAB_DRIVER_ABI_VERSION) {
    const std::uint32_t version = module_->abi_version;
    unload();
    throw DriverSetError(path.string() + " speaks version " + std::to_string(version) +
                         " of the driver host's interface, not " + std::to_string(PMUFAB_DRIVER_ABI_VERSION) +
                         ": make it again with pmufab driver fetch or pmufab driver build");
  }
}

void ModuleLibrary::unload() noexcept {
  if (handle_ != nullptr) dlclose(handle_);
  handle_ = nullptr;
  module_ = nullptr;
}

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
