// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/compiler_types.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/version.h>

struct file;
struct kobject;
struct bin_attribute;

/* Since Linux 6.16, functions of binary files get constant ones. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define PMUFAB_BIN_CONST const
#else
#define PMUFAB_BIN_CONST
#endif

struct attribute {
  const char* name;
  umode_t mode;
};
struct bin_attribute {
  struct attribute attr;
  size_t size;
  void* private;
  ssize_t (*read)(struct file* file, struct kobject* kobj, PMUFAB_BIN_CONST struct bin_attribute* attr, char* buffer,
                  loff_t offset, size_t count);
};
struct attribute_group {
  const char* name;
  umode_t (*is_visible)(struct kobject* kobj, struct attribute* attr, int index);
  umode_t (*is_bin_visible)(struct kobject* kobj, PMUFAB_BIN_CONST struct bin_attribute* attr, int index);
  struct attribute** attrs;
  PMUFAB_BIN_CONST struct bin_attribute* PMUFAB_BIN_CONST* bin_attrs;
};

#define S_IRUGO 0444
#define S_IRUSR 0400
#define S_IWUSR 0200
#define SYSFS_PREALLOC 010000
/* As a mode: hides the whole group, folder included. */
#define SYSFS_GROUP_INVISIBLE 020000

#define __ATTR(_name, _mode, _show, _store) \
  { .attr = {.name = __stringify(_name), .mode = (_mode)}, .show = _show, .store = _store, }
#define __ATTR_RO(_name) __ATTR(_name, 0444, _name##_show, 0)
#define __ATTR_RO_MODE(_name, _mode) __ATTR(_name, _mode, _name##_show, 0)
#define __ATTR_RW(_name) __ATTR(_name, 0644, _name##_show, _name##_store)
#define __ATTR_WO(_name) __ATTR(_name, 0200, 0, _name##_store)
#define __ATTR_NULL      \
  {                      \
    .attr = {.name = 0 } \
  }
#define __ATTRIBUTE_GROUPS(_name) static const struct attribute_group* _name##_groups[] = {&_name##_group, 0}
#define ATTRIBUTE_GROUPS(_name)                                                 \
  static const struct attribute_group _name##_group = {.attrs = _name##_attrs}; \
  __ATTRIBUTE_GROUPS(_name)

#define __BIN_ATTR(_name, _mode, _read, _write, _size) \
  { .attr = {.name = __stringify(_name), .mode = (_mode)}, .size = (_size), .read = _read, }
#define BIN_ATTR_RO(_name, _size) \
  struct bin_attribute bin_attr_##_name = __BIN_ATTR(_name, 0444, _name##_read, 0, _size)

/* Into a buffer of one page, aligned to it. */
__printf(2, 3) int sysfs_emit(char* buffer, const char* format, ...);
__printf(3, 4) int sysfs_emit_at(char* buffer, int at, const char* format, ...);

static inline int sysfs_update_group(struct kobject* kobj, const struct attribute_group* group) {
  (void)kobj, (void)group;
  return 0;
}
/* Files are never watched. */
struct kernfs_node;
static inline struct kernfs_node* sysfs_get_dirent(struct kernfs_node* parent, const char* name) {
  (void)name;
  return parent;
}
static inline void sysfs_put(struct kernfs_node* node) { (void)node; }
static inline void sysfs_notify_dirent(struct kernfs_node* node) { (void)node; }

struct kobject {
  const char* name;
  struct kobject* parent;
  struct kernfs_node* sd;
};
struct kobj_attribute {
  struct attribute attr;
  ssize_t (*show)(struct kobject* kobj, struct kobj_attribute* attr, char* buffer);
  ssize_t (*store)(struct kobject* kobj, struct kobj_attribute* attr, const char* buffer, size_t count);
};
static inline const char* kobject_name(const struct kobject* kobj) { return kobj->name; }
