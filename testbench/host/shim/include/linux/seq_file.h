// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_SEQ_FILE_H
#define PMUFAB_LINUX_SEQ_FILE_H

#include <linux/fs.h>
#include <linux/types.h>

/* The text of a show function. The buffer grows as needed, so one call is enough. */
struct seq_file {
  char* buf;
  size_t size, count;
  void* private;
};
__printf(2, 3) void seq_printf(struct seq_file* file, const char* format, ...);
void seq_vprintf(struct seq_file* file, const char* format, va_list arguments);
void seq_puts(struct seq_file* file, const char* text);
void seq_putc(struct seq_file* file, char character);
int seq_write(struct seq_file* file, const void* data, size_t length);
#define DEFINE_SHOW_ATTRIBUTE(_name) \
  static const struct file_operations _name##_fops __maybe_unused = {.show = _name##_show}

#endif
