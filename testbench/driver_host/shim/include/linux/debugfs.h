#ifndef PMUFAB_LINUX_DEBUGFS_H
#define PMUFAB_LINUX_DEBUGFS_H

#include <linux/seq_file.h>
#include <linux/types.h>

struct dentry;
/* debugfs takes everything and shows nothing. */
static inline struct dentry* debugfs_create_dir(const char* name, struct dentry* parent) {
  (void)name, (void)parent;
  return 0;
}
static inline struct dentry* debugfs_create_file(const char* name, umode_t mode, struct dentry* parent, void* data,
                                                 const struct file_operations* operations) {
  (void)name, (void)mode, (void)parent, (void)data, (void)operations;
  return 0;
}
static inline void debugfs_remove(struct dentry* entry) { (void)entry; }
#define debugfs_remove_recursive debugfs_remove

#endif
