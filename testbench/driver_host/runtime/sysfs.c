// SPDX-License-Identifier: BSD-2-Clause
/* Attribute groups and the text of attributes. */
#include <linux/sysfs.h>

#include "runtime.h"

int sysfs_emit(char* buffer, const char* format, ...) {
  if (WARN(!buffer || offset_in_page(buffer), "invalid sysfs_emit: the buffer is not a page\n")) return 0;
  va_list arguments;
  va_start(arguments, format);
  const int length = pmufab_vsnprintf(buffer, PAGE_SIZE, format, arguments);
  va_end(arguments);
  return min(length, (int)PAGE_SIZE - 1);
}

int sysfs_emit_at(char* buffer, int at, const char* format, ...) {
  if (WARN(!buffer || offset_in_page(buffer) || at < 0 || at >= (int)PAGE_SIZE, "invalid sysfs_emit_at: at %d\n", at))
    return 0;
  va_list arguments;
  va_start(arguments, format);
  const int length = pmufab_vsnprintf(buffer + at, PAGE_SIZE - (size_t)at, format, arguments);
  va_end(arguments);
  return min(length, (int)PAGE_SIZE - 1 - at);
}

ssize_t device_show_string(struct device* dev, struct device_attribute* attr, char* buffer) {
  (void)dev;
  return sysfs_emit(buffer, "%s\n", (const char*)container_of(attr, struct dev_ext_attribute, attr)->var);
}

ssize_t device_show_ulong(struct device* dev, struct device_attribute* attr, char* buffer) {
  (void)dev;
  return sysfs_emit(buffer, "%lx\n", *(unsigned long*)container_of(attr, struct dev_ext_attribute, attr)->var);
}

ssize_t device_show_int(struct device* dev, struct device_attribute* attr, char* buffer) {
  (void)dev;
  return sysfs_emit(buffer, "%d\n", *(int*)container_of(attr, struct dev_ext_attribute, attr)->var);
}

ssize_t perf_event_sysfs_show(struct device* dev, struct device_attribute* attr, char* page) {
  const struct perf_pmu_events_attr* event = container_of(attr, struct perf_pmu_events_attr, attr);
  (void)dev;
  return event->event_str ? sysfs_emit(page, "%s\n", event->event_str) : 0;
}

void pmufab_sysfs_free(struct pmufab_sysfs_file* files, size_t count) {
  for (size_t i = 0; i < count; i++) kfree(files[i].path);
  kfree(files);
}

bool pmufab_sysfs_is_name(const char* name) {
  enum { kLongest = 255 };
  return name && name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strchr(name, '/') &&
         strnlen(name, kLongest + 1) <= kLongest;
}

static int add_file(const char* group, struct attribute* attr, struct pmufab_sysfs_file** files, size_t* count) {
  if (WARN(!pmufab_sysfs_is_name(attr->name), "An attribute cannot be called '%.100s'.\n", attr->name)) return -EINVAL;
  char* path = group ? kasprintf(GFP_KERNEL, "%s/%s", group, attr->name) : kstrdup(attr->name, GFP_KERNEL);
  for (size_t i = 0; i < *count; i++) {
    if (strcmp((*files)[i].path, path) != 0) continue;
    pr_warn("sysfs: cannot create duplicate filename '%s'\n", path);
    kfree(path);
    return -EEXIST;
  }
  struct pmufab_sysfs_file* grown = krealloc(*files, (*count + 1) * sizeof(**files), GFP_KERNEL);
  if (!grown) {
    kfree(path);
    return -ENOMEM;
  }
  *files = grown;
  grown[*count] =
      (struct pmufab_sysfs_file){.path = path, .attribute = container_of(attr, struct device_attribute, attr)};
  ++*count;
  return 0;
}

int pmufab_sysfs_collect(struct device* dev, const struct attribute_group** groups, struct pmufab_sysfs_file** files,
                         size_t* count) {
  for (; groups && *groups; groups++) {
    const struct attribute_group* group = *groups;
    for (int index = 0; group->attrs && group->attrs[index]; index++) {
      struct attribute* attr = group->attrs[index];
      umode_t mode = group->is_visible ? group->is_visible(&dev->kobj, attr, index) : attr->mode;
      if (index == 0 && mode & SYSFS_GROUP_INVISIBLE) break; /* only the first one hides the group */
      mode &= (umode_t)~SYSFS_GROUP_INVISIBLE;
      if (mode == 0) continue;
      WARN(mode & ~(SYSFS_PREALLOC | 0664), "Attribute %s: Invalid permissions 0%o\n", attr->name, mode);
      const int error = add_file(group->name, attr, files, count);
      if (error) return error;
    }
  }
  return 0;
}
