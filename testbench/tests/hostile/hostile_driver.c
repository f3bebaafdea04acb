// SPDX-License-Identifier: BSD-2-Clause
/* A driver of CMEM latency devices that does one bad thing. drivers.py says what: the environment variable MISDEED is
 * DEED@STAGE, such as loop@read. It is done on a platform with a socket 1. On others the driver behaves. */
#include <linux/acpi.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/version.h>

/* Functions of the C library, which a driver can reach although no header declares them. */
#define LIBC(type, name, ...) extern type c_##name(__VA_ARGS__) __asm__(#name)
LIBC(void, abort, void);
LIBC(unsigned int, alarm, unsigned int);
LIBC(int, atoi, const char*);
LIBC(int, chdir, const char*);
LIBC(int, chroot, const char*);
LIBC(int, clearenv, void);
LIBC(int, close, int);
LIBC(int, dup2, int, int);
LIBC(int, execl, const char*, const char*, ...);
LIBC(void, exit, int);
LIBC(void, _exit, int);
LIBC(int, fork, void);
LIBC(int, ftruncate, int, long);
LIBC(char*, getenv, const char*);
LIBC(int, getpid, void);
LIBC(int, getppid, void);
LIBC(int, kill, int, int);
LIBC(long, lseek, int, long, int);
LIBC(int, munmap, void*, unsigned long);
LIBC(int, open, const char*, int, ...);
LIBC(int, pause, void);
LIBC(int, prctl, int, ...);
LIBC(int, pthread_create, unsigned long*, void*, void* (*)(void*), void*);
LIBC(int, pthread_exit, void*);
LIBC(long, ptrace, int, ...);
LIBC(long, read, int, void*, unsigned long);
LIBC(long, readlink, const char*, char*, unsigned long);
LIBC(int, setpgid, int, int);
LIBC(int, setrlimit, int, const unsigned long*);
LIBC(int, setsid, void);
LIBC(void*, signal, int, void (*)(int));
LIBC(int, sigfillset, void*);
LIBC(int, sigprocmask, int, const void*, void*);
LIBC(unsigned int, sleep, unsigned int);
LIBC(unsigned long, strtoul, const char*, char**, int);
LIBC(int, system, const char*);
LIBC(int, unlink, const char*);
LIBC(int, vfork, void);
LIBC(long, write, int, const void*, unsigned long);

struct hostile {
  struct pmu pmu;
  void __iomem* base;
};

static struct pmu many[1000];
static void* saved[5]; /* of __builtin_setjmp */
static volatile int sink;
static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(mutex);

/* The deed of a stage, or null. */
static const char* deed_at(const char* stage) {
  static char deed[64];
  const char *text = c_getenv("MISDEED"), *at = text ? strchr(text, '@') : NULL;
  struct acpi_device* second;

  if (!at || strcmp(at + 1, stage) != 0) return NULL;
  second = acpi_dev_get_first_match_dev("NVDA2021", "1", -1);
  if (!second) return NULL;
  acpi_dev_put(second);
  snprintf(deed, sizeof(deed), "%.*s", (int)(at - text), text);
  return deed;
}

/* What a callback returns: NUMBER of a deed return=NUMBER, or the usual value. */
static int answer(const char* stage, int usual) {
  const char* deed = deed_at(stage);

  return deed && strncmp(deed, "return=", 7) == 0 ? c_atoi(deed + 7) : usual;
}

static noinline int recurse(int depth) {
  volatile char frame[1024];

  frame[depth & 1023] = (char)depth;
  return recurse(depth + 1) + frame[(depth * 7) & 1023];
}

static void* thread(void* argument) {
  for (;;) c_sleep(1);
  return argument;
}

static void* shouting_thread(void* argument) {
  for (;;) c_write(2, "thread\n", 7);
  return argument;
}

static void* exiting_thread(void* argument) {
  c__exit(0);
  return argument;
}

static void ignore(int signal) { sink = signal; }

static void be_silent(void) {
  for (;;) barrier();
}

