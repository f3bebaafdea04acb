// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/output.h"

#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

#include "testbench/scenario/yaml/input_error.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;

constexpr int kMaximumLinks = 40;  // as in the kernel

/// Files below these are views of devices and of open files. Renaming a file onto them is never intended.
bool is_system_folder(const fs::path& folder) {
  const std::string text = folder.string();
  return text == "/dev" || text == "/proc" || text.starts_with("/dev/") || text.starts_with("/proc/");
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

/// The target of the links at `file`, which may not exist yet. @return false if it must be written in place
bool follow_links(fs::path& file, std::error_code& error) {
  for (int links = 0; links < kMaximumLinks; ++links) {
    const fs::path folder = fs::weakly_canonical(folder_of(file), error);
    if (error) return true;
    if (is_system_folder(folder)) return false;
    std::error_code ignored;
    if (fs::symlink_status(file, ignored).type() != fs::file_type::symlink) return true;
    const fs::path next = fs::read_symlink(file, error);
    if (error) return true;
    file = next.is_absolute() ? next : folder / next;
  }
  error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  return true;
}

/// Create a file with a new name. @param stem  path without the part that makes it unique
fs::path make_unique(const fs::path& stem, const std::string& extension, std::error_code& error) {
  std::string name = stem.string() + ".new-XXXXXX" + extension;
  const int file = mkstemps(name.data(), static_cast<int>(extension.size()));
  if (file < 0) {
    error.assign(errno, std::generic_category());
    return {};
  }
  close(file);
  return name;
}

/// The permissions of a new file.
mode_t default_mode() {
  constexpr mode_t kAll = 0666;
  const mode_t mask = umask(0);
  umask(mask);
  return kAll & ~mask;
}

/// @return true for a pipe that nobody reads any more
bool reader_is_gone(int stream) {
  pollfd pipe{stream, POLLOUT, 0};
  return poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLERR) != 0;
}

constexpr std::string_view kScratchName = "pmufab-scratch.";  // and six more characters
constexpr std::size_t kScratchNameSize = kScratchName.size() + 6;

enum class FolderState : std::uint8_t { ours, taken, no_locks, gone };

/// Try to lock a folder of this user. @param lock  receives what holds the lock
FolderState lock_folder(const fs::path& folder, process::Descriptor& lock) {
  lock = process::Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat there {};
  if (!lock || fstat(lock.get(), &there) != 0) return errno == ENOENT ? FolderState::gone : FolderState::no_locks;
  if (there.st_uid != geteuid()) return FolderState::no_locks;  // not to be touched
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? FolderState::taken : FolderState::no_locks;
  return there.st_nlink > 0 && fs::exists(folder) ? FolderState::ours : FolderState::gone;
}

/// Remove the scratch folders of programs that were killed.
void remove_left_folders(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kScratchName) || name.size() != kScratchNameSize) continue;
    process::Descriptor lock;
    std::error_code ignored;
    if (lock_folder(entry->path(), lock) == FolderState::ours) fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

