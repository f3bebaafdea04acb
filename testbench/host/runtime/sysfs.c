// SPDX-License-Identifier: BSD-2-Clause
/* Attribute groups and the text of attributes. */
#include <linux/sysfs.h>

#include "runtime.h"

/* What does not fit into the page is lost, and the kernel does not say so. */
static int cut_at(int length, int room, const void* place) {
  if (length >= room)
    pmufab_rule(place,
                "a text of %d bytes is cut, because a page has room for %d of them; it was given to sysfs_emit()",
                length, room - 1);
  return min(length, room - 1);
}

int sysfs_emit(char* buffer, const char* format, ...) {
  if (WARN(!buffer || offset_in_page(buffer), "invalid sysfs_emit: the buffer is not a page\n")) return 0;
  return cut_at(PRINT(buffer, PAGE_SIZE, format), (int)PAGE_SIZE, PLACE);
}

int sysfs_emit_at(char* buffer, int at, const char* format, ...) {
  if (WARN(!buffer || offset_in_page(buffer) || at < 0 || at >= (int)PAGE_SIZE, "invalid sysfs_emit_at: at %d\n", at))
    return 0;
  return cut_at(PRINT(buffer + at, PAGE_SIZE - (size_t)at, format), (int)PAGE_SIZE - at, PLACE);
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

static int add_file(const char* group, const struct attribute* attr, const struct pmufab_sysfs_file* file,
                    struct pmufab_sysfs_file** files, size_t* count) {
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
  grown[*count] = *file;
  grown[*count].path = path;
  ++*count;
  return 0;
}

/* The kernel hides what has no permission. */
static umode_t checked_mode(const struct attribute* attr, umode_t mode) {
  WARN(mode & ~(SYSFS_PREALLOC | 0664), "Attribute %s: Invalid permissions 0%o\n", attr->name, mode);
  return mode & 0777;
}

static int collect_binary(struct device* dev, const struct attribute_group* group, struct pmufab_sysfs_file** files,
                          size_t* count) {
  for (int index = 0; group->bin_attrs && group->bin_attrs[index]; index++) {
    const struct bin_attribute* attr = group->bin_attrs[index];
    const umode_t mode = group->is_bin_visible
                             ? group->is_bin_visible(&dev->kobj, (PMUFAB_BIN_CONST struct bin_attribute*)attr, index)
                             : attr->attr.mode;
    if (mode == 0) continue;
    const struct pmufab_sysfs_file file = {.binary = attr, .mode = checked_mode(&attr->attr, mode)};
    const int error = add_file(group->name, &attr->attr, &file, files, count);
    if (error) return error;
  }
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
      const struct pmufab_sysfs_file file = {.attribute = container_of(attr, struct device_attribute, attr),
                                             .mode = checked_mode(attr, mode)};
      const int error = add_file(group->name, attr, &file, files, count);
      if (error) return error;
    }
    const int error = collect_binary(dev, group, files, count);
    if (error) return error;
  }
  return 0;
}

enum { kBound = 0xcc, kBoundSize = 64 };

char* pmufab_sysfs_buffer(void) { return pmufab_libc_alloc_page(2 * PAGE_SIZE); }

/* perf reads these, and does without others. */
static bool is_for_perf(const char* path) {
  return strncmp(path, "events/", 7) == 0 || strncmp(path, "format/", 7) == 0 || strcmp(path, "cpumask") == 0 ||
         strcmp(path, "cpus") == 0;
}

bool pmufab_sysfs_check(const void* place, const char* function, const char* owner, const char* path, ssize_t returned,
                        const char* buffer) {
  const ssize_t written = (ssize_t)strnlen(buffer, PAGE_SIZE);
  if ((unsigned char)buffer[PAGE_SIZE] != kBound)
    pmufab_rule(place, "%s/%s: %s wrote beyond its page of %lu bytes", owner, path, function, PAGE_SIZE);
  else if (returned == 0)
    pmufab_rule(place, "%s/%s: %s returned 0: the file is empty on Linux", owner, path, function);
  else if (returned < 0)
    pmufab_rule(place, "%s/%s: %s returned %ld: the file cannot be read on Linux", owner, path, function,
                (long)returned);
  else if (returned >= (ssize_t)PAGE_SIZE)
    pmufab_rule(place, "%s/%s: fill_read_buffer: %s returned bad count, %ld: the file has %lu bytes on Linux", owner,
                path, function, (long)returned, PAGE_SIZE - 1);
  else if (written > returned)
    pmufab_rule(place, "%s/%s: %s wrote %ld bytes and returned %ld: the rest is not in the file on Linux", owner, path,
                function, (long)written, (long)returned);
  else
    return false;
  return true;
}

