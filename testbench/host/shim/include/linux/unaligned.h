// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_UNALIGNED_H
#define PMUFAB_LINUX_UNALIGNED_H
#include <linux/string.h>
#include <linux/types.h>
static inline u16 get_unaligned_le16(const void* from) {
  u16 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
static inline u32 get_unaligned_le24(const void* from) {
  const u8* bytes = from;
  return bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16;
}
static inline u32 get_unaligned_le32(const void* from) {
  u32 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
static inline u64 get_unaligned_le64(const void* from) {
  u64 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
#endif
