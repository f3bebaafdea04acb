// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cleanup.h>
#include <linux/compiler_types.h>
#include <linux/types.h>

/* Readers do not sleep. One thread at a time is inside the drivers, so a grace period is over when it has left them. */
void rcu_read_lock(void);
void rcu_read_unlock(void);
/* In a reader, which it would wait for, it is a deadlock: a panic. */
void synchronize_rcu(void);
void call_rcu(struct rcu_head* head, void (*function)(struct rcu_head* head));
void rcu_barrier(void);
void pmufab_kfree_rcu(struct rcu_head* head, void* object);
#define kfree_rcu(object, member) pmufab_kfree_rcu(&(object)->member, (object))
#define rcu_dereference(pointer) READ_ONCE(pointer)
#define rcu_dereference_raw(pointer) READ_ONCE(pointer)
#define rcu_dereference_check(pointer, condition) READ_ONCE(pointer)
#define rcu_dereference_protected(pointer, condition) (pointer)
#define rcu_access_pointer(pointer) READ_ONCE(pointer)
#define rcu_assign_pointer(pointer, value) WRITE_ONCE(pointer, value)
#define RCU_INIT_POINTER(pointer, value) WRITE_ONCE(pointer, value)
#define rcu_replace_pointer(pointer, value, condition) \
  ({                                                   \
    __typeof__(pointer) __old = (pointer);             \
    rcu_assign_pointer((pointer), (value));            \
    __old;                                             \
  })

typedef void* __pmufab_rcu_pointer;
DEFINE_GUARD(rcu, __pmufab_rcu_pointer, rcu_read_lock(), rcu_read_unlock());
#define __pmufab_guard_of_rcu() __PMUFAB_GUARD(rcu, (void*)1)
