// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cleanup.h>
#include <linux/irqflags.h>
#include <linux/types.h>

typedef struct {
  int locked;
  /* Where it was first taken in an interrupt handler, and where with interrupts on: both cannot be right. */
  const void *in_handler, *interruptible;
} spinlock_t;
typedef spinlock_t raw_spinlock_t;
#define __SPIN_LOCK_UNLOCKED(name) \
  { 0, 0, 0 }
#define DEFINE_SPINLOCK(name) spinlock_t name = __SPIN_LOCK_UNLOCKED(name)
#define DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name = __SPIN_LOCK_UNLOCKED(name)
#define spin_lock_init(lock) (*(lock) = (spinlock_t)__SPIN_LOCK_UNLOCKED(lock))
void spin_lock(spinlock_t* lock);
void spin_unlock(spinlock_t* lock);
int spin_trylock(spinlock_t* lock);
#define spin_is_locked(lock) ((lock)->locked != 0)
#define spin_lock_irqsave(lock, flags) (local_irq_save(flags), spin_lock(lock))
#define spin_unlock_irqrestore(lock, flags) (spin_unlock(lock), local_irq_restore(flags))
#define spin_lock_irq(lock) (local_irq_disable(), spin_lock(lock))
#define spin_unlock_irq(lock) (spin_unlock(lock), local_irq_enable())
#define spin_lock_bh spin_lock
#define spin_unlock_bh spin_unlock
#define raw_spin_lock_init spin_lock_init
#define raw_spin_lock spin_lock
#define raw_spin_trylock spin_trylock
#define raw_spin_unlock spin_unlock
#define raw_spin_lock_irqsave spin_lock_irqsave
#define raw_spin_unlock_irqrestore spin_unlock_irqrestore
#define raw_spin_lock_irq spin_lock_irq
#define raw_spin_unlock_irq spin_unlock_irq

typedef spinlock_t* __pmufab_spinlock_pointer;
DEFINE_GUARD(spinlock, __pmufab_spinlock_pointer, spin_lock(_T), spin_unlock(_T));
DEFINE_GUARD(spinlock_irq, __pmufab_spinlock_pointer, spin_lock_irq(_T), spin_unlock_irq(_T));
static inline void __pmufab_lock_irqsave(spinlock_t* lock) {
  (void)pmufab_irq_save();
  spin_lock(lock);
}
/* What a guard turned off comes back on in the reverse order. */
static inline void __pmufab_unlock_irqrestore(spinlock_t* lock) {
  spin_unlock(lock);
  pmufab_irq_on();
}
DEFINE_GUARD(spinlock_irqsave, __pmufab_spinlock_pointer, __pmufab_lock_irqsave(_T), __pmufab_unlock_irqrestore(_T));
DEFINE_GUARD(raw_spinlock_irqsave, __pmufab_spinlock_pointer, __pmufab_lock_irqsave(_T),
             __pmufab_unlock_irqrestore(_T));
#define __pmufab_guard_of_spinlock(lock) __PMUFAB_GUARD(spinlock, lock)
#define __pmufab_guard_of_spinlock_irq(lock) __PMUFAB_GUARD(spinlock_irq, lock)
#define __pmufab_guard_of_spinlock_irqsave(lock) __PMUFAB_GUARD(spinlock_irqsave, lock)
#define __pmufab_guard_of_raw_spinlock_irqsave(lock) __PMUFAB_GUARD(raw_spinlock_irqsave, lock)
