// SPDX-License-Identifier: BSD-2-Clause
/* Interrupt enables, preemption and locks, and the rules that a kernel with lockdep and might_sleep() checks: who may
 * not sleep does not, and a call into a driver returns as it was entered. */
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "runtime.h"

enum { kHeld = 32, kDepth = 64, kOrders = 128 };
enum { kLongestDelay = 2000000 /* nanoseconds: the kernel's least MAX_UDELAY_MS */, kStack = 16 << 10 };

struct held {
  const void* lock;
  int* count; /* of its holders, which is put right if the driver forgets to */
  const char* kind;
  const void* taken; /* where */
  bool spins;
  bool is_shared; /* with other readers */
};
static struct held held[kHeld]; /* in the order of taking */
static int held_count;
static int irq_off_depth, handler_depth, preempt_depth, rcu_depth;
static const void* off_places[kDepth]; /* where interrupts were turned off, by depth before */
static const void* preempt_place;      /* where preemption was disabled last */
static const void* rcu_place;          /* where the last RCU reader began */
static struct pmufab_balance entry;    /* to the present call into a driver */
static int hotplug_lock;

static void turn_off(const void* place) {
  if (irq_off_depth < kDepth) off_places[irq_off_depth] = place;
  irq_off_depth++;
}

void pmufab_irq_enter(void) {
  turn_off(NULL);
  handler_depth++;
}
void pmufab_irq_leave(void) {
  handler_depth--;
  irq_off_depth--;
}
void pmufab_irq_off(void) { turn_off(PLACE); }
int pmufab_irqs_are_off(void) { return irq_off_depth > 0; }

void pmufab_interrupt_window(void) {
  if (irq_off_depth == 0) pmufab_host->interrupt_window(pmufab_host->context);
}

void pmufab_irq_on(void) {
  if (irq_off_depth <= entry.irq_off) {
    pmufab_rule(PLACE, "interrupts are turned on that %s", irq_off_depth == 0 ? "are on" : "the caller has turned off");
    return;
  }
  irq_off_depth--;
  pmufab_interrupt_window();
}

unsigned long pmufab_irq_save(void) {
  turn_off(PLACE);
  return (unsigned long)irq_off_depth - 1;
}

/* To a processor, interrupts are on or off. So what happened after the flags were saved is undone. */
void pmufab_irq_restore(unsigned long flags) {
  if (flags < (unsigned long)entry.irq_off) {
    pmufab_rule(PLACE, "interrupts are restored from flags that were saved before the call");
    return;
  }
  if (flags > 0 && irq_off_depth == 0) turn_off(PLACE);
  if (flags < (unsigned long)irq_off_depth) irq_off_depth = (int)flags;
  pmufab_interrupt_window();
}

void pmufab_irq_disable(void) {
  if (irq_off_depth == 0) turn_off(PLACE);
}

void pmufab_irq_enable(void) {
  if (entry.irq_off > 0) {
    pmufab_rule(PLACE, "interrupts are turned on that the caller has turned off (save and restore keep the caller's)");
    return;
  }
  irq_off_depth = 0;
  pmufab_interrupt_window();
}

void pmufab_preempt_disable(void) {
  preempt_place = PLACE;
  preempt_depth++;
}

void pmufab_preempt_enable(void) {
  if (preempt_depth > entry.preempt)
    preempt_depth--;
  else
    pmufab_rule(PLACE, "preemption is enabled more often than disabled");
}

void rcu_read_lock(void) {
  rcu_place = PLACE;
  rcu_depth++;
}

void rcu_read_unlock(void) {
  if (rcu_depth > entry.rcu)
    rcu_depth--;
  else
    pmufab_rule(PLACE, "an RCU reader ends that has not begun");
}

int pmufab_rcu_depth(void) { return rcu_depth; }

static const struct held* spinning(void) {
  for (int i = held_count; i-- > 0;)
    if (held[i].spins) return &held[i];
  return NULL;
}

