// SPDX-License-Identifier: Apache-2.0
/* Lists a folder in one of several ways, all names below it, one a line; or says what the C library knows of CPUs. */
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

static int print(const char* path, const struct stat* status, int kind, struct FTW* at) {
  (void)status;
  (void)kind;
  if (path[at->base - (at->base > 0)] != '/') printf("wrong base in ");
  puts(path);
  return 0;
}

static void walk(char* folder) {
  char* const folders[] = {folder, NULL};
  FTS* const fts = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT* entry; (entry = fts_read(fts));) {
    if (entry->fts_info == FTS_DP) continue;
    struct stat status;
    if (lstat(entry->fts_accpath, &status) != 0 || strlen(entry->fts_path) != entry->fts_pathlen) printf("wrong: ");
    puts(entry->fts_path);
  }
  fts_close(fts);
}

static void find(const char* pattern) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) return;
  for (size_t i = 0; i < found.gl_pathc; ++i) puts(found.gl_pathv[i]);
  globfree(&found);
}

static int scan(const char* folder) {
  struct dirent** names;
  const int count = scandir(folder, &names, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    if (names[i]->d_name[0] != '.') puts(names[i]->d_name);
    free(names[i]);
  }
  if (count >= 0) free(names);
  return count < 0;
}

static int only_cpu(void) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0 || CPU_COUNT(&cpus) != 1) return -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) return sched_getcpu() == cpu ? cpu : -2;
  }
  return -3;
}

static void* tell_cpu(void* unused) {
  (void)unused;
  return (void*)(intptr_t)only_cpu();
}

static int bind_to(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  return pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
}

/* A thread and a child inherit a CPU, a thread may be given another, and what its creator does later changes neither. */
static void bind_all(int first, int second) {
  void* told = NULL;
  pthread_t thread;
  pthread_attr_t attributes;
  cpu_set_t cpus;
  printf("%ld of %ld, %d of %d\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF), get_nprocs(),
         get_nprocs_conf());
  printf("bind %d: %s\n", second + first, strerror(bind_to(second + first)));
  bind_to(first);
  pthread_create(&thread, NULL, tell_cpu, NULL);
  pthread_join(thread, &told);
  printf("thread %d\n", (int)(intptr_t)told);
  pthread_attr_init(&attributes);
  CPU_ZERO(&cpus);
  CPU_SET(second, &cpus);
  pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
  printf("create: %s\n", strerror(pthread_create(&thread, &attributes, tell_cpu, NULL)));
  pthread_join(thread, &told);
  pthread_attr_destroy(&attributes);
  printf("bound thread %d, self %d\n", (int)(intptr_t)told, only_cpu());
  fflush(stdout);
  int begin[2];
  if (pipe(begin) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    const ssize_t got = read(begin[0], &byte, 1);
    printf("child %d (%d)\n", only_cpu(), (int)got);
    fflush(stdout);
    execlp("nproc", "nproc", (char*)NULL);
    _exit(1);
  }
  bind_to(second);
  const ssize_t sent = write(begin[1], "x", 1);
  (void)sent;
  waitpid(child, NULL, 0);
  printf("self %d\n", only_cpu());
}

int main(int count, char** words) {
  if (count < 3) return 2;
  if (strcmp(words[1], "nftw") == 0) return nftw(words[2], print, 8, FTW_PHYS);
  if (strcmp(words[1], "fts") == 0) walk(words[2]);
  if (strcmp(words[1], "glob") == 0) find(words[2]);
  if (strcmp(words[1], "scandir") == 0) return scan(words[2]);
  if (strcmp(words[1], "bind") == 0 && count > 3) bind_all(atoi(words[2]), atoi(words[3]));
  return 0;
}
