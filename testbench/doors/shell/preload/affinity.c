// SPDX-License-Identifier: BSD-2-Clause
/* Threads run on the platform's CPUs, as far as they can tell. On which ones they may run is written down in a file that
 * all programs of the shell share, because programs look at each other and start each other. A thread that is not in it
 * may run on all. A new thread or process inherits from the one that starts it. The host's CPUs are not touched. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

enum { kCpus = 4096, kWord = 64, kWords = kCpus / kWord, kText = 8192 };
typedef struct {
  uint64_t words[kWords];
} cpus_t;

struct record {
  int64_t thread;
  uint64_t begun; /* when the thread began, because numbers are used again */
  cpus_t cpus;
};

static bool has(const cpus_t* cpus, int cpu) { return cpus->words[cpu / kWord] >> (cpu % kWord) & 1; }

static int count_of(const cpus_t* cpus) {
  int count = 0;
  for (int i = 0; i < kWords; ++i) count += __builtin_popcountll(cpus->words[i]);
  return count;
}

/* Reads a file as it is; keeps errno. @return its length, at most `size` - 1; a null character follows */
static size_t read_text(const char* path, char* text, size_t size) {
  const int error = errno;
  const int fd = NEXT(open)(path, O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  for (ssize_t more = 1; fd >= 0 && more > 0 && length < size - 1; length += (size_t)(more > 0 ? more : 0))
    more = NEXT(read)(fd, text + length, size - 1 - length);
  if (fd >= 0) NEXT(close)(fd);
  text[length] = '\0';
  errno = error;
  return length;
}

/* @param file  with a list such as "0-87,176", below the folder in place of /sys. @return false: there is none */
static bool read_list(const char* file, cpus_t* numbers) {
  char path[4096], text[kText];
  memset(numbers, 0, sizeof(*numbers));
  const char* root = is_connected() ? getenv(PMUFAB_SHELL_SYSFS) : NULL;
  if (!root || snprintf(path, sizeof(path), "%s/devices/system/%s", root, file) >= (int)sizeof(path)) return false;
  if (read_text(path, text, sizeof(text)) == 0) return false;
  for (char* at = text; *at >= '0' && *at <= '9';) {
    const long from = strtol(at, &at, 10);
    const long to = *at == '-' ? strtol(at + 1, &at, 10) : from;
    for (long i = from; i <= to && i < kCpus; ++i) numbers->words[i / kWord] |= UINT64_C(1) << (i % kWord);
    if (*at == ',') ++at;
  }
  return true;
}

static bool is_platform(cpus_t* online) { return read_list("cpu/online", online); }

/* @return the bytes of a mask of all possible CPUs, as the kernel has it */
static size_t mask_size(void) {
  cpus_t possible;
  if (!read_list("cpu/possible", &possible)) return sizeof(cpus_t);
  size_t words = 0;
  for (size_t i = 0; i < kWords; ++i) {
    if (possible.words[i]) words = i + 1;
  }
  return words * sizeof(uint64_t);
}

/* When a thread began; 0: there is no such thread. */
static uint64_t begin_of(pid_t thread) {
  enum { kBegin = 20 }; /* field 22 of proc(5); two are in front of the last bracket */
  char path[64], text[2048];
  snprintf(path, sizeof(path), "/proc/%d/stat", (int)thread);
  if (read_text(path, text, sizeof(text)) == 0) return 0;
  char* at = strrchr(text, ')');
  for (int field = 0; at && field < kBegin; ++field) at = strchr(at + 1, ' ');
  return at ? strtoull(at, NULL, 10) + 1 : 0;
}

/* Opens the shared file and holds it alone until it is closed. @return -1: there is none, and none is made */
static int open_records(bool make) {
  char path[4096];
  const char* root = is_connected() ? getenv(PMUFAB_SHELL_SYSFS) : NULL;
  if (!root ||
      snprintf(path, sizeof(path), "%.*s/affinity", (int)(strrchr(root, '/') - root), root) >= (int)sizeof(path))
    return -1;
  const int fd = NEXT(open)(path, O_RDWR | O_CLOEXEC | (make ? O_CREAT : 0), 0600);
  if (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno != EINTR) {
    NEXT(close)(fd);
    return -1;
  }
  return fd;
}

/* @return the place of a thread's record; -1: it has none, and `unused` is where one may be written */
static off_t find(int fd, pid_t thread, uint64_t begun, struct record* record, off_t* unused) {
  *unused = -1;
  off_t at = 0;
  for (; NEXT(pread)(fd, record, sizeof(*record), at) == (ssize_t)sizeof(*record); at += (off_t)sizeof(*record)) {
    if (record->thread == thread && record->begun == begun) return at;
    if (*unused < 0 && begin_of((pid_t)record->thread) != record->begun) *unused = at;
  }
  if (*unused < 0) *unused = at;
  return -1;
}

/* @return false: the thread may run on all CPUs */
static bool recall(pid_t thread, cpus_t* cpus) {
  struct record record;
  off_t unused;
  const int error = errno;
  const int fd = open_records(false);
  const bool found = fd >= 0 && find(fd, thread, begin_of(thread), &record, &unused) >= 0;
  if (fd >= 0) NEXT(close)(fd);
  if (found) *cpus = record.cpus;
  errno = error;
  return found;
}

static void keep(pid_t thread, const cpus_t* cpus) {
  struct record record;
  off_t unused;
  const int error = errno;
  const int fd = open_records(true);
  if (fd < 0) return;
  const uint64_t begun = begin_of(thread);
  const off_t place = find(fd, thread, begun, &record, &unused);
  record = (struct record){thread, begun, *cpus};
  const ssize_t written = NEXT(pwrite)(fd, &record, sizeof(record), place >= 0 ? place : unused);
  (void)written;
  NEXT(close)(fd);
  errno = error;
}

void inherit_cpus(pid_t from) {
  cpus_t cpus;
  if (!recall(gettid(), &cpus) && recall(from, &cpus)) keep(gettid(), &cpus);
}

/* Those of the thread that calls fork(), as they are then. */
static __thread struct {
  bool some;
  cpus_t cpus;
} forking;

void before_fork_of_cpus(void) { forking.some = recall(gettid(), &forking.cpus); }
void after_fork_of_cpus(void) {
  if (forking.some) keep(gettid(), &forking.cpus);
}

/* Both calls as the kernel has them. @return bytes of the mask or 0, or -1 with errno */
static long get_cpus(pid_t thread, size_t size, void* mask) {
  cpus_t online, cpus;
  char host[kCpus / 8];
  is_platform(&online);
  if (size < mask_size() || size % sizeof(long) != 0) {
    errno = EINVAL;
    return -1;
  }
  if (NEXT(syscall)(SYS_sched_getaffinity, thread, sizeof(host), host) < 0) return -1;
  if (!recall(thread ? thread : gettid(), &cpus)) cpus = online;
  const size_t length = size < mask_size() ? size : mask_size();
  memcpy(mask, &cpus, length);
  return (long)length;
}

static long set_cpus(pid_t thread, size_t size, const void* mask) {
  cpus_t online, cpus = {{0}};
  char host[kCpus / 8];
  is_platform(&online);
  memcpy(&cpus, mask, size < sizeof(cpus) ? size : sizeof(cpus));
  for (int i = 0; i < kWords; ++i) cpus.words[i] &= online.words[i];
  if (NEXT(syscall)(SYS_sched_getaffinity, thread, sizeof(host), host) < 0) return -1;
  if (count_of(&cpus) == 0) {
    errno = EINVAL;
    return -1;
  }
  keep(thread ? thread : gettid(), &cpus);
  return 0;
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* mask) {
  cpus_t online;
  if (!is_platform(&online)) return NEXT(sched_getaffinity)(thread, size, mask);
  const long length = get_cpus(thread, size, mask);
  if (length < 0) return -1;
  memset((char*)mask + length, 0, size - (size_t)length);
  return 0;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* mask) {
  cpus_t online;
  return is_platform(&online) ? (int)set_cpus(thread, size, mask) : NEXT(sched_setaffinity)(thread, size, mask);
}

/* The C library tells a thread's number by its clock. @return 0 if there is no such thread */
static pid_t number_of(pthread_t thread) {
  clockid_t clock;
  return pthread_getcpuclockid(thread, &clock) == 0 ? (pid_t) ~(clock >> 3) : 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* mask) {
  cpus_t online;
  if (!is_platform(&online)) return NEXT(pthread_getaffinity_np)(thread, size, mask);
  const int error = errno;
  const int result = sched_getaffinity(number_of(thread), size, mask) == 0 ? 0 : errno;
  errno = error;
  return result;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* mask) {
  cpus_t online;
  if (!is_platform(&online)) return NEXT(pthread_setaffinity_np)(thread, size, mask);
  const int error = errno;
  const int result = sched_setaffinity(number_of(thread), size, mask) == 0 ? 0 : errno;
  errno = error;
  return result;
}

/* A thread that begins with CPUs of its own: those of its attributes, or its creator's. */
struct beginning {
  void* (*function)(void*);
  void* argument;
  cpus_t cpus;
};

static void* begin_thread(void* argument) {
  const struct beginning beginning = *(struct beginning*)argument;
  free(argument);
  keep(gettid(), &beginning.cpus);
  return beginning.function(beginning.argument);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  cpus_t online, all;
  cpus_t cpus = {0};
  memset(&all, 0xff, sizeof(all));
  if (!is_platform(&online)) return NEXT(pthread_create)(thread, attributes, function, argument);
  const bool given = attributes && pthread_attr_getaffinity_np(attributes, sizeof(cpus), (cpu_set_t*)&cpus) == 0 &&
                     memcmp(&cpus, &all, sizeof(all)) != 0;
  const cpus_t asked = cpus;
  if (!given && !recall(gettid(), &cpus)) return NEXT(pthread_create)(thread, attributes, function, argument);
  for (int i = 0; i < kWords; ++i) cpus.words[i] &= online.words[i];
  if (count_of(&cpus) == 0) return EINVAL;
  struct beginning* const beginning = malloc(sizeof(*beginning));
  if (!beginning) return EAGAIN;
  *beginning = (struct beginning){function, argument, cpus};
  /* The C library would ask the host for them. */
  if (given) pthread_attr_setaffinity_np((pthread_attr_t*)attributes, 0, (const cpu_set_t*)&asked);
  const int result = NEXT(pthread_create)(thread, attributes, begin_thread, beginning);
  if (given) pthread_attr_setaffinity_np((pthread_attr_t*)attributes, sizeof(asked), (const cpu_set_t*)&asked);
  if (result != 0) free(beginning);
  return result;
}

/* @return one of the CPUs on which this thread may run; -1: there is no platform */
static int current_cpu(void) {
  cpus_t online, cpus;
  unsigned host = 0;
  if (!is_platform(&online)) return -1;
  NEXT(syscall)(SYS_getcpu, &host, NULL, NULL);
  if (!recall(gettid(), &cpus)) cpus = online;
  unsigned left = host % (unsigned)count_of(&cpus);
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    if (has(&cpus, cpu) && left-- == 0) return cpu;
  }
  return -1;
}