/* The text of a place, in a sentence. */
static const char* at(const void* place) {
  const char* function = pmufab_host->function_at(pmufab_host->context, place);
  return function[0] ? function : "the kernel";
}

static void check_sleep(const void* place, const char* what) {
  const struct held* lock = spinning();
  if (handler_depth > 0)
    pmufab_rule(place, "sleeping function called from invalid context: %s in an interrupt handler", what);
  else if (lock)
    pmufab_rule(place, "sleeping function called from invalid context: %s with a %s held that %s took", what,
                lock->kind, at(lock->taken));
  else if (irq_off_depth > 0)
    pmufab_rule(place, "sleeping function called from invalid context: %s with interrupts off", what);
  else if (preempt_depth > 0)
    pmufab_rule(place, "sleeping function called from invalid context: %s with preemption disabled", what);
  else if (rcu_depth > 0)
    pmufab_rule(place, "sleeping function called from invalid context: %s in an RCU reader that %s began", what,
                at(rcu_place));
}

void pmufab_might_sleep(const char* what) { check_sleep(PLACE, what); }

void pmufab_check_allocation(const void* place, gfp_t flags) {
  if (flags & __GFP_DIRECT_RECLAIM) check_sleep(place, "an allocation without GFP_ATOMIC");
}

/* What waits for what, as lockdep remembers it: two things that never happen together may do so another time. Work
 * takes a lock; a process holds a lock while it waits for the end of the work, or of all work in its queue. */
struct order {
  const void* object; /* the work or the queue */
  const void* lock;
  const void* place; /* where the lock is taken by the work; where it is waited for */
  const char* what;  /* that waits */
  bool is_shared;    /* the lock, with other readers */
};
static struct order taken_by_work[kOrders], held_in_wait[kOrders];
static int taken_count, waited_count;

static const struct order* find_order(const struct order* orders, int count, const struct order* wanted) {
  for (int i = 0; i < count; i++) {
    if (orders[i].object != wanted->object || orders[i].lock != wanted->lock) continue;
    if (!orders[i].is_shared || !wanted->is_shared) return &orders[i];
  }
  return NULL;
}

/* false: it is known, or too many are. */
static bool add_order(struct order* orders, int* count, const struct order* one) {
  for (int i = 0; i < *count; i++)
    if (orders[i].object == one->object && orders[i].lock == one->lock && orders[i].is_shared == one->is_shared)
      return false;
  if (*count == kOrders) return false;
  orders[(*count)++] = *one;
  return true;
}

static void report_deadlock(const struct order* wait, const struct order* take, const char* kind) {
  pmufab_rule(wait->place, "possible deadlock: %s with a %s held that the work takes, too, which it waits for: %s",
              wait->what, kind, at(take->place));
}

void pmufab_lock_wait(const void* object, const void* place, const char* what) {
  for (int i = 0; i < held_count; i++) {
    const struct order wait = {object, held[i].lock, place, what, held[i].is_shared};
    const struct order* take = find_order(taken_by_work, taken_count, &wait);
    if (add_order(held_in_wait, &waited_count, &wait) && take) report_deadlock(&wait, take, held[i].kind);
  }
}

static void remember_take(const void* lock, const char* kind, const void* place, bool is_shared) {
  const void* object;
  for (int i = 0; (object = pmufab_work_running(i)) != NULL; i++) {
    const struct order take = {object, lock, place, NULL, is_shared};
    const struct order* wait = find_order(held_in_wait, waited_count, &take);
    if (add_order(taken_by_work, &taken_count, &take) && wait) report_deadlock(wait, &take, kind);
  }
}

static void forget_orders(struct order* orders, int* count, const char* from, size_t size) {
  int kept = 0;
  for (int i = 0; i < *count; i++) {
    const char *object = orders[i].object, *lock = orders[i].lock;
    if ((object >= from && object < from + size) || (lock >= from && lock < from + size)) continue;
    orders[kept++] = orders[i];
  }
  *count = kept;
}

