// SPDX-License-Identifier: BSD-2-Clause
/* The one place that says which path leads where: /sys as a whole, /dev/cxl and some files of /proc are the platform's. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"

/* Files of /proc that tell of the platform; they lie in the folder `proc` beside the one in place of /sys. */
static const char* const kTheirs[] = {"cpuinfo", "stat", "sys/kernel/perf_event_paranoid"};

static const char* sysfs(void) { return is_connected() ? getenv(PMUFAB_SHELL_SYSFS) : NULL; }

/* @return `path` without leading slashes and folders "." */
static const char* skip(const char* path) {
  while (*path == '/' || (path[0] == '.' && (path[1] == '/' || path[1] == '\0'))) ++path;
  return path;
}

/* @return what follows the first name in `path`, if that is `name`; or null */
static const char* below(const char* path, const char* name) {
  const size_t length = strlen(name);
  return strncmp(path, name, length) == 0 && (path[length] == '/' || path[length] == '\0') ? path + length : NULL;
}

/* @return where `path`, below a folder, has left that folder by "..", or null */
static const char* outside(const char* path) {
  int depth = 0;
  for (path = skip(path); *path; path = skip(path + strcspn(path, "/"))) {
    if (!below(path, "..")) {
      ++depth;
    } else if (--depth < 0) {
      return path + 2;
    }
  }
  return NULL;
}

/* @param path  without leading slashes. @return the platform's path, in `space`; null: it is not the platform's */
static const char* platforms(const char* path, char* space) {
  const char* root = sysfs();
  const char* rest;
  for (rest = below(path, ".."); rest; rest = below(path, "..")) path = skip(rest);
  rest = below(path, "sys");
  if (rest) {
    const char* left = outside(rest);
    if (left) {
      const char* other = platforms(skip(left), space);
      if (other) return other;
      return snprintf(space, PATH_MAX, "/%s", skip(left)) < PATH_MAX ? space : NULL;
    }
    return snprintf(space, PATH_MAX, "%s%s", root, rest) < PATH_MAX ? space : NULL;
  }
  rest = below(path, "dev");
  if (rest && below(skip(rest), "cxl")) {
    const int length = (int)(strrchr(root, '/') - root);
    return snprintf(space, PATH_MAX, "%.*s/dev/%s", length, root, skip(rest)) < PATH_MAX ? space : NULL;
  }
  rest = below(path, "proc");
  for (size_t i = 0; rest && i < sizeof(kTheirs) / sizeof(kTheirs[0]); ++i) {
    if (strcmp(skip(rest), kTheirs[i]) == 0 &&
        snprintf(space, PATH_MAX, "%.*s/proc/%s", (int)(strrchr(root, '/') - root), root, kTheirs[i]) < PATH_MAX)
      return space;
  }
  return NULL;
}

/* @return true if a path that is not absolute may lead from some folder to a file of the platform */
static bool may_lead_there(const char* path) {
  const char* first = skip(path);
  const char* name = strrchr(path, '/');
  name = name ? name + 1 : path;
  return below(first, "..") || below(first, "sys") || below(first, "proc") || strcmp(name, "cpuinfo") == 0 ||
         strcmp(name, "stat") == 0 || strcmp(name, "perf_event_paranoid") == 0;
}

/* As redirect(), for a path that is not absolute. */
static const char* from_folder(int folder, const char* path, char* space) {
  char link[64], place[2 * PATH_MAX];
  if (folder == AT_FDCWD) {
    snprintf(link, sizeof(link), "/proc/self/cwd");
  } else {
    snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
  }
  const ssize_t size = NEXT(readlink)(link, place, PATH_MAX - 1);
  if (size <= 0 || place[0] != '/') return path;
  place[size] = '\0';
  const bool was_theirs = show(place);
  size_t length = strlen(place);
  const char* rest = skip(path);
  for (const char* above = below(rest, ".."); above; above = below(rest, "..")) {
    while (length > 0 && place[length - 1] != '/') --length; /* the folder's name is that of no link */
    if (length > 0) --length;
    rest = skip(above);
  }
  snprintf(place + length, sizeof(place) - length, "/%s", rest);
  const char* found = platforms(skip(place), space);
  if (found) return found;
  return was_theirs && snprintf(space, PATH_MAX, "%s", place) < PATH_MAX ? space : path;
}

const char* redirect(int folder, const char* path, char* space) {
  if (!path || !*path || !sysfs()) return path;
  if (path[0] != '/') return may_lead_there(path) ? from_folder(folder, path, space) : path;
  const char* found = platforms(skip(path), space);
  return found ? found : path;
}

bool show(char* path) {
  const char* root = sysfs();
  if (!root) return false;
  const char* rest = below(path, root);
  if (rest) {
    memmove(path + 4, rest, strlen(rest) + 1);
    memcpy(path, "/sys", 4);
    return true;
  }
  const size_t length = (size_t)(strrchr(root, '/') - root);
  if (strncmp(path, root, length) != 0 || !(below(path + length, "/proc") || below(path + length, "/dev")))
    return false;
  memmove(path, path + length, strlen(path + length) + 1);
  return true;
}