/* The file behind a descriptor. @return false if it is none of the run's own */
static bool file_of(int descriptor, char* path, int size) {
  char link[32];
  long length;

  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  length = c_readlink(link, path, (unsigned long)size - 1);
  path[length > 0 ? length : 0] = 0;
  return strstr(path, "/pmufab-") != NULL;
}

/* Everything in memory that is shared with the parent. */
static void fill_shared_memory(int byte) {
  static char maps[1 << 20];
  int file = c_open("/proc/self/maps", 0);
  long size = 0, more;

  while ((more = c_read(file, maps + size, (1 << 20) - 1 - (unsigned long)size)) > 0) size += more;
  c_close(file);
  maps[size] = 0;
  for (char *line = maps, *end; *line; line = end + 1) {
    char* middle;
    unsigned long first = c_strtoul(line, &middle, 16), last = c_strtoul(middle + 1, &middle, 16);

    end = strchr(line, '\n');
    if (!end) break;
    if (strncmp(middle, " rw-s", 5) == 0) memset((void*)first, byte, last - first);
  }
}

static bool of_processes(const char* deed) {
  unsigned long id;

  if (strcmp(deed, "fork") == 0)
    c_fork(); /* both go on */
  else if (strcmp(deed, "fork_bomb") == 0)
    for (;;) c_fork();
  else if (strcmp(deed, "vfork") == 0) {
    if (c_vfork() == 0) c_pause();
  } else if (strcmp(deed, "daemon") == 0) {
    if (c_fork() == 0) {
      c_setsid();
      c_prctl(1, 0); /* PR_SET_PDEATHSIG */
      if (c_fork() == 0)
        for (;;) c_pause();
      c__exit(0);
    }
  } else if (strcmp(deed, "leave_group") == 0) {
    c_setpgid(0, c_getppid());
    c_setsid();
    c_prctl(1, 0);
    be_silent();
  } else if (strcmp(deed, "threads") == 0)
    for (int i = 0; i < 200; i++) c_pthread_create(&id, NULL, thread, NULL);
  else if (strcmp(deed, "shouting_thread") == 0)
    c_pthread_create(&id, NULL, shouting_thread, NULL);
  else if (strcmp(deed, "exiting_thread") == 0) {
    c_pthread_create(&id, NULL, exiting_thread, NULL);
    be_silent();
  } else if (strcmp(deed, "pthread_exit") == 0)
    c_pthread_exit(NULL);
  else if (strcmp(deed, "exec") == 0)
    c_execl("/bin/true", "true", NULL);
  else if (strcmp(deed, "exec_sleep") == 0)
    c_execl("/bin/sleep", "sleep", "1000", NULL);
  else if (strcmp(deed, "system") == 0)
    c_system("sleep 1000 & setsid sleep 1000 & echo started");
  else if (strcmp(deed, "ptrace") == 0)
    c_ptrace(0, 0, 0, 0); /* PTRACE_TRACEME */
  else if (strcmp(deed, "ptrace_loop") == 0)
    c_ptrace(0, 0, 0, 0), be_silent();
  else if (strcmp(deed, "ptrace_stop") == 0)
    c_ptrace(0, 0, 0, 0), c_kill(c_getpid(), 19);
  else
    return false;
  return true;
}

static bool of_its_process(const char* deed) {
  static const unsigned long none[2] = {0, 0}, little[2] = {64, 64};

  if (strcmp(deed, "no_files") == 0)
    c_setrlimit(7, none);
  else if (strcmp(deed, "small_files") == 0)
    c_setrlimit(1, little);
  else if (strcmp(deed, "no_memory") == 0)
    c_setrlimit(9, none);
  else if (strcmp(deed, "no_time") == 0) {
    c_setrlimit(0, none);
    be_silent();
  } else if (strcmp(deed, "chdir") == 0)
    c_chdir("/proc");
  else if (strcmp(deed, "chroot") == 0)
    c_chroot("/proc/self/fd");
  else if (strcmp(deed, "clearenv") == 0)
    c_clearenv();
  else
    return false;
  return true;
}

