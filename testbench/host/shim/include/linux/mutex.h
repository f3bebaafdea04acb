// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_MUTEX_H
#define PMUFAB_LINUX_MUTEX_H

#include <linux/cleanup.h>
#include <linux/types.h>

/* One caller at a time is inside the module, so waiting for a taken lock is a deadlock: a panic. */
struct mutex {
  int locked;
};
#define __MUTEX_INITIALIZER(name) \
  { 0 }
#define DEFINE_MUTEX(name) struct mutex name = __MUTEX_INITIALIZER(name)
#define mutex_init(lock) ((lock)->locked = 0)
#define mutex_destroy(lock) ((void)(lock))
void mutex_lock(struct mutex* lock);
void mutex_unlock(struct mutex* lock);
int mutex_trylock(struct mutex* lock);
/* true, with the lock taken: the count is 0 now. */
static inline bool atomic_dec_and_mutex_lock(atomic_t* count, struct mutex* lock) {
  if (count->counter == 1) mutex_lock(lock);
  return --count->counter == 0;
}
static inline bool mutex_is_locked(struct mutex* lock) { return lock->locked; }
#define mutex_lock_io(lock) mutex_lock(lock)
static inline int mutex_lock_interruptible(struct mutex* lock) {
  mutex_lock(lock);
  return 0;
}
/* Of any lock. */
void pmufab_assert_held(const void* lock);
#define lockdep_assert_held(lock) pmufab_assert_held(lock)
#define lockdep_assert_held_write(lock) pmufab_assert_held(lock)
#define lockdep_assert_held_read(lock) pmufab_assert_held(lock)

typedef struct mutex* __pmufab_mutex_pointer;
DEFINE_GUARD(mutex, __pmufab_mutex_pointer, mutex_lock(_T), mutex_unlock(_T));
#define __pmufab_guard_of_mutex(lock) __PMUFAB_GUARD(mutex, lock)
#define __pmufab_acquire_mutex_intr(lock) __pmufab_guard_take_mutex(lock)
#define __pmufab_acquire_type_mutex_intr __pmufab_guard_type_mutex
#define __pmufab_acquire_drop_mutex_intr __pmufab_guard_drop_mutex

#endif