void pmufab_lock_forget(const void* from, size_t size) {
  forget_orders(taken_by_work, &taken_count, from, size);
  forget_orders(held_in_wait, &waited_count, from, size);
}

static void hold(const void* lock, int* count, const char* kind, const void* place, bool spins, bool is_shared) {
  ++*count;
  if (held_count < kHeld)
    held[held_count++] = (struct held){
        .lock = lock, .count = count, .kind = kind, .taken = place, .spins = spins, .is_shared = is_shared};
}

static const struct held* find_held(const void* lock) {
  for (int i = held_count; i-- > 0;)
    if (held[i].lock == lock) return &held[i];
  return NULL;
}

static void take(const void* lock, int* count, const char* kind, const void* place, bool spins) {
  remember_take(lock, kind, place, false);
  if (*count) {
    const struct held* holder = find_held(lock);
    panic("deadlock: this %s is already held%s%s", kind, holder ? ", taken by " : "", holder ? at(holder->taken) : "");
  }
  hold(lock, count, kind, place, spins, false);
}

static void drop(const void* lock, int* count, const char* kind, const void* place) {
  if (!*count) {
    pmufab_rule(place, "unlocking a %s that is not held", kind);
    return;
  }
  --*count;
  for (int i = held_count; i-- > 0;) {
    if (held[i].lock != lock) continue;
    memmove(&held[i], &held[i + 1], (size_t)(--held_count - i) * sizeof(held[0]));
    return;
  }
}

void pmufab_assert_held(const void* lock) {
  if (!find_held(lock)) pmufab_rule(PLACE, "a lock is not held that must be");
}

void mutex_lock(struct mutex* lock) {
  check_sleep(PLACE, "mutex_lock()");
  take(lock, &lock->locked, "mutex", PLACE, false);
}
void mutex_unlock(struct mutex* lock) { drop(lock, &lock->locked, "mutex", PLACE); }
int mutex_trylock(struct mutex* lock) {
  if (lock->locked) return 0;
  hold(lock, &lock->locked, "mutex", PLACE, false, false);
  return 1;
}

/* A lock that a handler takes must be taken with interrupts off elsewhere: else the handler may wait for the code it
 * has interrupted. */
static void remember_use(spinlock_t* lock, const void* place) {
  const bool unsafe = lock->in_handler && lock->interruptible;
  if (handler_depth > 0)
    lock->in_handler = lock->in_handler ? lock->in_handler : place;
  else if (irq_off_depth == 0)
    lock->interruptible = lock->interruptible ? lock->interruptible : place;
  if (unsafe || !lock->in_handler || !lock->interruptible) return;
  pmufab_rule(lock->interruptible, "a spinlock is taken with interrupts on that the interrupt handler's %s takes too",
              at(lock->in_handler));
}

void spin_lock(spinlock_t* lock) {
  remember_use(lock, PLACE);
  take(lock, &lock->locked, "spinlock", PLACE, true);
}
void spin_unlock(spinlock_t* lock) { drop(lock, &lock->locked, "spinlock", PLACE); }
int spin_trylock(spinlock_t* lock) {
  if (lock->locked) return 0;
  hold(lock, &lock->locked, "spinlock", PLACE, true, false);
  return 1;
}

void down_read(struct rw_semaphore* lock) {
  check_sleep(PLACE, "down_read()");
  remember_take(lock, "semaphore", PLACE, true);
  if (lock->locked) panic("deadlock: this semaphore is already held for writing");
  hold(lock, &lock->readers, "semaphore", PLACE, false, true);
}
void up_read(struct rw_semaphore* lock) { drop(lock, &lock->readers, "semaphore", PLACE); }
void down_write(struct rw_semaphore* lock) {
  check_sleep(PLACE, "down_write()");
  if (lock->readers) panic("deadlock: this semaphore is already held for reading");
  take(lock, &lock->locked, "semaphore", PLACE, false);
}
void up_write(struct rw_semaphore* lock) { drop(lock, &lock->locked, "semaphore", PLACE); }

