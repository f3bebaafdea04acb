// SPDX-License-Identifier: BSD-2-Clause
/* References to devices and to nodes of firmware, by the function that took them. Those that a driver never puts are its
 * leaks: the kernel keeps the object for ever. */
#include "../runtime.h"

struct reference {
  struct list_head node;
  const void* object;
  const char* kind;
  char name[48]; /* the object may go first */
  const void* place;
};

static LIST_HEAD(references); /* the latest first */

void pmufab_reference_taken(const void* object, const char* kind, const char* name, const void* place) {
  struct reference* reference = pmufab_is_driver(place) ? pmufab_libc_alloc(sizeof(*reference)) : NULL;
  if (!reference) return;
  *reference = (struct reference){.object = object, .kind = kind, .place = place};
  snprintf(reference->name, sizeof(reference->name), "%s", name ? name : "");
  list_add(&reference->node, &references);
}

/* The first reference of an object was never taken. */
void pmufab_reference_put(const void* object) {
  struct reference* reference;
  list_for_each_entry(reference, &references, node) {
    if (reference->object != object) continue;
    list_del(&reference->node);
    pmufab_libc_free(reference);
    return;
  }
}

void pmufab_references_exit(void) {
  struct reference *reference, *next;
  list_for_each_entry_safe(reference, next, &references, node) {
    pmufab_rule(reference->place, "a reference to the %s %s is never put; it was taken", reference->kind,
                reference->name);
    list_del(&reference->node);
    pmufab_libc_free(reference);
  }
}
