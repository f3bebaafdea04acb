// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_DEBUGFS_H
#define PMUFAB_LINUX_DEBUGFS_H

#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/types.h>

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

#endif
