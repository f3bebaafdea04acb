// SPDX-License-Identifier: Apache-2.0
/* Threads, and a child, that use the same two events at once, open others, start programs, look at files, copy, close
 * and sleep. It has the preload library's code and ThreadSanitizer inside. It prints only errors. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// NOLINTBEGIN(readability-identifier-naming): C has no other constants
enum { kThreads = 4, kTurns = 100, kAlone = 10, kEvents = 2 };
// NOLINTEND(readability-identifier-naming)
static struct perf_event_attr attributes = {.size = sizeof(attributes), .config = 0x111, .read_format = PERF_FORMAT_ID};
static int events[kEvents];
static uint64_t ids[kEvents];
static atomic_int failures;

/* The preload library closes files by functions of the C library that ThreadSanitizer does not see. It takes a number
 * that the kernel gives to another thread's file afterwards for a race. (Newer ones do not find ^socket$.) */
const char* __tsan_default_suppressions(void);  /* NOLINT: the sanitizer's name */
const char* __tsan_default_suppressions(void) { /* NOLINT */
  return "race_top:socket\nrace_top:recvmsg\n";
}

static void expect(int good, const char* what) {
  if (good) return;
  if (atomic_fetch_add(&failures, 1) < 10) printf("%s: %s\n", what, strerror(errno));
}

/* A reading has the event's value and its id: the other event's would show. */
static void use(int event, uint64_t id) {
  struct {
    uint64_t value, id;
  } reading = {0, 0};
  uint64_t asked = 0;
  expect(read(event, &reading, sizeof(reading)) == sizeof(reading) && reading.id == id, "read");
  expect(ioctl(event, PERF_EVENT_IOC_ID, &asked) == 0 && asked == id, "PERF_EVENT_IOC_ID");
}

static int opened(void) { return (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0); }

/* What a thread does alone: an event of its own, a program, files and clocks. */
static void work_alone(void) {
  const int event = opened();
  uint64_t id = 0;
  expect(event >= 0 && ioctl(event, PERF_EVENT_IOC_ID, &id) == 0, "perf_event_open");
  use(event, id);
  close(event);
  char* const words[] = {"true", NULL};
  char* const environment[] = {NULL};
  pid_t program = 0;
  int status = -1;
  expect(posix_spawnp(&program, "true", NULL, NULL, words, environment) == 0, "posix_spawnp");
  expect(waitpid(program, &status, 0) == program && status == 0, "waitpid");
  struct stat about;
  expect(stat("/sys/bus/event_source/devices", &about) == 0 && S_ISDIR(about.st_mode), "stat");
  struct timespec time;
  expect(clock_gettime(CLOCK_MONOTONIC, &time) == 0, "clock_gettime");
  expect(poll(NULL, 0, 1) == 0, "poll");
}

static void* work(void* argument) {
  const int first = (int)(intptr_t)argument;
  for (int turn = 0; turn < kTurns; ++turn) {
    const int which = (first + turn) % kEvents;
    use(events[which], ids[which]);
    const int copy = dup(events[which]);
    expect(copy >= 0, "dup");
    use(copy, ids[which]);
    close(copy);
    const int file = open("/sys/bus/event_source/devices", O_RDONLY | O_DIRECTORY);
    expect(file >= 0, "open");
    close(file);
    if (turn % kAlone == 0) {
      usleep(1000);
      work_alone();
    }
  }
  return NULL;
}

int main(int count, char** arguments) {
  FILE* type = count > 1 ? fopen(arguments[1], "r") : NULL;
  if (!type || fscanf(type, "%u", &attributes.type) != 1) return 2;
  fclose(type);
  for (int i = 0; i < kEvents; ++i) {
    events[i] = opened();
    expect(events[i] >= 0 && ioctl(events[i], PERF_EVENT_IOC_ID, &ids[i]) == 0, "perf_event_open");
  }
  /* A child shares the events with its parent. */
  const pid_t child = fork();
  if (child == 0) {
    for (int turn = 0; turn < kTurns; ++turn) use(events[turn % kEvents], ids[turn % kEvents]);
    _exit(failures != 0);
  }
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) expect(pthread_create(&threads[i], NULL, work, (void*)(intptr_t)i) == 0, "thread");
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  int status = 0;
  expect(waitpid(child, &status, 0) == child && status == 0, "the child's events");
  return failures != 0;
}
