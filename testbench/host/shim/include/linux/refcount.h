// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* A count of references. What cannot be is a WARN, and from then on the count stays where it is. */
typedef struct refcount_struct {
  atomic_t refs;
} refcount_t;
#define REFCOUNT_SATURATED (INT_MIN / 2)
#define REFCOUNT_INIT(value) \
  { .refs = ATOMIC_INIT(value) }
static inline unsigned int refcount_read(const refcount_t* count) { return (unsigned int)count->refs.counter; }
static inline void refcount_set(refcount_t* count, int value) { count->refs.counter = value; }
void pmufab_refcount_add(refcount_t* count, int more);
bool pmufab_refcount_add_not_zero(refcount_t* count, int more);
bool pmufab_refcount_sub(refcount_t* count, int less);
#define refcount_add(more, count) pmufab_refcount_add((count), (more))
#define refcount_inc(count) pmufab_refcount_add((count), 1)
#define refcount_add_not_zero(more, count) pmufab_refcount_add_not_zero((count), (more))
#define refcount_inc_not_zero(count) pmufab_refcount_add_not_zero((count), 1)
/* true: the last reference is gone. */
#define refcount_sub_and_test(less, count) pmufab_refcount_sub((count), (less))
#define refcount_dec_and_test(count) pmufab_refcount_sub((count), 1)
#define refcount_dec(count) WARN(pmufab_refcount_sub((count), 1), "refcount_t: decrement hit 0; leaking memory.\n")
static inline bool refcount_dec_and_mutex_lock(refcount_t* count, struct mutex* lock) {
  if (refcount_read(count) != 1) return pmufab_refcount_sub(count, 1);
  mutex_lock(lock);
  if (pmufab_refcount_sub(count, 1)) return true;
  mutex_unlock(lock);
  return false;
}

struct kref {
  refcount_t refcount;
};
static inline void kref_init(struct kref* kref) { refcount_set(&kref->refcount, 1); }
static inline unsigned int kref_read(const struct kref* kref) { return refcount_read(&kref->refcount); }
static inline void kref_get(struct kref* kref) { refcount_inc(&kref->refcount); }
static inline int kref_put(struct kref* kref, void (*release)(struct kref* kref)) {
  if (!refcount_dec_and_test(&kref->refcount)) return 0;
  release(kref);
  return 1;
}
static inline int kref_get_unless_zero(struct kref* kref) { return refcount_inc_not_zero(&kref->refcount); }
