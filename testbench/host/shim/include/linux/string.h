// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_STRING_H
#define PMUFAB_LINUX_STRING_H

#include <linux/types.h>

/* Functions that the C library has with the same name and meaning are taken from there. */
void* memcpy(void* to, const void* from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int byte, size_t size);
int memcmp(const void* left, const void* right, size_t size);
void* memchr(const void* in, int byte, size_t size);
size_t strlen(const char* text);
size_t strnlen(const char* text, size_t limit);
int strcmp(const char* left, const char* right);
int strncmp(const char* left, const char* right, size_t limit);
int strcasecmp(const char* left, const char* right);
int strncasecmp(const char* left, const char* right, size_t limit);
char* strcpy(char* to, const char* from);
char* strncpy(char* to, const char* from, size_t limit);
char* strcat(char* to, const char* from);
char* strchr(const char* text, int character);
char* strrchr(const char* text, int character);
char* strstr(const char* text, const char* part);
size_t strspn(const char* text, const char* accept);
size_t strcspn(const char* text, const char* reject);
char* strsep(char** text, const char* separators);

#define strscpy(to, from, size...) pmufab_strscpy((to), (from), (sizeof(to), ##size))
#define strscpy_pad strscpy
#define strim pmufab_strim
ssize_t pmufab_strscpy(char* to, const char* from, size_t size);
char* pmufab_strim(char* text);
bool sysfs_streq(const char* left, const char* right);
int match_string(const char* const* strings, size_t count, const char* text);
bool strstarts(const char* text, const char* prefix);
size_t str_has_prefix(const char* text, const char* prefix);
/* Conversions d, i, u and x, with h, hh, l and ll. */
__attribute__((__format__(__scanf__, 2, 3))) int sscanf(const char* text, const char* format, ...);
static inline const char* str_yes_no(bool value) { return value ? "yes" : "no"; }
static inline const char* str_plural(size_t count) { return count == 1 ? "" : "s"; }
static inline const char* str_enabled_disabled(bool value) { return value ? "enabled" : "disabled"; }

#endif
