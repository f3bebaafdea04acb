// SPDX-License-Identifier: BSD-2-Clause
/* Functions that take a path, and accesses of `config` files, which lead to the platform's configuration space. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

#define BELOW(folder, path) redirect(folder, path, (char[PATH_MAX]){0})
#define REDIRECTED(path) BELOW(AT_FDCWD, path)

/* Records the function if the file just opened is its configuration space. */
static int opened(int fd, const char* path) {
  /* The program may have closed the previous descriptor of this number by a direct system call, unseen here. */
  set_descriptor(fd, ORDINARY, 0);
  unsigned segment, bus, device, function;
  char link[64], place[PATH_MAX];
  int end = 0;
  const char* name = path ? strrchr(path, '/') : NULL;
  if (fd < 0 || !path || strcmp(name ? name + 1 : path, "config") != 0) return fd;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t size = NEXT(readlink)(link, place, sizeof(place) - 1);
  if (size < 0) return fd;
  place[size] = '\0';
  if (!show(place)) return fd;
  *strrchr(place, '/') = '\0';
  name = strrchr(place, '/');
  if (name && sscanf(name, "/%x:%x:%x.%x%n", &segment, &bus, &device, &function, &end) == 4 && name[end] == '\0')
    set_descriptor(fd, CONFIG, segment << 16 | bus << 8 | device << 3 | function);
  return fd;
}

static mode_t mode_of(int flags, va_list list) {
  return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(list, unsigned int) : 0;
}

/* A path that is not a file's name but asks for text that depends on the caller. */
static int open_own(const char* path, int flags) {
  return (flags & O_ACCMODE) == O_RDONLY && !(flags & O_PATH) ? open_status(path, flags) : -1;
}

/* sysfs asks for the mode whoever opens a file, root included. @return true, with errno: the program may not read it */
static bool is_secret(const char* path, const char* real, int flags) {
  struct stat status;
  const int error = errno;
  const bool reads = (flags & O_ACCMODE) != O_WRONLY && !(flags & (O_PATH | O_CREAT));
  const bool secret =
      real != path && reads && NEXT(stat)(real, &status) == 0 && S_ISREG(status.st_mode) && !(status.st_mode & 0444);
  errno = secret ? EACCES : error;
  return secret;
}

#define DEFINE_OPEN(name)                               \
  int name(const char* path, int flags, ...) {          \
    va_list list;                                       \
    va_start(list, flags);                              \
    const mode_t mode = mode_of(flags, list);           \
    va_end(list);                                       \
    const char* real = REDIRECTED(path);                \
    const int own = open_own(path, flags);              \
    if (own >= 0) return opened(own, NULL);             \
    if (is_secret(path, real, flags)) return -1;        \
    return opened(NEXT(name)(real, flags, mode), real); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                     \
  int name(int folder, const char* path, int flags, ...) {      \
    va_list list;                                               \
    va_start(list, flags);                                      \
    const mode_t mode = mode_of(flags, list);                   \
    va_end(list);                                               \
    const char* real = BELOW(folder, path);                     \
    const int own = open_own(path, flags);                      \
    if (own >= 0) return opened(own, NULL);                     \
    if (is_secret(path, real, flags)) return -1;                \
    return opened(NEXT(name)(folder, real, flags, mode), real); \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* Programs built with _FORTIFY_SOURCE call these if they pass no mode. */
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }
int __openat_2(int folder, const char* path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char* path, int flags) { return openat64(folder, path, flags); }

static FILE* stream_of(const char* path, const char* mode) {
  const int own = mode[0] == 'r' && !strchr(mode, '+') ? open_status(path, O_RDONLY) : -1;
  return own < 0 ? NULL : fdopen(own, mode);
}
#define DEFINE_FOPEN(name)                                              \
  FILE* name(const char* path, const char* mode) {                      \
    FILE* own = stream_of(path, mode);                                  \
    const char* real = REDIRECTED(path);                                \
    if (own) return own;                                                \
    if (mode[0] == 'r' && is_secret(path, real, O_RDONLY)) return NULL; \
    return NEXT(name)(real, mode);                                      \
  }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)
FILE* freopen(const char* path, const char* mode, FILE* stream) {
  return NEXT(freopen)(REDIRECTED(path), mode, stream);
}
FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  return NEXT(freopen64)(REDIRECTED(path), mode, stream);
}

