// SPDX-License-Identifier: BSD-2-Clause
/* The kernel's printf with the %p extensions drivers use. */
#include <linux/bitmap.h>
#include <linux/ioport.h>
#include <linux/of.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "runtime.h"

struct output {
  char* to;
  size_t size;
  size_t length; /* of the whole text, including the part that did not fit */
};

struct spec {
  bool left, plus, space, alternate, zero;
  int width;     /* -1: none */
  int precision; /* -1: none */
};

static void put(struct output* out, char character) {
  if (out->length < out->size) out->to[out->length] = character;
  out->length++;
}

static void put_padded(struct output* out, const struct spec* spec, const char* text, size_t length) {
  int padding = spec->width > (int)length ? spec->width - (int)length : 0;
  if (!spec->left)
    for (; padding > 0; padding--) put(out, ' ');
  for (size_t i = 0; i < length; i++) put(out, text[i]);
  for (; padding > 0; padding--) put(out, ' ');
}

static void put_string(struct output* out, const struct spec* spec, const char* text) {
  if (!text) text = "(null)";
  size_t length = spec->precision >= 0 ? strnlen(text, (size_t)spec->precision) : strlen(text);
  put_padded(out, spec, text, length);
}

static void put_number(struct output* out, const struct spec* spec, u64 magnitude, bool negative, unsigned int base,
                       bool upper) {
  char digits[24];
  int count = 0;
  const char* alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  for (u64 rest = magnitude; rest; rest /= base) digits[count++] = alphabet[rest % base];
  if (count == 0 && spec->precision != 0) digits[count++] = '0';

  char prefix[4];
  int prefix_length = 0;
  if (negative)
    prefix[prefix_length++] = '-';
  else if (spec->plus)
    prefix[prefix_length++] = '+';
  else if (spec->space)
    prefix[prefix_length++] = ' ';
  if (spec->alternate && base != 10) {
    prefix[prefix_length++] = '0';
    if (base == 16) prefix[prefix_length++] = upper ? 'X' : 'x';
  }

  int zeros = spec->precision > count ? spec->precision - count : 0;
  int padding = spec->width - prefix_length - zeros - count;
  if (padding < 0) padding = 0;
  if (spec->zero && !spec->left && spec->precision < 0) {
    zeros += padding;
    padding = 0;
  }
  if (!spec->left)
    for (; padding > 0; padding--) put(out, ' ');
  for (int i = 0; i < prefix_length; i++) put(out, prefix[i]);
  for (; zeros > 0; zeros--) put(out, '0');
  while (count > 0) put(out, digits[--count]);
  for (; padding > 0; padding--) put(out, ' ');
}

static void put_hex(struct output* out, u64 value, int digits) {
  const struct spec spec = {.alternate = true, .zero = true, .width = digits + 2, .precision = -1};
  put_number(out, &spec, value, false, 16, false);
}

static void put_unsigned(struct output* out, u64 value) {
  const struct spec spec = {.width = -1, .precision = -1};
  put_number(out, &spec, value, false, 10, false);
}

/* "0,2-5,8" */
static void put_bit_list(struct output* out, const unsigned long* words, unsigned long bits) {
  bool first = true;
  for (unsigned long start = find_first_bit(words, bits); start < bits;) {
    unsigned long end = find_next_zero_bit(words, bits, start);
    if (!first) put(out, ',');
    first = false;
    put_unsigned(out, start);
    if (end - start > 1) {
      put(out, '-');
      put_unsigned(out, end - 1);
    }
    start = find_next_bit(words, bits, end);
  }
}

/* Groups of 32 bits in hexadecimal, most significant first, with commas. */
static void put_bit_words(struct output* out, const unsigned long* words, unsigned long bits) {
  for (long chunk = ((long)bits + 31) / 32 - 1; chunk >= 0; chunk--) {
    unsigned long bits_here = bits - (unsigned long)chunk * 32;
    if (bits_here > 32) bits_here = 32;
    u64 value = (words[chunk / 2] >> (chunk % 2 * 32)) & (bits_here == 32 ? 0xffffffffUL : (1UL << bits_here) - 1);
    const struct spec spec = {.zero = true, .width = (int)((bits_here + 3) / 4), .precision = -1};
    put_number(out, &spec, value, false, 16, false);
    if (chunk > 0) put(out, ',');
  }
}

static void put_resource(struct output* out, const struct resource* resource) {
  bool memory = resource->flags & IORESOURCE_MEM;
  const struct spec plain = {.width = -1, .precision = -1};
  put(out, '[');
  put_string(out, &plain, memory ? "mem " : resource->flags & IORESOURCE_IRQ ? "irq " : "res ");
  if (memory) {
    put_hex(out, resource->start, 8);
    put(out, '-');
    put_hex(out, resource->end, 8);
  } else {
    put_unsigned(out, resource->start);
    if (resource->start != resource->end) {
      put(out, '-');
      put_unsigned(out, resource->end);
    }
  }
  put(out, ']');
}

static void put_uuid(struct output* out, const u8* bytes) {
  const struct spec byte = {.zero = true, .width = 2, .precision = -1};
  for (int i = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) put(out, '-');
    put_number(out, &byte, bytes[i], false, 16, false);
  }
}

/* Prints a pointer according to `kind` (the letters after %p). Addresses are not shown, because they differ between
 * runs. */
