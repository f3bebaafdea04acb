// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cleanup.h>
#include <linux/math.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/types.h>

#define __GFP_ZERO 0x100u
#define __GFP_NOWARN 0x200u
#define __GFP_DIRECT_RECLAIM 0x400u
#define GFP_KERNEL 0xcc0u
#define GFP_ATOMIC 0x820u
#define GFP_NOWAIT 0x800u
#define GFP_KERNEL_ACCOUNT GFP_KERNEL

/* In a sanitized module directly from the C library's heap, so that AddressSanitizer watches every object of a driver.
 * In others the runtime watches: see heap.c. */
void* kmalloc(size_t size, gfp_t flags) __malloc;
void* krealloc(const void* old, size_t size, gfp_t flags);
void kfree(const void* object);
void* kmemdup(const void* from, size_t size, gfp_t flags);
char* kstrdup(const char* text, gfp_t flags);
char* kstrndup(const char* text, size_t limit, gfp_t flags);
__printf(2, 3) char* kasprintf(gfp_t flags, const char* format, ...);
char* kvasprintf(gfp_t flags, const char* format, va_list arguments);

static inline void* kzalloc(size_t size, gfp_t flags) { return kmalloc(size, flags | __GFP_ZERO); }
static inline void* kcalloc(size_t count, size_t size, gfp_t flags) { return kzalloc(size_mul(count, size), flags); }
static inline void* kmalloc_array(size_t count, size_t size, gfp_t flags) {
  return kmalloc(size_mul(count, size), flags);
}
/* From pages that need not lie together: they may be larger. */
void* kvmalloc(size_t size, gfp_t flags) __malloc;
static inline void* kvzalloc(size_t size, gfp_t flags) { return kvmalloc(size, flags | __GFP_ZERO); }
static inline void* kvcalloc(size_t count, size_t size, gfp_t flags) { return kvzalloc(size_mul(count, size), flags); }
static inline void* kvmalloc_array(size_t count, size_t size, gfp_t flags) {
  return kvmalloc(size_mul(count, size), flags);
}
#define kvfree kfree
#define vmalloc(size) kvmalloc((size), GFP_KERNEL)
#define vzalloc(size) kvzalloc((size), GFP_KERNEL)
#define vfree kfree
#define kzalloc_node(size, flags, node) kzalloc((size), (flags))
#define kfree_sensitive kfree
#define kfree_const kfree
#define kstrdup_const kstrdup

/* Typed allocation: the object is given by an lvalue or a type. The flags are optional. */
#define __pmufab_default_flags(unused, flags, ...) (flags)
#define __pmufab_object_flags(...) __pmufab_default_flags(0, ##__VA_ARGS__, GFP_KERNEL)
#define kmalloc_obj(object, flags...) ((__typeof__(object)*)kmalloc(sizeof(object), __pmufab_object_flags(flags)))
#define kzalloc_obj(object, flags...) ((__typeof__(object)*)kzalloc(sizeof(object), __pmufab_object_flags(flags)))
#define kmalloc_objs(object, count, flags...) \
  ((__typeof__(object)*)kmalloc_array((count), sizeof(object), __pmufab_object_flags(flags)))
#define kzalloc_objs(object, count, flags...) \
  ((__typeof__(object)*)kcalloc((count), sizeof(object), __pmufab_object_flags(flags)))
#define kmalloc_flex(object, member, count, flags...) \
  ((__typeof__(object)*)kmalloc(struct_size((&(object)), member, (count)), __pmufab_object_flags(flags)))
#define kzalloc_flex(object, member, count, flags...) \
  ((__typeof__(object)*)kzalloc(struct_size((&(object)), member, (count)), __pmufab_object_flags(flags)))

DEFINE_FREE(kfree, void*, if (!IS_ERR_OR_NULL(_T)) kfree(_T))

/* User space and the kernel share one address space here, and these copies are never called. */
static inline unsigned long copy_to_user(void __user* to, const void* from, unsigned long size) {
  memcpy(to, from, size);
  return 0;
}
static inline unsigned long copy_from_user(void* to, const void __user* from, unsigned long size) {
  memcpy(to, from, size);
  return 0;
}
#define get_user(value, pointer) ((value) = *(pointer), 0)
#define put_user(value, pointer) (*(pointer) = (value), 0)
#define vmemdup_user(from, size) kmemdup((from), (size), GFP_KERNEL)
