// SPDX-License-Identifier: BSD-2-Clause
/* Starting programs: those that this library cannot be loaded into are told. */
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"
#include "testbench/doors/shell/unseen_program.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

/* A program of another architecture has a library of its own (tools/fetch-perf --arm64). What it starts has this one. */
__attribute__((constructor)) static void hand_on_preload(void) {
  const char* const library = getenv("PMUFAB_SHELL_PRELOAD");
  if (!library) return;
  setenv("LD_PRELOAD", library, 1);
  unsetenv("PMUFAB_SHELL_PRELOAD");
}

static void look_at(const char* file) {
  if (is_connected() && file) pmufab_shell_tell_unseen(file);
}

/* Where a path is needed, a name without '/' is a file of the current folder. */
static void look_at_path(const char* path) {
  char here[4096];
  if (path && !strchr(path, '/') && snprintf(here, sizeof(here), "./%s", path) < (int)sizeof(here)) path = here;
  look_at(path);
}

/* @param path  of a file below the open `folder`; empty: `folder` is the file */
static void look_below(int folder, const char* path) {
  char link[64];
  char place[4096];
  char file[2 * sizeof(place)];
  if (folder == AT_FDCWD || path[0] == '/') {
    look_at_path(path);
    return;
  }
  snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
  const ssize_t size = readlink(link, place, sizeof(place) - 1);
  if (size < 0) return;
  place[size] = '\0';
  snprintf(file, sizeof(file), "%s%s%s", place, path[0] ? "/" : "", path);
  /* A file that has no name any more still has this one. */
  look_at(access(file, X_OK) == 0 || path[0] ? file : link);
}

/* The words of a list that a null pointer ends: `words`, an array on the caller's stack, and after them the rest of the
 * list, `list`. */
// NOLINTBEGIN(bugprone-macro-parentheses): `words` is declared here, and `list` is a name for va_arg
#define COLLECT_WORDS(first, words, list)                                         \
  size_t count = 0;                                                               \
  va_start(list, first);                                                          \
  for (const char* word = first; word; word = va_arg(list, const char*)) count++; \
  va_end(list);                                                                   \
  char* words[count + 1];                                                         \
  va_start(list, first);                                                          \
  words[0] = (char*)first;                                                        \
  for (size_t i = 1; i <= count; ++i) words[i] = va_arg(list, char*)
// NOLINTEND(bugprone-macro-parentheses)

int execl(const char* path, const char* first, ...) {
  va_list list;
  COLLECT_WORDS(first, words, list);
  va_end(list);
  return execv(path, words);
}

int execlp(const char* file, const char* first, ...) {
  va_list list;
  COLLECT_WORDS(first, words, list);
  va_end(list);
  return execvp(file, words);
}

int execle(const char* path, const char* first, ...) {
  va_list list;
  COLLECT_WORDS(first, words, list);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, words, environment);
}

int fexecve(int fd, char* const words[], char* const environment[]) {
  look_below(fd, "");
  return NEXT(fexecve)(fd, words, environment);
}

int execveat(int folder, const char* path, char* const words[], char* const environment[], int flags) {
  if (path[0] || flags & AT_EMPTY_PATH) look_below(folder, path);
  return NEXT(execveat)(folder, path, words, environment, flags);
}

int execve(const char* path, char* const words[], char* const environment[]) {
  look_at_path(path);
  return NEXT(execve)(path, words, environment);
}

int execv(const char* path, char* const words[]) {
  look_at_path(path);
  return NEXT(execv)(path, words);
}

int execvp(const char* file, char* const words[]) {
  look_at(file);
  return NEXT(execvp)(file, words);
}

int execvpe(const char* file, char* const words[], char* const environment[]) {
  look_at(file);
  return NEXT(execvpe)(file, words, environment);
}

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const words[], char* const environment[]) {
  look_at_path(path);
  return NEXT(posix_spawn)(pid, path, actions, attributes, words, environment);
}

int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const words[], char* const environment[]) {
  look_at(file);
  return NEXT(posix_spawnp)(pid, file, actions, attributes, words, environment);
}

// NOLINTEND(readability-identifier-naming)
