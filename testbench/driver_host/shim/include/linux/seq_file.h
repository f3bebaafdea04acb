#ifndef PMUFAB_LINUX_SEQ_FILE_H
#define PMUFAB_LINUX_SEQ_FILE_H

#include <linux/fs.h>
#include <linux/types.h>

struct seq_file {
  char* buf;
  size_t size, count;
  void* private;
};
__printf(2, 3) void seq_printf(struct seq_file* file, const char* format, ...);
void seq_puts(struct seq_file* file, const char* text);
void seq_putc(struct seq_file* file, char character);
#define DEFINE_SHOW_ATTRIBUTE(_name) \
  static const struct file_operations _name##_fops __maybe_unused = {.show = _name##_show}

#endif