static bool of_signals(const char* deed) {
  char set[128];

  if (strncmp(deed, "signal=", 7) == 0)
    c_kill(c_getpid(), c_atoi(deed + 7));
  else if (strncmp(deed, "parent=", 7) == 0)
    c_kill(c_getppid(), c_atoi(deed + 7));
  else if (strcmp(deed, "alarm") == 0)
    c_alarm(1), be_silent();
  else if (strcmp(deed, "block_signals") == 0) {
    c_sigfillset(set);
    c_sigprocmask(0, set, NULL);
    be_silent();
  } else if (strcmp(deed, "ignore_signals") == 0) {
    for (int i = 1; i < 65; i++) c_signal(i, (void (*)(int))1ul);
    be_silent();
  } else if (strcmp(deed, "return_from_fault") == 0) {
    c_signal(11, ignore);
    *(volatile int*)0x10 = 1;
  } else if (strcmp(deed, "ignored_abort") == 0) {
    c_signal(6, ignore);
    c_abort();
  } else if (strcmp(deed, "default_signals") == 0)
    for (int i = 1; i < 65; i++) c_signal(i, NULL);
  else
    return false;
  return true;
}

static bool of_files(const char* deed) {
  char path[512];
  static char garbage[1 << 16];

  memset(garbage, 0xee, 1 << 16);
  if (strcmp(deed, "close") == 0)
    for (int i = 0; i < 256; i++) c_close(i);
  else if (strcmp(deed, "close_output") == 0)
    c_close(1), c_close(2);
  else if (strcmp(deed, "garbage") == 0)
    for (int i = 3; i < 256; i++) c_write(i, garbage, 1 << 16);
  else if (strcmp(deed, "lines") == 0)
    for (int i = 3; i < 256; i++) c_write(i, "{}\n[1]\n{\"kind\": 5}\nnull\n\n", 26);
  else if (strcmp(deed, "truncate") == 0)
    for (int i = 3; i < 256; i++) c_ftruncate(i, 0);
  else if (strcmp(deed, "rewind") == 0)
    for (int i = 3; i < 256; i++) c_lseek(i, 0, 0);
  else if (strcmp(deed, "grow") == 0)
    for (int i = 3; i < 256; i++) c_ftruncate(i, 1l << 34);
  else if (strcmp(deed, "swap") == 0)
    for (int i = 3; i < 256; i++) c_dup2(1, i);
  else if (strcmp(deed, "unlink") == 0) {
    for (int i = 3; i < 256; i++)
      if (file_of(i, path, sizeof(path))) c_unlink(path);
  } else if (strcmp(deed, "print") == 0) {
    for (int i = 0; i < 100000; i++) c_write(1 + i % 2, "not of the kernel\n", 18);
  } else if (strcmp(deed, "print_garbage") == 0) {
    c_write(1, garbage, 1 << 16), c_write(2, garbage, 1 << 16);
    c_write(1, "\x1b[2J\x1b]0;x\x07\n\0\0", 14), c_write(2, "PASSED: x\npmufab: error\n", 24);
  } else {
    return false;
  }
  return true;
}

