// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/errno.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/math.h>

/* The pause between two readings, in simulated time; without one, as cpu_relax(). It does not go beyond the end. */
static inline u64 pmufab_poll_pause(unsigned long pause, u64 timeout, u64 end) {
  const u64 now = ktime_get_ns();
  const u64 time = pause ? pause * NSEC_PER_USEC : 10000;
  return timeout && now + time > end ? max(end - min(now, end), (u64)1) : time;
}

/* Read until the condition holds, or for `timeout` microseconds; 0: for ever. After that it is read once more. */
#define __pmufab_poll(read, value, condition, pass, pause, timeout, pause_first) \
  ({                                                                             \
    const unsigned long __pause = (pause);                                       \
    const u64 __timeout = (timeout);                                             \
    const u64 __end = ktime_get_ns() + __timeout * NSEC_PER_USEC;                \
    int __result = 0;                                                            \
    if ((pause_first) && __pause) pass(pmufab_poll_pause(__pause, 0, 0), 0);     \
    for (;;) {                                                                   \
      (value) = read;                                                            \
      if (condition) break;                                                      \
      if (__timeout && ktime_get_ns() >= __end) {                                \
        (value) = read;                                                          \
        __result = (condition) ? 0 : -ETIMEDOUT;                                 \
        break;                                                                   \
      }                                                                          \
      pass(pmufab_poll_pause(__pause, __timeout, __end), 0);                     \
    }                                                                            \
    __result;                                                                    \
  })
#define read_poll_timeout(read, value, condition, pause, timeout, pause_first, arguments...)              \
  ({                                                                                                      \
    if (pause) pmufab_might_sleep("read_poll_timeout()");                                                 \
    (pause) ? __pmufab_poll(read(arguments), value, condition, pmufab_sleep, pause, timeout, pause_first) \
            : __pmufab_poll(read(arguments), value, condition, pmufab_wait, 0, timeout, false);           \
  })
#define read_poll_timeout_atomic(read, value, condition, pause, timeout, pause_first, arguments...) \
  __pmufab_poll(read(arguments), value, condition, pmufab_wait, pause, timeout, pause_first)
#define readx_poll_timeout(read, address, value, condition, pause, timeout) \
  read_poll_timeout(read, value, condition, pause, timeout, false, address)
#define readx_poll_timeout_atomic(read, address, value, condition, pause, timeout) \
  read_poll_timeout_atomic(read, value, condition, pause, timeout, false, address)
#define readb_poll_timeout(arguments...) readx_poll_timeout(readb, arguments)
#define readw_poll_timeout(arguments...) readx_poll_timeout(readw, arguments)
#define readl_poll_timeout(arguments...) readx_poll_timeout(readl, arguments)
#define readq_poll_timeout(arguments...) readx_poll_timeout(readq, arguments)
#define readb_poll_timeout_atomic(arguments...) readx_poll_timeout_atomic(readb, arguments)
#define readw_poll_timeout_atomic(arguments...) readx_poll_timeout_atomic(readw, arguments)
#define readl_poll_timeout_atomic(arguments...) readx_poll_timeout_atomic(readl, arguments)
#define readq_poll_timeout_atomic(arguments...) readx_poll_timeout_atomic(readq, arguments)
#define readl_relaxed_poll_timeout(arguments...) readx_poll_timeout(readl_relaxed, arguments)
#define readl_relaxed_poll_timeout_atomic(arguments...) readx_poll_timeout_atomic(readl_relaxed, arguments)
#define readq_relaxed_poll_timeout(arguments...) readx_poll_timeout(readq_relaxed, arguments)
#define readq_relaxed_poll_timeout_atomic(arguments...) readx_poll_timeout_atomic(readq_relaxed, arguments)
