// SPDX-License-Identifier: BSD-2-Clause
/* Text, and numbers in text. */
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "runtime.h"

const uuid_t uuid_null;

ssize_t pmufab_strscpy(char* to, const char* from, size_t size) {
  if (size == 0) return -E2BIG;
  const size_t length = strnlen(from, size);
  const size_t copied = length < size ? length : size - 1;
  memcpy(to, from, copied);
  to[copied] = 0;
  return length < size ? (ssize_t)length : -E2BIG;
}

char* pmufab_strim(char* text) {
  while (isspace(*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace(text[length - 1])) length--;
  text[length] = 0;
  return text;
}

bool sysfs_streq(const char* left, const char* right) {
  for (; *left && *left == *right; left++) right++;
  if (*left == *right) return true;
  return (!*left && right[0] == '\n' && !right[1]) || (!*right && left[0] == '\n' && !left[1]);
}

int match_string(const char* const* strings, size_t count, const char* text) {
  for (size_t i = 0; i < count && strings[i]; i++)
    if (strcmp(strings[i], text) == 0) return (int)i;
  return -EINVAL;
}

size_t str_has_prefix(const char* text, const char* prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? length : 0;
}

bool strstarts(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

int kstrtoull(const char* text, unsigned int base, unsigned long long* value) {
  if (*text == '+') text++;
  const bool hexadecimal = text[0] == '0' && tolower(text[1]) == 'x' && isxdigit(text[2]);
  if (base == 0) base = hexadecimal ? 16 : text[0] == '0' ? 8 : 10;
  if (base == 16 && hexadecimal) text += 2;

  unsigned long long result = 0;
  bool any = false;
  for (; *text && !(text[0] == '\n' && !text[1]); text++) {
    const int character = tolower(*text);
    const unsigned int digit = isdigit(character)                       ? (unsigned int)(character - '0')
                               : (character >= 'a' && character <= 'f') ? (unsigned int)(character - 'a' + 10)
                                                                        : 99;
    if (digit >= base) return -EINVAL;
    if (__builtin_mul_overflow(result, base, &result) || __builtin_add_overflow(result, digit, &result)) return -ERANGE;
    any = true;
  }
  if (!any) return -EINVAL;
  *value = result;
  return 0;
}

int kstrtoll(const char* text, unsigned int base, long long* value) {
  const bool negative = *text == '-';
  unsigned long long magnitude;
  const int error = kstrtoull(text + negative, base, &magnitude);
  if (error) return error;
  if (magnitude > (unsigned long long)LLONG_MAX + negative) return -ERANGE;
  *value = negative ? (long long)-magnitude : (long long)magnitude;
  return 0;
}

#define NARROW(name, type, wide, parse)                        \
  int name(const char* text, unsigned int base, type* value) { \
    if (PMUFAB_CALL_FAILS()) return -EINVAL;                   \
    wide number;                                               \
    const int error = parse(text, base, &number);              \
    if (error) return error;                                   \
    if (number != (wide)(type)number) return -ERANGE;          \
    *value = (type)number;                                     \
    return 0;                                                  \
  }
NARROW(kstrtouint, unsigned int, unsigned long long, kstrtoull)
NARROW(kstrtou16, u16, unsigned long long, kstrtoull)
NARROW(kstrtou8, u8, unsigned long long, kstrtoull)
NARROW(kstrtoint, int, long long, kstrtoll)

int kstrtobool(const char* text, bool* value) {
  if (!text) return -EINVAL;
  switch (tolower(text[0])) {
    case 'y':
    case 't':
    case '1':
      *value = true;
      return 0;
    case 'n':
    case 'f':
    case '0':
      *value = false;
      return 0;
    case 'o':
      if (tolower(text[1]) != 'n' && tolower(text[1]) != 'f') return -EINVAL;
      *value = tolower(text[1]) == 'n';
      return 0;
    default:
      return -EINVAL;
  }
}

static void swap_bytes(char* left, char* right, size_t size) {
  for (size_t i = 0; i < size; i++) swap(left[i], right[i]);
}

/* Heap sort, as in the kernel: in place, and not stable. */
void pmufab_sort(void* base, size_t count, size_t size, cmp_func_t compare, swap_func_t swap_elements) {
  char* const start = base;
  for (size_t first = count / 2, last = count; last > 1;) {
    if (first > 0) {
      first--;
    } else {
      last--;
      if (swap_elements)
        swap_elements(start, start + last * size, (int)size);
      else
        swap_bytes(start, start + last * size, size);
    }
    for (size_t parent = first, child; (child = parent * 2 + 1) < last; parent = child) {
      if (child + 1 < last && compare(start + child * size, start + (child + 1) * size) < 0) child++;
      if (compare(start + parent * size, start + child * size) >= 0) break;
      if (swap_elements)
        swap_elements(start + parent * size, start + child * size, (int)size);
      else
        swap_bytes(start + parent * size, start + child * size, size);
    }
  }
}

static bool is_blank(char character) { return character == ' ' || (character >= '\t' && character <= '\r'); }

static int digit_of(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  return character >= 'A' && character <= 'F' ? character - 'A' + 10 : 16;
}

/* A number at the front of the text; null if there is none. */
static const char* scan_number(const char* text, unsigned int base, u64* value) {
  const bool negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && digit_of(text[2]) < 16;
  if (is_hex && (base == 0 || base == 16)) text += 2;
  if (base == 0) base = is_hex ? 16 : *text == '0' ? 8 : 10;
  if (digit_of(*text) >= (int)base) return NULL;
  for (*value = 0; digit_of(*text) < (int)base; text++) *value = *value * base + (u64)digit_of(*text);
  if (negative) *value = -*value;
  return text;
}

int sscanf(const char* text, const char* format, ...) {
  va_list arguments;
  int found = 0;
  va_start(arguments, format);
  for (; *format; format++) {
    if (is_blank(*format)) {
      while (is_blank(*text)) text++;
      continue;
    }
    if (*format != '%' || format[1] == '%') {
      if (*format == '%') format++;
      if (*text++ != *format) break;
      continue;
    }
    int size = sizeof(int);
    for (format++; *format == 'h' || *format == 'l'; format++) size = *format == 'l' ? 8 : size / 2;
    if (WARN(!strchr("diux", *format) || !*format, "sscanf: the conversion '%c' is not known\n", *format)) break;
    u64 value = 0;
    while (is_blank(*text)) text++;
    text = scan_number(text, *format == 'x' ? 16 : *format == 'i' ? 0 : 10, &value);
    if (!text) break;
    memcpy(va_arg(arguments, void*), &value, (size_t)size);
    found++;
  }
  va_end(arguments);
  return found;
}
