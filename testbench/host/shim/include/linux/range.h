// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_RANGE_H
#define PMUFAB_LINUX_RANGE_H
#include <linux/types.h>
struct range {
  u64 start, end; /* inclusive */
};
static inline u64 range_len(const struct range* range) { return range->end - range->start + 1; }
static inline bool range_contains(const struct range* outer, const struct range* inner) {
  return outer->start <= inner->start && outer->end >= inner->end;
}
#endif
