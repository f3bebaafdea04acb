// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct resource {
  resource_size_t start;
  resource_size_t end; /* inclusive */
  const char* name;
  unsigned long flags;
  unsigned long desc;
  struct resource *parent, *sibling, *child;
};
#define IORESOURCE_IO 0x100
#define IORESOURCE_MEM 0x200
#define IORESOURCE_IRQ 0x400
#define IORESOURCE_PREFETCH 0x2000
#define IORESOURCE_MEM_64 0x100000
#define IORESOURCE_UNSET 0x20000000
#define IORESOURCE_TYPE_BITS 0x1f00
#define IORESOURCE_BUSY 0x80000000
#define IORESOURCE_IRQ_HIGHEDGE 0x1
#define IORESOURCE_IRQ_HIGHLEVEL 0x4
#define DEFINE_RES_NAMED(_start, _size, _name, _flags) \
  (struct resource) { .start = (_start), .end = (_start) + (_size)-1, .name = (_name), .flags = (_flags) }
#define DEFINE_RES_MEM(_start, _size) DEFINE_RES_NAMED((_start), (_size), 0, IORESOURCE_MEM)
#define DEFINE_RES_IRQ(_irq) DEFINE_RES_NAMED((_irq), 1, 0, IORESOURCE_IRQ)

static inline resource_size_t resource_size(const struct resource* resource) {
  return resource->end - resource->start + 1;
}
static inline unsigned long resource_type(const struct resource* resource) {
  return resource->flags & IORESOURCE_TYPE_BITS;
}
static inline bool resource_contains(const struct resource* outer, const struct resource* inner) {
  return resource_type(outer) == resource_type(inner) && outer->start <= inner->start && outer->end >= inner->end;
}

/* Claim a range of physical addresses; null if any of it is claimed already. */
struct resource* request_mem_region(resource_size_t start, resource_size_t size, const char* name);
void release_mem_region(resource_size_t start, resource_size_t size);

/* Ranges within a range: inserts `child` into `parent`; -EBUSY if it overlaps another child, or does not fit. */
int request_resource(struct resource* parent, struct resource* child);
int release_resource(struct resource* child);
struct resource* __request_region(struct resource* parent, resource_size_t start, resource_size_t size,
                                  const char* name, int flags);
void __release_region(struct resource* parent, resource_size_t start, resource_size_t size);
#define RESOURCE_SIZE_MAX ((resource_size_t)~0)

struct range {
  u64 start, end; /* inclusive */
};
static inline u64 range_len(const struct range* range) { return range->end - range->start + 1; }
static inline bool range_contains(const struct range* outer, const struct range* inner) {
  return outer->start <= inner->start && outer->end >= inner->end;
}

struct resource_entry {
  struct list_head node;
  struct resource* res;
  resource_size_t offset;
  struct resource __res;
};
#define resource_list_for_each_entry(entry, list) list_for_each_entry((entry), (list), node)