DIR* opendir(const char* path) { return NEXT(opendir)(REDIRECTED(path)); }
int access(const char* path, int mode) { return NEXT(access)(REDIRECTED(path), mode); }
int eaccess(const char* path, int mode) { return NEXT(eaccess)(REDIRECTED(path), mode); }
int euidaccess(const char* path, int mode) { return NEXT(euidaccess)(REDIRECTED(path), mode); }
int faccessat(int folder, const char* path, int mode, int flags) {
  return NEXT(faccessat)(folder, BELOW(folder, path), mode, flags);
}

/* The names with underscores are those of the C library before 2.33, which programs built then call. */
#define DEFINE_STAT(name, old, type)                                                               \
  int name(const char* path, struct type* status) { return NEXT(name)(REDIRECTED(path), status); } \
  int old(int version, const char* path, struct type* status);                                     \
  int old(int version, const char* path, struct type* status) {                                    \
    (void)version;                                                                                 \
    return name(path, status);                                                                     \
  }
DEFINE_STAT(stat, __xstat, stat)
DEFINE_STAT(stat64, __xstat64, stat64)
DEFINE_STAT(lstat, __lxstat, stat)
DEFINE_STAT(lstat64, __lxstat64, stat64)
#define DEFINE_FSTATAT(name, old, type)                                                \
  int name(int folder, const char* path, struct type* status, int flags) {             \
    return NEXT(name)(folder, BELOW(folder, path), status, flags);                     \
  }                                                                                    \
  int old(int version, int folder, const char* path, struct type* status, int flags);  \
  int old(int version, int folder, const char* path, struct type* status, int flags) { \
    (void)version;                                                                     \
    return name(folder, path, status, flags);                                          \
  }
DEFINE_FSTATAT(fstatat, __fxstatat, stat)
DEFINE_FSTATAT(fstatat64, __fxstatat64, stat64)
int statx(int folder, const char* path, int flags, unsigned int mask, struct statx* status) {
  return NEXT(statx)(folder, BELOW(folder, path), flags, mask, status);
}

/* Programs look here whether sysfs is mounted. */
#define DEFINE_STATFS(name, type)                                                                       \
  int name(const char* path, struct type* status) {                                                     \
    const char* real = REDIRECTED(path);                                                                \
    const int result = NEXT(name)(real, status);                                                        \
    char shown[PATH_MAX];                                                                               \
    if (result == 0 && real != path && snprintf(shown, PATH_MAX, "%s", real) < PATH_MAX && show(shown)) \
      status->f_type = shown[1] == 's' ? SYSFS_MAGIC : PROC_SUPER_MAGIC;                                \
    return result;                                                                                      \
  }
DEFINE_STATFS(statfs, statfs)
DEFINE_STATFS(statfs64, statfs64)

ssize_t readlinkat(int folder, const char* path, char* target, size_t size) {
  char space[PATH_MAX];
  const ssize_t length = NEXT(readlinkat)(folder, BELOW(folder, path), space, sizeof(space) - 1);
  if (length < 0) return length;
  space[length] = '\0';
  show(space); /* of /proc/self/fd: the descriptor's file */
  const size_t shown = strlen(space) < size ? strlen(space) : size;
  memcpy(target, space, shown);
  return (ssize_t)shown;
}
ssize_t readlink(const char* path, char* target, size_t size) { return readlinkat(AT_FDCWD, path, target, size); }
ssize_t __readlink_chk(const char* path, char* target, size_t size, size_t room) {
  if (size > room) abort();
  return readlinkat(AT_FDCWD, path, target, size);
}
ssize_t __readlinkat_chk(int folder, const char* path, char* target, size_t size, size_t room) {
  if (size > room) abort();
  return readlinkat(folder, path, target, size);
}

#define DEFINE_GETXATTR(name)                                                       \
  ssize_t name(const char* path, const char* attribute, void* value, size_t size) { \
    return NEXT(name)(REDIRECTED(path), attribute, value, size);                    \
  }
DEFINE_GETXATTR(getxattr)
DEFINE_GETXATTR(lgetxattr)
ssize_t listxattr(const char* path, char* list, size_t size) { return NEXT(listxattr)(REDIRECTED(path), list, size); }
ssize_t llistxattr(const char* path, char* list, size_t size) { return NEXT(llistxattr)(REDIRECTED(path), list, size); }
int inotify_add_watch(int fd, const char* path, uint32_t mask) {
  return NEXT(inotify_add_watch)(fd, REDIRECTED(path), mask);
}
int chdir(const char* path) { return NEXT(chdir)(REDIRECTED(path)); }

