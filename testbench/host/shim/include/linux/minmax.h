// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_MINMAX_H
#define PMUFAB_LINUX_MINMAX_H

#define __pmufab_pick(left, right, better)    \
  ({                                          \
    __auto_type __left = (left);              \
    __auto_type __right = (right);            \
    __left better __right ? __left : __right; \
  })
#define min(left, right) __pmufab_pick(left, right, <)
#define max(left, right) __pmufab_pick(left, right, >)
#define min_t(type, left, right) min((type)(left), (type)(right))
#define max_t(type, left, right) max((type)(left), (type)(right))
#define umin(left, right) min((unsigned long long)(left), (unsigned long long)(right))
#define umax(left, right) max((unsigned long long)(left), (unsigned long long)(right))
#define min3(one, two, three) min(min(one, two), three)
#define max3(one, two, three) max(max(one, two), three)
#define MIN(left, right) ((left) < (right) ? (left) : (right))
#define MAX(left, right) ((left) > (right) ? (left) : (right))
#define clamp(value, low, high) min(max(value, low), high)
#define clamp_t(type, value, low, high) min_t(type, max_t(type, value, low), high)
#define clamp_val(value, low, high) clamp_t(__typeof__(value), value, low, high)
#define swap(left, right)                \
  do {                                   \
    __typeof__(left) __swapped = (left); \
    (left) = (right);                    \
    (right) = __swapped;                 \
  } while (0)

#endif
