// SPDX-License-Identifier: Apache-2.0
/* A program that copies and closes an event's file descriptor, and reuses its number. It prints only errors. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void expect(int good, const char* what) {
  if (good) return;
  printf("%s: %s\n", what, strerror(errno));
  failures++;
}

/* An event can be read, eight bytes, and asked for its id. */
static int is_event(int fd) {
  uint64_t value = 0, id = 0;
  return read(fd, &value, sizeof(value)) == sizeof(value) && ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 && id != 0;
}

/* A pipe with a number that an event had must work as a pipe. */
static int is_pipe(int fd) {
  int ends[2];
  char byte = 'x';
  if (pipe(ends) != 0) return 0;
  /* The preload library does not see system calls. One of the ends may have the number. */
  const long in = syscall(SYS_fcntl, ends[0], F_DUPFD, 200), out = syscall(SYS_fcntl, ends[1], F_DUPFD, 200);
  const int good = syscall(SYS_dup3, in, fd, 0) == fd && write((int)out, &byte, 1) == 1 && read(fd, &byte, 1) == 1;
  const long all[] = {ends[0], ends[1], in, out, fd};
  for (int i = 0; i < 5; ++i) syscall(SYS_close, all[i]);
  return good;
}

int main(int count, char** arguments) {
  struct perf_event_attr attributes = {.size = sizeof(attributes)};
  FILE* type = count > 1 ? fopen(arguments[1], "r") : NULL;
  if (!type || fscanf(type, "%u", &attributes.type) != 1) return 2;
  fclose(type);
  attributes.config = 0x111;
  const int event = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0);
  expect(event >= 0 && is_event(event), "perf_event_open");

  const int copies[] = {dup(event), dup2(event, 100), dup3(event, 101, O_CLOEXEC), fcntl(event, F_DUPFD, 102),
                        fcntl(event, F_DUPFD_CLOEXEC, 103)};
  const char* const names[] = {"dup", "dup2", "dup3", "F_DUPFD", "F_DUPFD_CLOEXEC"};
  const int copied = sizeof(copies) / sizeof(copies[0]);
  expect(dup2(event, event) == event && is_event(event), "dup2 of itself");
  close(event);
  for (int i = 0; i < copied; ++i) expect(copies[i] >= 0 && is_event(copies[i]), names[i]);

  const pid_t child = vfork();
  if (child == 0) {
    for (int i = 0; i < copied; ++i) close(copies[i]);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  for (int i = 0; i < copied; ++i) expect(is_event(copies[i]), "after a child of vfork has closed its own");

  FILE* stream = fdopen(copies[0], "r");
  expect(stream && fclose(stream) == 0 && is_pipe(copies[0]), "fclose");
  expect(close_range((unsigned)copies[1], (unsigned)copies[1], 0) == 0 && is_pipe(copies[1]), "close_range");
  int ends[2];
  expect(pipe(ends) == 0 && dup2(ends[0], copies[2]) == copies[2] && write(ends[1], "x", 1) == 1 &&
             read(copies[2], ends, 1) == 1,
         "dup2 over an event");
  closefrom(copies[3]);
  expect(is_pipe(copies[3]) && is_pipe(copies[4]), "closefrom");
  return failures != 0;
}
