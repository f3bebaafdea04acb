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
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/end_signals.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;

constexpr int kMaximumLinks = 40;  // as in the kernel

bool is_in(const fs::path& folder, std::string_view outer) {
  const std::string text = folder.string();
  return text.starts_with(outer) && (text.size() == outer.size() || text[outer.size()] == '/');
}

/// Files below these are views of devices and of open files. Renaming a file onto them is never intended. /dev/shm has
/// ordinary files.
bool is_system_folder(const fs::path& folder) {
  return (is_in(folder, "/dev") && !is_in(folder, "/dev/shm")) || is_in(folder, "/proc");
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

/// As the kernel's fs.protected_symlinks and fs.protected_fifos, which do not see links that are followed here: in a
/// folder where everybody may make files, those of other users may be traps. @return true for a name there that neither
/// this user nor the owner of the folder has made
bool is_strange(const fs::path& name) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  struct stat there {};
  struct stat folder {};
  return lstat(name.c_str(), &there) == 0 && stat(folder_of(name).c_str(), &folder) == 0 &&
         (folder.st_mode & kShared) == kShared && there.st_uid != geteuid() && there.st_uid != folder.st_uid;
}

/// @return the first link on the way to a file, or the link that it is, which another user has made; empty: none
fs::path find_strange_link(const fs::path& file) {
  fs::path way;
  for (const fs::path& name : file) {
    way /= name;
    std::error_code ignored;
    if (fs::symlink_status(way, ignored).type() == fs::file_type::symlink && is_strange(way)) return way;
  }
  return {};
}

/// The target of the links at `file`, which may not exist yet. @return false if it must be written in place
/// @throws InputError for links of other users
bool follow_links(fs::path& file, std::error_code& error) {
  const fs::path named = file;
  for (int links = 0; links < kMaximumLinks; ++links) {
    if (const fs::path link = find_strange_link(file); !link.empty())
      throw InputError(fmt::format("cannot write '{}': '{}' is a link of another user, in a folder that everybody may "
                                   "write to",
                                   named.generic_string(), link.generic_string()),
                       "name another file");
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

constexpr std::string_view kNewName = ".new-";  // and six more characters
constexpr std::size_t kNewNameSize = kNewName.size() + 6;

/// Try to lock a file or folder of this user. The lock ends with the last process that holds it.
enum class LockState : std::uint8_t { ours, taken, no_locks, gone };

LockState lock_name(const fs::path& name, int flags, process::Descriptor& lock) {
  lock = process::Descriptor(open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags));
  struct stat there {};
  if (!lock || fstat(lock.get(), &there) != 0) return errno == ENOENT ? LockState::gone : LockState::no_locks;
  if (there.st_uid != geteuid()) return LockState::no_locks;  // not to be touched
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? LockState::taken : LockState::no_locks;
  struct stat now {};
  const bool is_there = lstat(name.c_str(), &now) == 0 && now.st_ino == there.st_ino && now.st_dev == there.st_dev;
  return is_there ? LockState::ours : LockState::gone;
}

/// Remove what killed programs of this user left of the file `stem`.new-XXXXXX`extension`.
void remove_left_files(const fs::path& stem, const std::string& extension) {
  const std::string start = stem.filename().string() + std::string(kNewName);
  const std::size_t size = stem.filename().string().size() + kNewNameSize + extension.size();
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(stem), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() != size || !name.starts_with(start) || !name.ends_with(extension)) continue;
    std::error_code ignored;
    if (entry->symlink_status(ignored).type() != fs::file_type::regular) continue;
    process::Descriptor lock;
    if (lock_name(entry->path(), 0, lock) == LockState::ours) fs::remove(entry->path(), ignored);
  }
}

/// Create a file with a new name, and lock it. @param stem  path without the part that makes it unique
fs::path make_unique(const fs::path& stem, const std::string& extension, process::Descriptor& lock,
                     std::error_code& error) {
  constexpr unsigned kAttempts = 100;
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = stem.string() + std::string(kNewName) + "XXXXXX" + extension;
    const int file = mkstemps(name.data(), static_cast<int>(extension.size()));
    if (file < 0) {
      error.assign(errno, std::generic_category());
      return {};
    }
    close(file);
    // Before it is locked, another program may take it for one that was left, and remove it.
    const LockState state = lock_name(name, 0, lock);
    std::error_code ignored;
    if (state == LockState::ours || (state == LockState::no_locks && fs::exists(name, ignored))) return name;
  }
  error = std::make_error_code(std::errc::device_or_resource_busy);
  return {};
}