void pmufab_sysfs_prepare(char* buffer) {
  memset(buffer, 0, PAGE_SIZE);
  memset(buffer + PAGE_SIZE, kBound, kBoundSize);
}

/* kernfs_fop_open() asks for both, whoever reads. */
static bool can_be_read(const struct pmufab_sysfs_file* file) {
  return (file->mode & 0444) && (!file->binary || file->binary->read);
}

/* Beyond its size, if it has one, a binary file has ended. As with a page of text, a reader gets a page at most. */
static ssize_t read_binary(const struct bin_attribute* attr, struct device* dev, char* buffer) {
  const size_t size = attr->size ? min(attr->size, (size_t)PAGE_SIZE) : PAGE_SIZE;
  ssize_t count;
  PMUFAB_CALL(count = attr->read(NULL, &dev->kobj, (PMUFAB_BIN_CONST struct bin_attribute*)attr, buffer, 0, size));
  return min(count, (ssize_t)size);
}

ssize_t pmufab_sysfs_read(struct pmufab_sysfs_file* file, struct device* dev, const char* owner, char* buffer) {
  ssize_t count = -EIO;
  pmufab_sysfs_prepare(buffer);
  if (!can_be_read(file)) { /* sysfs refuses that to root, too */
    if (!file->is_told && is_for_perf(file->path))
      pmufab_rule(NULL, "%s/%s: its mode is 0%o: nobody can read the file on Linux", owner, file->path, file->mode);
    file->is_told = true;
    return -EACCES;
  }
  if (file->binary) return read_binary(file->binary, dev, buffer);
  if (file->attribute->show) PMUFAB_CALL(count = file->attribute->show(dev, file->attribute, buffer));
  if (!file->is_told)
    file->is_told =
        pmufab_sysfs_check(file->attribute->show ? PMUFAB_PLACE_OF(file->attribute->show) : NULL,
                           file->attribute->show ? "show()" : "a missing show()", owner, file->path, count, buffer);
  return min(count, (ssize_t)PAGE_SIZE - 1);
}

/* A refusal is the driver's right. What it takes is the text, all of it, or the writer sends the rest again. */
static void check_store(const struct pmufab_sysfs_file* file, const char* owner, ssize_t returned, size_t length) {
  const void* const place = PMUFAB_PLACE_OF(file->attribute->store);
  if (returned == 0)
    pmufab_rule(place, "%s/%s: store() returned 0 for %lu bytes: a writer tries again for ever on Linux", owner,
                file->path, length);
  else if (returned > 0 && (size_t)returned < length)
    pmufab_rule(place, "%s/%s: store() took %ld of %lu bytes: a writer sends the rest again on Linux", owner,
                file->path, (long)returned, length);
  else if (returned > 0 && (size_t)returned > length)
    pmufab_rule(place, "%s/%s: store() took %ld bytes, and %lu were written", owner, file->path, (long)returned,
                length);
}

ssize_t pmufab_sysfs_write(const struct pmufab_sysfs_file* file, struct device* dev, const char* owner,
                           const char* text, size_t length) {
  ssize_t count = -EIO;
  if (!(file->mode & 0222) || file->binary) return -EACCES;
  if (length == 0) return 0;
  if (!file->attribute->store) return count;
  char* page = pmufab_sysfs_buffer();
  if (!page) return -ENOMEM;
  pmufab_sysfs_prepare(page);
  length = min(length, PAGE_SIZE - 1);
  memcpy(page, text, length);
  PMUFAB_CALL(count = file->attribute->store(dev, file->attribute, page, length));
  check_store(file, owner, count, length);
  pmufab_libc_free(page);
  return count;
}
