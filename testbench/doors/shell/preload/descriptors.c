// SPDX-License-Identifier: BSD-2-Clause
/* Copying and closing file descriptors: a copy stands for what the original does, a closed one for nothing. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

/* Records that `to` is a copy of `from`. @param to  -1 if the copy failed */
static int copied(int from, int to) {
  const struct descriptor described = descriptor_of(from);
  set_descriptor(to, described.kind, described.number);
  return to;
}

int dup(int fd) { return copied(fd, NEXT(dup)(fd)); }
int dup2(int fd, int to) { return copied(fd, NEXT(dup2)(fd, to)); }
int dup3(int fd, int to, int flags) { return copied(fd, NEXT(dup3)(fd, to, flags)); }

#define DEFINE_FCNTL(name)                                                                 \
  int name(int fd, int command, ...) {                                                     \
    va_list list;                                                                          \
    va_start(list, command);                                                               \
    void* argument = va_arg(list, void*);                                                  \
    va_end(list);                                                                          \
    const int result = NEXT(name)(fd, command, argument);                                  \
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, result) : result; \
  }
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

int close(int fd) {
  set_descriptor(fd, ORDINARY, 0);
  return NEXT(close)(fd);
}

int fclose(FILE* stream) {
  set_descriptor(fileno(stream), ORDINARY, 0);
  return NEXT(fclose)(stream);
}

static void forget(unsigned int first, unsigned int last) {
  for (unsigned int fd = first; fd <= last && fd < kDescriptors; ++fd) set_descriptor((int)fd, ORDINARY, 0);
}

int close_range(unsigned int first, unsigned int last, int flags) {
  const int result = NEXT(close_range)(first, last, flags);
  if (result == 0 && !(flags & CLOSE_RANGE_CLOEXEC)) forget(first, last);
  return result;
}

void closefrom(int first) {
  NEXT(closefrom)(first);
  forget(first < 0 ? 0 : (unsigned int)first, kDescriptors);
}

// NOLINTEND(readability-identifier-naming)
