// SPDX-License-Identifier: BSD-2-Clause
/* Starting programs: those that this library cannot be loaded into are told. */
#include <spawn.h>
#include <unistd.h>

#include "testbench/shell/preload/preload.h"
#include "testbench/shell/unseen_program.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

static void look_at(const char* file) {
  if (is_connected() && file) pmufab_shell_tell_unseen(file);
}

/* Where a path is needed, a name without '/' is a file of the current folder. */
static void look_at_path(const char* path) {
  char here[4096];
  if (path && !strchr(path, '/') && snprintf(here, sizeof(here), "./%s", path) < (int)sizeof(here)) path = here;
  look_at(path);
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