OutputFile::OutputFile(const fs::path& file) : named_(file), target_(file) {
  std::error_code error;
  replace_ = follow_links(target_, error);
  if (error) fail(error.value());
  if (replace_) {
    const fs::file_type type = fs::status(target_, error).type();
    if (type == fs::file_type::directory) fail(EISDIR);
    replace_ = type == fs::file_type::regular || type == fs::file_type::not_found;
    if (type == fs::file_type::none) fail(error.value());
    error.clear();
  }
  if (replace_ && fs::status(folder_of(target_), error).type() == fs::file_type::not_found)
    throw InputError(fmt::format("cannot write '{}': there is no folder '{}'", named_.generic_string(),
                                 folder_of(target_).generic_string()),
                     "make it, or name another file");
  error.clear();
  const fs::path stem = replace_ ? target_ : temporary_folder() / "pmufab-output";
  temporary_ = make_unique(stem, target_.extension().string(), error);
  if (error) fail(error.value());
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void OutputFile::fail(int error) const {
  throw InputError(fmt::format("cannot write '{}': {}", named_.generic_string(), std::strerror(error)));
}

void OutputFile::write(const std::string& content) const { put(content, std::ios::trunc); }

void OutputFile::append(const std::string& content) const { put(content, std::ios::app); }

void OutputFile::put(const std::string& content, std::ios::openmode mode) const {
  errno = 0;
  std::ofstream stream(temporary_, std::ios::binary | mode);
  stream << content;
  stream.close();
  if (!stream) fail(errno != 0 ? errno : EIO);
}

/// Copy the temporary file to the name the user gave.
void OutputFile::pass_on() const {
  // /dev/stdout may lead to a file that has content already.
  const int out = open(named_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (out < 0) fail(errno);
  std::ifstream in(temporary_, std::ios::binary);
  char buffer[65536];
  int error = 0;
  while (error == 0) {
    in.read(buffer, sizeof buffer);
    const auto size = static_cast<std::size_t>(in.gcount());
    if (size == 0) break;
    for (std::size_t done = 0; done < size && error == 0;) {
      const ssize_t count = ::write(out, buffer + done, size - done);
      if (count >= 0) {
        done += static_cast<std::size_t>(count);
      } else if (errno != EINTR) {
        error = errno;
      }
    }
  }
  if (close(out) != 0 && error == 0) error = errno;
  if (error == 0 && in.bad()) error = EIO;
  if (error != 0) fail(error);
}

void OutputFile::commit() {
  if (!replace_) {
    pass_on();
    return;
  }
  struct stat there {};
  const bool exists = stat(target_.c_str(), &there) == 0;
  constexpr mode_t kRights = 07777;
  chmod(temporary_.c_str(), exists ? there.st_mode & kRights : default_mode());
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail(error.value());
  temporary_.clear();
}

void check_writable(const fs::path& file) { const OutputFile probe(file); }

void write_file(const fs::path& file, const std::string& content) {
  OutputFile output(file);
  output.write(content);
  output.commit();
}

bool is_full(const fs::path& folder) {
  constexpr std::size_t kLeast = 1U << 20;
  std::error_code error;
  const fs::path probe = make_unique(folder / "pmufab-room", "", error);
  if (error) return scenario::is_output_error(error);
  std::ofstream stream(probe, std::ios::binary);
  stream << std::string(kLeast, '\0');
  stream.close();
  fs::remove(probe, error);
  return !stream;
}

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error)
    throw InputError(fmt::format("there is no folder for temporary files: {}", error.message()),
                     "TMPDIR must name a folder that exists");
  return folder;
}

ScratchFolder::ScratchFolder() {
  const fs::path parent = temporary_folder();
  remove_left_folders(parent);
  constexpr unsigned kAttempts = 100;
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = (parent / (std::string(kScratchName) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr)
      throw InputError(fmt::format("cannot make a temporary folder '{}': {}", name, std::strerror(errno)),
                       "TMPDIR must name a folder that can be written to");
    path_ = name;
    // Before it is locked, another program may take it for one that was left, and remove it.
    const FolderState state = lock_folder(path_, lock_);
    if (state == FolderState::ours || (state == FolderState::no_locks && fs::exists(path_))) return;
  }
  throw InputError(fmt::format("a temporary folder in '{}' disappears again and again", parent.generic_string()),
                   "set TMPDIR to another folder");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void prepare_process() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // Opened for the wrong direction, so that printing to a closed output is still an error.
    const int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    const int opened = open("/dev/null", mode);  // the lowest free number: this one
    if (opened >= 0 && opened != stream) close(opened);
  }
}

int finish_standard_error(int code) {
  // Standard error is not buffered, and there is no place left to report a failure.
  return std::ferror(stderr) == 0 || reader_is_gone(STDERR_FILENO) ? code : std::max(code, kBadInput);
}

int finish_standard_output(int code) {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0 && std::cout) return code;
  if (error == EPIPE || reader_is_gone(STDOUT_FILENO)) return code;
  complain("pmufab: not everything could be written to standard output{}{}\n", error != 0 ? ": " : "",
           error != 0 ? std::strerror(error) : "");
  return std::max(code, kBadInput);
}

}  // namespace pmufab::cli
