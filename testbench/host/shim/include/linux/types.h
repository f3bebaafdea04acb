// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/compiler_types.h>
#include <stdarg.h>
#include <stddef.h>

typedef unsigned char u8, __u8, uint8_t;
typedef unsigned short u16, __u16, uint16_t;
typedef unsigned int u32, __u32, uint32_t;
typedef unsigned long long u64, __u64;
typedef signed char s8, __s8, int8_t;
typedef short s16, __s16, int16_t;
typedef int s32, __s32, int32_t;
typedef long long s64, __s64;
typedef u64 uint64_t;
typedef s64 int64_t;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned char unchar;

typedef u16 __le16, __be16;
typedef u32 __le32, __be32;
typedef u64 __le64, __be64;

typedef _Bool bool;
enum { false = 0, true = 1 };

typedef long ssize_t;
typedef long long loff_t;
typedef unsigned short umode_t;
typedef u64 phys_addr_t;
typedef phys_addr_t resource_size_t;
typedef u64 dma_addr_t;
typedef unsigned int gfp_t;
typedef unsigned long uintptr_t;
typedef unsigned long pgoff_t;
typedef int pid_t;
typedef u32 dev_t;
typedef struct {
  unsigned int val;
} kuid_t;
typedef struct {
  unsigned int val;
} kgid_t;
typedef s64 ktime_t;

typedef struct {
  int counter;
} atomic_t;
typedef struct {
  s64 counter;
} atomic64_t;
typedef atomic64_t atomic_long_t;

struct list_head {
  struct list_head *next, *prev;
};
struct hlist_head {
  struct hlist_node* first;
};
struct hlist_node {
  struct hlist_node *next, **pprev;
};
struct rcu_head {
  struct rcu_head* next;
  void (*function)(struct rcu_head* head);
  void* object; /* ours: to be freed */
};
#define callback_head rcu_head

#define BITS_PER_LONG 64
#define BITS_PER_LONG_LONG 64
#define BITS_PER_BYTE 8
#define BITS_PER_TYPE(type) (sizeof(type) * BITS_PER_BYTE)
#define BITS_TO_LONGS(bits) (((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define BITS_TO_BYTES(bits) (((bits) + BITS_PER_BYTE - 1) / BITS_PER_BYTE)
/* Members that can be accessed individually, together as `name`, and together as a type. */
#define struct_group_tagged(tag, name, members...) \
  union {                                          \
    struct {                                       \
      members                                      \
    };                                             \
    struct tag {                                   \
      members                                      \
    } name;                                        \
  }

#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

#define container_of(pointer, type, member) ((type*)((char*)(pointer)-offsetof(type, member)))
#define container_of_const(pointer, type, member) container_of(pointer, type, member)

#define U8_MAX ((u8)~0U)
#define U16_MAX ((u16)~0U)
#define U32_MAX ((u32)~0U)
#define U64_MAX ((u64)~0ULL)
#define S8_MAX ((s8)(U8_MAX >> 1))
#define S16_MAX ((s16)(U16_MAX >> 1))
#define S32_MAX ((s32)(U32_MAX >> 1))
#define S32_MIN ((s32)(-S32_MAX - 1))
#define S64_MAX ((s64)(U64_MAX >> 1))
#define S64_MIN ((s64)(-S64_MAX - 1))
#define INT_MAX ((int)(~0U >> 1))
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX (~0U)
#define LONG_MAX ((long)(~0UL >> 1))
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX (~0UL)
#define LLONG_MAX ((long long)(~0ULL >> 1))
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX (~0ULL)
#define SIZE_MAX (~(size_t)0)

#define __AC(value, suffix) (value##suffix)
#define _AC(value, suffix) __AC(value, suffix)
#define UL(value) (_AC(value, UL))
#define ULL(value) (_AC(value, ULL))
#define _UL(value) (_AC(value, UL))
#define _ULL(value) (_AC(value, ULL))
