// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/smp.h>

/* An object for each CPU, at equal distances. The pointer is that of CPU 0's. Allocated ones are objects of the heap, which
 * watches them. */
#define __pmufab_percpu_step(type) ((sizeof(type) + 63UL) & ~63UL)
/* The compiler must not know the object, or it would take the others to be outside. */
#define __pmufab_percpu_hide(pointer)            \
  ({                                             \
    __typeof__(pointer) __hidden;                \
    __asm__("" : "=r"(__hidden) : "0"(pointer)); \
    __hidden;                                    \
  })
#define per_cpu_ptr(pointer, cpu)                                   \
  ((__typeof__(*(pointer))*)((char*)__pmufab_percpu_hide(pointer) + \
                             (unsigned long)(cpu)*__pmufab_percpu_step(*(pointer))))
#define this_cpu_ptr(pointer) per_cpu_ptr((pointer), smp_processor_id())
#define raw_cpu_ptr(pointer) this_cpu_ptr(pointer)

void* pmufab_percpu_alloc(size_t step, gfp_t flags);
void free_percpu(void* objects);
struct device;
void* pmufab_devm_percpu_alloc(struct device* dev, size_t step);
#define alloc_percpu_gfp(type, flags) ((__typeof__(type)*)pmufab_percpu_alloc(__pmufab_percpu_step(type), (flags)))
#define alloc_percpu(type) alloc_percpu_gfp(type, GFP_KERNEL)
#define devm_alloc_percpu(dev, type) ((__typeof__(type)*)pmufab_devm_percpu_alloc((dev), __pmufab_percpu_step(type)))

#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name
#define DEFINE_PER_CPU(type, name)                                            \
  __typeof__(type) name __attribute__((__alias__("__pmufab_percpu_" #name))); \
  char __pmufab_percpu_##name[NR_CPUS * __pmufab_percpu_step(type)] __used __aligned(64)
#define per_cpu(name, cpu) (*per_cpu_ptr(&(name), (cpu)))
#define this_cpu_read(name) (*this_cpu_ptr(&(name)))
#define this_cpu_write(name, value) (*this_cpu_ptr(&(name)) = (value))
#define this_cpu_add(name, value) (*this_cpu_ptr(&(name)) += (value))
#define this_cpu_sub(name, value) (*this_cpu_ptr(&(name)) -= (value))
#define this_cpu_inc(name) this_cpu_add((name), 1)
#define this_cpu_dec(name) this_cpu_sub((name), 1)
#define __this_cpu_read this_cpu_read
#define __this_cpu_write this_cpu_write
#define __this_cpu_inc this_cpu_inc
#define __this_cpu_dec this_cpu_dec
#define get_cpu_ptr(pointer) (preempt_disable(), this_cpu_ptr(pointer))
#define put_cpu_ptr(pointer) ((void)(pointer), preempt_enable())
#define get_cpu_var(name) (*get_cpu_ptr(&(name)))
#define put_cpu_var(name) put_cpu_ptr(&(name))
