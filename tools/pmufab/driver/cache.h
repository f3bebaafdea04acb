// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pmufab::cli {

/// Allows one build at a time in a folder of the cache; a second one waits. Programs that the build starts keep the
/// lock until they end, even if this process is killed. The time of the lock's file is when it was last taken.
class FolderLock {
 public:
  /// @param work  name of the holder, for the one that waits
  /// @throws InputError if nothing can be written beside the folder
  FolderLock(const std::filesystem::path& folder, const std::string& work);
  ~FolderLock();
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int file_ = -1;
};

/// Drivers that were built and are kept, so that only what has changed is compiled again.
struct CachedDrivers {
  std::filesystem::path folder;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type used{};  ///< last
  bool is_usual = false;  ///< of pmufab driver build or review; otherwise those of gdb or the like, which are few
};

/// @param cache  cache_folder()
/// @return the folders drivers-* in it, the latest used first; without sizes, which take a look at each file
[[nodiscard]] std::vector<CachedDrivers> cached_drivers(const std::filesystem::path& cache);

/// @return the size of a folder's files
[[nodiscard]] std::uintmax_t size_of(const std::filesystem::path& folder);

/// Remove a folder, unless a build holds its lock. @return whether it is gone
bool remove_cached(const std::filesystem::path& folder);

/// Remove folders of pmufab driver build and review, the oldest use first, until there are few and small ones left.
/// @param kept  stays whatever there is
void trim_cache(const std::filesystem::path& cache, const std::filesystem::path& kept);

constexpr std::size_t kMostCachedDrivers = 40;
constexpr std::uintmax_t kMostCachedBytes = std::uintmax_t{512} << 20;

}  // namespace pmufab::cli
