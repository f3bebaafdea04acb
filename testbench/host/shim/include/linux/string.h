// SPDX-License-Identifier: BSD-2-Clause
#pragma once

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

#define isdigit(c) ((c) >= '0' && (c) <= '9')
#define islower(c) ((c) >= 'a' && (c) <= 'z')
#define isupper(c) ((c) >= 'A' && (c) <= 'Z')
#define isalpha(c) (islower(c) || isupper(c))
#define isalnum(c) (isalpha(c) || isdigit(c))
#define isspace(c) ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))
#define isxdigit(c) (isdigit(c) || ((c) >= 'a' && (c) <= 'f') || ((c) >= 'A' && (c) <= 'F'))
#define isprint(c) ((c) >= ' ' && (c) <= '~')
#define tolower(c) (isupper(c) ? (c) - 'A' + 'a' : (c))
#define toupper(c) (islower(c) ? (c) - 'a' + 'A' : (c))

/* The whole text (one trailing newline allowed) as a number; -EINVAL or -ERANGE. Base 0 reads 0x and 0 prefixes. */
int kstrtoull(const char* text, unsigned int base, unsigned long long* value);
int kstrtoll(const char* text, unsigned int base, long long* value);
int kstrtouint(const char* text, unsigned int base, unsigned int* value);
int kstrtoint(const char* text, unsigned int base, int* value);
int kstrtou16(const char* text, unsigned int base, u16* value);
int kstrtou8(const char* text, unsigned int base, u8* value);
int kstrtobool(const char* text, bool* value);
static inline int kstrtoul(const char* text, unsigned int base, unsigned long* value) {
  return kstrtoull(text, base, (unsigned long long*)value);
}
/* Signed variables are passed here too, as in the kernel. */
#define kstrtou32(text, base, value) kstrtouint((text), (base), (unsigned int*)(value))
#define kstrtos32(text, base, value) kstrtoint((text), (base), (value))
#define kstrtou64(text, base, value) kstrtoull((text), (base), (value))

static inline u16 get_unaligned_le16(const void* from) {
  u16 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
static inline u32 get_unaligned_le24(const void* from) {
  const u8* bytes = from;
  return bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16;
}
static inline u32 get_unaligned_le32(const void* from) {
  u32 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
static inline u64 get_unaligned_le64(const void* from) {
  u64 value;
  memcpy(&value, from, sizeof(value));
  return value;
}

typedef int (*cmp_func_t)(const void* left, const void* right);
typedef void (*swap_func_t)(void* left, void* right, int size);
#define sort pmufab_sort
void pmufab_sort(void* base, size_t count, size_t size, cmp_func_t compare, swap_func_t swap_elements);

#define UUID_SIZE 16
typedef struct {
  __u8 b[UUID_SIZE]; /* in printing order */
} uuid_t;
typedef struct {
  __u8 b[UUID_SIZE];
} guid_t;
#define UUID_INIT(a, b, c, d0, d1, d2, d3, d4, d5, d6, d7)                                                     \
  ((uuid_t){{((a) >> 24) & 0xff, ((a) >> 16) & 0xff, ((a) >> 8) & 0xff, (a)&0xff, ((b) >> 8) & 0xff, (b)&0xff, \
             ((c) >> 8) & 0xff, (c)&0xff, (d0), (d1), (d2), (d3), (d4), (d5), (d6), (d7)}})
extern const uuid_t uuid_null;
static inline bool uuid_equal(const uuid_t* left, const uuid_t* right) {
  return memcmp(left, right, sizeof(uuid_t)) == 0;
}
static inline bool uuid_is_null(const uuid_t* uuid) { return uuid_equal(uuid, &uuid_null); }
static inline void uuid_copy(uuid_t* to, const uuid_t* from) { *to = *from; }
static inline void export_uuid(__u8* to, const uuid_t* from) { memcpy(to, from, sizeof(uuid_t)); }
static inline void import_uuid(uuid_t* to, const __u8* from) { memcpy(to, from, sizeof(uuid_t)); }
