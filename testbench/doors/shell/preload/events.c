// SPDX-License-Identifier: BSD-2-Clause
/* perf_event_open, and the calls on the file descriptors it returns. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"

static long open_event(struct perf_event_attr* attributes, pid_t pid, int cpu, int group, unsigned long flags) {
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_OPEN};
  struct pmufab_shell_reply reply;
  uint32_t leader = 0;
  if (group != -1) {
    const struct descriptor described = descriptor_of(group);
    if (described.kind != EVENT) {
      errno = EBADF;
      return -1;
    }
    leader = described.number;
  }
  request.argument[0] = (uint64_t)(int64_t)pid;
  request.argument[1] = (uint64_t)(int64_t)cpu;
  request.argument[2] = leader;
  request.argument[3] = flags;
  request.length = attributes->size ? attributes->size : PERF_ATTR_SIZE_VER0;
  if (request.length > sizeof(request.data)) request.length = 0; /* longer than a page, which none has */
  memcpy(request.data, attributes, request.length);
  int fd = -1;
  if (!ask(&request, &reply, &fd)) return -1;
  if (reply.result == -E2BIG) attributes->size = (uint32_t)reply.value; /* as the kernel tells its own */
  if (reply.result < 0) return result_of(&reply);
  if (fd < 0) { /* the socket came, but this process has no free descriptor */
    errno = EMFILE;
    return -1;
  }
  set_descriptor(fd, EVENT, (uint32_t)reply.value);
  return fd;
}

ssize_t read_event(uint32_t event, void* buffer, size_t size) {
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_READ, .argument = {event, size}};
  struct pmufab_shell_reply reply;
  if (!ask(&request, &reply, NULL)) return -1;
  if (reply.result < 0) return result_of(&reply);
  memcpy(buffer, reply.data, reply.length);
  return (ssize_t)reply.length;
}

long syscall(long number, ...) {
  long argument[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) argument[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_perf_event_open && is_connected()) {
    return open_event((struct perf_event_attr*)argument[0], (pid_t)argument[1], (int)argument[2], (int)argument[3],
                      (unsigned long)argument[4]);
  }
  long result = 0;
  if (machine_call(number, argument, &result)) return result;
  if (number == SYS_futex && futex_call(argument, &result)) return result;
  return NEXT(syscall)(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

int ioctl(int fd, unsigned long number, ...) {
  va_list list;
  va_start(list, number);
  void* argument = va_arg(list, void*);
  va_end(list);
  const struct descriptor described = descriptor_of(fd);
  number = (uint32_t)number; /* the kernel takes no more, and an int with the highest bit comes longer */
  const bool is_of_any_file = number == FIOCLEX || number == FIONCLEX || number == FIONBIO || number == FIOASYNC;
  if (described.kind != EVENT || is_of_any_file) return NEXT(ioctl)(fd, number, argument);
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_IOCTL,
                                         .argument = {described.number, number, (uint64_t)argument}};
  struct pmufab_shell_reply reply;
  if (number == PERF_EVENT_IOC_SET_OUTPUT) {
    const int to = (int)(intptr_t)argument;
    const struct descriptor other = descriptor_of(to);
    if (to != -1 && other.kind != EVENT) {
      errno = EBADF;
      return -1;
    }
    request.argument[2] = to == -1 ? UINT64_MAX : other.number;
  }
  if (!ask(&request, &reply, NULL)) return -1;
  if (reply.result >= 0 && number == PERF_EVENT_IOC_ID) *(uint64_t*)argument = reply.value;
  return result_of(&reply);
}
