// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_KOBJECT_H
#define PMUFAB_LINUX_KOBJECT_H

#include <linux/container_of.h>
#include <linux/sysfs.h>
#include <linux/types.h>

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

#endif
