// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/driver/cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;

constexpr std::string_view kPrefix = "drivers-";
constexpr std::string_view kReview = "review-";

std::string lock_of(const fs::path& folder) { return folder.string() + ".lock"; }

/// Whoever clears the cache removes the file of a lock that it holds: one that waited for it has a lock of nothing then.
bool is_still(int file, const std::string& name) {
  struct stat open_one {};
  struct stat named {};
  return fstat(file, &open_one) == 0 && stat(name.c_str(), &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

/// @param how  of flock(). @return whether it is locked
bool lock(int file, int how) {
  while (flock(file, how) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const std::string& work) {
  const std::string name = lock_of(folder);
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  for (bool has_waited = false; file_ < 0;) {
    if (!error) file_ = open(name.c_str(), O_RDWR | O_CREAT, 0666);
    if (file_ < 0)
      throw InputError(fmt::format("cannot write '{}': {}", name,
                                   (error ? error : std::error_code(errno, std::generic_category())).message()),
                       "set XDG_CACHE_HOME to a folder you can write to; PMUFAB_DRIVERS too, if it is set");
    bool is_locked = lock(file_, LOCK_EX | LOCK_NB);
    if (!is_locked && errno == EWOULDBLOCK) {
      if (!has_waited) complain("pmufab: waiting for another {}\n", work);
      has_waited = true;
      is_locked = lock(file_, LOCK_EX);
    }
    const int reason = errno;
    if (is_locked && is_still(file_, name)) break;
    close(file_);
    file_ = -1;
    if (!is_locked) throw std::system_error(reason, std::generic_category(), "cannot lock " + name);
  }
  futimens(file_, nullptr);
}

FolderLock::~FolderLock() { close(file_); }

std::vector<CachedDrivers> cached_drivers(const fs::path& cache) {
  constexpr std::size_t kDigits = 16;
  std::vector<CachedDrivers> all;
  std::error_code error;
  for (fs::directory_iterator entry(cache, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with(kPrefix) || !entry->is_directory(ignored) || entry->is_symlink(ignored)) continue;
    CachedDrivers one;
    one.folder = entry->path();
    std::string_view rest = std::string_view(name).substr(kPrefix.size());
    if (rest.starts_with(kReview)) rest.remove_prefix(kReview.size());
    one.is_usual = rest.size() == kDigits && rest.find_first_not_of("0123456789abcdef") == std::string::npos;
    one.used = fs::last_write_time(lock_of(one.folder), ignored);
    if (ignored) one.used = fs::last_write_time(one.folder, ignored);
    all.push_back(std::move(one));
  }
  std::ranges::sort(all, [](const CachedDrivers& a, const CachedDrivers& b) {
    return a.used != b.used ? a.used > b.used : a.folder < b.folder;
  });
  return all;
}

std::uintmax_t size_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_symlink(ignored) || !entry->is_regular_file(ignored)) continue;
    const std::uintmax_t size = entry->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

bool remove_cached(const fs::path& folder) {
  const std::string name = lock_of(folder);
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return false;
  std::error_code error;
  const bool is_mine = lock(file, LOCK_EX | LOCK_NB) && is_still(file, name);
  if (is_mine) {
    fs::remove_all(folder, error);
    if (!error) fs::remove(name, error);
  }
  close(file);
  return is_mine && !error;
}

void trim_cache(const fs::path& cache, const fs::path& kept) {
  std::size_t number = 0;
  std::uintmax_t bytes = 0;
  for (const CachedDrivers& one : cached_drivers(cache)) {
    if (!one.is_usual) continue;
    bytes += size_of(one.folder);
    if (++number <= kMostCachedDrivers && bytes <= kMostCachedBytes) continue;
    if (one.folder != kept) remove_cached(one.folder);
  }
}

}  // namespace pmufab::cli