/// Create the file NAME.partial, and lock it. What a killed program of this user has left there goes.
/// @return an empty path if it is in use, or something else is in its place
fs::path make_partial(const fs::path& target, process::Descriptor& lock) {
  const fs::path name = target.string() + ".partial";
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(name, ignored).type();
  if (type == fs::file_type::regular) {
    if (lock_name(name, 0, lock) != LockState::ours) return {};
    fs::remove(name, ignored);
  } else if (type != fs::file_type::not_found) {
    return {};
  }
  constexpr mode_t kOwn = 0600;
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwn);
  if (file < 0) return {};
  close(file);
  // Before it is locked, another program may take it for one that was left.
  return lock_name(name, 0, lock) == LockState::ours ? name : fs::path();
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

const char* const kDeviceOutput = "pmufab-output";  // for what is not replaced: a pipe or a device

constexpr std::string_view kScratchName = "pmufab-scratch.";  // and six more characters
constexpr std::size_t kScratchNameSize = kScratchName.size() + 6;

/// Remove what programs that were killed left in the folder for temporary files.
void remove_left_behind(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_scratch = name.starts_with(kScratchName) && name.size() == kScratchNameSize;
    if (!is_scratch && !name.starts_with(std::string(kDeviceOutput) + std::string(kNewName))) continue;
    process::Descriptor lock;
    std::error_code ignored;
    if (lock_name(entry->path(), is_scratch ? O_DIRECTORY : 0, lock) == LockState::ours)
      fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&signals_);
  for (const int number : kEndSignals) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_IGN) sigaddset(&signals_, number);
  }
  sigprocmask(SIG_BLOCK, &signals_, &before_);
}

HeldSignals::~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

OutputFile* OutputFile::open_files_ = nullptr;

OutputFile::OutputFile(const fs::path& file, Beside beside) : named_(file), target_(file) {
  std::error_code error;
  replace_ = follow_links(target_, error);
  if (error) fail(error.value());
  if (is_strange(target_) && fs::status(target_, error).type() == fs::file_type::fifo)
    throw InputError(fmt::format("cannot write '{}': it is a named pipe of another user, in a folder that everybody "
                                 "may write to",
                                 named_.generic_string()),
                     "name another file");
  if (replace_) {
    const fs::file_type type = fs::status(target_, error).type();
    if (type == fs::file_type::directory) fail(EISDIR);
    if (type == fs::file_type::socket)
      throw InputError(fmt::format("cannot write '{}': it is a socket", named_.generic_string()), "name another file");
    replace_ = type == fs::file_type::regular || type == fs::file_type::not_found;
    if (type == fs::file_type::none) fail(error.value());
    error.clear();
  }
  check_no_input();
  if (replace_ && fs::status(folder_of(target_), error).type() == fs::file_type::not_found)
    throw InputError(fmt::format("cannot write '{}': there is no folder '{}'", named_.generic_string(),
                                 folder_of(target_).generic_string()),
                     "make it, or name another file");
  error.clear();
  const fs::path stem = replace_ ? target_ : temporary_folder() / kDeviceOutput;
  const std::string extension = target_.extension().string();
  remove_left_files(stem, extension);
  const HeldSignals held;
  if (beside == Beside::partial && replace_) temporary_ = make_partial(target_, lock_);
  if (temporary_.empty()) temporary_ = make_unique(stem, extension, lock_, error);
  if (error) fail(error.value());
  process_ = getpid();
  next_ = std::exchange(open_files_, this);
}

