// SPDX-License-Identifier: BSD-2-Clause
/* Objects for each CPU, and counts of references. */
#include <linux/percpu.h>
#include <linux/refcount.h>

#include "../runtime.h"

/* A count that has become wrong stays, so that its object is neither freed twice nor used after that. */
static bool saturate(refcount_t* count, const char* why) {
  count->refs.counter = REFCOUNT_SATURATED;
  WARN(1, "refcount_t: %s\n", why);
  return false;
}

void pmufab_refcount_add(refcount_t* count, int more) {
  const int was = count->refs.counter;
  if (was == 0)
    saturate(count, "addition on 0; use-after-free.");
  else if (was < 0 || was > INT_MAX - more)
    saturate(count, "saturated; leaking memory.");
  else
    count->refs.counter = was + more;
}

bool pmufab_refcount_add_not_zero(refcount_t* count, int more) {
  if (count->refs.counter == 0) return false;
  pmufab_refcount_add(count, more);
  return true;
}

bool pmufab_refcount_sub(refcount_t* count, int less) {
  const int was = count->refs.counter;
  if (was < less) return saturate(count, "underflow; use-after-free.");
  count->refs.counter = was - less;
  return was == less;
}

enum { kLargest = 32 << 10 }; /* the kernel's PCPU_MIN_UNIT_SIZE */

static void* allocate(size_t step, gfp_t flags, const void* place) {
  if (step > kLargest) {
    if (!(flags & __GFP_NOWARN))
      pmufab_rule(place,
                  "an object of %zu bytes for each CPU cannot be had: the largest has %d bytes; it was asked for", step,
                  kLargest);
    return NULL;
  }
  return pmufab_alloc_large(size_mul(step, nr_cpu_ids), flags | __GFP_ZERO, place);
}

void* pmufab_percpu_alloc(size_t step, gfp_t flags) { return allocate(step, flags, PLACE); }

void free_percpu(void* objects) { kfree(objects); }

static void release(struct device* dev, void* resource) {
  (void)dev;
  free_percpu(*(void**)resource);
}

void* pmufab_devm_percpu_alloc(struct device* dev, size_t step) {
  if (PMUFAB_CALL_FAILS()) return NULL;
  void** managed = devres_alloc(release, sizeof(*managed), GFP_KERNEL);
  return pmufab_devres_keep(dev, managed, managed ? allocate(step, GFP_KERNEL, PLACE) : NULL);
}
