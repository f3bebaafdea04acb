// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/types.h>

struct seq_file;
struct cdev;
struct module;
struct inode {
  struct cdev* i_cdev;
};
struct file {
  void* private_data;
};
struct file_operations {
  int (*show)(struct seq_file* file, void* data); /* the only operation a debugfs file has here */
  /* For character devices, which are never opened. */
  struct module* owner;
  int (*open)(struct inode* inode, struct file* file);
  int (*release)(struct inode* inode, struct file* file);
  long (*unlocked_ioctl)(struct file* file, unsigned int command, unsigned long argument);
  long (*compat_ioctl)(struct file* file, unsigned int command, unsigned long argument);
  loff_t (*llseek)(struct file* file, loff_t offset, int whence);
};
#define compat_ptr_ioctl ((long (*)(struct file*, unsigned int, unsigned long))0)
#define noop_llseek ((loff_t(*)(struct file*, loff_t, int))0)
#define MINORBITS 20
#define MKDEV(major, minor) (((u32)(major) << MINORBITS) | (u32)(minor))
#define MAJOR(device) ((unsigned int)(device) >> MINORBITS)
static inline int alloc_chrdev_region(dev_t* device, unsigned int first, unsigned int count, const char* name) {
  (void)first, (void)count, (void)name;
  *device = MKDEV(250, 0);
  return 0;
}
static inline void unregister_chrdev_region(dev_t device, unsigned int count) { (void)device, (void)count; }

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

struct dentry;
/* Folders and files below debugfs's root (parent: null). The error pointer -EEXIST if the name is taken. */
struct dentry* debugfs_create_dir(const char* name, struct dentry* parent);
struct dentry* debugfs_create_file(const char* name, umode_t mode, struct dentry* parent, void* data,
                                   const struct file_operations* operations);
/* Files of debugfs that hold a value exist in name only, because they cannot be written. */
static inline void debugfs_create_bool(const char* name, umode_t mode, struct dentry* parent, bool* value) {
  (void)name, (void)mode, (void)parent, (void)value;
}
/* Remove an entry with everything below it. Does nothing for null and error pointers. */
void debugfs_remove(struct dentry* entry);
#define debugfs_remove_recursive debugfs_remove
static inline bool debugfs_initialized(void) { return true; }