ssize_t read_config(uint32_t function, void* buffer, size_t size, off_t offset) {
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_CONFIG_READ,
                                         .argument = {function, (uint64_t)offset, size}};
  struct pmufab_shell_reply reply;
  if (!ask(&request, &reply, NULL)) return -1;
  if (reply.result < 0) return result_of(&reply);
  memcpy(buffer, reply.data, reply.length);
  return (ssize_t)reply.length;
}

ssize_t write_config(uint32_t function, const void* buffer, size_t size, off_t offset) {
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_CONFIG_WRITE,
                                         .argument = {function, (uint64_t)offset, size}};
  struct pmufab_shell_reply reply;
  request.length = (uint32_t)(size < sizeof(request.data) ? size : sizeof(request.data));
  memcpy(request.data, buffer, request.length);
  if (!ask(&request, &reply, NULL)) return -1;
  return result_of(&reply);
}

static off_t position_of(int fd) { return lseek(fd, 0, SEEK_CUR); }

/* @param done  bytes, or -1. @return the same */
static ssize_t move_on(int fd, ssize_t done) {
  if (done > 0) lseek(fd, done, SEEK_CUR);
  return done;
}

ssize_t read(int fd, void* buffer, size_t size) {
  const struct descriptor described = descriptor_of(fd);
  if (described.kind == EVENT) return read_event(described.number, buffer, size);
  if (described.kind == CONFIG) return move_on(fd, read_config(described.number, buffer, size, position_of(fd)));
  return NEXT(read)(fd, buffer, size);
}

/* The kernel has neither a file position nor a way to write for events. */
ssize_t write(int fd, const void* buffer, size_t size) {
  const struct descriptor described = descriptor_of(fd);
  if (described.kind == EVENT) {
    errno = EINVAL;
    return -1;
  }
  if (described.kind == CONFIG) return move_on(fd, write_config(described.number, buffer, size, position_of(fd)));
  return NEXT(write)(fd, buffer, size);
}

/* As the kernel does for files that know read() or write() alone: part by part, up to the first that is not whole. */
#define DEFINE_IN_PARTS(name, one)                                               \
  ssize_t name(int fd, const struct iovec* parts, int count) {                   \
    if (descriptor_of(fd).kind == ORDINARY) return NEXT(name)(fd, parts, count); \
    if (count < 0 || count > IOV_MAX) {                                          \
      errno = EINVAL;                                                            \
      return -1;                                                                 \
    }                                                                            \
    ssize_t sum = 0;                                                             \
    for (int i = 0; i < count; ++i) {                                            \
      if (parts[i].iov_len == 0) continue;                                       \
      const ssize_t done = one(fd, parts[i].iov_base, parts[i].iov_len);         \
      if (done < 0) return sum > 0 ? sum : -1;                                   \
      sum += done;                                                               \
      if ((size_t)done < parts[i].iov_len) break;                                \
    }                                                                            \
    return sum;                                                                  \
  }
DEFINE_IN_PARTS(readv, read)
DEFINE_IN_PARTS(writev, write)

#define DEFINE_PREAD(name, offset_type)                                                              \
  ssize_t name(int fd, void* buffer, size_t size, offset_type offset) {                              \
    const struct descriptor described = descriptor_of(fd);                                           \
    if (described.kind == CONFIG) return read_config(described.number, buffer, size, (off_t)offset); \
    return NEXT(name)(fd, buffer, size, offset);                                                     \
  }
DEFINE_PREAD(pread, off_t)
DEFINE_PREAD(pread64, off64_t)

#define DEFINE_PWRITE(name, offset_type)                                                              \
  ssize_t name(int fd, const void* buffer, size_t size, offset_type offset) {                         \
    const struct descriptor described = descriptor_of(fd);                                            \
    if (described.kind == CONFIG) return write_config(described.number, buffer, size, (off_t)offset); \
    return NEXT(name)(fd, buffer, size, offset);                                                      \
  }
DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

/* Programs built with _FORTIFY_SOURCE call these if the compiler knows the buffer's size (`room`). */
ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room) {
  if (size > room) abort();
  return read(fd, buffer, size);
}
ssize_t __pread_chk(int fd, void* buffer, size_t size, off_t offset, size_t room) {
  if (size > room) abort();
  return pread(fd, buffer, size, offset);
}
ssize_t __pread64_chk(int fd, void* buffer, size_t size, off64_t offset, size_t room) {
  if (size > room) abort();
  return pread64(fd, buffer, size, offset);
}

// NOLINTEND(readability-identifier-naming)
