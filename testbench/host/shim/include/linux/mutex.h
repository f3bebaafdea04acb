// SPDX-License-Identifier: BSD-2-Clause
#pragma once

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

/* One caller at a time is inside the module, so waiting for a lock that is held in the other way is a deadlock. */
struct rw_semaphore {
  int readers;
  int locked; /* for writing */
};
#define __RWSEM_INITIALIZER(name) \
  { 0, 0 }
#define DECLARE_RWSEM(name) struct rw_semaphore name = __RWSEM_INITIALIZER(name)
#define init_rwsem(lock) (*(lock) = (struct rw_semaphore)__RWSEM_INITIALIZER(lock))
void down_read(struct rw_semaphore* lock);
void up_read(struct rw_semaphore* lock);
void down_write(struct rw_semaphore* lock);
void up_write(struct rw_semaphore* lock);
#define down_read_interruptible(lock) (down_read(lock), 0)
#define down_write_killable(lock) (down_write(lock), 0)

typedef struct rw_semaphore* __pmufab_rwsem_pointer;
DEFINE_GUARD(rwsem_read, __pmufab_rwsem_pointer, down_read(_T), up_read(_T));
DEFINE_GUARD(rwsem_write, __pmufab_rwsem_pointer, down_write(_T), up_write(_T));
#define __pmufab_guard_of_rwsem_read(lock) __PMUFAB_GUARD(rwsem_read, lock)
#define __pmufab_guard_of_rwsem_write(lock) __PMUFAB_GUARD(rwsem_write, lock)
#define __pmufab_acquire_rwsem_read_intr(lock) __pmufab_guard_take_rwsem_read(lock)
#define __pmufab_acquire_rwsem_write_kill(lock) __pmufab_guard_take_rwsem_write(lock)
#define __pmufab_acquire_type_rwsem_read_intr __pmufab_guard_type_rwsem_read
#define __pmufab_acquire_type_rwsem_write_kill __pmufab_guard_type_rwsem_write
#define __pmufab_acquire_drop_rwsem_read_intr __pmufab_guard_drop_rwsem_read
#define __pmufab_acquire_drop_rwsem_write_kill __pmufab_guard_drop_rwsem_write