static unsigned node_of(int cpu) {
  cpus_t cpus;
  char file[64];
  for (unsigned node = 0; node < kCpus; ++node) {
    snprintf(file, sizeof(file), "node/node%u/cpulist", node);
    if (!read_list(file, &cpus)) break;
    if (has(&cpus, cpu)) return node;
  }
  return 0;
}

int sched_getcpu(void) {
  const int cpu = current_cpu();
  return cpu >= 0 ? cpu : NEXT(sched_getcpu)();
}

int getcpu(unsigned int* cpu, unsigned int* node) {
  const int here = current_cpu();
  if (here < 0) return NEXT(getcpu)(cpu, node);
  if (cpu) *cpu = (unsigned)here;
  if (node) *node = node_of(here);
  return 0;
}

int get_nprocs(void) {
  cpus_t cpus;
  return read_list("cpu/online", &cpus) ? count_of(&cpus) : NEXT(get_nprocs)();
}

int get_nprocs_conf(void) {
  cpus_t cpus;
  return read_list("cpu/possible", &cpus) ? count_of(&cpus) : NEXT(get_nprocs_conf)();
}

UNSANITIZED long sysconf(int name) {
  if (name == _SC_NPROCESSORS_ONLN && is_connected()) return get_nprocs();
  if (name == _SC_NPROCESSORS_CONF && is_connected()) return get_nprocs_conf();
  return NEXT(sysconf)(name);
}

