// SPDX-License-Identifier: BSD-2-Clause
/* debugfs: files whose text a driver's show function writes. */
#include <linux/fs.h>
#include <linux/slab.h>

#include "runtime.h"

struct dentry {
  struct list_head node; /* in the list of all entries, in order of creation */
  struct dentry* parent; /* null: the root */
  char* name;
  void* data;
  const struct file_operations* operations; /* null: a folder */
  const struct device* owner;               /* in whose probe it was created, or null */
  const void* place;                        /* where */
};

static LIST_HEAD(entries);

static struct dentry* create(const char* name, struct dentry* parent, void* data,
                             const struct file_operations* operations, const void* place) {
  struct dentry* entry;
  pmufab_might_sleep("creating a file in debugfs");
  if (IS_ERR(parent)) return parent;
  list_for_each_entry(entry, &entries, node) {
    if (entry->parent != parent || strcmp(entry->name, name) != 0) continue;
    pr_err("debugfs: '%s' in directory '%s' already present!\n", name, parent ? parent->name : "/");
    return ERR_PTR(-EEXIST);
  }
  entry = kzalloc(sizeof(*entry), GFP_KERNEL);
  if (!entry) return ERR_PTR(-ENOMEM);
  *entry = (struct dentry){.parent = parent,
                           .name = kstrdup(name, GFP_KERNEL),
                           .data = data,
                           .operations = operations,
                           .owner = pmufab_probing,
                           .place = place};
  list_add_tail(&entry->node, &entries);
  return entry;
}

struct dentry* debugfs_create_dir(const char* name, struct dentry* parent) {
  return create(name, parent, NULL, NULL, PLACE);
}

struct dentry* debugfs_create_file(const char* name, umode_t mode, struct dentry* parent, void* data,
                                   const struct file_operations* operations) {
  static const struct file_operations nothing;
  (void)mode; /* the reader is root */
  return create(name, parent, data, operations ? operations : &nothing, PLACE);
}

static void remove_entry(struct dentry* entry) {
  list_del(&entry->node);
  kfree(entry->name);
  kfree(entry);
}

static bool is_below(const struct dentry* entry, const struct dentry* folder) {
  while (entry && entry != folder) entry = entry->parent;
  return entry == folder;
}

void debugfs_remove(struct dentry* top) {
  struct dentry *entry, *next;
  if (IS_ERR_OR_NULL(top)) return;
  /* Entries are created after their folder. Removal goes from newest to oldest, so each has its parents. */
  for (entry = list_last_entry(&entries, struct dentry, node); &entry->node != &entries; entry = next) {
    next = list_prev_entry(entry, node);
    if (!is_below(entry, top)) continue;
    const bool was_top = entry == top;
    remove_entry(entry);
    if (was_top) return;
  }
}

static bool reserve(struct seq_file* file, size_t more) {
  if (file->size - file->count > more) return true;
  const size_t size = max(file->size * 2, PAGE_ALIGN(file->count + more + 1));
  char* grown = krealloc(file->buf, size, GFP_ATOMIC); /* the kernel allocates before show() */
  if (!grown) return false;
  file->buf = grown;
  file->size = size;
  return true;
}

int seq_write(struct seq_file* file, const void* data, size_t length) {
  if (!reserve(file, length)) return -1;
  memcpy(file->buf + file->count, data, length);
  file->count += length;
  file->buf[file->count] = 0;
  return 0;
}

void seq_putc(struct seq_file* file, char character) { seq_write(file, &character, 1); }
void seq_puts(struct seq_file* file, const char* text) { seq_write(file, text, strlen(text)); }

void seq_vprintf(struct seq_file* file, const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = pmufab_vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (!reserve(file, (size_t)length)) return;
  pmufab_vsnprintf(file->buf + file->count, (size_t)length + 1, format, arguments);
  file->count += (size_t)length;
}

void seq_printf(struct seq_file* file, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  seq_vprintf(file, format, arguments);
  va_end(arguments);
}

/* "folder/file". */
static char* path_of(const struct dentry* entry) {
  char* path = kstrdup(entry->name, GFP_KERNEL);
  for (entry = entry->parent; path && entry; entry = entry->parent) {
    char* longer = kasprintf(GFP_KERNEL, "%s/%s", entry->name, path);
    kfree(path);
    path = longer;
  }
  return path;
}

void pmufab_debugfs_list(void* context, pmufab_file_visitor file) {
  struct dentry* entry;
  list_for_each_entry(entry, &entries, node) {
    struct seq_file text = {.private = entry->data};
    if (!entry->operations) continue;
    char* path = path_of(entry);
    int result = 0;
    if (entry->operations->show) PMUFAB_CALL(result = entry->operations->show(&text, NULL));
    if (result != 0)
      pmufab_rule(PMUFAB_PLACE_OF(entry->operations->show), "debugfs: %s: show() returned %d: the file %s on Linux",
                  path ? path : entry->name, result, result < 0 ? "cannot be read" : "is empty");
    /* What is positive skips the text (SEQ_SKIP). */
    if (path) file(context, path, text.buf ? text.buf : "", result == 0 ? text.count : 0, min(result, 0));
    kfree(path);
    kfree(text.buf);
  }
}

/* The data of its files has gone with the driver. */
void pmufab_debugfs_check_gone(const struct device* dev) {
  struct dentry *entry, *next;
  list_for_each_entry_safe(entry, next, &entries, node) {
    if (entry->owner != dev || !entry->operations) continue;
    pmufab_rule(entry->place, "debugfs: '%s' is left behind, although its driver has left the device; it was created",
                entry->name);
    remove_entry(entry);
  }
}

void pmufab_debugfs_exit(void) {
  struct dentry *entry, *next;
  list_for_each_entry_safe(entry, next, &entries, node) {
    WARN(1, "debugfs: '%s' is left behind\n", entry->name);
    remove_entry(entry);
  }
}
