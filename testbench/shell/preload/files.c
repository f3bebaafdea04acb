// SPDX-License-Identifier: BSD-2-Clause
/* Paths of /sys, and one of /proc, lead to the platform's files, and accesses of `config` files to its configuration
 * space. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "testbench/shell/preload/preload.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* @return true if `path`, below /sys, is that of a PMU: "/devices/arm_cmn_0/type" */
static int is_of_pmu(const char* root, const char* path) {
  char device[PATH_MAX];
  if (strncmp(path, "/devices/", 9) != 0) return 0;
  const int length = 9 + (int)strcspn(path + 9, "/");
  if (path[9] == '.' || length == 9) return 0; /* the folder itself, or the one above: no PMU's name begins so */
  if (snprintf(device, sizeof(device), "%s%.*s", root, length, path) >= PATH_MAX) return 0;
  return strcmp(device + strlen(root), "/devices/system") != 0 && NEXT(access)(device, F_OK) == 0;
}

/* @return the path to use in place of `path`: the platform's, written to `space`, or `path` itself */
static const char* redirect(const char* path, char space[PATH_MAX]) {
  static const char* const theirs[] = {
      "/bus/pci",      "/bus/event_source", "/bus/cxl", "/devices/system/cpu", "/devices/system/node",
      "/kernel/debug", "/kernel/tracing"};
  const char* root = getenv(PMUFAB_SHELL_SYSFS);
  if (!path || !root) return path;
  const char* below = NULL; /* the path of the platform's file, below its /sys */
  if (strcmp(path, PARANOID) == 0) below = path;
  if (strncmp(path, "/sys/", 5) == 0) {
    for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); ++i) {
      const size_t length = strlen(theirs[i]);
      const char end = strncmp(path + 4, theirs[i], length) == 0 ? path[4 + length] : 'x';
      if (end == '\0' || end == '/') below = path + 4;
    }
    if (!below && is_of_pmu(root, path + 4)) below = path + 4;
  }
  return below && snprintf(space, PATH_MAX, "%s%s", root, below) < PATH_MAX ? space : path;
}
#define REDIRECTED(path) redirect(path, (char[PATH_MAX]){0})

/* Records the function if the file just opened is its configuration space. */
static int opened(int fd, const char* path) {
  /* The program may have closed the previous descriptor of this number by a direct system call, unseen here. */
  set_descriptor(fd, ORDINARY, 0);
  unsigned segment, bus, device, function;
  int end = 0;
  const char* root = getenv(PMUFAB_SHELL_SYSFS);
  if (fd < 0 || !root || strncmp(path, root, strlen(root)) != 0) return fd;
  if (sscanf(path + strlen(root), "/bus/pci/devices/%x:%x:%x.%x/config%n", &segment, &bus, &device, &function, &end) ==
          4 &&
      end > 0 && path[strlen(root) + (size_t)end] == '\0')
    set_descriptor(fd, CONFIG, segment << 16 | bus << 8 | device << 3 | function);
  return fd;
}

static mode_t mode_of(int flags, va_list list) {
  return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(list, unsigned int) : 0;
}

#define DEFINE_OPEN(name)                               \
  int name(const char* path, int flags, ...) {          \
    va_list list;                                       \
    va_start(list, flags);                              \
    const mode_t mode = mode_of(flags, list);           \
    va_end(list);                                       \
    const char* real = REDIRECTED(path);                \
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
    const char* real = REDIRECTED(path);                        \
    return opened(NEXT(name)(folder, real, flags, mode), real); \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* Programs built with _FORTIFY_SOURCE call these if they pass no mode. */
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }
int __openat_2(int folder, const char* path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char* path, int flags) { return openat64(folder, path, flags); }

FILE* fopen(const char* path, const char* mode) { return NEXT(fopen)(REDIRECTED(path), mode); }
FILE* fopen64(const char* path, const char* mode) { return NEXT(fopen64)(REDIRECTED(path), mode); }
DIR* opendir(const char* path) { return NEXT(opendir)(REDIRECTED(path)); }
int access(const char* path, int mode) { return NEXT(access)(REDIRECTED(path), mode); }
int faccessat(int folder, const char* path, int mode, int flags) {
  return NEXT(faccessat)(folder, REDIRECTED(path), mode, flags);
}
int stat(const char* path, struct stat* status) { return NEXT(stat)(REDIRECTED(path), status); }
int stat64(const char* path, struct stat64* status) { return NEXT(stat64)(REDIRECTED(path), status); }
int lstat(const char* path, struct stat* status) { return NEXT(lstat)(REDIRECTED(path), status); }
int lstat64(const char* path, struct stat64* status) { return NEXT(lstat64)(REDIRECTED(path), status); }
int fstatat(int folder, const char* path, struct stat* status, int flags) {
  return NEXT(fstatat)(folder, REDIRECTED(path), status, flags);
}
int fstatat64(int folder, const char* path, struct stat64* status, int flags) {
  return NEXT(fstatat64)(folder, REDIRECTED(path), status, flags);
}
int statx(int folder, const char* path, int flags, unsigned int mask, struct statx* status) {
  return NEXT(statx)(folder, REDIRECTED(path), flags, mask, status);
}
ssize_t readlink(const char* path, char* target, size_t size) { return NEXT(readlink)(REDIRECTED(path), target, size); }
ssize_t readlinkat(int folder, const char* path, char* target, size_t size) {
  return NEXT(readlinkat)(folder, REDIRECTED(path), target, size);
}
ssize_t getxattr(const char* path, const char* name, void* value, size_t size) {
  return NEXT(getxattr)(REDIRECTED(path), name, value, size);
}
ssize_t lgetxattr(const char* path, const char* name, void* value, size_t size) {
  return NEXT(lgetxattr)(REDIRECTED(path), name, value, size);
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

ssize_t read(int fd, void* buffer, size_t size) {
  const struct descriptor described = descriptor_of(fd);
  if (described.kind == EVENT) return read_event(described.number, buffer, size);
  if (described.kind == CONFIG) {
    const off_t at = lseek(fd, 0, SEEK_CUR);
    const ssize_t result = read_config(described.number, buffer, size, at);
    if (result > 0) lseek(fd, result, SEEK_CUR);
    return result;
  }
  return NEXT(read)(fd, buffer, size);
}

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
