// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_UUID_H
#define PMUFAB_LINUX_UUID_H

#include <linux/string.h>
#include <linux/types.h>

#define UUID_SIZE 16
typedef struct {
  __u8 b[UUID_SIZE]; /* in printing order */
} uuid_t;
typedef struct {
  __u8 b[UUID_SIZE];
} guid_t;
#define UUID_INIT(a, b, c, d0, d1, d2, d3, d4, d5, d6, d7)                                                     \
  ((uuid_t){{((a) >> 24) & 0xff, ((a) >> 16) & 0xff, ((a) >> 8) & 0xff, (a)&0xff, ((b) >> 8) & 0xff, (b)&0xff, \
             ((c) >> 8) & 0xff, (c)&0xff, (d0), (d1), (d2), (d3), (d4), (d5), (d6), (d7)}})
extern const uuid_t uuid_null;
static inline bool uuid_equal(const uuid_t* left, const uuid_t* right) {
  return memcmp(left, right, sizeof(uuid_t)) == 0;
}
static inline bool uuid_is_null(const uuid_t* uuid) { return uuid_equal(uuid, &uuid_null); }
static inline void uuid_copy(uuid_t* to, const uuid_t* from) { *to = *from; }
static inline void export_uuid(__u8* to, const uuid_t* from) { memcpy(to, from, sizeof(uuid_t)); }
static inline void import_uuid(uuid_t* to, const __u8* from) { memcpy(to, from, sizeof(uuid_t)); }

#endif
