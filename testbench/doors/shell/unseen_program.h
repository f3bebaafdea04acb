// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* Programs into which the system does not load the preload library. They would run on the host unnoticed. */

// NOLINTBEGIN: this is C, with C naming. C++ includes it too.
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* @return true for an ELF program of 64 bits that names no dynamic linker, and is none */
static inline bool pmufab_shell_is_static(int fd, const char* path) {
  const char* const slash = strrchr(path, '/');
  const char* const name = slash ? slash + 1 : path;
  Elf64_Ehdr header;
  if (strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld.so", 5) == 0) return false;
  if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header)) return false;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const off_t place = (off_t)(header.e_phoff + (uint64_t)i * header.e_phentsize);
    if (pread(fd, &part, sizeof(part), place) != (ssize_t)sizeof(part)) return false;
    if (part.p_type == PT_INTERP) return false;
  }
  return true;
}

/* @return why the library is not loaded into this program; null if it is */
static inline const char* pmufab_shell_unseen(const char* path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || access(path, X_OK) != 0) return NULL;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) return "runs as another user";
  if ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) return "runs as another group";
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NULL;
  const bool is_static = pmufab_shell_is_static(fd, path);
  close(fd);
  return is_static ? "is statically linked" : NULL;
}

/* Tells on standard error that a program about to be started will not see the platform, if that is so.
 * @param file  as execvp() takes it: a name without '/' is looked up in PATH */
static inline void pmufab_shell_tell_unseen(const char* file) {
  char path[4096];
  const char* place = strchr(file, '/') ? "" : getenv("PATH");
  if (!place) place = "/bin:/usr/bin";
  while (true) {
    const size_t length = strcspn(place, ":");
    const int size = snprintf(path, sizeof(path), "%.*s%s%s", (int)length, place, length > 0 ? "/" : "", file);
    if (size > 0 && (size_t)size < sizeof(path) && access(path, X_OK) == 0) break;
    if (place[length] == '\0') return;
    place += length + 1;
  }
  const char* const reason = pmufab_shell_unseen(path);
  if (!reason) return;
  // Not stdio: this may be the child of a fork(), and a thread that is not in it may have held the lock of stderr.
  char text[sizeof(path) + 128];
  const int size =
      snprintf(text, sizeof(text), "pmufab: %s %s: it runs on the host and does not see the platform\n", path, reason);
  const ssize_t written = size > 0 && (size_t)size < sizeof(text) ? write(STDERR_FILENO, text, (size_t)size) : 0;
  (void)written;
}
// NOLINTEND