void cpus_read_lock(void) {
  check_sleep(PLACE, "cpus_read_lock()");
  hold(&hotplug_lock, &hotplug_lock, "cpus_read_lock()", PLACE, false, true);
}
void cpus_read_unlock(void) { drop(&hotplug_lock, &hotplug_lock, "cpus_read_lock()", PLACE); }

struct pmufab_balance pmufab_call_begin(void) {
  const struct pmufab_balance outer = entry;
  entry = (struct pmufab_balance){.irq_off = irq_off_depth,
                                  .preempt = preempt_depth,
                                  .held = held_count,
                                  .rcu = rcu_depth,
                                  .stack = __builtin_frame_address(0)};
  return outer;
}

/* Every function of a driver looks at the stack first. Frames between the call into the driver and this
 * one count: the driver's, and those of the runtime if it has called the driver back. Interrupts have a stack of their
 * own, as on arm64. What a kernel has on the stack before it calls a driver does not count. */
static inline void check_stack(const char* here) {
  const long depth = entry.stack ? entry.stack - here : 0;
  if (depth <= kStack) return;
  entry.stack = NULL; /* it is told once */
  panic("kernel stack overflow: the driver has %ld bytes on the stack in one call, and a kernel stack has %d", depth,
        kStack);
}

#if defined(__x86_64__) && !defined(__clang__)
/* The compiler calls it at the begin of each function (-pg -mfentry), before the function has saved what it was given. */
void __fentry__(void);
__attribute__((no_caller_saved_registers, force_align_arg_pointer)) void __fentry__(void) {
  check_stack(__builtin_frame_address(0));
}
#else
void __cyg_profile_func_enter(void* function, void* caller);
void __cyg_profile_func_enter(void* function, void* caller) {
  (void)function, (void)caller;
  check_stack(__builtin_frame_address(0));
}
void __cyg_profile_func_exit(void* function, void* caller);
void __cyg_profile_func_exit(void* function, void* caller) { (void)function, (void)caller; }
#endif

void pmufab_count_delay(u64 nanoseconds, const void* place) {
  const u64 before = entry.delayed;
  if (irq_off_depth == 0) return;
  entry.delayed = before + min(nanoseconds, (u64)U32_MAX * 1000);
  if (before > kLongestDelay || entry.delayed <= kLongestDelay) return;
  pmufab_rule(place,
              "a call has waited for %llu us with interrupts off (udelay() and the like), and %d us are the most",
              entry.delayed / 1000, kLongestDelay / 1000);
}

void pmufab_delay(u64 nanoseconds);
void pmufab_delay(u64 nanoseconds) { pmufab_count_delay(nanoseconds, PLACE); }

void pmufab_call_end(struct pmufab_balance outer) {
  while (held_count > entry.held) {
    const struct held* last = &held[--held_count];
    pmufab_rule(last->taken, "a %s is still held at the return from the driver", last->kind);
    --*last->count;
  }
  if (irq_off_depth > entry.irq_off) {
    pmufab_rule(entry.irq_off < kDepth ? off_places[entry.irq_off] : NULL,
                "interrupts are still off at the return from the driver");
    irq_off_depth = entry.irq_off;
  }
  if (preempt_depth > entry.preempt) {
    pmufab_rule(preempt_place, "preemption is still disabled at the return from the driver");
    preempt_depth = entry.preempt;
  }
  if (rcu_depth > entry.rcu) {
    pmufab_rule(rcu_place, "an RCU reader has not ended at the return from the driver");
    rcu_depth = entry.rcu;
  }
  entry = outer;
}