/* As the kernel shows numbers: a mask in groups of 32 bits, or a list. */
static void print_mask(const cpus_t* cpus, size_t bytes, char* text, size_t size) {
  size_t length = 0;
  for (size_t i = bytes / 4; i-- > 0 && length < size;)
    length += (size_t)snprintf(text + length, size - length, "%08x%s", (unsigned)(cpus->words[i / 2] >> (i % 2 * 32)),
                               i ? "," : "");
}

static void print_list(const cpus_t* cpus, char* text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (int cpu = 0; cpu < kCpus && length + 32 < size; ++cpu) {
    if (!has(cpus, cpu)) continue;
    int last = cpu;
    while (last + 1 < kCpus && has(cpus, last + 1)) ++last;
    length +=
        (size_t)snprintf(text + length, size - length, last > cpu ? "%s%d-%d" : "%s%d", length ? "," : "", cpu, last);
    cpu = last;
  }
}

/* @return the process or thread of whose status this is the path; 0: of none */
static pid_t status_of(const char* path) {
  int number = 0, end = 0;
  if (strcmp(path, "/proc/self/status") == 0) return getpid();
  if (strcmp(path, "/proc/thread-self/status") == 0) return gettid();
  if (sscanf(path, "/proc/self/task/%d/status%n", &number, &end) == 1 && end > 0 && !path[end]) return number;
  if (sscanf(path, "/proc/%d/status%n", &number, &end) == 1 && end > 0 && !path[end]) return number;
  if (sscanf(path, "/proc/%*d/task/%d/status%n", &number, &end) == 1 && end > 0 && !path[end]) return number;
  return 0;
}

