// SPDX-License-Identifier: BSD-2-Clause
/* Functions that open and list folders within the C library, where no other function of this library is called, and
 * those that say where something is. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

#define BELOW(folder, path) redirect(folder, path, (char[PATH_MAX]){0})
#define REDIRECTED(path) BELOW(AT_FDCWD, path)

// NOLINTBEGIN(bugprone-macro-parentheses): a type needs none
/* glob() takes other functions in place of its own ones, unless the program has already given some. */
#define DEFINE_GLOB(name, type, stat_type, read, get_status, get_link_status)                         \
  static void* open_for_##name(const char* path) { return opendir(path); }                            \
  static void close_for_##name(void* folder) { closedir(folder); }                                    \
  int name(const char* pattern, int flags, int (*failed)(const char*, int), type* found) {            \
    if (!is_connected() || flags & GLOB_ALTDIRFUNC) return NEXT(name)(pattern, flags, failed, found); \
    found->gl_opendir = open_for_##name;                                                              \
    found->gl_readdir = (__typeof__(found->gl_readdir))(void*)(read);                                 \
    found->gl_closedir = close_for_##name;                                                            \
    found->gl_stat = get_status;                                                                      \
    found->gl_lstat = get_link_status;                                                                \
    const int result = NEXT(name)(pattern, flags | GLOB_ALTDIRFUNC, failed, found);                   \
    found->gl_flags &= ~GLOB_ALTDIRFUNC;                                                              \
    return result;                                                                                    \
  }
// NOLINTEND(bugprone-macro-parentheses)
DEFINE_GLOB(glob, glob_t, stat, readdir, stat, lstat)
DEFINE_GLOB(glob64, glob64_t, stat64, readdir64, stat64, lstat64)

#define DEFINE_SCANDIR(name, below, type)                                                          \
  int name(const char* path, struct type*** found, int (*wanted)(const struct type*),              \
           int (*compare)(const struct type**, const struct type**)) {                             \
    return NEXT(name)(REDIRECTED(path), found, wanted, compare);                                   \
  }                                                                                                \
  int below(int folder, const char* path, struct type*** found, int (*wanted)(const struct type*), \
            int (*compare)(const struct type**, const struct type**)) {                            \
    return NEXT(below)(folder, BELOW(folder, path), found, wanted, compare);                       \
  }
DEFINE_SCANDIR(scandir, scandirat, dirent)
DEFINE_SCANDIR(scandir64, scandirat64, dirent64)