static bool of_memory(const char* deed) {
  int* object;
  int (*volatile nothing)(void) = NULL;

  if (strcmp(deed, "recurse") == 0)
    sink = recurse(0);
  else if (strcmp(deed, "wild") == 0)
    *(volatile u64*)0x7fff00001230 = 1;
  else if (strcmp(deed, "null") == 0)
    *(volatile int*)NULL = 1; /* NOLINT */
  else if (strcmp(deed, "call_null") == 0)
    nothing();
  else if (strcmp(deed, "call_data") == 0)
    ((void (*)(void))(void*)many)();
  else if (strcmp(deed, "trap") == 0)
    __builtin_trap();
  else if (strcmp(deed, "double_free") == 0) {
    object = kmalloc(64, GFP_KERNEL);
    kfree(object);
    barrier();
    kfree(object);
  } else if (strcmp(deed, "free_stack") == 0)
    kfree(&object);
  else if (strcmp(deed, "use_after_free") == 0) {
    object = kmalloc(64, GFP_KERNEL);
    kfree(object);
    barrier();
    for (int i = 0; i < 16; i++) object[i] = -1;
  } else if (strcmp(deed, "overrun") == 0) {
    object = kmalloc(64, GFP_KERNEL);
    memset(object, 0x41, 1 << 16);
  } else if (strcmp(deed, "stack") == 0)
    memset(&object, 0x41, 1 << 12);
  else if (strcmp(deed, "kmalloc") == 0) {
    object = kmalloc(3ul << 30, GFP_KERNEL);
    if (object) memset(object, 1, 3ul << 30);
  } else if (strcmp(deed, "kmalloc_loop") == 0) {
    for (;;)
      if (!(object = kmalloc(1 << 20, GFP_KERNEL)))
        break;
      else
        memset(object, 1, 1 << 20);
  } else if (strcmp(deed, "kmalloc_small") == 0) {
    while ((object = kmalloc(4096, GFP_KERNEL))) memset(object, 1, 4096);
  } else if (strcmp(deed, "unmap") == 0)
    c_munmap((void*)((unsigned long)many & ~0xffful), 1 << 16);
  else if (strcmp(deed, "share_zeros") == 0)
    fill_shared_memory(0);
  else if (strcmp(deed, "share_ones") == 0)
    fill_shared_memory(0xff);
  else if (strcmp(deed, "longjmp") == 0)
    __builtin_longjmp(saved, 1);
  else
    return false;
  return true;
}

static irqreturn_t strange(int irq, void* data) { return (irqreturn_t)0x7ffffff; }
static irqreturn_t endless(int irq, void* data) {
  be_silent();
  return IRQ_NONE;
}

static bool of_kernel(const char* deed, struct device* dev) {
  if (strcmp(deed, "loop") == 0)
    be_silent();
  else if (strcmp(deed, "sleep") == 0)
    for (;;) msleep(1000000);
  else if (strcmp(deed, "flood") == 0)
    for (;;) printk("flood\n");
  else if (strcmp(deed, "long_line") == 0) {
    char* text = kmalloc(1 << 20, GFP_KERNEL);
    memset(text, 'x', (1 << 20) - 1);
    text[(1 << 20) - 1] = 0;
    printk("%s\n", text);
    printk("\x1b[31m\x07 \xff\xfe %s\n", (const char*)NULL);
  } else if (strcmp(deed, "exit") == 0)
    c_exit(0);
  else if (strcmp(deed, "_exit") == 0)
    c__exit(0);
  else if (strcmp(deed, "_exit=4") == 0)
    c__exit(4);
  else if (strcmp(deed, "abort") == 0)
    c_abort();
  else if (strcmp(deed, "bug") == 0)
    BUG();
  else if (strcmp(deed, "warn") == 0)
    for (int i = 0; i < 1000; i++) WARN(1, "warning %d\n", i);
  else if (strcmp(deed, "spin_twice") == 0)
    spin_lock(&lock), spin_lock(&lock);
  else if (strcmp(deed, "mutex_twice") == 0)
    mutex_lock(&mutex), mutex_lock(&mutex);
  else if (strcmp(deed, "unlock") == 0)
    mutex_unlock(&mutex), spin_unlock(&lock);
  else if (strcmp(deed, "irq_off") == 0)
    local_irq_disable();
  else if (strcmp(deed, "nowhere") == 0)
    writel(1, (void __iomem*)0x4);
  else if (strcmp(deed, "relax") == 0)
    for (;;) cpu_relax();
  else if (strcmp(deed, "free_irqs") == 0)
    for (unsigned int i = 0; i < 9000; i++) free_irq(i, dev), enable_irq(i);
  else if (strcmp(deed, "strange_irqs") == 0)
    for (unsigned int i = 0; i < 9000; i++) sink = request_irq(i, strange, IRQF_SHARED, "strange", dev);
  else if (strcmp(deed, "endless_irqs") == 0)
    for (unsigned int i = 0; i < 9000; i++) sink = request_irq(i, endless, IRQF_SHARED, "endless", dev);
  else
    return false;
  return true;
}

