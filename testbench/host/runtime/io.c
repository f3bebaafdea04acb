// SPDX-License-Identifier: BSD-2-Clause
/* Device memory: mappings to addresses without memory, accesses, claims of physical ranges, and ranges inside ranges. */
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/slab.h>

#include "runtime.h"

/* After each mapping, so that a too large offset does not reach the next device. */
enum { kGuard = 64 * 1024 };

struct mapping {
  unsigned long start, end; /* virtual, without the guard */
  phys_addr_t physical;     /* physical address of start */
  const void* place;        /* where it was made */
  void* reserved;
  size_t reserved_size;
};
struct claim {
  struct list_head node;
  const void* place; /* where it was made */
  struct resource resource;
};

static struct mapping* mappings; /* sorted by start */
static size_t mapping_count, mapping_capacity, last_mapping;
static LIST_HEAD(claims);
static struct pmufab_io_reads reads;

void __iomem* ioremap(phys_addr_t start, size_t size) {
  const unsigned long offset = offset_in_page(start);
  pmufab_might_sleep("ioremap()");
  if (PMUFAB_CALL_FAILS()) return NULL;
  if (size == 0 || start + size < start) {
    WARN(1, "ioremap of %zu bytes at 0x%llx\n", size, start);
    return NULL;
  }
  if (mapping_count == mapping_capacity) {
    const size_t capacity = mapping_capacity ? mapping_capacity * 2 : 64;
    struct mapping* grown = krealloc(mappings, capacity * sizeof(*grown), GFP_KERNEL);
    if (!grown) return NULL;
    mappings = grown;
    mapping_capacity = capacity;
  }
  const size_t reserved_size = PAGE_ALIGN(offset + size) + kGuard;
  void* reserved = pmufab_libc_reserve(reserved_size);
  if (!reserved) return NULL;
  const struct mapping mapping = {.start = (unsigned long)reserved,
                                  .end = (unsigned long)reserved + reserved_size - kGuard,
                                  .physical = start - offset,
                                  .place = PLACE,
                                  .reserved = reserved,
                                  .reserved_size = reserved_size};
  size_t at = mapping_count++;
  for (; at > 0 && mappings[at - 1].start > mapping.start; at--) mappings[at] = mappings[at - 1];
  mappings[at] = mapping;
  return (void __iomem*)((unsigned long)reserved + offset);
}

static struct mapping* find_mapping(unsigned long address) {
  if (last_mapping < mapping_count && mappings[last_mapping].start <= address && address < mappings[last_mapping].end)
    return &mappings[last_mapping];
  size_t low = 0, high = mapping_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (address < mappings[middle].start)
      high = middle;
    else if (address >= mappings[middle].end)
      low = middle + 1;
    else
      return &mappings[last_mapping = middle];
  }
  return NULL;
}

void iounmap(volatile void __iomem* address) {
  struct mapping* mapping = find_mapping((unsigned long)address);
  if (WARN(!mapping, "iounmap of an address that is not mapped\n")) return;
  pmufab_libc_unreserve(mapping->reserved, mapping->reserved_size);
  mapping_count--;
  for (struct mapping* at = mapping; at < mappings + mapping_count; at++) at[0] = at[1];
}

static phys_addr_t translate(const volatile void __iomem* address, const char* what, unsigned int size) {
  const unsigned long start = (unsigned long)address;
  const struct mapping* mapping = find_mapping(start);
  if (!mapping || start + size > mapping->end) {
    /* A small number is a null pointer plus an offset, and is shown. Other addresses are not, because they differ
     * between runs. */
    if (start < 0x100000) panic("Unable to handle kernel NULL pointer dereference: %s at 0x%lx", what, start);
    panic("Unable to handle kernel paging request: %s outside every mapping", what);
  }
  return mapping->physical + (start - mapping->start);
}

struct pmufab_io_reads pmufab_io_reads(void) {
  return reads;
}

void pmufab_io_forget_reads(void) { reads = (struct pmufab_io_reads){}; }

u64 pmufab_mmio_read(const volatile void __iomem* address, unsigned int size) {
  const u64 value = pmufab_host->mmio_read(pmufab_host->context, translate(address, "device memory read", size), size);
  reads.count++;
  reads.bits |= value;
  pmufab_interrupt_window();
  return value;
}

void pmufab_mmio_write(volatile void __iomem* address, unsigned int size, u64 value) {
  pmufab_host->mmio_write(pmufab_host->context, translate(address, "device memory write", size), size, value);
  pmufab_interrupt_window();
}

enum { kWord = 8 };

void memcpy_fromio(void* to, const volatile void __iomem* from, size_t size) {
  const volatile char __iomem* at = from;
  for (char* end = (char*)to + size; (char*)to < end;) {
    const unsigned int step = (unsigned long)at % kWord == 0 && end - (char*)to >= kWord ? kWord : 1;
    const u64 value = pmufab_mmio_read(at, step);
    memcpy(to, &value, step);
    at += step;
    to = (char*)to + step;
  }
}

void memcpy_toio(volatile void __iomem* to, const void* from, size_t size) {
  volatile char __iomem* at = to;
  for (const char* end = (const char*)from + size; (const char*)from < end;) {
    const unsigned int step = (unsigned long)at % kWord == 0 && end - (const char*)from >= kWord ? kWord : 1;
    u64 value = 0;
    memcpy(&value, from, step);
    pmufab_mmio_write(at, step, value);
    at += step;
    from = (const char*)from + step;
  }
}

