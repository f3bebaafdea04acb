// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#define __iomem
#define __user
#define __percpu
#define __force
#define __rcu
#define __bitwise
#define __kernel
#define __must_hold(lock)
#define __acquires(lock)
#define __releases(lock)
#define __counted_by(member)
#define __randomize_layout
#define __ro_after_init
#define __read_mostly
#define __initconst
#define __initdata
#define __init
#define __exit
#define __exitdata
#define __refdata
#define __ref
#define __always_unused __attribute__((__unused__))
#define __maybe_unused __attribute__((__unused__))
#define __used __attribute__((__used__))
#define __packed __attribute__((__packed__))
#define __aligned(bytes) __attribute__((__aligned__(bytes)))
#define __printf(format, first) __attribute__((__format__(__printf__, format, first)))
#define __section(name) __attribute__((__section__(name)))
#define __weak __attribute__((__weak__))
#define __pure __attribute__((__pure__))
#define __malloc __attribute__((__malloc__))
#define __must_check __attribute__((__warn_unused_result__))
#define __noreturn __attribute__((__noreturn__))
#define __cold __attribute__((__cold__))
#define __always_inline inline __attribute__((__always_inline__))
#define __cleanup(function) __attribute__((__cleanup__(function)))
#define noinline __attribute__((__noinline__))
#define fallthrough __attribute__((__fallthrough__))
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define barrier() __asm__ __volatile__("" ::: "memory")
#define unreachable() __builtin_unreachable()
#define asmlinkage

#define READ_ONCE(object) (*(const volatile __typeof__(object)*)&(object))
#define WRITE_ONCE(object, value) (*(volatile __typeof__(object)*)&(object) = (value))

#define ___PASTE(left, right) left##right
#define __PASTE(left, right) ___PASTE(left, right)
#define __UNIQUE_ID(prefix) __PASTE(__PASTE(__unique_##prefix##_, __LINE__), __PASTE(_, __COUNTER__))
#define __same_type(left, right) __builtin_types_compatible_p(__typeof__(left), __typeof__(right))

/* Everything runs on one thread, and state changes only within register accesses: compiler ordering is enough. */
#define smp_mb() barrier()
#define smp_rmb() barrier()
#define smp_wmb() barrier()
#define mb() barrier()
#define rmb() barrier()
#define wmb() barrier()
#define smp_load_acquire(pointer) READ_ONCE(*(pointer))
#define smp_store_release(pointer, value) WRITE_ONCE(*(pointer), value)

#define __stringify_1(...) #__VA_ARGS__
#define __stringify(...) __stringify_1(__VA_ARGS__)

#define static_assert(condition, ...) _Static_assert(condition, "static_assert(" #condition ")")
/* The condition may depend on optimisation, so a failure is a call to a function that does not link. */
#define __BUILD_BUG_NAMED(condition, name)                                          \
  do {                                                                              \
    extern void name(void) __attribute__((__error__("BUILD_BUG_ON: " #condition))); \
    if (condition) name();                                                          \
  } while (0)
#define BUILD_BUG_ON_MSG(condition, message) __BUILD_BUG_NAMED(condition, __PASTE(__build_bug_, __LINE__))
#define BUILD_BUG_ON(condition) BUILD_BUG_ON_MSG(condition, #condition)
#define BUILD_BUG() BUILD_BUG_ON(1)
#define BUILD_BUG_ON_ZERO(condition, ...) ((int)(sizeof(struct { int : (-!!(condition)); })))
#define BUILD_BUG_ON_NOT_POWER_OF_2(value) BUILD_BUG_ON((value) == 0 || (((value) & ((value)-1)) != 0))

/* All drivers of a kernel version are linked into one library: an exported symbol is just a global one. */
/* The symbols of a library tell of local functions only which file they are of, so an exported one gets a local name, too. */
#define __PMUFAB_EXPORTED(symbol) \
  static __typeof__(symbol) __pmufab_exported_##symbol __attribute__((__alias__(#symbol), __used__))
#define EXPORT_SYMBOL(symbol) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_GPL(symbol) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_NS(symbol, space...) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_NS_GPL(symbol, space...) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_FOR_MODULES(symbol, modules) __PMUFAB_EXPORTED(symbol)