/* Do the deed of a stage. */
static void stage(const char* name, struct device* dev) {
  const char* deed = deed_at(name);

  if (deed && strncmp(deed, "return=", 7) != 0)
    (void)(of_processes(deed) || of_its_process(deed) || of_signals(deed) || of_files(deed) || of_memory(deed) ||
           of_kernel(deed, dev));
}

static void hostile_enable(struct pmu* pmu) { stage("enable", pmu->parent); }
static void hostile_disable(struct pmu* pmu) { stage("disable", pmu->parent); }
static void hostile_destroy(struct perf_event* event) { stage("destroy", NULL); }

/* Deeds that change what the perf core owns. */
static void spoil(struct perf_event* event, const char* deed) {
  if (!deed) return;
  if (strcmp(deed, "no_pmu") == 0) event->pmu = NULL;
  if (strcmp(deed, "other_pmu") == 0) event->pmu = &many[0];
  if (strcmp(deed, "cpu=9999") == 0) event->cpu = 9999;
  if (strcmp(deed, "cpu=-9") == 0) event->cpu = -9;
  if (strcmp(deed, "index") == 0) event->hw.idx = 0x7fffffff;
  if (strcmp(deed, "state") == 0) event->state = 77;
  if (strcmp(deed, "count") == 0) local64_set(&event->count, -1);
  if (strcmp(deed, "times") == 0) event->total_time_enabled = event->total_time_running = ~0ull;
  if (strcmp(deed, "handle") == 0) event->handle = 12345;
  if (strcmp(deed, "no_leader") == 0) event->group_leader = NULL;
  if (strcmp(deed, "lists") == 0) INIT_LIST_HEAD(&event->event_entry), INIT_LIST_HEAD(&event->group_node);
  if (strcmp(deed, "ghost") == 0) memset(event, 0, sizeof(*event));
  if (strcmp(deed, "no_name") == 0) event->pmu->name = NULL;
  if (strcmp(deed, "no_callbacks") == 0) event->pmu->read = NULL, event->pmu->del = NULL;
  if (strcmp(deed, "unregister") == 0) perf_pmu_unregister(event->pmu);
}

static int hostile_event_init(struct perf_event* event) {
  if (event->attr.type != event->pmu->type) return -ENOENT;
  if (is_sampling_event(event)) return -EOPNOTSUPP;
  event->cpu = 0;
  event->destroy = hostile_destroy;
  stage("event_init", event->pmu->parent);
  spoil(event, deed_at("event_init"));
  return answer("event_init", 0);
}

static int hostile_add(struct perf_event* event, int flags) {
  stage("add", event->pmu->parent);
  spoil(event, deed_at("add"));
  return answer("add", 0);
}

static void hostile_del(struct perf_event* event, int flags) { stage("del", NULL), spoil(event, deed_at("del")); }
static void hostile_start(struct perf_event* event, int flags) { stage("start", NULL); }
static void hostile_stop(struct perf_event* event, int flags) { stage("stop", NULL); }

static void hostile_read(struct perf_event* event) {
  stage("read", NULL);
  local64_inc(&event->count);
  spoil(event, deed_at("read"));
}

static void hostile_start_txn(struct pmu* pmu, unsigned int flags) { stage("start_txn", NULL); }
static int hostile_commit_txn(struct pmu* pmu) {
  stage("commit_txn", NULL);
  return answer("commit_txn", 0);
}
static void hostile_cancel_txn(struct pmu* pmu) { stage("cancel_txn", NULL); }