struct resource* request_mem_region(resource_size_t start, resource_size_t size, const char* name) {
  if (PMUFAB_CALL_FAILS()) return NULL;
  const resource_size_t end = start + size - 1;
  struct claim* claim;
  list_for_each_entry(claim, &claims,
                      node) if (start <= claim->resource.end && claim->resource.start <= end) return NULL;
  claim = kzalloc(sizeof(*claim), GFP_KERNEL);
  if (!claim) return NULL;
  claim->place = PLACE;
  claim->resource =
      (struct resource){.start = start, .end = end, .name = name, .flags = IORESOURCE_MEM | IORESOURCE_BUSY};
  list_add_tail(&claim->node, &claims);
  return &claim->resource;
}

void release_mem_region(resource_size_t start, resource_size_t size) {
  struct claim *claim, *next;
  list_for_each_entry_safe(claim, next, &claims, node) {
    if (claim->resource.start != start || claim->resource.end != start + size - 1) continue;
    list_del(&claim->node);
    kfree(claim);
    return;
  }
  WARN(1, "Trying to free nonexistent resource <%016llx-%016llx>\n", start, start + size - 1);
}

void pmufab_io_exit(void) {
  struct claim *claim, *next;
  while (mapping_count > 0) {
    const struct mapping* last = &mappings[mapping_count - 1];
    if (pmufab_is_driver(last->place))
      pmufab_rule(last->place, "device memory at 0x%llx is still mapped; it was mapped", last->physical);
    iounmap((void __iomem*)last->start);
  }
  kfree(mappings);
  mappings = NULL;
  mapping_capacity = 0;
  list_for_each_entry_safe(claim, next, &claims, node) {
    if (pmufab_is_driver(claim->place))
      pmufab_rule(claim->place, "the range %pR is still claimed; it was claimed", &claim->resource);
    list_del(&claim->node);
    kfree(claim);
  }
}

static void release_mapping(struct device* dev, void* resource) {
  (void)dev;
  iounmap(*(void __iomem**)resource);
}

static void release_region(struct device* dev, void* resource) {
  const struct resource* region = *(struct resource**)resource;
  (void)dev;
  release_mem_region(region->start, resource_size(region));
}

void __iomem* devm_ioremap(struct device* dev, resource_size_t start, resource_size_t size) {
  if (PMUFAB_CALL_FAILS()) return NULL;
  void** managed = devres_alloc(release_mapping, sizeof(*managed), GFP_KERNEL);
  return pmufab_devres_keep(dev, managed, managed ? ioremap(start, size) : NULL);
}

struct resource* devm_request_mem_region(struct device* dev, resource_size_t start, resource_size_t size,
                                         const char* name) {
  if (PMUFAB_CALL_FAILS()) return NULL;
  void** managed = devres_alloc(release_region, sizeof(*managed), GFP_KERNEL);
  return pmufab_devres_keep(dev, managed, managed ? request_mem_region(start, size, name) : NULL);
}

void __iomem* devm_ioremap_resource(struct device* dev, const struct resource* resource) {
  if (PMUFAB_CALL_FAILS()) return IOMEM_ERR_PTR(-ENOMEM);
  if (!resource || resource_type(resource) != IORESOURCE_MEM)
    return IOMEM_ERR_PTR(dev_err_probe(dev, -EINVAL, "invalid resource (null)\n"));
  if (!devm_request_mem_region(dev, resource->start, resource_size(resource), dev_name(dev)))
    return IOMEM_ERR_PTR(dev_err_probe(dev, -EBUSY, "can't request region for resource %pR\n", resource));
  void __iomem* mapping = devm_ioremap(dev, resource->start, resource_size(resource));
  if (!mapping) return IOMEM_ERR_PTR(dev_err_probe(dev, -ENOMEM, "ioremap failed for resource %pR\n", resource));
  return mapping;
}

int request_resource(struct resource* parent, struct resource* child) {
  if (child->end < child->start || child->start < parent->start || child->end > parent->end) return -EBUSY;
  struct resource** at = &parent->child;
  while (*at && (*at)->end < child->start) at = &(*at)->sibling;
  if (*at && (*at)->start <= child->end) return -EBUSY;
  child->sibling = *at;
  child->parent = parent;
  *at = child;
  return 0;
}

int release_resource(struct resource* child) {
  for (struct resource** at = child->parent ? &child->parent->child : NULL; at && *at; at = &(*at)->sibling) {
    if (*at != child) continue;
    *at = child->sibling;
    child->parent = NULL;
    return 0;
  }
  return -EINVAL;
}

struct resource* __request_region(struct resource* parent, resource_size_t start, resource_size_t size,
                                  const char* name, int flags) {
  struct resource* child = kzalloc(sizeof(*child), GFP_KERNEL);
  if (!child) return NULL;
  *child = (struct resource){
      .start = start, .end = start + size - 1, .name = name, .flags = parent->flags | (unsigned int)flags};
  if (request_resource(parent, child) == 0) return child;
  kfree(child);
  return NULL;
}

void __release_region(struct resource* parent, resource_size_t start, resource_size_t size) {
  struct resource* child = parent->child;
  while (child && (child->start != start || child->end != start + size - 1)) child = child->sibling;
  if (WARN(!child, "releasing a range that is not there\n")) return;
  release_resource(child);
  kfree(child);
}
