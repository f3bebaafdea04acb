// SPDX-License-Identifier: Apache-2.0
// A preload library for writes.py. It lets one call, or all from one on, fail that would write to the file system: the
// calls of this process and of those it starts are counted together. It sees what goes through the C library's public
// functions. Pipes, sockets, devices, /proc and standard error are left alone.
//
// FAIL_WRITES names a file that holds a struct plan. It must exist.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
// NOLINTBEGIN(bugprone-macro-parentheses): the macros' arguments are types, parameters and lists of arguments
#define REAL(name) ((__typeof__(&name))real(#name))

enum { once, from_then, half };  // how many calls fail; half: one write, which writes half

/// Shared by all processes of a run, and read by writes.py, which has the same layout.
struct plan {
  int64_t number;    // of the first call that fails; 0: none
  int32_t error;     // errno
  int32_t how;       // one of the above
  int64_t calls;     // so far
  char what[64];     // the function that failed first
  char where[1024];  // its file
};

static struct plan* plan;

static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void find_plan(void) {
  const char* file = getenv("FAIL_WRITES");
  if (file == NULL) return;
  const int fd = REAL(open)(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* memory = REAL(mmap)(NULL, sizeof(struct plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory != MAP_FAILED) plan = memory;
  REAL(close)(fd);
}

/// @return true if this call must fail, with errno set
/// @param can_be_short  it writes bytes, so that it may be interrupted, too
static int fails_at(const char* what, const char* where, int can_be_short) {
  if (plan == NULL) return 0;
  const int64_t number = __atomic_add_fetch(&plan->calls, 1, __ATOMIC_SEQ_CST);
  if (plan->number == 0 || number < plan->number) return 0;
  if (plan->how != from_then && number != plan->number) return 0;
  if ((plan->how == half || plan->error == EINTR) && !can_be_short) return 0;
  if (number == plan->number) {
    strncpy(plan->what, what, sizeof(plan->what) - 1);
    strncpy(plan->where, where, sizeof(plan->where) - 1);
  }
  errno = plan->error;
  return 1;
}

static int is_view(const char* path) {
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/sys/", 5) == 0;
}

static int fails_on_path(const char* what, const char* path) { return !is_view(path) && fails_at(what, path, 0); }

/// @return true if a call that writes to this descriptor must fail
static int fails_on_file(const char* what, int fd, int can_be_short) {
  if (plan == NULL || fd == STDERR_FILENO) return 0;
  const int before = errno;
  struct stat there;
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &there) != 0 || !S_ISREG(there.st_mode)) {
    errno = before;
    return 0;
  }
  char link[64];
  char name[1024] = "";
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, name, sizeof(name) - 1);
  name[size > 0 ? size : 0] = '\0';
  errno = before;
  return !is_view(name) && fails_at(what, name, can_be_short);
}

static int is_for_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0; }

