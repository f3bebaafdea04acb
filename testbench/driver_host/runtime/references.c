// SPDX-License-Identifier: BSD-2-Clause
/* References to devices and to nodes of firmware, by the function that took them. Those that a driver never puts are its
 * leaks: the kernel keeps the object for ever. */
#include "runtime.h"

struct reference {
  struct list_head node;
  const void* object;
  const char* kind;
  char name[48]; /* the object may go first */
  const void* place;
  bool is_drivers;
};

static LIST_HEAD(references); /* the latest first */

void pmufab_reference_taken(const void* object, const char* kind, const char* name, const void* place) {
  struct reference* reference = pmufab_libc_alloc(sizeof(*reference));
  if (!reference) return;
  *reference =
      (struct reference){.object = object, .kind = kind, .place = place, .is_drivers = pmufab_is_driver(place)};
  snprintf(reference->name, sizeof(reference->name), "%s", name ? name : "");
  list_add(&reference->node, &references);
}

/* The runtime puts what it took itself before it puts a driver's (a devm action), and the other way round. */
void pmufab_reference_put(const void* object, const void* place) {
  struct reference *reference, *other = NULL;
  const bool is_drivers = pmufab_is_driver(place);
  list_for_each_entry(reference, &references, node) {
    if (reference->object != object) continue;
    if (reference->is_drivers == is_drivers) {
      other = reference;
      break;
    }
    if (!other) other = reference;
  }
  if (!other) return; /* the first one of an object was never taken */
  list_del(&other->node);
  pmufab_libc_free(other);
}

void pmufab_references_exit(void) {
  struct reference *reference, *next;
  list_for_each_entry_safe(reference, next, &references, node) {
    if (reference->is_drivers)
      pmufab_rule(reference->place, "a reference to the %s %s is never put; it was taken", reference->kind,
                  reference->name);
    list_del(&reference->node);
    pmufab_libc_free(reference);
  }
}