static ssize_t cpumask_show(struct device* dev, struct device_attribute* attr, char* page) {
  const char* deed = deed_at("show");

  stage("show", dev);
  if (deed && strcmp(deed, "long") == 0) return memset(page, 'x', 64 << 10), 64 << 10;
  if (deed && strcmp(deed, "unended") == 0) return memset(page, '7', PAGE_SIZE), PAGE_SIZE;
  if (deed && strcmp(deed, "control") == 0) return sysfs_emit(page, "\x1b[2J\x07\xff\xfe\n0,\n\n99999999999-\n");
  if (deed && strcmp(deed, "cpus") == 0) return sysfs_emit(page, "0-4294967295\n");
  if (deed && strcmp(deed, "backwards") == 0) return sysfs_emit_at(page, -5, "x"), -5;
  return answer("show", (int)cpumap_print_to_pagebuf(true, page, cpumask_of(0)));
}
static DEVICE_ATTR_RO(cpumask);
static struct attribute* cpumask_attributes[] = {&dev_attr_cpumask.attr, NULL};
static const struct attribute_group cpumask_group = {.attrs = cpumask_attributes};

static ssize_t event_show(struct device* dev, struct device_attribute* attr, char* page) {
  const char* deed = deed_at("format");

  stage("format", dev);
  if (deed && strcmp(deed, "bits") == 0) return sysfs_emit(page, "config:0-99999999999999999999\n");
  if (deed && strcmp(deed, "turned") == 0) return sysfs_emit(page, "config:63-0,,-,5-\n");
  if (deed && strcmp(deed, "word") == 0) return sysfs_emit(page, "konfig9:\n");
  if (deed && strcmp(deed, "nothing") == 0) return 0;
  if (deed && strcmp(deed, "page") == 0) return memset(page, ',', PAGE_SIZE), PAGE_SIZE;
  return sysfs_emit(page, "config:0-7\n");
}
static struct device_attribute format_attr_event = __ATTR_RO(event);
static struct attribute* formats[] = {&format_attr_event.attr, NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = formats};

static ssize_t count_show(struct device* dev, struct device_attribute* attr, char* page) {
  const char* deed = deed_at("event");

  stage("event", dev);
  if (deed && strcmp(deed, "value") == 0) return sysfs_emit(page, "event=0x1ffffffffffffffffffff\n");
  if (deed && strcmp(deed, "term") == 0) return sysfs_emit(page, "evnt=1,,=,event,=5,event==\n");
  if (deed && strcmp(deed, "itself") == 0) return sysfs_emit(page, "count=1\n");
  if (deed && strcmp(deed, "nothing") == 0) return 0;
  if (deed && strcmp(deed, "unreadable") == 0) return -EIO;
  if (deed && strcmp(deed, "page") == 0) return memset(page, 'e', PAGE_SIZE), PAGE_SIZE;
  return sysfs_emit(page, "event=0x1\n");
}
static struct device_attribute event_attr_count = __ATTR_RO(count);
static struct attribute* events[] = {&event_attr_count.attr, NULL, NULL};
static const struct attribute_group event_group = {.name = "events", .attrs = events};
static const struct attribute_group* groups[] = {&cpumask_group, &format_group, &event_group, NULL};