static void put_pointer(struct output* out, struct spec* spec, const char* kind, const void* pointer) {
  if (kind[0] == 'V') {
    const struct va_format* nested = pointer;
    va_list arguments;
    va_copy(arguments, *nested->va);
    size_t room = out->length < out->size ? out->size - out->length : 0;
    out->length += (size_t)pmufab_vsnprintf(room ? out->to + out->length : NULL, room, nested->fmt, arguments);
    va_end(arguments);
  } else if (kind[0] == 'b') {
    unsigned long bits = spec->width > 0 ? (unsigned long)spec->width : 0;
    if (kind[1] == 'l')
      put_bit_list(out, pointer, bits);
    else
      put_bit_words(out, pointer, bits);
  } else if (kind[0] == 'h') {
    const char separator = kind[1] == 'C' ? ':' : kind[1] == 'D' ? '-' : kind[1] == 'N' ? 0 : ' ';
    for (int i = 0; i < (spec->width > 0 ? spec->width : 1); i++) {
      const struct spec byte = {.zero = true, .width = 2, .precision = -1};
      if (i > 0 && separator) put(out, separator);
      put_number(out, &byte, ((const u8*)pointer)[i], false, 16, false);
    }
  } else if (!pointer) {
    put_string(out, spec, "(null)");
  } else if (kind[0] == 'a') {
    put_hex(out, *(const phys_addr_t*)pointer, 16);
  } else if (kind[0] == 'R' || kind[0] == 'r') {
    put_resource(out, pointer);
  } else if (kind[0] == 'U') {
    put_uuid(out, pointer);
  } else if (kind[0] == 'e') {
    const struct spec plain = {.width = -1, .precision = -1};
    put_number(out, &plain, (u64) - (long)pointer, true, 10, false);
  } else if (kind[0] == 'O' && kind[1] == 'F') {
    put_string(out, spec, ((const struct device_node*)pointer)->name);
  } else {
    put_string(out, spec, "(____ptrval____)");
  }
}

static const char* parse_number(const char* at, int* number) {
  *number = 0;
  for (; isdigit(*at); at++) *number = *number * 10 + (*at - '0');
  return at;
}

int pmufab_vsnprintf(char* to, size_t size, const char* format, va_list arguments_in) {
  struct output out = {.to = to, .size = size};
  va_list arguments;
  va_copy(arguments, arguments_in);

  for (const char* at = format; *at; at++) {
    if (*at != '%') {
      put(&out, *at);
      continue;
    }
    struct spec spec = {.width = -1, .precision = -1};
    for (at++;; at++) {
      if (*at == '-')
        spec.left = true;
      else if (*at == '+')
        spec.plus = true;
      else if (*at == ' ')
        spec.space = true;
      else if (*at == '#')
        spec.alternate = true;
      else if (*at == '0')
        spec.zero = true;
      else
        break;
    }
    if (*at == '*') {
      spec.width = va_arg(arguments, int);
      if (spec.width < 0) {
        spec.left = true;
        spec.width = -spec.width;
      }
      at++;
    } else if (isdigit(*at)) {
      at = parse_number(at, &spec.width);
    }
    if (*at == '.') {
      at++;
      if (*at == '*') {
        spec.precision = va_arg(arguments, int);
        at++;
      } else {
        at = parse_number(at, &spec.precision);
      }
    }

    int size_of = sizeof(int);
    if (*at == 'h') {
      size_of = *++at == 'h' ? (at++, 1) : 2;
    } else if (*at == 'l') {
      size_of = 8;
      if (*++at == 'l') at++;
    } else if (*at == 'L' || *at == 'z' || *at == 't' || *at == 'j') {
      size_of = 8;
      at++;
    }

    switch (*at) {
      case 0:
        at--;
        break;
      case 'c': {
        const char character = (char)va_arg(arguments, int);
        put_padded(&out, &spec, &character, 1);
        break;
      }
      case 's':
        put_string(&out, &spec, va_arg(arguments, const char*));
        break;
      case 'p': {
        const void* pointer = va_arg(arguments, const void*);
        put_pointer(&out, &spec, at + 1, pointer);
        while (isalnum(at[1])) at++;
        break;
      }
      case 'd':
      case 'i': {
        s64 value = size_of == 8 ? va_arg(arguments, s64) : va_arg(arguments, int);
        if (size_of == 2) value = (s16)value;
        if (size_of == 1) value = (s8)value;
        put_number(&out, &spec, value < 0 ? -(u64)value : (u64)value, value < 0, 10, false);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        u64 value = size_of == 8 ? va_arg(arguments, u64) : va_arg(arguments, unsigned int);
        if (size_of == 2) value = (u16)value;
        if (size_of == 1) value = (u8)value;
        spec.plus = spec.space = false;
        put_number(&out, &spec, value, false, *at == 'u' ? 10 : *at == 'o' ? 8 : 16, *at == 'X');
        break;
      }
      default:
        put(&out, *at);
    }
  }
  va_end(arguments);
  if (size > 0) to[out.length < size ? out.length : size - 1] = 0;
  return (int)out.length;
}

int pmufab_snprintf(char* to, size_t size, const char* format, ...) { return PRINT(to, size, format); }

int pmufab_sprintf(char* to, const char* format, ...) { return PRINT(to, 0x7fffffff, format); }

int pmufab_scnprintf(char* to, size_t size, const char* format, ...) {
  const int length = size == 0 ? 0 : PRINT(to, size, format);
  return length < (int)size || size == 0 ? length : (int)size - 1;
}

int bitmap_print_to_pagebuf(bool list, char* buffer, const unsigned long* words, int bits) {
  return list ? pmufab_scnprintf(buffer, PAGE_SIZE - offset_in_page(buffer), "%*pbl\n", bits, words)
              : pmufab_scnprintf(buffer, PAGE_SIZE - offset_in_page(buffer), "%*pb\n", bits, words);
}
