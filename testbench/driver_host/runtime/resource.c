// SPDX-License-Identifier: BSD-2-Clause
/* Ranges inside a range, kept in a tree. */
#include <linux/ioport.h>
#include <linux/slab.h>

#include "runtime.h"

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
