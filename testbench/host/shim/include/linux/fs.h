// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_FS_H
#define PMUFAB_LINUX_FS_H
#include <linux/uaccess.h>
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
#endif
