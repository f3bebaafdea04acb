// SPDX-License-Identifier: BSD-2-Clause
/* Managed resources of devices. */
#include <linux/device.h>

#include "runtime.h"

struct devres {
  struct list_head node;
  dr_release_t release;
  size_t size;
  unsigned char data[] __aligned(16);
};

static struct devres* devres_of(const void* resource) { return container_of(resource, struct devres, data[0]); }

void* devres_alloc(dr_release_t release, size_t size, gfp_t flags) {
  struct devres* entry = kzalloc(size_add(sizeof(*entry), size), flags);
  if (!entry) return NULL;
  INIT_LIST_HEAD(&entry->node);
  entry->release = release;
  entry->size = size;
  return entry->data;
}

void devres_free(void* resource) {
  if (resource) kfree(devres_of(resource));
}

void devres_add(struct device* dev, void* resource) {
  list_add(&devres_of(resource)->node, &dev->devres);
  if (dev == pmufab_probing) pmufab_irq_step();
}

void* pmufab_devres_keep(struct device* dev, void** managed, void* pointer) {
  if (!pointer) {
    devres_free(managed);
    return NULL;
  }
  *managed = pointer;
  devres_add(dev, managed);
  return pointer;
}

static struct devres* find(struct device* dev, dr_release_t release, dr_match_t match, void* match_data) {
  struct devres* entry;
  list_for_each_entry(entry, &dev->devres, node) if (entry->release == release &&
                                                     (!match || match(dev, entry->data, match_data))) return entry;
  return NULL;
}

void* devres_find(struct device* dev, dr_release_t release, dr_match_t match, void* match_data) {
  struct devres* entry = find(dev, release, match, match_data);
  return entry ? entry->data : NULL;
}

int devres_destroy(struct device* dev, dr_release_t release, dr_match_t match, void* match_data) {
  struct devres* entry = find(dev, release, match, match_data);
  if (!entry) return -ENOENT;
  list_del(&entry->node);
  kfree(entry);
  return 0;
}

int devres_release(struct device* dev, dr_release_t release, dr_match_t match, void* match_data) {
  struct devres* entry = find(dev, release, match, match_data);
  if (!entry) return -ENOENT;
  list_del(&entry->node);
  release(dev, entry->data);
  kfree(entry);
  return 0;
}

void pmufab_devres_release_all(struct device* dev) {
  while (!list_empty(&dev->devres)) {
    if (dev == pmufab_leaving) pmufab_irq_step();
    struct devres* entry = list_first_entry(&dev->devres, struct devres, node);
    list_del(&entry->node);
    if (entry->release) entry->release(dev, entry->data);
    kfree(entry);
  }
}

/* Plain memory: a separate allocation behind a managed pointer, so that AddressSanitizer knows its exact size. */
static void release_memory(struct device* dev, void* resource) {
  (void)dev;
  pmufab_managed_free(*(void**)resource);
}

static int is_memory(struct device* dev, void* resource, void* memory) {
  (void)dev;
  return *(void**)resource == memory;
}

static void* managed_alloc(struct device* dev, size_t size, gfp_t flags, const void* place) {
  void** managed = devres_alloc(release_memory, sizeof(*managed) * 2, flags);
  void* memory = managed ? pmufab_managed_alloc(size, flags, place) : NULL;
  if (memory) managed[1] = (void*)size;
  return pmufab_devres_keep(dev, managed, memory);
}

void* devm_kmalloc(struct device* dev, size_t size, gfp_t flags) { return managed_alloc(dev, size, flags, PLACE); }

/* Never moves to a smaller object: the caller's old tail stays readable and keeps its zeros. */
void* devm_krealloc(struct device* dev, void* old, size_t size, gfp_t flags) {
  if (!old) return managed_alloc(dev, size, flags, PLACE);
  void** managed = devres_find(dev, release_memory, is_memory, old);
  if (WARN(!managed, "Memory chunk not managed or managed by a different device.\n")) return NULL;
  const size_t old_size = (size_t)managed[1];
  if (size <= old_size) return old;
  void* memory = pmufab_managed_alloc(size, flags, PLACE);
  if (!memory) return NULL;
  memcpy(memory, old, old_size);
  pmufab_managed_free(old);
  managed[0] = memory;
  managed[1] = (void*)size;
  return memory;
}

void devm_kfree(struct device* dev, const void* object) {
  if (!object) return;
  WARN_ON(devres_release(dev, release_memory, is_memory, (void*)object));
}

static void* duplicate(struct device* dev, const void* from, size_t size, gfp_t flags, const void* place) {
  void* copy = managed_alloc(dev, size, flags, place);
  if (copy) memcpy(copy, from, size);
  return copy;
}

void* devm_kmemdup(struct device* dev, const void* from, size_t size, gfp_t flags) {
  return duplicate(dev, from, size, flags, PLACE);
}

char* devm_kstrdup(struct device* dev, const char* text, gfp_t flags) {
  return text ? duplicate(dev, text, strlen(text) + 1, flags, PLACE) : NULL;
}

char* devm_kasprintf(struct device* dev, gfp_t flags, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = pmufab_vsnprintf(NULL, 0, format, arguments);
  char* text = managed_alloc(dev, (size_t)length + 1, flags, PLACE);
  if (text) pmufab_vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

struct managed_action {
  void (*action)(void*);
  void* data;
};

static void run_action(struct device* dev, void* resource) {
  const struct managed_action* managed = resource;
  (void)dev;
  managed->action(managed->data);
}

static int is_action(struct device* dev, void* resource, void* wanted) {
  (void)dev;
  return memcmp(resource, wanted, sizeof(struct managed_action)) == 0;
}

static int add_action(struct device* dev, void (*action)(void*), void* data, const void* place) {
  struct managed_action* managed =
      pmufab_call_fails("devm_add_action", place) ? NULL : devres_alloc(run_action, sizeof(*managed), GFP_KERNEL);
  if (!managed) return -ENOMEM;
  *managed = (struct managed_action){.action = action, .data = data};
  devres_add(dev, managed);
  return 0;
}

int devm_add_action(struct device* dev, void (*action)(void*), void* data) {
  return add_action(dev, action, data, PLACE);
}

int devm_add_action_or_reset(struct device* dev, void (*action)(void*), void* data) {
  const int error = add_action(dev, action, data, PLACE);
  if (error) action(data);
  return error;
}

void devm_remove_action(struct device* dev, void (*action)(void*), void* data) {
  struct managed_action wanted = {.action = action, .data = data};
  WARN_ON(devres_destroy(dev, run_action, is_action, &wanted));
}

unsigned long* devm_bitmap_zalloc(struct device* dev, unsigned int bits, gfp_t flags) {
  return managed_alloc(dev, BITS_TO_LONGS(bits) * sizeof(unsigned long), flags | __GFP_ZERO, PLACE);
}