/* What ftw() and nftw() tell the program of: the names that it knows. One walk may begin within another. */
#define DEFINE_WALKS(suffix, stat_type)                                                                      \
  static __thread __ftw##suffix##_func_t told_by_ftw##suffix;                                                \
  static __thread __nftw##suffix##_func_t told_by_nftw##suffix;                                              \
  static int tell_ftw##suffix(const char* path, const struct stat_type* status, int kind) {                  \
    char shown[PATH_MAX];                                                                                    \
    snprintf(shown, sizeof(shown), "%s", path);                                                              \
    show(shown);                                                                                             \
    return told_by_ftw##suffix(shown, status, kind);                                                         \
  }                                                                                                          \
  static int tell_nftw##suffix(const char* path, const struct stat_type* status, int kind, struct FTW* at) { \
    char shown[PATH_MAX];                                                                                    \
    snprintf(shown, sizeof(shown), "%s", path);                                                              \
    show(shown);                                                                                             \
    struct FTW place = *at;                                                                                  \
    place.base -= (int)(strlen(path) - strlen(shown));                                                       \
    return told_by_nftw##suffix(shown, status, kind, &place);                                                \
  }                                                                                                          \
  int ftw##suffix(const char* path, __ftw##suffix##_func_t tell, int files) {                                \
    const char* real = REDIRECTED(path);                                                                     \
    if (real == path) return NEXT(ftw##suffix)(path, tell, files);                                           \
    const __ftw##suffix##_func_t before = told_by_ftw##suffix;                                               \
    told_by_ftw##suffix = tell;                                                                              \
    const int result = NEXT(ftw##suffix)(real, tell_ftw##suffix, files);                                     \
    told_by_ftw##suffix = before;                                                                            \
    return result;                                                                                           \
  }                                                                                                          \
  int nftw##suffix(const char* path, __nftw##suffix##_func_t tell, int files, int flags) {                   \
    const char* real = REDIRECTED(path);                                                                     \
    if (real == path) return NEXT(nftw##suffix)(path, tell, files, flags);                                   \
    const __nftw##suffix##_func_t before = told_by_nftw##suffix;                                             \
    told_by_nftw##suffix = tell;                                                                             \
    const int result = NEXT(nftw##suffix)(real, tell_nftw##suffix, files, flags);                            \
    told_by_nftw##suffix = before;                                                                           \
    return result;                                                                                           \
  }
DEFINE_WALKS(, stat)
DEFINE_WALKS(64, stat64)

/* fts works with the real paths. It shows the others between two calls. */
enum { kWalks = 16 };
static struct walk {
  FTS* walk;
  FTSENT* entry;
  char* path; /* the real one */
  unsigned short length;
  char shown[PATH_MAX];
} walks[kWalks];
static pthread_mutex_t walks_lock = PTHREAD_MUTEX_INITIALIZER;

/* @return the place of a walk; null if it is not in sysfs */
static struct walk* walk_of(FTS* fts) {
  struct walk* found = NULL;
  pthread_mutex_lock(&walks_lock);
  for (int i = 0; i < kWalks && !found; ++i) {
    if (walks[i].walk == fts) found = &walks[i];
  }
  pthread_mutex_unlock(&walks_lock);
  return found;
}

static void show_entry(FTS* fts, FTSENT* entry) {
  char shown[PATH_MAX];
  if (!entry || snprintf(shown, sizeof(shown), "%s", entry->fts_path) >= PATH_MAX || !show(shown)) return;
  struct walk* walk = walk_of(fts);
  if (!walk) {
    pthread_mutex_lock(&walks_lock);
    for (int i = 0; i < kWalks && !walk; ++i) {
      if (!walks[i].walk) walk = &walks[i];
    }
    if (walk) walk->walk = fts;
    pthread_mutex_unlock(&walks_lock);
  }
  if (!walk) return;
  strcpy(walk->shown, shown);
  walk->entry = entry;
  walk->path = entry->fts_path;
  walk->length = entry->fts_pathlen;
  entry->fts_path = walk->shown;
  entry->fts_pathlen = (unsigned short)strlen(shown);
}

static void hide_entry(FTS* fts) {
  struct walk* walk = walk_of(fts);
  if (!walk || !walk->entry) return;
  walk->entry->fts_path = walk->path;
  walk->entry->fts_pathlen = walk->length;
  walk->entry = NULL;
}

FTS* fts_open(char* const* paths, int flags, int (*compare)(const FTSENT**, const FTSENT**)) {
  size_t count = 0;
  while (paths[count]) ++count;
  char space[count + 1][PATH_MAX];
  char* real[count + 1];
  for (size_t i = 0; i < count; ++i) real[i] = (char*)redirect(AT_FDCWD, paths[i], space[i]);
  real[count] = NULL;
  return NEXT(fts_open)(real, flags, compare);
}

FTSENT* fts_read(FTS* fts) {
  hide_entry(fts);
  FTSENT* const entry = NEXT(fts_read)(fts);
  show_entry(fts, entry);
  return entry;
}

FTSENT* fts_children(FTS* fts, int flags) {
  struct walk* walk = walk_of(fts);
  FTSENT* const entry = walk ? walk->entry : NULL;
  hide_entry(fts);
  FTSENT* const children = NEXT(fts_children)(fts, flags);
  show_entry(fts, entry);
  return children;
}

int fts_close(FTS* fts) {
  struct walk* walk = walk_of(fts);
  hide_entry(fts);
  if (walk) {
    pthread_mutex_lock(&walks_lock);
    walk->walk = NULL;
    pthread_mutex_unlock(&walks_lock);
  }
  return NEXT(fts_close)(fts);
}

/* These are the same functions on 64 bits. */
FTS64* fts64_open(char* const* paths, int flags, int (*compare)(const FTSENT64**, const FTSENT64**)) {
  return (FTS64*)fts_open(paths, flags, (int (*)(const FTSENT**, const FTSENT**))(void*)compare);
}
FTSENT64* fts64_read(FTS64* fts) { return (FTSENT64*)fts_read((FTS*)fts); }
FTSENT64* fts64_children(FTS64* fts, int flags) { return (FTSENT64*)fts_children((FTS*)fts, flags); }
int fts64_close(FTS64* fts) { return fts_close((FTS*)fts); }

/* As realpath(3), with the names that programs know. */
char* realpath(const char* path, char* resolved) {
  char* const found = NEXT(realpath)(REDIRECTED(path), resolved);
  if (found) show(found);
  return found;
}
char* __realpath_chk(const char* path, char* resolved, size_t room) {
  if (room < PATH_MAX) abort();
  return realpath(path, resolved);
}
char* canonicalize_file_name(const char* path) { return realpath(path, NULL); }

char* getcwd(char* buffer, size_t size) {
  char place[PATH_MAX];
  if (!NEXT(getcwd)(place, sizeof(place)) || !show(place)) return NEXT(getcwd)(buffer, size);
  if (buffer && size <= strlen(place)) {
    errno = size ? ERANGE : EINVAL;
    return NULL;
  }
  return buffer ? strcpy(buffer, place) : strdup(place);
}
char* __getcwd_chk(char* buffer, size_t size, size_t room) {
  if (size > room) abort();
  return getcwd(buffer, size);
}
char* get_current_dir_name(void) { return getcwd(NULL, 0); }

// NOLINTEND(readability-identifier-naming)