int open_status(const char* path, int flags) {
  cpus_t cpus, nodes;
  char text[kText], line[kText];
  const pid_t thread = path && strncmp(path, "/proc/", 6) == 0 ? status_of(path) : 0;
  if (!thread || !is_platform(&cpus) || !read_list("node/online", &nodes)) return -1;
  if (read_text(path, text, sizeof(text)) == 0) return -1;
  const int fd = memfd_create("status", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (fd < 0) return -1;
  recall(thread, &cpus);
  for (const char *at = text, *next; *at; at = next) {
    next = at + strcspn(at, "\n");
    next += *next == '\n';
    char shown[kText / 2] = "";
    if (strncmp(at, "Cpus_allowed:", 13) == 0) print_mask(&cpus, mask_size(), shown, sizeof(shown));
    if (strncmp(at, "Cpus_allowed_list:", 18) == 0) print_list(&cpus, shown, sizeof(shown));
    if (strncmp(at, "Mems_allowed:", 13) == 0) print_mask(&nodes, 8, shown, sizeof(shown));
    if (strncmp(at, "Mems_allowed_list:", 18) == 0) print_list(&nodes, shown, sizeof(shown));
    const int size = shown[0] ? snprintf(line, sizeof(line), "%.*s\t%s\n", (int)strcspn(at, ":") + 1, at, shown)
                              : snprintf(line, sizeof(line), "%.*s", (int)(next - at), at);
    const ssize_t written = write(fd, line, (size_t)size);
    (void)written;
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

/* Memory has no place on the platform. A policy is accepted for its nodes, and has no effect. */
static long memory_policy(const long argument[6], bool set) {
  enum { kByNode = 1, kAllowed = 4 };
  cpus_t nodes;
  read_list("node/online", &nodes);
  const unsigned long* const wanted = (const unsigned long*)argument[1];
  if (set) {
    if (!wanted || argument[2] == 0 || (*wanted & ~nodes.words[0]) == 0) return 0;
    errno = EINVAL;
    return -1;
  }
  unsigned long* const mask = (unsigned long*)argument[1];
  if (argument[0]) *(int*)argument[0] = argument[4] & kByNode ? (int)node_of(current_cpu()) : 0;
  if (mask) {
    memset(mask, 0, ((size_t)argument[2] + 63) / 64 * 8);
    if (argument[4] & kAllowed) *mask = nodes.words[0];
  }
  return 0;
}

/* Programs that show the machine, and use the answer for nothing else. To others, uname() tells what machine code and which
 * system calls run here, and these are the host's: a compiler, a loader or an agent that chooses by it would fail. */
static bool shows_machine(void) {
  static const char* const names[] = {"lscpu", "lstopo", "hwloc-"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (strncmp(program_invocation_short_name, names[i], strlen(names[i])) == 0) return true;
  return false;
}

/* Linux's drivers of all these fabrics are those of arm64 machines. */
int uname(struct utsname* name) {
  const int result = NEXT(uname)(name);
  if (result == 0 && is_connected() && shows_machine()) strcpy(name->machine, "aarch64");
  return result;
}

bool machine_call(long number, const long argument[6], long* result) {
  cpus_t online;
  if (!is_platform(&online)) return false;
  switch (number) {
    case SYS_sched_getaffinity:
      *result = get_cpus((pid_t)argument[0], (size_t)argument[1], (void*)argument[2]);
      return true;
    case SYS_sched_setaffinity:
      *result = set_cpus((pid_t)argument[0], (size_t)argument[1], (const void*)argument[2]);
      return true;
    case SYS_getcpu:
      *result = getcpu((unsigned*)argument[0], (unsigned*)argument[1]);
      return true;
    case SYS_get_mempolicy:
      *result = memory_policy(argument, false);
      return true;
    case SYS_set_mempolicy:
      *result = memory_policy(argument, true);
      return true;
    default:
      return false;
  }
}

// NOLINTEND(readability-identifier-naming)
