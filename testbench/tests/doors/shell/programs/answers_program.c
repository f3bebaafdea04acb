// SPDX-License-Identifier: Apache-2.0
/* A program that asks for what no kernel grants, and more. It prints only answers that are not Linux 7.3's
 * (kernel/events/core.c). Arguments: a file with the type of a PMU, the config of one of its events. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// NOLINTBEGIN(readability-identifier-naming): C has no other constants
enum { kKnown = 144, kPage = 4096 }; /* bytes of struct perf_event_attr in Linux 7.3 */
// NOLINTEND(readability-identifier-naming)

static int failures;
static uint32_t type;
static uint64_t config;
/* struct perf_event_attr, and more than a page of it. */
static union {
  struct perf_event_attr named;
  unsigned char bytes[2 * kPage];
} attributes;

static void expect(long result, int error, const char* what) {
  const int got = result < 0 ? errno : 0;
  if (got == error) return;
  printf("%s: %s, not %s\n", what, strerror(got), strerror(error));
  failures++;
}

static void expect_equal(long result, long wanted, const char* what) {
  if (result == wanted) return;
  printf("%s: %ld, not %ld\n", what, result, wanted);
  failures++;
}

static void fresh(uint32_t size) {
  memset(&attributes, 0, sizeof(attributes));
  attributes.named.type = type;
  attributes.named.config = config;
  attributes.named.size = size;
}

static long open_event(pid_t pid, int cpu, int group, unsigned long flags) {
  return syscall(SYS_perf_event_open, &attributes, pid, cpu, group, flags);
}

static void try_open(int error, const char* what) {
  const long fd = open_event(-1, 0, -1, 0);
  expect(fd, error, what);
  if (fd >= 0) close((int)fd);
}

static void try_bits(size_t place, uint64_t bits, int error, const char* what) {
  fresh(kKnown);
  uint64_t word;
  memcpy(&word, attributes.bytes + place, sizeof(word));
  word |= bits;
  memcpy(attributes.bytes + place, &word, sizeof(word));
  try_open(error, what);
}

static void try_sizes(void) {
  const uint32_t wrong[] = {1, 40, 63, kPage + 1, 2 * kPage, UINT32_MAX};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    fresh(wrong[i]);
    try_open(E2BIG, "a size that no kernel had");
    expect_equal(attributes.named.size, kKnown, "the size that the kernel gives");
  }
  const uint32_t good[] = {0, PERF_ATTR_SIZE_VER0, 72, kKnown, kKnown + 8, kPage};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); ++i) {
    fresh(good[i]);
    try_open(0, "a good size");
  }
  fresh(kPage);
  attributes.bytes[kPage - 1] = 1;
  try_open(E2BIG, "a last byte that the kernel does not know");
  expect_equal(attributes.named.size, kKnown, "the size that the kernel gives");
  fresh(kKnown + 8);
  attributes.bytes[kKnown] = 1;
  try_open(E2BIG, "the first byte that the kernel does not know");
}

static void try_attributes(void) {
  const size_t bits_at = 40;
  try_bits(kKnown - 8, UINT64_MAX, 0, "config4, which drivers may leave alone");
  try_bits(bits_at, 1ull << 40, EINVAL, "the first bit of __reserved_1");
  try_bits(bits_at, 1ull << 63, EINVAL, "the last bit of __reserved_1");
  try_bits(104, 1ull << 48, EINVAL, "__reserved_2");
  try_bits(112, 1ull << 63, EINVAL, "__reserved_3");
  try_bits(32, 1ull << 5, EINVAL, "an unknown read_format");
  try_bits(32, 1ull << 63, EINVAL, "an unknown read_format");
  try_bits(32, 1ull << 4, 0, "PERF_FORMAT_LOST");
  try_bits(24, 1ull << 25, EINVAL, "an unknown sample_type");
  try_bits(24, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, EINVAL, "two kinds of weight");
  try_bits(24, PERF_SAMPLE_BRANCH_STACK, EINVAL, "branches, and none of them");
  try_bits(bits_at, 1ull << 35, EINVAL, "inherit_thread without inherit");
  try_bits(bits_at, 1ull << 36 | 1ull << 12, EINVAL, "remove_on_exec and enable_on_exec");
  try_bits(bits_at, 1ull << 37, EINVAL, "sigtrap without remove_on_exec");
  try_bits(16, 1ull << 63, EINVAL, "a period that is negative");
  fresh(kKnown);
  attributes.named.freq = 1;
  attributes.named.sample_freq = 1000000;
  try_open(EINVAL, "a million samples in a second");
}

static void try_arguments(void) {
  fresh(kKnown);
  expect(open_event(-1, 0, -1, 1ul << 4), EINVAL, "an unknown flag");
  expect(open_event(-1, 0, -1, 1ul << 63), EINVAL, "an unknown flag");
  expect(open_event(-1, 0, 0, 0), EBADF, "a group of standard input");
  expect(open_event(-1, 0, -2, 0), EBADF, "a group of a negative number");
  expect(open_event(0x7fffffff, 0, -1, 0), ESRCH, "a process that is not there");
  expect(open_event(-7, 0, -1, 0), ESRCH, "a process of a negative number");
  expect(open_event(-1, 0, -1, PERF_FLAG_PID_CGROUP), EINVAL, "a cgroup without a folder");
  const long leader = open_event(-1, 0, -1, 0);
  expect(leader, 0, "a leader");
  expect(open_event(-1, 0, (int)leader, PERF_FLAG_FD_OUTPUT), EINVAL, "samples to a buffer that is not there");
  const long alone = open_event(-1, 0, (int)leader, PERF_FLAG_FD_NO_GROUP);
  expect(alone, 0, "PERF_FLAG_FD_NO_GROUP");
  close((int)alone);
  close((int)leader);
}

