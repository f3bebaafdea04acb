// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_KSTRTOX_H
#define PMUFAB_LINUX_KSTRTOX_H
#include <linux/types.h>
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
#endif