OutputFile::~OutputFile() {
  const HeldSignals held;
  OutputFile** place = &open_files_;
  while (*place != this) place = &(*place)->next_;
  *place = next_;
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void OutputFile::remove_all_temporary() noexcept {
  for (const OutputFile* file = open_files_; file != nullptr; file = file->next_) {
    if (file->process_ == getpid() && !file->temporary_.empty()) unlink(file->temporary_.c_str());
  }
}

void OutputFile::check_no_input() const {
  if (scenario::is_input(target_))
    throw InputError(fmt::format("cannot write '{}': this command reads it", named_.generic_string()),
                     "name another file");
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

/// @return true if a signal that ends programs was sent, and nobody has taken it
bool is_asked_to_end() {
  sigset_t pending;
  sigpending(&pending);
  return interrupts() > 0 ||
         std::ranges::any_of(kEndSignals, [&](int signal) { return sigismember(&pending, signal) == 1; });
}

constexpr int kPatienceSeconds = 30;

/// Open a file to append to it: /dev/stdout may lead to one that has content already. A named pipe is waited for until
/// somebody reads it, a signal comes, or patience ends. @return negative: errno says why not
int open_to_append(const std::string& name) {
  constexpr int kTurn = 50;    // milliseconds
  constexpr int kSilent = 20;  // turns before the user is told what is waited for
  int out = -1;
  int turns = 0;
  while ((out = open(name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK)) < 0 && errno == ENXIO) {
    if (is_asked_to_end()) {
      errno = EINTR;
      return -1;
    }
    if (++turns == kSilent)
      complain("pmufab: waiting {} s for a reader of the named pipe '{}'\n", kPatienceSeconds, name);
    if (turns * kTurn >= kPatienceSeconds * 1000) {
      errno = ENXIO;
      return -1;
    }
    poll(nullptr, 0, kTurn);
  }
  if (out >= 0) fcntl(out, F_SETFL, fcntl(out, F_GETFL) & ~O_NONBLOCK);
  return out;
}

/// Copy the temporary file to the name the user gave.
void OutputFile::pass_on() const {
  const int out = open_to_append(named_.string());
  if (out < 0 && errno == ENXIO)
    throw InputError(fmt::format("cannot write '{}': nobody has read this named pipe for {} s", named_.generic_string(),
                                 kPatienceSeconds),
                     "start its reader first, or name a file");
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

void check_reports(const boost::program_options::variables_map& map, std::initializer_list<const char*> options) {
  std::set<fs::path> files;
  for (const char* option : options) {
    const fs::path file = fs::path(map[option].as<std::string>()).lexically_normal();
    if (!file.empty() && !files.insert(file).second)
      throw InputError(fmt::format("--{}: another report goes to '{}' too", option, file.generic_string()),
                       "name another file");
  }
}

void OutputFile::commit() {
  if (!replace_) {
    pass_on();
    return;
  }
  check_no_input();
  // The new file is this user's. With the rights that another user has given the old one, it might be everybody's.
  struct stat there {};
  const bool is_mine = lstat(target_.c_str(), &there) == 0 && S_ISREG(there.st_mode) && there.st_uid == geteuid();
  constexpr mode_t kRights = 07777;
  chmod(temporary_.c_str(), is_mine ? there.st_mode & kRights : default_mode());
  const HeldSignals held;
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail(error.value());
  temporary_.clear();
  lock_.reset();
}

void OutputFile::commit_durably() {
  if (!replace_) return commit();
  const auto sync = [this](const fs::path& name, int flags) {
    const process::Descriptor file(open(name.c_str(), O_RDONLY | O_CLOEXEC | flags));
    if (!file) fail(errno);
    int result = 0;
    do result = fsync(file.get());
    while (result != 0 && errno == EINTR);
    // What has no disk behind it cannot be synchronised, and need not be.
    if (result != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  };
  sync(temporary_, O_NOFOLLOW);
  commit();
  sync(folder_of(target_), O_DIRECTORY);
}

void check_writable(const fs::path& file) { const OutputFile probe(file); }

void write_file(const fs::path& file, const std::string& content) {
  OutputFile output(file);
  output.write(content);
  output.commit();
}

void write_file_durably(const fs::path& file, const std::string& content) {
  OutputFile output(file);
  output.write(content);
  output.commit_durably();
}

bool ResultWriter::write(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const InputError& error) {
    complain("pmufab: {}\n", error.what());
    lost_ = true;
    return false;
  }
}

int ResultWriter::finish(int code) const { return lost_ && code != kInternalError ? kBadInput : code; }

OutFolderLock::OutFolderLock(const fs::path& folder, const std::string& what) {
  // The children of a process that was killed hold its lock until the kernel has ended them, too.
  constexpr unsigned kAttempts = 40;
  constexpr unsigned kBetweenMicroseconds = 50'000;
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    if (lock_name(folder, O_DIRECTORY, lock_) != LockState::taken) return;
    usleep(kBetweenMicroseconds);
  }
  throw InputError(fmt::format("{} is going on in the folder '{}'", what, folder.generic_string()),
                   "wait for its end, or name another folder");
}

bool is_full(const fs::path& folder) {
  constexpr std::size_t kLeast = 1U << 20;
  std::string name = (folder / "pmufab-room.XXXXXX").string();
  process::Descriptor file;
  {
    const HeldSignals held;
    file = process::Descriptor(mkstemp(name.data()));
    if (!file) return scenario::is_output_error(std::error_code(errno, std::generic_category()));
    unlink(name.c_str());
  }
  const std::string content(kLeast, '\0');
  for (std::size_t done = 0; done < kLeast;) {
    const ssize_t count = ::write(file.get(), content.data() + done, kLeast - done);
    if (count < 0 && errno != EINTR) return true;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return false;
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
  remove_left_behind(parent);
  constexpr unsigned kAttempts = 100;
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = (parent / (std::string(kScratchName) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr)
      throw InputError(fmt::format("cannot make a temporary folder '{}': {}", name, std::strerror(errno)),
                       "TMPDIR must name a folder that can be written to");
    path_ = name;
    // Before it is locked, another program may take it for one that was left, and remove it.
    const LockState state = lock_name(path_, O_DIRECTORY, lock_);
    if (state == LockState::ours || (state == LockState::no_locks && fs::exists(path_))) return;
  }
  throw InputError(fmt::format("a temporary folder in '{}' disappears again and again", parent.generic_string()),
                   "set TMPDIR to another folder");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void prepare_process() {
  for (const int number : kEndSignals) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      OutputFile::remove_all_temporary();
      std::signal(signal, SIG_DFL);
      raise(signal);
    };
    sigaction(number, &action, nullptr);
  }
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