static void try_descriptor(int fd) {
  uint64_t values[4] = {0, 0, 0, 0};
  struct iovec parts[] = {{values, 8}, {values + 1, 8}, {values + 2, 4}};
  expect(write(fd, values, 8), EINVAL, "write");
  expect(write(fd, values, 0), EINVAL, "write of nothing");
  expect(writev(fd, parts, 2), EINVAL, "writev");
  expect(pwrite(fd, values, 8, 0), ESPIPE, "pwrite");
  expect(pread(fd, values, 8, 0), ESPIPE, "pread");
  expect(lseek(fd, 0, SEEK_SET), ESPIPE, "lseek");
  expect_equal(readv(fd, parts, 1), 8, "readv");
  expect_equal(readv(fd, parts, 2), 16, "readv, a reading in each part");
  expect_equal(readv(fd, parts, 3), 16, "readv, with a part that is too short");
  expect(readv(fd, parts + 2, 1), ENOSPC, "readv without room");
}

static void try_requests(int fd) {
  uint64_t period = 1000;
  int zero = 0;
  expect(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1L), 0, "PERF_EVENT_IOC_SET_OUTPUT, to nowhere");
  expect(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 0), EBADF, "PERF_EVENT_IOC_SET_OUTPUT, to standard input");
  expect(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd), EINVAL, "PERF_EVENT_IOC_SET_OUTPUT, to itself");
  expect(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), EINVAL, "PERF_EVENT_IOC_REFRESH");
  expect(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), EINVAL, "PERF_EVENT_IOC_PERIOD");
  expect(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "comm"), EINVAL, "PERF_EVENT_IOC_SET_FILTER");
  expect(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), EINVAL, "PERF_EVENT_IOC_PAUSE_OUTPUT");
  expect(ioctl(fd, PERF_EVENT_IOC_SET_BPF, -1), EBADF, "PERF_EVENT_IOC_SET_BPF");
  expect(ioctl(fd, _IO('$', 99)), ENOTTY, "an unknown request");
  expect(ioctl(fd, FIONBIO, &zero), 0, "FIONBIO");
  expect(ioctl(fd, FIOCLEX), 0, "FIOCLEX");
}

/* Where the shell's library does not look, nothing waits for ever, and the event stays. */
static void try_unseen(int fd) {
  uint64_t value = 0;
  syscall(SYS_write, fd, &value, sizeof(value));
  syscall(SYS_write, fd, &value, 0ul);
  syscall(SYS_read, fd, &value, sizeof(value));
  expect_equal(read(fd, &value, sizeof(value)), sizeof(value), "read");
}

static void try_software(void) {
  const struct {
    uint64_t config;
    int error;
    const char* name;
  } events[] = {{PERF_COUNT_SW_CPU_CLOCK, 0, "cpu-clock"},
                {PERF_COUNT_SW_TASK_CLOCK, 0, "task-clock"},
                {PERF_COUNT_SW_DUMMY, 0, "dummy"}};
  for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); ++i) {
    uint64_t values[3] = {0, 0, 0};
    fresh(kKnown);
    attributes.named.type = PERF_TYPE_SOFTWARE;
    attributes.named.config = events[i].config;
    attributes.named.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.bytes[44] = 1 << 6; /* defer_callchain, with which perf 7.3 sees how new the kernel is */
    const long of_cpu = open_event(-1, 0, -1, PERF_FLAG_FD_CLOEXEC), of_task = open_event(0, -1, -1, 0);
    expect(of_cpu, events[i].error, events[i].name);
    expect(of_task, events[i].error, events[i].name);
    expect_equal(read((int)of_cpu, values, sizeof(values)), sizeof(values), "read of a CPU's software event");
    expect_equal(read((int)of_task, values, sizeof(values)), sizeof(values), "read of a task's software event");
    attributes.named.type = type;
    attributes.named.config = config;
    attributes.bytes[44] = 0;
    if (type != PERF_TYPE_SOFTWARE)
      expect(open_event(-1, 0, (int)of_task, 0), EINVAL, "another event in a task's group");
    const long member = open_event(-1, 0, (int)of_cpu, 0);
    expect(member, 0, "an event in the group of a software event");
    close((int)member);
    close((int)of_task);
    close((int)of_cpu);
  }
}

int main(int count, char** arguments) {
  FILE* file = count > 2 ? fopen(arguments[1], "r") : NULL;
  if (!file || fscanf(file, "%u", &type) != 1) return 2;
  fclose(file);
  config = strtoull(arguments[2], NULL, 0);
  alarm(60);
  try_sizes();
  try_attributes();
  try_arguments();
  fresh(kKnown);
  const int event = (int)open_event(-1, 0, -1, 0);
  expect(event, 0, "perf_event_open");
  try_descriptor(event);
  try_requests(event);
  if (type != PERF_TYPE_SOFTWARE) try_unseen(event);
  close(event);
  try_software();
  return failures != 0;
}
