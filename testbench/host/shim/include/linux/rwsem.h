// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_RWSEM_H
#define PMUFAB_LINUX_RWSEM_H

#include <linux/cleanup.h>
#include <linux/types.h>

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

#endif