#define OPEN(name)                                                                    \
  PUBLIC int name(const char* path, int flags, ...) {                                 \
    va_list list;                                                                     \
    va_start(list, flags);                                                            \
    const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                                     \
    if (is_for_writing(flags) && fails_on_path("open", path)) return -1;              \
    return REAL(name)(path, flags, mode);                                             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                  \
  PUBLIC int name(int folder, const char* path, int flags, ...) {                     \
    va_list list;                                                                     \
    va_start(list, flags);                                                            \
    const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                                     \
    if (is_for_writing(flags) && fails_on_path("open", path)) return -1;              \
    return REAL(name)(folder, path, flags, mode);                                     \
  }
OPENAT(openat)
OPENAT(openat64)

PUBLIC int creat(const char* path, mode_t mode) { return fails_on_path("open", path) ? -1 : REAL(creat)(path, mode); }

#define FOPEN(name)                                                                                     \
  PUBLIC FILE* name(const char* path, const char* mode) {                                               \
    return strpbrk(mode, "wa+") != NULL && fails_on_path("open", path) ? NULL : REAL(name)(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)

// The C library makes these files by itself, not through open().
#define MAKE(type, name, parameters, arguments, failure) \
  PUBLIC type name parameters { return fails_on_path(#name, path) ? failure : REAL(name) arguments; }
MAKE(int, mkstemp, (char* path), (path), -1)
MAKE(int, mkstemp64, (char* path), (path), -1)
MAKE(int, mkostemp, (char* path, int flags), (path, flags), -1)
MAKE(int, mkstemps, (char* path, int end), (path, end), -1)
MAKE(int, mkstemps64, (char* path, int end), (path, end), -1)
MAKE(char*, mkdtemp, (char* path), (path), NULL)

// A folder that exists is told before anything would be written.
PUBLIC int mkdirat(int folder, const char* path, mode_t mode) {
  const int before = errno;
  struct stat there;
  const int exists = fstatat(folder, path, &there, AT_SYMLINK_NOFOLLOW) == 0;
  errno = before;
  return !exists && fails_on_path("mkdir", path) ? -1 : REAL(mkdirat)(folder, path, mode);
}
PUBLIC int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

// Names.
PUBLIC int rename(const char* from, const char* to) {
  return fails_on_path("rename", to) ? -1 : REAL(rename)(from, to);
}
PUBLIC int renameat(int a, const char* from, int b, const char* to) {
  return fails_on_path("rename", to) ? -1 : REAL(renameat)(a, from, b, to);
}
PUBLIC int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
  return fails_on_path("rename", to) ? -1 : REAL(renameat2)(a, from, b, to, flags);
}
PUBLIC int link(const char* from, const char* to) { return fails_on_path("link", to) ? -1 : REAL(link)(from, to); }
PUBLIC int linkat(int a, const char* from, int b, const char* to, int flags) {
  return fails_on_path("link", to) ? -1 : REAL(linkat)(a, from, b, to, flags);
}
PUBLIC int symlink(const char* to, const char* path) {
  return fails_on_path("symlink", path) ? -1 : REAL(symlink)(to, path);
}
PUBLIC int symlinkat(const char* to, int folder, const char* path) {
  return fails_on_path("symlink", path) ? -1 : REAL(symlinkat)(to, folder, path);
}
PUBLIC int bind(int fd, const struct sockaddr* address, socklen_t size) {
  const struct sockaddr_un* local = (const struct sockaddr_un*)address;
  if (address->sa_family == AF_UNIX && local->sun_path[0] != '\0' && fails_on_path("bind", local->sun_path)) return -1;
  return REAL(bind)(fd, address, size);
}

// Content. A short write of one byte cannot be shorter.
static int is_short(void) { return plan != NULL && plan->how == half; }

PUBLIC ssize_t write(int fd, const void* bytes, size_t size) {
  if (!fails_on_file("write", fd, size > 1)) return REAL(write)(fd, bytes, size);
  return is_short() ? REAL(write)(fd, bytes, size / 2) : -1;
}
#define PWRITE(name, type)                                                              \
  PUBLIC ssize_t name(int fd, const void* bytes, size_t size, type at) {                \
    if (!fails_on_file("pwrite", fd, size > 1)) return REAL(name)(fd, bytes, size, at); \
    return is_short() ? REAL(name)(fd, bytes, size / 2, at) : -1;                       \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)
PUBLIC ssize_t writev(int fd, const struct iovec* parts, int count) {
  if (!fails_on_file("writev", fd, parts[0].iov_len > 1)) return REAL(writev)(fd, parts, count);
  return is_short() ? REAL(write)(fd, parts[0].iov_base, parts[0].iov_len / 2) : -1;
}
PUBLIC ssize_t sendfile(int to, int from, off_t* at, size_t size) {
  if (!fails_on_file("sendfile", to, size > 1)) return REAL(sendfile)(to, from, at, size);
  return is_short() ? REAL(sendfile)(to, from, at, size / 2) : -1;
}
PUBLIC ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags) {
  if (!fails_on_file("copy_file_range", to, size > 1))
    return REAL(copy_file_range)(from, from_at, to, to_at, size, flags);
  return is_short() ? REAL(copy_file_range)(from, from_at, to, to_at, size / 2, flags) : -1;
}

// The C library's own streams do not write through write().
static void set_error(FILE* stream) {
  const int error = errno;
  __fpurge(stream);
  stream->_flags |= 0x20;  // _IO_ERR_SEEN: what ferror() tells
  errno = error;
}

PUBLIC size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  if (!fails_on_file("fwrite", fileno(stream), 0)) return REAL(fwrite)(bytes, size, count, stream);
  set_error(stream);
  return 0;
}
PUBLIC int fflush(FILE* stream) {
  if (stream == NULL || __fpending(stream) == 0 || !fails_on_file("fflush", fileno(stream), 0))
    return REAL(fflush)(stream);
  set_error(stream);
  return EOF;
}
PUBLIC int fclose(FILE* stream) {
  const int fails = __fwritable(stream) != 0 && fails_on_file("fclose", fileno(stream), 0);
  const int error = errno;
  const int result = REAL(fclose)(stream);
  if (!fails) return result;
  errno = error;
  return EOF;
}
PUBLIC int close(int fd) {
  const int fails = fails_on_file("close", fd, 0);
  const int error = errno;
  const int result = REAL(close)(fd);
  if (!fails) return result;
  errno = error;
  return -1;
}

// Size and safety.
#define ON_FILE(name, parameters, arguments) \
  PUBLIC int name parameters { return fails_on_file(#name, fd, 0) ? -1 : REAL(name) arguments; }
ON_FILE(fsync, (int fd), (fd))
ON_FILE(fdatasync, (int fd), (fd))
ON_FILE(ftruncate, (int fd, off_t size), (fd, size))
ON_FILE(ftruncate64, (int fd, off64_t size), (fd, size))
ON_FILE(fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
ON_FILE(fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size))
PUBLIC int posix_fallocate(int fd, off_t at, off_t size) {
  return fails_on_file("posix_fallocate", fd, 0) ? errno : REAL(posix_fallocate)(fd, at, size);
}
PUBLIC void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t at) {
  if (fd >= 0 && (flags & MAP_SHARED) != 0 && fails_on_file("mmap", fd, 0)) return MAP_FAILED;
  return REAL(mmap)(address, size, protection, flags, fd, at);
}
// NOLINTEND(bugprone-macro-parentheses)