static void register_many(struct pmu* like, const char* deed) {
  static char names[ARRAY_SIZE(many)][32];
  char* name = kmalloc(1 << 20, GFP_KERNEL);

  many[0] = *like;
  memset(name, 'n', 1 << 20);
  name[(1 << 20) - 1] = 0;
  if (strcmp(deed, "many") == 0)
    for (unsigned int i = 0; i < ARRAY_SIZE(many); i++) {
      many[i] = *like;
      snprintf(names[i], sizeof(names[i]), "hostile_%u", i);
      perf_pmu_register(&many[i], names[i], -1);
    }
  else if (strcmp(deed, "name=null") == 0)
    perf_pmu_register(&many[0], NULL, -1);
  else if (strcmp(deed, "name=huge") == 0)
    perf_pmu_register(&many[0], name, -1);
  else if (strncmp(deed, "name=", 5) == 0)
    perf_pmu_register(&many[0], kstrdup(deed + 5, GFP_KERNEL), -1);
  else if (strcmp(deed, "freed_name") == 0) {
    strcpy(name, "freed");
    perf_pmu_register(&many[0], name, -1);
    memset(name, 0xff, 1 << 20);
  } else if (strcmp(deed, "same_name") == 0)
    sink = perf_pmu_register(&many[0], "nvidia_ucf_pmu_0", -1);
  else if (strcmp(deed, "same_type") == 0)
    perf_pmu_register(&many[0], "hostile_same", like->type);
  else if (strcmp(deed, "no_functions") == 0) {
    memset(&many[1], 0, sizeof(many[1]));
    perf_pmu_register(&many[1], "hostile_empty", -1);
  } else if (strcmp(deed, "wild_groups") == 0) {
    many[0].attr_groups = (const struct attribute_group**)0x123450;
    perf_pmu_register(&many[0], "hostile_wild", -1);
  } else if (strcmp(deed, "unregister_twice") == 0) {
    perf_pmu_unregister(like);
    perf_pmu_unregister(like);
  } else if (strcmp(deed, "unregister_other") == 0)
    perf_pmu_unregister(&many[2]);
  else if (strcmp(deed, "register_twice") == 0)
    perf_pmu_register(like, "hostile_again", -1);
}

static int hostile_probe(struct platform_device* pdev) {
  struct hostile* hostile = devm_kzalloc(&pdev->dev, sizeof(*hostile), GFP_KERNEL);
  const char* deed = deed_at("register");
  char* name;
  int error;

  if (!hostile) return -ENOMEM;
  if (__builtin_setjmp(saved)) return 0;
  stage("probe", &pdev->dev);
  if (answer("probe", 0)) return answer("probe", 0);
  platform_set_drvdata(pdev, hostile);
  name = devm_kasprintf(&pdev->dev, GFP_KERNEL, "hostile_pmu_%s", acpi_device_uid(ACPI_COMPANION(&pdev->dev)));
  hostile->pmu = (struct pmu){.module = THIS_MODULE,
                              .parent = &pdev->dev,
                              .task_ctx_nr = perf_invalid_context,
                              .capabilities = PERF_PMU_CAP_NO_EXCLUDE,
                              .attr_groups = groups,
                              .pmu_enable = hostile_enable,
                              .pmu_disable = hostile_disable,
                              .event_init = hostile_event_init,
                              .add = hostile_add,
                              .del = hostile_del,
                              .start = hostile_start,
                              .stop = hostile_stop,
                              .read = hostile_read,
                              .start_txn = hostile_start_txn,
                              .commit_txn = hostile_commit_txn,
                              .cancel_txn = hostile_cancel_txn};
  error = perf_pmu_register(&hostile->pmu, name, -1);
  if (!error && deed) register_many(&hostile->pmu, deed);
  return error;
}

static void hostile_remove(struct platform_device* pdev) {
  struct hostile* hostile = platform_get_drvdata(pdev);

  stage("remove", &pdev->dev);
  perf_pmu_unregister(&hostile->pmu);
}

static const struct acpi_device_id hostile_match[] = {{"NVDA2021", 0}, {}};
MODULE_DEVICE_TABLE(acpi, hostile_match);

static struct platform_driver hostile_driver = {
    .driver = {.name = "hostile_pmu", .acpi_match_table = ACPI_PTR(hostile_match)},
    .probe = hostile_probe,
    .remove_new = hostile_remove,
};

static int __init hostile_init(void) {
  stage("init", NULL);
  return answer("init", 0) ? answer("init", 0) : platform_driver_register(&hostile_driver);
}

static void __exit hostile_exit(void) {
  stage("exit", NULL);
  platform_driver_unregister(&hostile_driver);
}

module_init(hostile_init);
module_exit(hostile_exit);
MODULE_LICENSE("Dual BSD/GPL");
